//! `quipu resume`

use std::path::Path;

use anyhow::Result;
use host::{Driver, Python, Stopped, load};
use value::Map;

use crate::args::running::Resume;
use crate::opened::{Access, open_shared};
use crate::running::{Around, Begun, not_driven, report, run_stream};
use crate::{Outcome, find};

pub(crate) fn run(arguments: &Resume) -> Result<Outcome> {
    let is_json = arguments.format.is_json();
    let store = open_shared(&arguments.store, Access::Change)?;
    let stream = find::run(&*store, &arguments.run)?;
    run_stream(&stream)?;
    let mut logic = Python::default();
    let loaded = load(&*store, &stream, None, &mut logic)?;
    if loaded.run.is_over() {
        return report(&*store, (loaded.plan, loaded.run, Stopped::Over), is_json, Map::default());
    }
    let name = stream.to_string();
    let recorded = loaded.run.options();
    let begun = Begun::of(&*store, &stream, None, recorded)?;
    begun.refuse_without_words(recorded, &arguments.world, "resume", &name)?;
    let here = Path::new(".");
    let around = Around::new(&arguments.world, &begun.options, &loaded.plan, here, store.clone())?;
    around.refuse_without_tools(&begun.options, &loaded.plan)?;
    if !begun.here {
        around.refuse_other_terms(&loaded.run, &loaded.plan, &name)?;
    }
    around.refuse_without_models(&loaded.plan)?;
    let outcome = around
        .with(&*store, is_json, |world| {
            let mut driver = Driver::resume_loaded(world, &mut logic, stream.clone(), loaded)?;
            let stopped = driver.drive()?;
            Ok((driver.plan().clone(), driver.run().clone(), stopped))
        })
        .and_then(|driven| report(&*store, driven, is_json, Map::default()))
        .or_else(|error| not_driven(&*store, &name, error, is_json));
    around.export(&*store, stream.run_id().map_or(&*name, |run| run));
    outcome
}
