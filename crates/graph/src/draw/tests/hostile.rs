//! Nothing that an author writes breaks a picture.

use std::sync::Arc;

use value::{Map, Value};

use super::super::{mermaid, outline, svg};
use super::{random_sketch, sketch};
use crate::draft::{Draft, DraftEdge, DraftLabel, DraftNode};
use crate::ops::Port;
use crate::{Endpoint, Graph, ToKind};

pub(in crate::draw) const TEXTS: [&str; 12] = [
    "\"]--><script>alert(1)</script>&amp;",
    "a\nb\r\n\tc",
    "\0\u{1}\u{1b}[31mred\u{7f}\u{9b}",
    "\u{1f600}\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{fb02}\u{b0}\u{b0}34\u{b6}\u{df}",
    "\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{202e}live\u{2066}\u{200f}",
    "end",
    "graph TD; subgraph x; click a href \"javascript:alert(1)\"",
    "%%{init: {'theme':'dark'}}%% `**md**` 1. list #quot; $$x$$ fa:fa-car",
    "]]> <!-- --> <![CDATA[ </text></svg>",
    "style a:b#c;d",
    "\u{fffe}\u{ffff}\u{2028}\u{2029}\u{85}",
    "",
];

/// A graph in which this text is everything that can be text.
fn filled_with(text: &str) -> Graph {
    let value = Value::text(text);
    let node = |id: &str, op: &str, members: &[&str]| DraftNode {
        id: Some(id.into()),
        op: Some(op.into()),
        data: Some(Arc::new(
            members.iter().map(|name| ((*name).into(), value.clone())).collect::<Map>(),
        )),
        ..DraftNode::default()
    };
    let edge = |from: &str, to: &str, to_kind, port| DraftEdge {
        from: Some(from.into()),
        to: Some(to.into()),
        to_kind: Some(to_kind),
        port,
        ..DraftEdge::default()
    };
    let mut odd_port = edge("n1", text, ToKind::Label, None);
    odd_port.extra.keep("port".into(), value.clone());
    let label = DraftLabel {
        nodes: vec![
            node("n1", "R", &["adapter", "target", "out"]),
            node(text, "Set", &["name", "ref"]),
            node("n3", text, &["x"]),
            node("n4", "If", &["cond"]),
            node("n5", "Call", &["label", "out"]),
        ],
        edges: vec![
            edge("n1", text, ToKind::Node, Some(Port::Next)),
            edge(text, "n3", ToKind::Node, Some(Port::Next)),
            edge("n3", "n4", ToKind::Node, Some(Port::Next)),
            edge("n4", &format!("{text} gone"), ToKind::Label, Some(Port::Then)),
            edge("n4", &format!("{text} gone"), ToKind::Node, Some(Port::Err)),
            edge("n4", "n5", ToKind::Node, Some(Port::Else)),
            odd_port,
        ],
        ..DraftLabel::default()
    };
    let endpoint = Endpoint {
        path: text.into(),
        method: text.into(),
        label: Some(text.into()),
        members: Arc::default(),
    };
    let labels = [(text.into(), label), ("2".into(), DraftLabel::default())];
    let draft = Draft {
        labels: labels.into_iter().collect(),
        endpoints: vec![endpoint],
        ..Draft::default()
    };
    crate::normalize(draft, &mut Vec::new())
}

/// Tags balance, attributes are quoted, entities are known, and all characters are allowed.
pub(in crate::draw) fn check_xml(text: &str) {
    let allowed = |letter: char| {
        letter == '\n'
            || (letter >= ' ' && !letter.is_control() && letter < '\u{fffe}')
            || letter > '\u{ffff}'
    };
    assert!(text.chars().all(allowed), "a character that XML forbids");
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        check_entities(&rest[..at]);
        assert!(!rest[..at].contains('>'), "{}", &rest[..at]);
        let end = at + rest[at..].find('>').expect("a tag ends");
        let tag = &rest[at + 1..end];
        check_entities(tag);
        assert!(tag.matches('"').count().is_multiple_of(2), "{tag}");
        let name = tag.trim_matches('/').split(' ').next().expect("a tag has a name");
        let known =
            ["svg", "title", "style", "defs", "marker", "path", "rect", "circle", "g", "text"];
        assert!(known.contains(&name), "{tag}");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty() && rest.trim().is_empty());
}

fn check_entities(text: &str) {
    for piece in text.split('&').skip(1) {
        let name = piece.split(';').next();
        assert!(matches!(name, Some("amp" | "lt" | "gt" | "quot" | "apos")), "&{piece}");
    }
}

/// Every quoted text holds only letters, entities and a few harmless signs, and what is not
/// quoted is ours.
pub(in crate::draw) fn check_mermaid(text: &str) {
    for line in text.lines() {
        assert!(line.matches('"').count().is_multiple_of(2), "{line}");
        for (at, piece) in line.split('"').enumerate() {
            if at % 2 == 0 {
                assert!(piece.is_ascii(), "{line}");
                continue;
            }
            assert!(!piece.trim().is_empty(), "{line}");
            let odd = |letter: char| !letter.is_alphanumeric() && !" ,/=(?.#;".contains(letter);
            assert!(!piece.contains(odd), "{line}");
            for entity in piece.split('#').skip(1) {
                let code = entity.split_once(';').expect("an entity ends").0;
                assert!(code.parse::<u32>().is_ok(), "{line}");
            }
        }
    }
    let opened = text.lines().filter(|line| line.starts_with("  subgraph ")).count();
    assert_eq!(text.lines().filter(|line| *line == "  end").count(), opened);
}

pub(in crate::draw) fn check_outline(text: &str) {
    assert!(text.chars().all(|letter| letter == '\n' || !letter.is_control()), "{text}");
}

fn check(graph: &Graph, only: Option<&str>) {
    check_xml(&svg(graph, only));
    check_mermaid(&mermaid(graph, only));
    check_outline(&outline(graph, only));
}

#[test]
fn text_is_only_text() {
    for text in TEXTS {
        let graph = filled_with(text);
        check(&graph, None);
        check(&graph, Some(text));
        check(&graph, Some(&format!("{text} is missing")));
        // One node by line, whatever its text.
        let lines = outline(&graph, None).lines().filter(|line| line.starts_with("  n5")).count();
        assert_eq!(lines, 1, "{}", outline(&graph, None));
    }
}

#[test]
fn odd_graphs_are_drawn() {
    for text in [
        "",
        "= 1",
        "= 1\nn1 J {}\nn1 J {}\nn1 next> n1",
        "= 1\nn1 Odd {}\nn1 next> n2\nn1 next>> 2",
        "= 1\nn1 Set {}\nn1 next>> 1\n= 2\nn1 Set {}\nn1 next>> 1",
        "= 1\nn2 Set {}\nn9 next> n2\nn2 then> n9",
    ] {
        check(&sketch::graph(text), None);
    }
    let mut graph = sketch::graph("= 1\nn1 Set {}\n+ n2 J {}");
    graph.labels.get_mut("1").unwrap().entry = Some("gone".into());
    check(&graph, None);
    graph.labels.get_mut("1").unwrap().entry = None;
    check(&graph, None);
}

#[test]
fn random_graphs_are_drawn_the_same_twice() {
    for seed in 1_000..1_060 {
        let text = random_sketch(seed, 7, 5);
        let (graph, again) = (sketch::graph(&text), sketch::graph(&text));
        check(&graph, None);
        check(&graph, Some("l3"));
        assert_eq!(svg(&graph, None), svg(&again, None));
        assert_eq!(mermaid(&graph, None), mermaid(&again, None));
        assert_eq!(outline(&graph, None), outline(&again, None));
    }
}

#[test]
fn large_graphs_stay_bounded() {
    // A hub, a chain that turns back, and one long label: each invites quadratic work.
    let mut hub = String::from("= hub\nn1 Fork {}\n");
    let mut chain = String::new();
    let mut long = String::from("= 1\nn1 Set {}\n");
    for at in 0..1_500 {
        hub += &format!("n1 branch>> b{at}\n");
        let next = (at + 1) % 1_500;
        chain += &format!("= b{at}\nn1 Set {{}}\nn1 next>> b{next}\nn1 err>> b{}\n", at / 2);
        long += &format!("+ n{} If {{\"cond\": \"x\"}}\n", at + 2);
        long += &format!("n{} then>> {at}\nn{} else> n{}\n", at + 2, at + 2, 1 + at / 2);
    }
    hub += &(0..1_500).map(|at| format!("= b{at}\nn1 J {{}}\n")).collect::<String>();
    for text in [hub, chain, long] {
        let graph = sketch::graph(&text);
        let picture = svg(&graph, None);
        check_xml(&picture);
        assert!(picture.len() < 4_000_000, "{}", picture.len());
    }
}
