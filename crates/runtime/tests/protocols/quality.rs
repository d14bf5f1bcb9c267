//! How well the search finds what is meant: two hundred passages, sixty questions. The figures in
//! `docs/stores.md` are these.

use runtime::stores::Contents;
use value::Value;
use value::json::compact;

use crate::{NOW, of};

const TEXT: &str = include_str!("passages.txt");

/// Where the passage that is meant stands among the answers, from 1 on, for each question.
fn ranks(how: &str) -> Vec<Option<usize>> {
    let mut passages = filled();
    let asked = TEXT.lines().filter_map(|line| line.strip_prefix(how)?.strip_prefix(' '));
    let asked = asked.map(|line| line.split_once(' ').unwrap());
    asked
        .map(|(wanted, query)| {
            let query = Value::map([("text", Value::from(query)), ("top_k", Value::Int(10))]);
            let found = passages.read(Some(&query), NOW).unwrap();
            let ids = found.as_list().unwrap().iter().map(|it| it.get("id").unwrap().clone());
            ids.into_iter().position(|id| id == wanted.into()).map(|place| place + 1)
        })
        .collect()
}

fn filled() -> Contents {
    let mut passages = of("vector");
    for line in TEXT.lines().skip(1).take_while(|line| !line.is_empty()) {
        let (subject, rest) = line.split_once(' ').unwrap();
        let (number, text) = rest.split_once(' ').unwrap();
        passages.write(Some(&format!("{subject}.{number}")), text.into(), NOW).unwrap();
    }
    assert_eq!(passages.to_value().as_list().unwrap().len(), 200);
    passages
}

fn row(how: &str) -> String {
    let ranks = ranks(how);
    assert_eq!(ranks.len(), 20);
    let within = |most| ranks.iter().flatten().filter(|rank| **rank <= most).count() as f64 / 20.0;
    let mean = ranks.iter().flatten().map(|rank| 1.0 / *rank as f64).sum::<f64>() / 20.0;
    format!("{:.2} | {:.2} | {:.2} | {mean:.2}", within(1), within(5), within(10))
}

#[test]
fn the_documented_figures_are_measured() {
    let documented = include_str!("../../../../docs/stores.md");
    let rows = [
        ("exact", "the same words"),
        ("variant", "other forms of the words, and typing errors"),
        ("synonym", "other words"),
    ];
    let rows = rows.map(|(how, words)| format!("| {words} | {} |", row(how))).join("\n");
    assert!(documented.contains(&rows), "docs/stores.md lacks\n{rows}");
}

#[test]
fn every_score_is_a_number_from_0_to_1() {
    let mut passages = filled();
    for query in TEXT.lines().skip(202) {
        let found = passages.read(Some(&query.into()), NOW).unwrap();
        for found in found.as_list().unwrap() {
            let Some(Value::Float(score)) = found.get("score") else {
                panic!("{}", compact(found))
            };
            assert!((0.0..=1.0).contains(score));
        }
    }
}
