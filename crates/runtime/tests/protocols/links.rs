//! Nodes, and what joins them.

use proptest::prelude::*;
use runtime::stores::Contents;
use value::Value;
use value::json::parse;

use crate::{NOW, ask, of, refusal, write};

fn family() -> Contents {
    let mut graph = of("graph");
    write(&mut graph, r#"{"node": "ana", "age": 40}"#);
    write(&mut graph, r#"{"from": "ana", "rel": "parent", "to": "bo", "since": 2001}"#);
    write(&mut graph, r#"{"subject": "bo", "predicate": "parent", "object": "cy"}"#);
    write(
        &mut graph,
        r#"{"nodes": [{"id": "cy"}], "edges": [{"from": "dora", "rel": "knows", "to": "ana"}]}"#,
    );
    graph
}

#[test]
fn neighbours_are_found_near_and_far() {
    let mut graph = family();
    assert_eq!(
        ask(&mut graph, r#""ana""#),
        [
            r#"[{"node":"bo","depth":1,"via":{"from":"ana","rel":"parent","to":"bo","since":2001}},"#,
            r#"{"node":"dora","depth":1,"via":{"from":"dora","rel":"knows","to":"ana"}}]"#,
        ]
        .concat()
    );
    let names = |graph: &mut Contents, query: &str| {
        let found = graph.read(Some(&parse(query).unwrap()), NOW).unwrap();
        let found = found.as_list().unwrap().iter();
        found
            .map(|it| it.get("node").unwrap().as_text().unwrap().to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(names(&mut graph, r#"{"node": "ana", "direction": "out", "depth": 5}"#), "bo cy");
    assert_eq!(names(&mut graph, r#"{"node": "ana", "direction": "in"}"#), "dora");
    assert_eq!(names(&mut graph, r#"{"node": "ana", "rel": "parent", "depth": 2}"#), "bo cy");
    assert_eq!(names(&mut graph, r#"{"node": "ana", "depth": 2, "limit": 2}"#), "bo dora");
    assert_eq!(names(&mut graph, r#""nobody""#), "");
    // A node's properties go with it.
    assert!(ask(&mut graph, r#"{"node": "dora"}"#).contains(r#""age":40"#));
}

#[test]
fn paths_and_edges() {
    let mut graph = family();
    assert_eq!(
        ask(&mut graph, r#"{"from": "dora", "to": "bo"}"#),
        r#"[{"from":"dora","rel":"knows","to":"ana"},{"from":"ana","rel":"parent","to":"bo","since":2001}]"#
    );
    assert_eq!(ask(&mut graph, r#"{"from": "dora", "to": "bo", "depth": 1}"#), "null");
    assert_eq!(ask(&mut graph, r#"{"from": "cy", "to": "dora"}"#), "null");
    assert!(
        ask(&mut graph, r#"{"from": "cy", "to": "dora", "direction": "both"}"#).starts_with("[{")
    );
    assert_eq!(
        ask(&mut graph, r#"{"edges": {"rel": "parent", "from": "bo"}}"#),
        r#"[{"from":"bo","rel":"parent","to":"cy"}]"#
    );
    write(&mut graph, r#"{"from": "ana", "rel": "parent", "to": "bo", "since": 2002}"#);
    write(
        &mut graph,
        r#"{"remove": [{"from": "bo", "rel": "parent", "to": "cy"}, {"node": "cy"}]}"#,
    );
    assert_eq!(
        ask(&mut graph, r#"{"edges": {}, "limit": 9}"#),
        r#"[{"from":"ana","rel":"parent","to":"bo","since":2002},{"from":"dora","rel":"knows","to":"ana"}]"#
    );
    for (bad, why) in [
        ("1", "a number is neither node nor edge"),
        ("{}", "a node has a `node`; an edge has a `from`, a `rel` and a `to`"),
        (
            r#"{"from": "a", "to": "b"}"#,
            "an edge has a `from`, a `rel` and a `to`, which are texts",
        ),
        (r#"{"remove": "a"}"#, "what is removed is named as `{node: ID}` or as `{from, rel, to}`"),
    ] {
        assert_eq!(refusal(&mut graph, bad), why);
    }
}

proptest! {
    /// Distances agree with those that come out of trying all nodes again and again.
    #[test]
    fn a_path_is_a_shortest_path(edges in prop::collection::vec((0_usize..6, 0_usize..6), 0..14)) {
        let mut graph = of("graph");
        let mut far = [[usize::MAX; 6]; 6];
        for (node, row) in far.iter_mut().enumerate() {
            row[node] = 0;
        }
        for (from, to) in &edges {
            write(&mut graph, &format!(r#"{{"from": "{from}", "rel": "r", "to": "{to}"}}"#));
            far[*from][*to] = far[*from][*to].min(1);
        }
        for middle in 0..6 {
            for from in 0..6 {
                for to in 0..6 {
                    let round = far[from][middle].saturating_add(far[middle][to]);
                    far[from][to] = far[from][to].min(round);
                }
            }
        }
        for from in 0..6 {
            let around = format!(r#"{{"node": "{from}", "direction": "out", "depth": 9}}"#);
            let around = graph.read(Some(&parse(&around).unwrap()), NOW).unwrap();
            let reached = far[from].iter().filter(|far| (1..usize::MAX).contains(*far)).count();
            prop_assert_eq!(around.as_list().unwrap().len(), reached);
            for (to, wanted) in far[from].into_iter().enumerate() {
                let query = format!(r#"{{"from": "{from}", "to": "{to}"}}"#);
                let path = graph.read(Some(&parse(&query).unwrap()), NOW).unwrap();
                let length = path.as_list().map_or(usize::MAX, <[Value]>::len);
                prop_assert_eq!(length, wanted);
            }
        }
    }
}
