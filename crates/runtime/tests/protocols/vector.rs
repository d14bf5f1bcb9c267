//! Texts, found by a text that is like them.

use proptest::prelude::*;
use runtime::stores::Contents;
use value::Value;
use value::json::{compact, parse};

use crate::{NOW, ask, of, store, write};

fn ids(contents: &mut Contents, query: &str) -> String {
    let found = contents.read(Some(&parse(query).unwrap()), NOW).unwrap();
    let ids = found.as_list().unwrap().iter().map(|it| it.get("id").unwrap().as_text().unwrap());
    ids.map(|id| &**id).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_best_matches_come_first_with_all_they_have() {
    let mut cords = of("vector");
    write(&mut cords, r#"{"id": "a", "text": "A red cord", "metadata": {"from": "Cusco"}}"#);
    write(&mut cords, r#"{"id": 2, "text": "a knot in a cord", "colour": "red"}"#);
    write(&mut cords, r#"[{"id": "c", "content": "knots"}, "a plain text"]"#);
    assert_eq!(ids(&mut cords, r#""red cord""#), "a 2");
    let found = cords.read(Some(&"RED".into()), NOW).unwrap();
    let first = &found.as_list().unwrap()[0];
    let names: Vec<&str> = first.as_map().unwrap().keys().map(|name| &**name).collect();
    assert_eq!(names, ["id", "text", "score", "metadata"]);
    // A plural finds its singular by its pieces.
    assert_eq!(ids(&mut cords, r#""knot""#), "2 c");
    // Three letters in common are a little; nothing in common is nothing.
    assert_eq!(ids(&mut cords, r#"{"text": "bird", "min_score": 0.1}"#), "");
    assert_eq!(ask(&mut cords, r#""fish""#), "[]");
    assert_eq!(ask(&mut cords, r#""""#), "[]");
    assert_eq!(ask(&mut cords, "null"), "[]");
    // What has no id gets one that follows from what it says.
    assert_eq!(ids(&mut cords, r#"{"text": "plain", "top_k": 1}"#).len(), 16);
}

#[test]
fn filters_limits_and_scores() {
    let mut cords = of("vector");
    for (id, colour) in [("a", "red"), ("b", "blue"), ("c", "red"), ("d", "green")] {
        let metadata =
            format!(r#"{{"id": "{id}", "text": "cord", "metadata": {{"colour": "{colour}"}}}}"#);
        write(&mut cords, &metadata);
    }
    write(&mut cords, r#"{"id": "e", "text": "a cord that is longer than the others"}"#);
    // Of equal matches the earlier comes first.
    assert_eq!(ids(&mut cords, r#""cord""#), "a b c d e");
    assert_eq!(ids(&mut cords, r#"{"text": "cord", "top_k": 2}"#), "a b");
    assert_eq!(ids(&mut cords, r#"{"text": "cord", "top_k": 0}"#), "");
    assert_eq!(ids(&mut cords, r#"{"text": "cord", "filter": {"colour": "red"}}"#), "a c");
    let any = r#"{"text": "cord", "filter": {"colour": ["red", "green"]}, "top_k": 2.0}"#;
    assert_eq!(ids(&mut cords, any), "a c");
    assert_eq!(ids(&mut cords, r#"{"filter": {"colour": "blue"}}"#), "b");
    assert_eq!(ids(&mut cords, r#"{"text": "cord", "min_score": 0.999}"#), "");
    assert_eq!(ids(&mut cords, r#"{"text": "cord", "top_k": null, "min_score": 0.5}"#), "a b c d");
    let mut few = store(r#"{"protocol": "vector", "top_k": 1}"#);
    write(&mut few, r#"["cord one", "cord two"]"#);
    assert_eq!(few.read(Some(&"cord".into()), NOW).unwrap().as_list().unwrap().len(), 1);
    assert_eq!(few.read(None, NOW).unwrap().as_list().unwrap().len(), 2);
}

#[test]
fn an_id_is_replaced_and_removed() {
    let mut cords = of("vector");
    cords.write(Some("k"), "old words".into(), NOW).unwrap();
    cords.write(Some("k"), parse(r#"{"text": "new words"}"#).unwrap(), NOW).unwrap();
    write(&mut cords, r#"{"id": "other", "text": "words"}"#);
    assert_eq!(ids(&mut cords, r#""old""#), "");
    assert_eq!(ids(&mut cords, r#""words""#), "other k");
    write(&mut cords, r#"{"remove": ["k", "nobody"]}"#);
    assert_eq!(compact(&cords.to_value()), r#"[{"id":"other","text":"words"}]"#);
    write(&mut cords, r#"{"remove": "other"}"#);
    assert!(cords.is_empty());
}

#[test]
fn any_script_and_any_length() {
    let mut texts = of("vector");
    let huge = format!("needle {}", "hay ".repeat(200_000));
    texts.write(Some("huge"), huge.into(), NOW).unwrap();
    texts.write(Some("long"), "x".repeat(100_000).into(), NOW).unwrap();
    for (id, text) in [
        ("de", "Straßenbahn über München"),
        ("ja", "結縄は紐の結び目で記録する"),
        ("ru", "Узлы на шнуре"),
        ("ar", "عقدة في حبل"),
        ("emoji", "🧵🪢"),
        ("control", "\u{0}\u{feff}\u{202e}"),
        ("empty", ""),
    ] {
        texts.write(Some(id), text.into(), NOW).unwrap();
    }
    let found = |texts: &mut Contents, text: &str| ids(texts, &compact(&text.into()));
    assert_eq!(found(&mut texts, "needle"), "huge");
    assert_eq!(found(&mut texts, "STRASSENBAHN münchen"), "de");
    assert_eq!(found(&mut texts, "結縄"), "ja");
    assert_eq!(found(&mut texts, "узел на шнуре"), "ru");
    assert_eq!(found(&mut texts, "حبل"), "ar");
    assert_eq!(found(&mut texts, "🧵"), "");
}

/// The same scores, computed as plainly as can be from the description in `docs/stores.md`.
fn naive(texts: &[String], query: &str) -> Vec<(usize, f64)> {
    use std::collections::{BTreeMap, BTreeSet};
    let features = |text: &str| {
        let mut all: Vec<(String, f64)> = Vec::new();
        let lower = text.to_lowercase();
        for word in lower.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty()) {
            all.push((format!("w {word}"), 1.0));
            let marked: Vec<char> = format!("^{word}$").chars().collect();
            let pieces: Vec<String> = marked.windows(3).map(|it| it.iter().collect()).collect();
            let worth = 2.0 / pieces.len() as f64;
            all.extend(pieces.into_iter().map(|piece| (format!("p {piece}"), worth)));
        }
        all
    };
    let words =
        |text: &str| features(text).iter().filter(|it| it.0.starts_with('w')).count() as f64;
    let mean = texts.iter().map(|it| words(it)).sum::<f64>() / texts.len() as f64;
    let mean = if mean > 0.0 { mean } else { 1.0 };
    let mut worth: BTreeMap<String, f64> = BTreeMap::new();
    for (feature, of) in features(query) {
        let own = worth.entry(feature).or_default();
        *own = own.max(of);
    }
    let has = |text: &str| features(text).into_iter().map(|it| it.0).collect::<BTreeSet<_>>();
    let all: Vec<BTreeSet<String>> = texts.iter().map(|it| has(it)).collect();
    let count = texts.len() as f64;
    for (feature, of) in &mut worth {
        let having = all.iter().filter(|it| it.contains(feature)).count() as f64;
        *of *= (1.0 + (count + 20.0 - having + 0.5) / (having + 0.5)).ln();
    }
    let total: f64 = worth.values().sum();
    let mut found: Vec<(usize, f64)> = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        let own = features(text);
        let score: f64 = worth
            .iter()
            .map(|(feature, of)| {
                let often = own.iter().filter(|it| it.0 == *feature).count() as f64;
                of * often / (often + 0.9 * (0.5 + 0.5 * words(text) / mean))
            })
            .sum();
        if score > 0.0 {
            found.push((place, score / total));
        }
    }
    found
}

proptest! {
    /// The index agrees with counting everything, also after changes.
    #[test]
    fn the_index_is_a_plain_count(
        texts in prop::collection::vec("([abc]{1,4} ?){0,6}", 1..12),
        changed in prop::collection::vec((0_usize..12, "([abc]{1,4} ?){0,6}"), 0..4),
        query in "([abcd]{1,4} ?){0,4}",
    ) {
        let mut texts = texts;
        let mut contents = of("vector");
        for (place, text) in texts.iter().enumerate() {
            contents.write(Some(&place.to_string()), text.as_str().into(), NOW).unwrap();
        }
        for (place, text) in changed {
            let _ = contents.read(Some(&query.as_str().into()), NOW).unwrap();
            let place = place % texts.len();
            contents.write(Some(&place.to_string()), text.as_str().into(), NOW).unwrap();
            texts[place] = text;
        }
        let asked = Value::map([("text", Value::from(query.as_str())), ("top_k", Value::Int(100))]);
        let found = contents.read(Some(&asked), NOW).unwrap();
        let found: Vec<(usize, f64)> = found.as_list().unwrap().iter().map(|it| {
            let Some(Value::Float(score)) = it.get("score") else { panic!("{it:?}") };
            assert!((0.0..=1.0).contains(score), "{score}");
            (it.get("id").unwrap().as_text().unwrap().parse().unwrap(), *score)
        }).collect();
        let is_before = |one: &(usize, f64), other: &(usize, f64)| {
            one.1 > other.1 || (one.1 == other.1 && one.0 < other.0)
        };
        prop_assert!(found.is_sorted_by(is_before), "{found:?}");
        let mut in_order = found;
        in_order.sort_by_key(|it| it.0);
        let wanted = naive(&texts, &query);
        prop_assert_eq!(in_order.len(), wanted.len());
        for (own, wanted) in in_order.iter().zip(&wanted) {
            prop_assert_eq!(own.0, wanted.0);
            prop_assert!((own.1 - wanted.1).abs() < 1e-6, "{:?} {:?}", own, wanted);
        }
    }
}
