//! `quipu cancel`

use anyhow::Result;
use host::{Python, When, give};
use runtime::{Input, Refusal};
use value::{Text, Value};

use crate::args::running::Cancel;
use crate::opened::{Access, now, open};
use crate::running::run_stream;
use crate::{Outcome, find, output};

pub(crate) fn run(arguments: &Cancel) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Change)?;
    let stream = find::run(&*store, &arguments.run)?;
    run_stream(&stream)?;
    let reason: Option<Text> = arguments.reason.as_deref().map(Into::into);
    let mut logic = Python::default();
    let given = give(&*store, &stream, &mut logic, now()?, When::AtOnce, |run| {
        let step = run.can_go_on().then(|| run.steps());
        Some(Input::Cancel { reason: reason.clone(), actor: None, step })
    })?;
    if let Err(refusal) = given {
        return refused(&stream.to_string(), &refusal, arguments.format.is_json());
    }
    if arguments.format.is_json() {
        let run = Value::from(stream.to_string());
        output::print_json(&Value::map([("ok", true.into()), ("run", run)]))?;
    } else {
        output::print(&format!("{stream} is cancelled"))?;
    }
    Ok(Outcome::Fine)
}

fn refused(run: &str, refusal: &Refusal, is_json: bool) -> Result<Outcome> {
    let why = match refusal {
        Refusal::Over => format!("`{run}` has ended already; `quipu resume {run}` shows how"),
        other => format!("`{run}` cannot be cancelled: {other}"),
    };
    if is_json {
        let members = [("ok", false.into()), ("run", run.into()), ("error", why.into())];
        output::print_json(&Value::map(members))?;
    } else {
        output::note(&why);
    }
    Ok(Outcome::Found)
}
