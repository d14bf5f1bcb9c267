//! The document of `quipu rules --json`.

use diagnostics::{Diagnostic, Source, render};
use rules::Stop;
use rules::explain::{Because, Firing, Missed, Reason, Told, WhyNot};
use value::Value;

use super::{Ran, told};
use crate::args::rules::Rules;

/// What ran, as data.
pub(super) fn document(
    ran: &Ran,
    source: &Source,
    findings: &[Diagnostic],
    why_not: &[WhyNot],
    arguments: &Rules,
) -> Value {
    let memory = &ran.memory;
    let rules = &memory.rulebook().program().rules;
    let names = |fired: &[u32]| {
        Value::list(fired.iter().map(|rule| Value::Text(rules[*rule as usize].name.clone())))
    };
    let facts = memory.facts().map(|fact| memory.print(fact.id).unwrap_or_default().into());
    let findings = findings.iter().map(|finding| render::value(source, finding));
    let mut members = vec![
        ("agenda_initial", names(&ran.agenda_initial)),
        ("fired", names(&ran.fired)),
        ("facts", Value::list(facts)),
        ("printed", ran.printed.as_str().into()),
        ("stopped", stopped(&ran.stop).into()),
        ("diagnostics", Value::list(findings)),
    ];
    if arguments.explain {
        members.push(("explained", Value::list(ran.explained.iter().map(firing))));
    }
    if !arguments.why_not.is_empty() {
        let why_not = why_not.iter().map(|one| {
            let ways = one.ways.iter().map(|way| reason(source, way));
            Value::map([("rule", Value::Text(one.rule.clone())), ("ways", Value::list(ways))])
        });
        members.push(("why_not", Value::list(why_not)));
    }
    Value::map(members)
}

/// The same members, where nothing ran.
pub(super) fn refused(findings: Value) -> Value {
    let nothing = || Value::list([]);
    Value::map([
        ("agenda_initial", nothing()),
        ("fired", nothing()),
        ("facts", nothing()),
        ("printed", "".into()),
        ("stopped", "refused".into()),
        ("diagnostics", findings),
    ])
}

fn stopped(stop: &Stop) -> &'static str {
    match stop {
        Stop::Quiet => "quiet",
        Stop::Halted => "halted",
        Stop::Firings => "limit",
        Stop::Fault(_) => "fault",
        Stop::Printed => "printed",
        Stop::Facts => "facts",
        Stop::Matches => "matches",
        Stop::Steps => "steps",
    }
}

fn firing(firing: &Firing) -> Value {
    let values = firing.values.iter().map(|(name, value)| (name.clone(), value.as_str().into()));
    let waits = firing.rivals.iter().map(|rival| {
        Value::map([
            ("rule", Value::Text(rival.rule.clone())),
            ("salience", rival.salience.into()),
            ("facts", facts(&rival.facts)),
            ("because", rival.lost.word().into()),
        ])
    });
    Value::map([
        ("rule", Value::Text(firing.rule.clone())),
        ("salience", firing.salience.into()),
        ("facts", Value::list(firing.because.iter().map(because))),
        ("values", Value::map(values)),
        ("waiting", Value::list(waits)),
        ("more", (firing.more as i64).into()),
    ])
}

fn facts(facts: &[Option<Told>]) -> Value {
    Value::list(facts.iter().map(|told| told.as_ref().map_or(Value::Null, fact)))
}

/// A condition that has no fact of its own is told in its words.
fn because(because: &Because) -> Value {
    match because {
        Because::Fact(told) => fact(told),
        Because::Holds(words) => Value::map([("condition", words.as_str().into())]),
        Because::Always => Value::Null,
    }
}

fn fact(told: &Told) -> Value {
    Value::map([("index", (told.index as i64).into()), ("fact", told.text.as_str().into())])
}

fn reason(source: &Source, reason: &Reason) -> Value {
    let Reason::Fails { condition, span, after, missed } = reason else {
        return match reason {
            Reason::Waits { behind } => {
                Value::map([("reason", "waits".into()), ("behind", (*behind as i64).into())])
            }
            _ => Value::map([("reason", "fired".into())]),
        };
    };
    let mut members = vec![
        ("reason", "fails".into()),
        ("condition", (*condition as i64).into()),
        ("line", (source.position(span.start).line as i64).into()),
        ("text", told::words(source, *span).into()),
        ("after", Value::list(after.iter().map(fact))),
    ];
    let texts = |all: &[String]| Value::list(all.iter().map(|one| one.as_str().into()));
    members.extend(match missed {
        Missed::NoFact { template } => {
            vec![("missed", "no_fact".into()), ("template", Value::Text(template.clone()))]
        }
        Missed::NoneFits { nearest, because } => vec![
            ("missed", "none_fits".into()),
            ("nearest", fact(nearest)),
            ("because", texts(because)),
        ],
        Missed::Blocked { by, for_all } => {
            let missed = if *for_all { "not_for_all" } else { "blocked" };
            vec![("missed", missed.into()), ("by", Value::list(by.iter().map(fact)))]
        }
        Missed::Test { because } => vec![("missed", "test".into()), ("because", texts(because))],
        Missed::Group => vec![("missed", "group".into())],
    });
    Value::map(members)
}
