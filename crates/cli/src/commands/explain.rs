//! `quipu explain`

use anyhow::{Result, bail};
use diagnostics::{Code, codes, nearest};
use value::Value;

use crate::Outcome;
use crate::args::Explain;
use crate::output;

pub(crate) fn run(arguments: &Explain) -> Result<Outcome> {
    match &arguments.code {
        None => list(arguments.format.is_json())?,
        Some(id) => {
            let Some(code) = codes::find(id) else {
                match nearest(id, codes::ALL.iter().map(|code| code.id)) {
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

fn list(json: bool) -> Result<()> {
    if json {
        let codes = codes::ALL.iter().map(|code| describe(code).into());
        return output::print_json(&Value::map([("codes", Value::list(codes))]));
    }
    let lines: Vec<_> = codes::ALL
        .iter()
        .map(|code| format!("{}  {:8} {}", code.id, code.severity.word(), code.title()))
        .collect();
    output::print(&lines.join("\n"))
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
