//! `quipu answer`

use anyhow::{Result, anyhow, bail};
use history::Stream;
use host::config::Config;
use host::{Answered, Python, answer_as, find_questions, load};
use value::Value;

use crate::args::running::Answer;
use crate::opened::{Access, now, open};
use crate::running::{Begun, config_of, export_as, shown, who, written};
use crate::{Outcome, find, output};

pub(crate) fn run(arguments: &Answer) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Change)?;
    let is_json = arguments.format.is_json();
    let only = arguments.run.as_deref().map(|run| find::run(&*store, run)).transpose()?;
    let found = find_questions(&*store, &arguments.question, only.as_ref())?;
    let (stream, question) = match found.as_slice() {
        [] => bail!("there is no question `{}`; `quipu inbox` lists them", arguments.question),
        [one] => one.clone(),
        several => {
            let runs: Vec<String> =
                several.iter().map(|(stream, _)| format!("`{stream}`")).collect();
            bail!(
                "`{}` is asked in {}: say which with `--run`",
                arguments.question,
                runs.join(" and in ")
            )
        }
    };
    let value = written(&arguments.value);
    let mut logic = Python::default();
    let loaded = load(&*store, &stream, None, &mut logic)?;
    let begun = Begun::of(&*store, &stream, None, loaded.run.options())?;
    let config = config_of(arguments.config.as_deref(), &begun.options);
    if arguments.config.is_some() {
        config.as_ref().map_err(|error| anyhow!("{}", output::told(error)))?;
    }
    // Where it cannot be read, nobody has any capability, and most questions need none.
    let nobody = Config::default();
    let who = who(arguments.actor.as_deref(), config.as_ref().unwrap_or(&nobody));
    match answer_as(&*store, &mut logic, &stream, &question, &value, &who, now()?)? {
        Answered::Taken => {
            let outcome = taken(&stream, is_json);
            export_as(&*store, &stream, &config);
            outcome
        }
        Answered::Before { answer, ts } => {
            let told = format!("it was answered at {ts} with `{}`", shown(&answer));
            let first = Value::map([("answer", answer), ("ts", ts.to_string().into())]);
            refused(&told, Some(first), is_json)
        }
        Answered::Refused(why) => {
            let why = match &config {
                Ok(_) => why,
                Err(error) => format!("{why}\n{}", output::told(error)),
            };
            refused(&why, None, is_json)
        }
    }
}

fn taken(stream: &Stream, is_json: bool) -> Result<Outcome> {
    if is_json {
        let run = Value::from(stream.to_string());
        output::print_json(&Value::map([("ok", true.into()), ("run", run)]))?;
    } else {
        output::print(&format!("answered; `quipu resume {stream}` goes on"))?;
    }
    Ok(Outcome::Fine)
}

fn refused(why: &str, first: Option<Value>, is_json: bool) -> Result<Outcome> {
    if is_json {
        let mut members = vec![("ok", false.into()), ("error", why.into())];
        members.extend(first.map(|first| ("first", first)));
        output::print_json(&Value::map(members))?;
    } else {
        output::note(why);
    }
    Ok(Outcome::Found)
}
