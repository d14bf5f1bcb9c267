//! `quipu import`

use std::fs::File;
use std::io::{self, BufReader};

use anyhow::{Context, Result};
use diagnostics::{Diagnostic, Source, render};
use store::{Imported, Importing, Input, Store, import, spool};
use value::Value;

use crate::Outcome;
use crate::args::history::Import;
use crate::opened::{Access, count, now, open};
use crate::output::{self, plural};

pub(crate) fn run(arguments: &Import) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Write)?;
    let mut outcome = Outcome::Fine;
    let mut files = Vec::new();
    for file in &arguments.files {
        let (imported, findings) = import_file(&*store, file, arguments)?;
        if imported.errors > 0 {
            outcome = Outcome::Found;
        }
        files.push(value(file, &imported, findings));
    }
    if arguments.format.is_json() {
        output::print_json(&Value::map([
            ("ok", (outcome == Outcome::Fine).into()),
            ("files", Value::list(files)),
        ]))?;
    }
    Ok(outcome)
}

fn import_file(
    store: &dyn Store,
    file: &str,
    arguments: &Import,
) -> Result<(Imported, Vec<Value>)> {
    let mut input: Box<dyn Input> = match file {
        "-" => Box::new(spool(&mut io::stdin().lock()).context("cannot read standard input")?),
        _ => {
            let opened = File::open(file).with_context(|| format!("cannot read `{file}`"))?;
            // A pipe cannot be read twice.
            match opened.metadata().is_ok_and(|metadata| metadata.is_file()) {
                true => Box::new(BufReader::new(opened)),
                false => Box::new(
                    spool(&mut { opened }).with_context(|| format!("cannot read `{file}`"))?,
                ),
            }
        }
    };
    let importing = Importing { file: file.into(), strict: arguments.strict, now: now()? };
    let mut findings = Findings { is_json: arguments.format.is_json(), ..Findings::default() };
    let imported = import(store, &mut *input, &importing, &mut |source, finding| {
        findings.add(source, finding);
    });
    findings.tell_rest();
    let imported = imported.with_context(|| format!("cannot import all of `{file}`"))?;
    output::note(&format!("{file}: {}", told(&imported, findings.first)));
    Ok((imported, findings.values))
}

/// What was found: shown as it is found, or kept to be printed.
#[derive(Default)]
struct Findings {
    is_json: bool,
    values: Vec<Value>,
    shown: usize,
    first: Option<&'static str>,
}

impl Findings {
    fn add(&mut self, source: &Source, finding: Diagnostic) {
        /// More than a script wants to see, and less than fills a computer.
        const KEPT_MAX: usize = 10_000;
        const SHOWN_MAX: usize = 50;
        self.first.get_or_insert(finding.code.id);
        self.shown += 1;
        let mut findings = [finding];
        let is_wanted = if self.is_json { self.values.len() < KEPT_MAX } else { false };
        if is_wanted || self.shown <= SHOWN_MAX {
            frontends::locate(source, &mut findings);
        }
        if is_wanted {
            self.values.push(render::value(source, &findings[0]));
        }
        if self.shown <= SHOWN_MAX {
            output::show(source, &findings);
        } else if self.shown == SHOWN_MAX + 1 && !self.is_json {
            output::note("... and more; `--json` lists them\n");
        }
    }

    /// Says what a list that was cut does not hold.
    fn tell_rest(&self) {
        if self.is_json && self.shown > self.values.len() {
            output::note(&format!("only {} are listed", plural(self.values.len(), "finding")));
        }
    }
}

/// What an import did, in words.
fn told(imported: &Imported, first: Option<&str>) -> String {
    let mut words = Vec::new();
    let mut add = |number: u64, word: &str| {
        if number > 0 {
            words.push(format!("{}{}", number, word));
        }
    };
    if imported.refused {
        words.push("nothing was taken".to_string());
    } else {
        add(imported.added, if imported.added == 1 { " event added" } else { " events added" });
        add(imported.repeated, " there already");
        add(imported.left, " left out");
        if imported.added == 0 && imported.repeated == 0 && imported.left == 0 {
            words.push("no events".to_string());
        }
    }
    let findings = [(imported.errors, "error"), (imported.warnings, "warning")];
    let findings = findings.into_iter().filter(|(number, _)| *number > 0);
    words.extend(findings.map(|(number, word)| plural(number, word)));
    let explain = first.map(|code| format!(" (`quipu explain {code}` says more)"));
    words.join(", ") + &explain.unwrap_or_default()
}

fn value(file: &str, imported: &Imported, findings: Vec<Value>) -> Value {
    Value::map([
        ("file", file.into()),
        ("added", count(imported.added)),
        ("repeated", count(imported.repeated)),
        ("left", count(imported.left)),
        ("runs", count(imported.runs)),
        ("blobs", count(imported.blobs)),
        ("names", count(imported.names)),
        ("refused", imported.refused.into()),
        ("diagnostics", Value::list(findings)),
    ])
}
