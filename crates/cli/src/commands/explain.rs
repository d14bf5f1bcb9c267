//! `quipu explain`

use anyhow::{Result, bail};
use diagnostics::{Code, codes, nearest};
use runtime::FAULTS;
use value::Value;

use crate::Outcome;
use crate::args::Explain;
use crate::output;

pub(crate) fn run(arguments: &Explain) -> Result<Outcome> {
    match &arguments.code {
        None => list(arguments.format.is_json())?,
        Some(id) => {
            if let Some(fault) = FAULTS.iter().find(|(word, ..)| word == id) {
                return explain_fault(fault, arguments.format.is_json());
            }
            let Some(code) = codes::find(id) else {
                let known = codes::ALL.iter().map(|code| code.id);
                match nearest(id, known.chain(FAULTS.iter().map(|(word, ..)| *word))) {
                    Some(near) => bail!("there is no code `{id}`; did you mean `{near}`?"),
                    None => bail!("there is no code `{id}`; `quipu explain` lists all of them"),
                }
            };
            if arguments.format.is_json() {
                let mut value = describe(code);
                value.insert("page".into(), code.page.into());
                output::print_json(&value.into())?;
            } else {
                output::print(code.page)?;
            }
        }
    }
    Ok(Outcome::Fine)
}

/// The error of a run.
fn explain_fault((word, doc, help): &(&str, &str, &str), json: bool) -> Result<Outcome> {
    if json {
        output::print_json(&Value::map([
            ("code", Value::text(*word)),
            ("severity", "error".into()),
            ("title", Value::text(*doc)),
            ("page", Value::text(*help)),
        ]))?;
    } else {
        output::print(&format!("{word}: {doc}\n{help}"))?;
    }
    Ok(Outcome::Fine)
}

fn list(json: bool) -> Result<()> {
    if json {
        let codes = codes::ALL.iter().map(|code| describe(code).into());
        let faults = FAULTS.iter().map(|(word, doc, _)| {
            Value::map([("code", Value::text(*word)), ("title", Value::text(*doc))])
        });
        return output::print_json(&Value::map([
            ("codes", Value::list(codes)),
            ("faults", Value::list(faults)),
        ]));
    }
    let lines: Vec<_> = codes::ALL
        .iter()
        .map(|code| format!("{}  {:8} {}", code.id, code.severity.word(), code.title()))
        .collect();
    let faults = FAULTS.iter().map(|(word, doc, _)| format!("{word:20} {doc}"));
    let faults: Vec<_> = faults.collect();
    output::print(&format!("{}\n\nErrors of runs:\n{}", lines.join("\n"), faults.join("\n")))
}

fn describe(code: &Code) -> value::Map {
    [
        ("code".into(), code.id.into()),
        ("severity".into(), code.severity.word().into()),
        ("title".into(), code.title().into()),
    ]
    .into_iter()
    .collect()
}
