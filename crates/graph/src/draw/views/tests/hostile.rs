//! Nothing that an author writes breaks a view.

use diagnostics::Severity;
use value::Value;

use super::super::super::tests::hostile::{TEXTS, check_mermaid, check_outline, check_xml};
use super::super::super::tests::{random_sketch, sketch};
use super::super::{Mark, View, view_mermaid, view_svg, view_text};
use super::{WRITER, WRITER_DECLARED, declared, writer};
use crate::{Graph, Kind};

fn check(graph: &Graph, marks: &[Mark]) {
    for view in View::ALL {
        let picture = view_svg(graph, view, marks);
        check_xml(&picture);
        assert!(!picture.contains("NaN") && !picture.contains("inf\""), "{picture}");
        // The break between two lines is ours.
        check_mermaid(&view_mermaid(graph, view, marks).replace("<br/>", " "));
        check_outline(&view_text(graph, view, marks));
    }
}

/// Puts a text in the place of every text in a value.
fn replaced(value: &Value, text: &str) -> Value {
    match value {
        Value::Text(_) => Value::text(text),
        Value::List(items) => Value::list(items.iter().map(|item| replaced(item, text))),
        Value::Map(map) => {
            Value::map(map.iter().map(|(name, member)| (name.clone(), replaced(member, text))))
        }
        other => other.clone(),
    }
}

#[test]
fn text_is_only_text() {
    for text in TEXTS {
        let mut graph = writer();
        for kind in Kind::ALL {
            let ids: Vec<_> = graph.declarations.of(kind).keys().cloned().collect();
            for id in ids {
                let declared = replaced(&graph.declarations.of(kind)[&*id], text);
                graph.declarations.of_mut(kind).insert(text.into(), declared.clone());
                graph.declarations.of_mut(kind).insert(id, declared);
            }
        }
        graph.extra.insert("name".into(), Value::text(text));
        let label = graph.labels.get_mut("good").unwrap();
        label.nodes[0].extra.keep("gate".into(), Value::map([("text", Value::text(text))]));
        label.edges[0].to = text.into();
        let marks: Vec<Mark> = ["write", "author", text]
            .into_iter()
            .map(|on| Mark { on: on.into(), severity: Severity::Error, text: text.to_string() })
            .collect();
        check(&graph, &marks);
    }
}

#[test]
fn every_kind_of_value_may_stand_anywhere() {
    let odd = ["null", "7", "\"write\"", "[]", "[1, [2]]", "{}", "{\"entity\": 3, \"type\": []}"];
    for odd in odd.map(|odd| value::json::parse(odd).unwrap()) {
        for kind in Kind::ALL {
            let mut graph = declared(WRITER, WRITER_DECLARED);
            let ids: Vec<_> = graph.declarations.of(kind).keys().cloned().collect();
            for id in ids {
                let before = graph.declarations.of(kind)[&*id].clone();
                let members = before.as_map().map(|map| map.iter()).into_iter().flatten();
                let members = members.map(|(name, _)| (name.clone(), odd.clone()));
                graph.declarations.of_mut(kind).insert(id.clone(), Value::map(members));
                check(&graph, &[]);
                graph.declarations.of_mut(kind).insert(id, odd.clone());
            }
            check(&graph, &[]);
        }
    }
}

#[test]
fn random_graphs_are_drawn_the_same_twice() {
    for seed in 0..40 {
        let text = random_sketch(seed, 9, 5);
        let (graph, again) = (sketch::graph(&text), sketch::graph(&text));
        check(&graph, &[]);
        assert_eq!(view_svg(&graph, View::Flow, &[]), view_svg(&again, View::Flow, &[]));
    }
}

#[test]
fn every_process_stands_there_once() {
    let graph = writer();
    let picture = view_svg(&graph, View::Flow, &[]);
    for id in graph.labels.keys() {
        let kinds = ["step", "gate", "checkpoint", "spawn"];
        let titles = kinds.map(|kind| {
            let title = format!("<title>{kind} {id}");
            [format!("{title}\n"), format!("{title}</title>")]
        });
        let count: usize =
            titles.iter().flatten().map(|title| picture.matches(title).count()).sum();
        assert_eq!(count, 1, "{id}");
    }
    assert_eq!(picture.matches("<title>agent author\n").count(), 2, "beside each of its users");
}

#[test]
fn findings_are_shown_where_they_belong_and_listed() {
    let mark = |on: &str, severity, text: String| Mark { on: on.into(), severity, text };
    let mut marks: Vec<Mark> =
        (0..14).map(|at| mark("write", Severity::Warning, format!("warning {at}"))).collect();
    marks.push(mark("notes", Severity::Error, "full".to_string()));
    let picture = view_svg(&writer(), View::Flow, &marks);
    assert!(picture.contains(">14</text>"), "the number on the badge");
    assert!(picture.contains("\nwarning: warning 13</title>"), "all of them in the title");
    assert!(picture.contains("<text x=\"16\" y=\"26\">notes: full</text>"), "the worst first");
    assert!(picture.contains(">and 3 more</text>"));
    assert!(!picture.contains(">write: warning 13</text>"));
}

#[test]
fn large_graphs_stay_bounded() {
    let mut chain = String::new();
    let mut hub = String::from("= hub\nn1 Fork {}\n");
    for at in 0..1_500 {
        let call = r#"{"adapter": "agent.INVOKE", "target": "author"}"#;
        chain += &format!("= p{at}\nn1 R {call}\n+ n2 If {{\"cond\": \"x\"}}\n");
        chain += &format!("n2 then>> p{}\nn2 else>> p{}\n", at / 2, at + 1);
        hub += &format!("n1 branch>> b{at}\n");
    }
    hub += "n1 next>> end\n= end\nn1 Join {}\n+ n2 J {}\n";
    for at in 0..1_500 {
        hub += &format!("= b{at}\nn1 R {{\"adapter\": \"tool.CALL\", \"target\": \"t\"}}\n");
        hub += "n1 next>> end\n";
    }
    for text in [chain, hub] {
        let graph = sketch::graph(&text);
        for view in [View::Flow, View::Architecture] {
            let picture = view_svg(&graph, view, &[]);
            check_xml(&picture);
            assert!(picture.len() < 4_000_000, "{}", picture.len());
        }
    }
}
