//! `quipu verify`

use anyhow::Result;
use store::{Damage, Verified, verify};
use value::Value;

use crate::Outcome;
use crate::args::history::Verify;
use crate::opened::{self, Access, count, open};
use crate::output::{self, plural};

pub(crate) fn run(arguments: &Verify) -> Result<Outcome> {
    let report = match read(arguments) {
        // What cannot even be opened or listed is damaged as a whole.
        Err(error) if opened::is_damage(&error) => {
            let what = output::told(&error);
            let damage = vec![Damage { place: None, event_id: None, what }];
            Verified { damaged: 1, damage, ..Verified::default() }
        }
        other => other?,
    };
    let is_sound = report.damage.is_empty();
    if arguments.format.is_json() {
        let damage = report.damage.iter().map(|damage| {
            let place = |part: fn(&history::Place) -> Value| damage.place.as_ref().map(part);
            Value::map([
                ("run", place(|place| place.stream.to_string().into()).into()),
                ("seq", place(|place| count(place.seq)).into()),
                ("event_id", damage.event_id.map(Value::from).into()),
                ("what", damage.what.as_str().into()),
            ])
        });
        output::print_json(&Value::map([
            ("ok", is_sound.into()),
            ("runs", count(report.runs)),
            ("events", count(report.events)),
            ("damage", Value::list(damage)),
        ]))?;
    } else {
        for damage in &report.damage {
            let place = damage.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
            output::print(&format!("{place}{}", damage.what))?;
        }
        let looked_at =
            format!("{} in {}", plural(report.events, "event"), plural(report.runs, "run"));
        output::note(&match (is_sound, report.damaged) {
            (true, _) => format!("{looked_at}: every hash is right"),
            (false, many) => format!("{looked_at}: {} damaged", plural(many, "place")),
        });
    }
    Ok(if is_sound { Outcome::Fine } else { Outcome::Found })
}

fn read(arguments: &Verify) -> Result<Verified> {
    let store = open(&arguments.store, Access::Read)?;
    let mut progress = output::Progress::new("events");
    let report = verify(&*store, &mut |done| progress.at(done.events));
    progress.finish();
    Ok(report?)
}
