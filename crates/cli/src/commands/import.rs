//! `quipu import`

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader};

use anyhow::{Context, Result, bail};
use diagnostics::{Diagnostic, Source, render};
use store::{Imported, Importing, Input, Store, import, spool};
use value::Value;

use crate::Outcome;
use crate::args::history::Import;
use crate::opened::{Access, count, now, open};
use crate::output::{self, plural};

pub(crate) fn run(arguments: &Import) -> Result<Outcome> {
    // All or none: who mistypes the second of two names would not know what became of the first.
    let inputs = inputs(&arguments.files)?;
    let store = open(&arguments.store, Access::Create)?;
    let mut outcome = Outcome::Fine;
    let mut files = Vec::new();
    for (file, mut input) in arguments.files.iter().zip(inputs) {
        let (imported, findings) = import_file(&*store, file, &mut *input, arguments)?;
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

/// Opens files, or says which of them cannot be read.
fn inputs(files: &[String]) -> Result<Vec<Box<dyn Input>>> {
    let opened: Vec<(&String, io::Result<Box<dyn Input>>)> =
        files.iter().map(|file| (file, input(file))).collect();
    let failed = opened.iter().filter_map(|(file, input)| {
        input.as_ref().err().map(|error| format!("cannot read `{file}`: {error}"))
    });
    let failed: Vec<String> = failed.collect();
    if !failed.is_empty() {
        bail!("{}; nothing was imported", failed.join("; "));
    }
    Ok(opened.into_iter().filter_map(|(_, input)| input.ok()).collect())
}

fn input(file: &str) -> io::Result<Box<dyn Input>> {
    if file == "-" {
        return Ok(Box::new(spool(&mut io::stdin().lock())?));
    }
    let mut opened = File::open(file)?;
    // A pipe cannot be read twice, and a folder not at all.
    if opened.metadata()?.is_file() {
        return Ok(Box::new(BufReader::new(opened)));
    }
    Ok(Box::new(spool(&mut opened)?))
}

fn import_file(
    store: &dyn Store,
    file: &str,
    input: &mut dyn Input,
    arguments: &Import,
) -> Result<(Imported, Vec<Value>)> {
    let shown = if file == "-" { "<stdin>" } else { file };
    let importing = Importing { file: shown.into(), strict: arguments.strict, now: now()? };
    let mut findings = Findings { is_json: arguments.format.is_json(), ..Findings::default() };
    let imported = import(store, input, &importing, &mut |source, finding| {
        findings.add(source, finding);
    });
    findings.tell_rest();
    let imported = imported.with_context(|| {
        format!("not all of `{shown}` was imported, and importing it again goes on")
    })?;
    output::note(&format!("{shown}: {}", told(&imported, findings.first)));
    Ok((imported, findings.values))
}

/// What was found: shown as it is found, or kept to be printed.
#[derive(Default)]
struct Findings {
    is_json: bool,
    values: Vec<Value>,
    /// How many there are of each code.
    counts: BTreeMap<&'static str, usize>,
    /// The code of the first one.
    first: Option<&'static str>,
}

impl Findings {
    /// So many findings of one code are shown; the next ones would say the same.
    const SHOWN_MAX: usize = 5;
    /// More than a script wants to see, and less than fills a computer.
    const KEPT_MAX: usize = 10_000;

    fn add(&mut self, source: &Source, finding: Diagnostic) {
        self.first.get_or_insert(finding.code.id);
        let count = self.counts.entry(finding.code.id).or_default();
        *count += 1;
        let is_shown = *count <= Self::SHOWN_MAX;
        let is_kept = self.is_json && self.values.len() < Self::KEPT_MAX;
        if !is_shown && !is_kept {
            return;
        }
        let mut findings = [finding];
        frontends::locate(source, &mut findings);
        if is_kept {
            self.values.push(render::value(source, &findings[0]));
        }
        if is_shown {
            output::show(source, &findings);
        }
    }

    /// Says what was not shown.
    fn tell_rest(&self) {
        for (code, count) in &self.counts {
            if *count > Self::SHOWN_MAX {
                let more = count - Self::SHOWN_MAX;
                output::note(&format!("... and {more} more of {code}; `--json` lists them\n"));
            }
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
