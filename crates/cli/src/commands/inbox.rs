//! `quipu inbox`

use anyhow::Result;
use history::{Stream, Timestamp};
use host::{Open, open_questions};
use value::Value;

use crate::args::running::Inbox;
use crate::opened::{Access, now, open};
use crate::running::shown;
use crate::{Outcome, find, output};

pub(crate) fn run(arguments: &Inbox) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Read)?;
    let only = arguments.run.as_deref().map(|run| find::run(&*store, run)).transpose()?;
    let questions = open_questions(&*store, only.as_ref())?;
    if arguments.format.is_json() {
        let questions = questions.iter().map(value);
        output::print_json(&Value::map([("questions", Value::list(questions))]))?;
        return Ok(Outcome::Fine);
    }
    if questions.is_empty() {
        output::note("nobody waits for an answer");
    }
    let now = now()?;
    for open in &questions {
        output::print(&line(open, now))?;
    }
    Ok(Outcome::Fine)
}

pub(crate) fn value(open: &Open) -> Value {
    Value::map([
        ("question", Value::Text(open.question.clone())),
        ("run", Value::Text(open.run.clone())),
        ("prompt", open.prompt.clone().into()),
        ("schema", open.schema.clone().into()),
        ("options", Value::list(open.options.iter().cloned())),
        ("expires", open.expires.map(|expires| expires.to_string()).into()),
        ("capability", open.capability.clone().into()),
        ("default", open.default.clone().into()),
        ("asked", open.asked.to_string().into()),
    ])
}

fn line(open: &Open, now: Timestamp) -> String {
    let options: Vec<String> = open.options.iter().map(shown).collect();
    let mut line = format!("{}  {}", open.question, open.prompt.as_deref().unwrap_or_default());
    if !options.is_empty() {
        line.push_str(&format!("\n              one of: {}", options.join(", ")));
    }
    if let Some(capability) = &open.capability {
        line.push_str(&format!("\n              needs `{capability}`"));
    }
    let run = Stream::Run(open.run.clone());
    line.push_str(&format!("\n              asked by {run}"));
    match open.expires {
        // Nobody has noticed yet: whoever resumes the run will.
        Some(expires) if now >= expires => {
            line.push_str(&format!(", expired at {expires}; `quipu resume {run}` goes on"));
        }
        Some(expires) => line.push_str(&format!(", until {expires}")),
        None => {}
    }
    line
}
