//! `quipu rules`

mod data;
mod told;

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use diagnostics::{Anchor, Diagnostic, Source, Span, any_error, codes, nearest, render};
use rules::explain::{Firing, WhyNot};
use rules::program::{NewFact, Program};
use rules::read::read_fact;
use rules::{Fault, Limits, Memory, Rulebook, Stop};
use value::{Text, Value};

use crate::args::rules::Rules;
use crate::args::{FromFormat, Reading};
use crate::disk::Disk;
use crate::load::{Strictness, load_from};
use crate::{Outcome, output};
use told::Told;

pub(crate) fn run(arguments: &Rules) -> Result<Outcome> {
    let is_json = arguments.format.is_json();
    let reading = Reading { from: Some(FromFormat::Rules), ..Reading::default() };
    let loaded = load_from(&Disk::default(), &arguments.file, &reading, Strictness::Normal, &[])?;
    let Some(book) = loaded.rules.filter(|_| !any_error(&loaded.findings)) else {
        return refused(&loaded.source, &loaded.findings, is_json);
    };
    let asked = asked(book.program(), &arguments.why_not)?;
    let (mut source, findings) = (loaded.source, loaded.findings);
    let (book, facts) = match asserted(book, &mut source, &arguments.facts) {
        Ok(begun) => begun,
        Err(wrong) => return refused(&source, &wrong, is_json),
    };
    if !is_json && let Some(counts) = output::count(&findings) {
        output::note(&format!("{}: {counts}; `quipu check` shows them", source.file));
    }
    let limits = Limits { firings: arguments.limit, ..Limits::default() };
    let mut told = Told::new(is_json);
    let memory = Memory::new(Arc::new(book), limits);
    let ran = fire(memory, &source.text, &facts, arguments, &mut told)?;
    let why_not: Vec<WhyNot> =
        asked.iter().map(|rule| ran.memory.why_not(*rule, &source.text)).collect();
    let found: Vec<Diagnostic> = findings.into_iter().chain(ran.faults.iter().cloned()).collect();
    if is_json {
        output::print_json(&data::document(&ran, &source, &found, &why_not, arguments))?;
    } else {
        told.facts(&ran.memory)?;
        told.why_not(&source, &why_not)?;
        told.finish()?;
    }
    output::show(&source, &ran.faults);
    let is_fine = ran.faults.is_empty() && matches!(ran.stop, Stop::Quiet | Stop::Halted);
    if !is_json || !is_fine {
        output::note(&ending(&ran, arguments));
    }
    Ok(if is_fine { Outcome::Fine } else { Outcome::Found })
}

/// What became of a program.
struct Ran {
    memory: Memory,
    /// The rules that could fire at first, the next first.
    agenda_initial: Vec<u32>,
    fired: Vec<u32>,
    explained: Vec<Firing>,
    printed: String,
    stop: Stop,
    faults: Vec<Diagnostic>,
}

/// Fires rule by rule, as `Memory::run` does: what explains a firing is asked for before it, and
/// what it printed is told after it.
fn fire(
    mut memory: Memory,
    text: &str,
    facts: &[NewFact],
    arguments: &Rules,
    told: &mut Told,
) -> Result<Ran> {
    for fact in facts {
        memory.assert_new(fact);
    }
    let agenda_initial = memory.agenda().map(|one| one.rule).collect();
    let mut faults: Vec<Diagnostic> = memory.take_faults().into_iter().map(fault).collect();
    let (mut fired, mut explained) = (Vec::new(), Vec::new());
    let mut printed = String::new();
    told.begin();
    let stop = loop {
        if fired.len() as u64 >= arguments.limit && memory.agenda_length() > 0 {
            break Stop::Firings;
        }
        let explanation = arguments.explain.then(|| memory.explain_next(text)).flatten();
        let before = fired.len();
        let stop = memory.fire(&mut |rule| fired.push(rule));
        let said = memory.take_printed();
        if let Some(rule) = fired.get(before) {
            let name = &memory.rulebook().program().rules[*rule as usize].name;
            told.firing(fired.len(), name, explanation.as_ref(), &said)?;
        }
        if arguments.format.is_json() {
            explained.extend(explanation);
            printed.push_str(&said);
        }
        if let Some(stop) = stop {
            break stop;
        }
    };
    if let Stop::Fault(found) = &stop {
        let found = fault(found.clone());
        let rule = fired.last().map(|rule| &memory.rulebook().program().rules[*rule as usize]);
        faults.push(match rule {
            // The fault may be in a function that several rules call.
            Some(rule) if !holds(rule.whole, found.at.span()) => {
                found.label(Anchor::Span(rule.span), format!("while `{}` fired", rule.name))
            }
            _ => found,
        });
    }
    faults.extend(memory.take_faults().into_iter().map(fault));
    Ok(Ran { memory, agenda_initial, fired, explained, printed, stop, faults })
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn fault(fault: Fault) -> Diagnostic {
    Diagnostic::new(&codes::RULES_FAULT, Anchor::Span(fault.span), fault.message)
}

/// The rules that somebody asks about, by their positions.
fn asked(program: &Program, names: &[String]) -> Result<Vec<usize>> {
    let position = |name: &String| {
        let known = program.rules.iter().position(|rule| *rule.name == **name);
        known.ok_or_else(|| {
            let names = program.rules.iter().map(|rule| &*rule.name);
            match nearest(name, names) {
                Some(near) => anyhow!("there is no rule `{name}`; did you mean `{near}`?"),
                None => anyhow!("there is no rule `{name}`"),
            }
        })
    };
    names.iter().map(position).collect()
}

/// The facts that the user asserts, or what is wrong with them. Each is a text of its own behind
/// that of the rules, as findings name places in both. The rules are made ready again only for
/// facts that they have no template for.
fn asserted(
    book: Rulebook,
    source: &mut Source,
    texts: &[String],
) -> Result<(Rulebook, Vec<NewFact>), Vec<Diagnostic>> {
    let (mut facts, mut wrong) = (Vec::new(), Vec::new());
    if texts.is_empty() {
        return Ok((book, facts));
    }
    let mut program = book.program().clone();
    for (number, text) in (1..).zip(texts) {
        let name = match texts.len() {
            1 => Text::from("--assert"),
            _ => format!("--assert {number}").into(),
        };
        let place = source.add(name, text.as_str());
        let before = " ".repeat(place.start as usize);
        match read_fact(&mut program, &format!("{before}{}", &source.text[place.range()])) {
            Ok(fact) => facts.push(fact),
            Err(found) => wrong.extend(found.into_iter().map(|mut found| {
                let span = found.at.span();
                let (start, end) = (span.start.max(place.start), span.end.max(place.start));
                found.at = Anchor::Span(Span { start, end });
                match *found.code == codes::RULES_OUTSIDE {
                    // What is no list at all is meant to be a fact here, and no construct.
                    true => found.help("write `(name value ...)` or `(name (slot value) ...)`"),
                    false => found,
                }
            })),
        }
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    if program.templates.len() == book.program().templates.len() {
        return Ok((book, facts));
    }
    Ok((Rulebook::new(program)?, facts))
}

/// Nothing runs where something cannot be understood.
fn refused(source: &Source, wrong: &[Diagnostic], is_json: bool) -> Result<Outcome> {
    output::show(source, wrong);
    if is_json {
        let findings = wrong.iter().map(|finding| render::value(source, finding));
        output::print_json(&data::refused(Value::list(findings)))?;
    } else {
        output::note("nothing ran");
    }
    Ok(Outcome::Found)
}

/// How it ended, for people.
fn ending(ran: &Ran, arguments: &Rules) -> String {
    let fired = output::plural(ran.fired.len(), "firing");
    let facts = output::plural(ran.memory.fact_count(), "fact");
    let done = format!("{fired}, {facts}");
    match &ran.stop {
        Stop::Quiet => done,
        Stop::Halted => format!("{done}; a rule said `(halt)`"),
        Stop::Fault(_) => format!("{done}; stopped by an error"),
        Stop::Firings => {
            let limit = arguments.limit;
            format!(
                "error: stopped at the limit of {}{}",
                output::plural(limit, "firing"),
                busy(ran)
            )
        }
        Stop::Printed => {
            format!("error: {done}; stopped at the limit of 16 MiB of printed text{}", busy(ran))
        }
        Stop::Facts => format!("error: {done}; stopped at the limit of facts{}", busy(ran)),
        Stop::Matches => format!(
            "error: {done}; stopped at the limit of matches: conditions that share no variable fit \
             each fact of one with each of the other{}",
            busy(ran)
        ),
        Stop::Steps => {
            let limit = output::plural(Limits::default().steps, "step");
            format!("error: {done}; stopped at the limit of {limit}{}", busy(ran))
        }
    }
}

/// The rules that fired most often towards the end: those that keep each other going.
fn busy(ran: &Ran) -> String {
    const LOOKED_AT: usize = 1_000;
    const NAMED_MAX: usize = 3;
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    let last = ran.fired.iter().rev().take(LOOKED_AT);
    last.clone().for_each(|rule| *counts.entry(*rule).or_default() += 1);
    let mut counts: Vec<(u32, usize)> =
        counts.into_iter().filter(|(_, count)| *count > 1).collect();
    counts.sort_by_key(|(rule, count)| (std::cmp::Reverse(*count), *rule));
    if counts.is_empty() {
        return String::new();
    }
    let program = ran.memory.rulebook().program();
    let named = counts
        .iter()
        .take(NAMED_MAX)
        .map(|(rule, count)| format!("`{}` {count} times", program.rules[*rule as usize].name));
    let named = named.collect::<Vec<_>>().join(", ");
    let last = output::plural(last.count(), "firing");
    format!(
        "\nof the last {last}: {named}; `--limit N` allows more, `--explain` says why they fire"
    )
}
