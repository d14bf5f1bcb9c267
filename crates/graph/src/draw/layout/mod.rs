//! Where things go: sized blocks and links in, coordinates and routes out.
//!
//! A layered layout in the manner of Sugiyama. Cycles are broken (`layers`), blocks are put
//! in layers and links that span several get bends, sweeps bring the order of each layer close
//! to that of its neighbours (`order`), every layer is then moved as near to its neighbours
//! as the order allows (`place`), and links run through what is left free (`route`).
//! Nothing here knows what a block shows. The cost is about linear, and bounded for any input.

mod layers;
mod order;
mod place;
mod route;

/// Something with a size.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Its width, with the room it wants for itself.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// The part of its width where links arrive and leave, from and to.
    pub span: (f64, f64),
}

impl Block {
    fn axis(&self) -> f64 {
        (self.span.0 + self.span.1) / 2.0
    }
}

/// A connection from the bottom of a block to the top of a block.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The block it leaves.
    pub from: usize,
    /// The block it leads to.
    pub to: usize,
    /// Where it leaves, from the left side of the block; where not given, links are spread over
    /// the span in the order in which they lead away.
    pub leaves: Option<f64>,
    /// Links of a block with the same number here may trade the places where they leave.
    pub bunch: usize,
}

/// A place in the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// A piece of a route.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Straight up or down.
    Straight(Point),
    /// To another height, beginning and ending upright.
    Curve(Point),
    /// To the same height, through below.
    Under(Point),
    /// To the same height, through above.
    Over(Point),
}

impl Step {
    /// Where it ends.
    pub fn end(&self) -> Point {
        match self {
            Step::Straight(end) | Step::Curve(end) | Step::Under(end) | Step::Over(end) => *end,
        }
    }
}

/// The way of a link. It ends at the top of a block, downwards.
#[derive(Clone, Debug)]
pub struct Route {
    /// Where it begins.
    pub start: Point,
    /// How it goes on.
    pub steps: Vec<Step>,
}

/// The result.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The size of it all.
    pub width: f64,
    /// The size of it all.
    pub height: f64,
    /// The left upper corner of each block.
    pub blocks: Vec<Point>,
    /// The way of each link; none where it is too long for an eye to follow.
    pub routes: Vec<Option<Route>>,
}

/// Free room between parts that no link connects.
const PART_GAP: f64 = 44.0;

/// How much room there is.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// The least distance between layers.
    pub layer_gap: f64,
    /// How much wider than high the picture should be.
    pub aspect: f64,
}

impl Default for Room {
    fn default() -> Room {
        Room { layer_gap: 44.0, aspect: 1.5 }
    }
}

/// Lays blocks and links out.
///
/// # Panics
/// Where a link names a block that does not exist.
pub fn arrange(blocks: &[Block], links: &[Link]) -> Layout {
    arrange_in(blocks, links, Room::default())
}

/// The same, in a given room.
///
/// # Panics
/// Where a link names a block that does not exist.
pub fn arrange_in(blocks: &[Block], links: &[Link], room: Room) -> Layout {
    let parts = connected(blocks.len(), links);
    let mut layout = Layout {
        blocks: vec![Point::default(); blocks.len()],
        routes: vec![None; links.len()],
        ..Layout::default()
    };
    let drawn: Vec<Part> =
        parts.iter().map(|part| arrange_part(blocks, links, part, room)).collect();
    let area: f64 =
        drawn.iter().map(|part| (part.width + PART_GAP) * (part.height + PART_GAP)).sum();
    let width_max = drawn
        .iter()
        .map(|part| part.width)
        .fold((area * room.aspect).sqrt(), f64::max)
        .max(600.0 * room.aspect);
    let mut tallest_first: Vec<(Part, &Members)> = drawn.into_iter().zip(&parts).collect();
    tallest_first.sort_by(|a, b| b.0.height.total_cmp(&a.0.height));
    let mut shelf = Shelf::default();
    for (part, members) in tallest_first {
        let corner = shelf.put(part.width, part.height, width_max);
        let shift = |point: Point| Point { x: point.x + corner.x, y: point.y + corner.y };
        for (block, corner) in members.blocks.iter().zip(part.corners) {
            layout.blocks[*block] = shift(corner);
        }
        for (link, route) in members.links.iter().zip(part.routes) {
            layout.routes[*link] = route.map(|route| moved(route, shift));
        }
        layout.width = layout.width.max(corner.x + part.width);
        layout.height = layout.height.max(corner.y + part.height);
    }
    layout
}

/// Parts stand side by side in shelves, and in columns where two or more fit below each other.
/// INVARIANT: they come in falling height, so that the first one of a shelf is its height.
#[derive(Default)]
struct Shelf {
    top: f64,
    height: f64,
    column: f64,
    column_width: f64,
    column_bottom: f64,
}

impl Shelf {
    fn put(&mut self, width: f64, height: f64, width_max: f64) -> Point {
        if self.height == 0.0 {
            self.height = height;
        } else if width <= self.column_width
            && self.column_bottom + PART_GAP + height <= self.top + self.height
        {
            let corner = Point { x: self.column, y: self.column_bottom + PART_GAP };
            self.column_bottom = corner.y + height;
            return corner;
        } else {
            self.column += self.column_width + PART_GAP;
            if self.column + width > width_max {
                self.top += self.height + PART_GAP;
                (self.height, self.column) = (height, 0.0);
            }
        }
        (self.column_width, self.column_bottom) = (width, self.top + height);
        Point { x: self.column, y: self.top }
    }
}

fn moved(route: Route, shift: impl Fn(Point) -> Point) -> Route {
    let steps = route.steps.iter().map(|step| match *step {
        Step::Straight(end) => Step::Straight(shift(end)),
        Step::Curve(end) => Step::Curve(shift(end)),
        Step::Under(end) => Step::Under(shift(end)),
        Step::Over(end) => Step::Over(shift(end)),
    });
    Route { start: shift(route.start), steps: steps.collect() }
}

/// Blocks that links connect, in any direction.
#[derive(Default)]
struct Members {
    blocks: Vec<usize>,
    links: Vec<usize>,
}

/// A part, laid out by itself.
struct Part {
    width: f64,
    height: f64,
    corners: Vec<Point>,
    routes: Vec<Option<Route>>,
}

fn connected(count: usize, links: &[Link]) -> Vec<Members> {
    let mut parents: Vec<usize> = (0..count).collect();
    for link in links {
        let (a, b) = (root(&mut parents, link.from), root(&mut parents, link.to));
        // The smaller one stays, so that parts keep the order of their first blocks.
        parents[a.max(b)] = a.min(b);
    }
    let mut numbers = vec![usize::MAX; count];
    let mut parts: Vec<Members> = Vec::new();
    for block in 0..count {
        let root = root(&mut parents, block);
        if numbers[root] == usize::MAX {
            numbers[root] = parts.len();
            parts.push(Members::default());
        }
        parts[numbers[root]].blocks.push(block);
    }
    for (at, link) in links.iter().enumerate() {
        parts[numbers[root(&mut parents, link.from)]].links.push(at);
    }
    parts
}

fn root(parents: &mut [usize], of: usize) -> usize {
    let mut at = of;
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

fn arrange_part(blocks: &[Block], links: &[Link], members: &Members, room: Room) -> Part {
    // Members are in ascending order: their positions are found by search.
    let local = |block: usize| {
        members.blocks.binary_search(&block).expect("a part holds both ends of its links")
    };
    let own_blocks: Vec<Block> = members.blocks.iter().map(|block| blocks[*block]).collect();
    let own_links: Vec<Link> = members
        .links
        .iter()
        .map(|link| &links[*link])
        .map(|link| Link { from: local(link.from), to: local(link.to), ..*link })
        .collect();
    let mut net = layers::build(&own_blocks, &own_links);
    order::sort(&mut net);
    let axes = place::axes(&net);
    route::draw(&net, &own_blocks, &own_links, &axes, room)
}

#[cfg(test)]
mod tests;
