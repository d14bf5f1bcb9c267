//! Specs that somebody broke: whatever stands where, there are findings and never a panic.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use diagnostics::{Diagnostic, Source, any_error, render};
use frontends::{Format, Ontology};
use graph::Graph;
use graph::validate::{Edges, validate};
use proptest::prelude::*;
use value::{Value, json};

const EVERYTHING: &str = include_str!("specs/everything.yaml");

/// What `quipu check` does, up to showing what it found.
fn check(text: &str, ontology: Ontology) -> (Option<Graph>, Vec<Diagnostic>) {
    let source = Source::new("spec.yaml", text);
    let mut reading = frontends::read(&source, Format::Ontology, ontology);
    let graph = reading.draft.map(|draft| {
        let graph = graph::normalize(draft, &mut reading.findings);
        reading.findings.extend(validate(&graph, Edges::Strict));
        reading.findings.extend(compiler::analyse(&graph));
        graph
    });
    reading.origins.trace(&mut reading.findings);
    for finding in &mut reading.findings {
        let inside = finding.anchors_mut().all(|at| source.text.get(at.span().range()).is_some());
        assert!(inside, "a span is outside of the text");
        render::text(&source, finding, render::Style::Plain);
        render::value(&source, finding);
    }
    (graph, reading.findings)
}

/// The fixture as JSON, which is YAML too.
fn everything() -> Value {
    let tree = frontends::yaml::read(&Source::new("all.yaml", EVERYTHING), &mut Vec::new());
    tree.unwrap().to_value()
}

#[test]
fn the_spec_with_everything_is_fine() {
    let (graph, findings) = check(EVERYTHING, Ontology::V1);
    let said: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
    assert!(said.is_empty(), "{said:#?}");
    assert_eq!(graph.unwrap().labels.len(), 12);
    let (_, findings) = check(&json::pretty(&everything()), Ontology::V1);
    assert!(findings.is_empty(), "and so it is as JSON");
}

/// The whole document, with what is at one place put through `change`.
fn changed(value: &Value, at: &[usize], change: &dyn Fn(&Value) -> Option<Value>) -> Option<Value> {
    let Some((index, rest)) = at.split_first() else { return change(value) };
    match value {
        Value::Map(map) => {
            let changed = map.iter().enumerate().filter_map(|(position, (name, value))| {
                let kept = if position == *index {
                    self::changed(value, rest, change)
                } else {
                    Some(value.clone())
                };
                Some((name.clone(), kept?))
            });
            Some(Value::map(changed))
        }
        Value::List(items) => {
            let changed = items.iter().enumerate().filter_map(|(position, value)| {
                if position == *index {
                    self::changed(value, rest, change)
                } else {
                    Some(value.clone())
                }
            });
            Some(Value::list(changed))
        }
        other => Some(other.clone()),
    }
}

/// The places of all values, as positions.
fn places(value: &Value) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    let children: Vec<&Value> = match value {
        Value::Map(map) => map.values().collect(),
        Value::List(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    for (position, child) in children.into_iter().enumerate() {
        all.extend(places(child).into_iter().map(|mut rest| {
            rest.insert(0, position);
            rest
        }));
    }
    all
}

/// Where the list stands among them.
const LIST: usize = 6;

fn kinds() -> [Value; 8] {
    [
        Value::Null,
        Value::Bool(true),
        Value::Int(-3),
        Value::Float(0.5),
        Value::text("nonsense"),
        Value::text(""),
        Value::list([Value::Int(1), Value::text("x")]),
        Value::map([("odd", Value::list([Value::Null]))]),
    ]
}

#[test]
fn any_value_of_another_kind_is_a_finding_and_no_panic() {
    let document = everything();
    let (mut count, mut silent) = (0, Vec::new());
    let is_slow = std::env::var_os("QUIPU_SLOW").is_some();
    for (turn, place) in places(&document).into_iter().enumerate() {
        for (number, kind) in kinds().into_iter().enumerate() {
            // Each place gets a list, and two others in turn.
            let is_due = number == LIST || (turn + number) % 4 == 0;
            if !is_due && !is_slow {
                continue;
            }
            let put = |_: &Value| Some(kind.clone());
            let text = json::compact(&changed(&document, &place, &put).unwrap());
            let (_, findings) = check(&text, Ontology::V1);
            count += 1;
            // A list or an object where neither belongs is always wrong, wherever it stands; of
            // values that may be anything, and keys that may be left out, nothing can be said.
            if !any_error(&findings) && matches!(kind, Value::List(_)) {
                silent.push(place.clone());
            }
        }
        let text = changed(&document, &place, &|_| None).map(|value| json::compact(&value));
        check(&text.unwrap_or_default(), Ontology::V1);
    }
    assert!(count > 1_000, "{count}");
    let at = |place: &Vec<usize>| {
        place.iter().fold((String::new(), &document), |(path, value), index| match value {
            Value::Map(map) => {
                let (name, value) = map.iter().nth(*index).unwrap();
                (format!("{path}/{name}"), value)
            }
            _ => (format!("{path}/{index}"), &value.as_list().unwrap()[*index]),
        })
    };
    for place in &silent {
        let (path, _) = at(place);
        let may_be_anything =
            ["/metadata", "/values", "/default", "/initial", "/config", "/example"];
        let may = may_be_anything.iter().any(|name| path.contains(name));
        assert!(may, "a list at {path} is no error");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        if std::env::var_os("QUIPU_SLOW").is_some() { 3_000 } else { 150 }
    ))]

    #[test]
    fn any_cut_or_swap_of_lines_is_read(seed in any::<u64>(), count in 1usize..6) {
        let mut random = sim::Random::new(seed);
        let mut lines: Vec<String> = EVERYTHING.lines().map(str::to_string).collect();
        for _ in 0..count {
            let at = random.below(lines.len());
            match random.below(5) {
                0 => drop(lines.remove(at)),
                1 => { let line = lines[random.below(lines.len())].clone(); lines.insert(at, line); }
                2 => lines[at] = format!("  {}", lines[at]),
                3 => { let end = random.below(lines[at].len() + 1); lines[at].truncate(end); }
                _ => { let other = random.below(lines.len()); lines.swap(at, other); }
            }
        }
        check(&lines.join("\n"), Ontology::V1);
        check(&lines.join("\n"), Ontology::V02);
    }

    #[test]
    fn generated_specs_have_no_errors(seed in any::<u64>(), size in 1usize..60) {
        let (graph, findings) = check(&sim::spec(seed, size), Ontology::V1);
        let said: Vec<&String> = findings.iter().map(|finding| &finding.message).collect();
        prop_assert!(said.is_empty(), "{said:#?}");
        prop_assert!(graph.unwrap().labels.contains_key("p0"));
    }
}
