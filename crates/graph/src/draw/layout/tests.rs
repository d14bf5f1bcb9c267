use super::*;

fn square(size: f64) -> Block {
    Block { width: size, height: size, span: (0.0, size) }
}

fn link(from: usize, to: usize) -> Link {
    Link { from, to, leaves: None, bunch: 0 }
}

#[test]
fn nothing_takes_no_room() {
    let layout = arrange(&[], &[]);
    assert_eq!((layout.width, layout.height), (0.0, 0.0));
}

#[test]
fn a_chain_is_a_straight_line() {
    let layout = arrange(&[square(50.0), square(90.0), square(50.0)], &[link(0, 1), link(1, 2)]);
    assert_eq!(layout.width, 90.0);
    for route in layout.routes.iter().flatten() {
        assert!(matches!(route.steps[..], [Step::Straight(Point { x: 45.0, .. })]), "{route:?}");
    }
}

#[test]
fn a_fork_is_symmetric() {
    let blocks = [square(50.0); 4];
    let layout = arrange(&blocks, &[link(0, 1), link(0, 2), link(1, 3), link(2, 3)]);
    let middle = |block: usize| layout.blocks[block].x + 25.0;
    assert!((middle(0) - (middle(1) + middle(2)) / 2.0).abs() < 1.0);
    assert!((middle(0) - middle(3)).abs() < 1.0);
    assert_eq!(layout.blocks[1].y, layout.blocks[2].y);
}

#[test]
fn a_link_back_goes_round() {
    let layout = arrange(&[square(50.0), square(50.0)], &[link(0, 1), link(1, 0), link(1, 1)]);
    for route in layout.routes[1..].iter().flatten() {
        assert!(matches!(route.steps.first(), Some(Step::Under(_))));
        assert!(matches!(route.steps.last(), Some(Step::Over(_))));
        let side = route.steps[0].end().x;
        assert!(side > layout.blocks[1].x + 50.0);
    }
}

#[test]
fn links_of_a_bunch_trade_places_and_do_not_cross() {
    // Blocks 1 and 2 are fixed by what leads to them; 0 would cross if it could not trade.
    let mut links = vec![link(0, 1), link(0, 2)];
    links[0].leaves = Some(40.0);
    links[1].leaves = Some(10.0);
    let layout = arrange(&[square(50.0); 3], &links);
    let starts: Vec<f64> = layout.routes.iter().flatten().map(|route| route.start.x).collect();
    let left_first = layout.blocks[1].x < layout.blocks[2].x;
    assert_eq!(starts[0] < starts[1], left_first);
}

#[test]
fn parts_stand_side_by_side() {
    let layout = arrange(&[square(50.0); 3], &[]);
    assert_eq!(layout.height, 50.0);
    let many = arrange(&[square(50.0); 400], &[]);
    assert!(many.width < 2.5 * many.height && many.height < 2.5 * many.width);
}

#[test]
fn a_link_too_long_to_follow_is_not_drawn() {
    let mut links: Vec<Link> = (0..60).map(|at| link(at, at + 1)).collect();
    links.push(link(0, 60));
    let layout = arrange(&[square(10.0); 61], &links);
    assert!(layout.routes[..60].iter().all(Option::is_some));
    assert!(layout.routes[60].is_none());
}
