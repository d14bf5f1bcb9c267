//! Sends the spans of runs that have stopped to where the operator wants them. A run never fails
//! because of that, and never waits for it for long.

use std::time::Duration;

use anyhow::Result;
use history::spans::{Content, spans};
use history::{Lineage, Place, Stream};
use host::config::{Config, Otlp};
use host::otlp::{Collector, Sent, send};
use store::Store;
use value::Value;

use super::config_file;
use super::report::same_store;
use crate::output;

/// Whoever runs an agent waits no longer than this for a collector.
const PATIENCE: Duration = Duration::from_secs(4);

/// Longer runs take long to read; `quipu spans` exports them when somebody has the time.
const EVENTS_MAX: u64 = 100_000;

/// Sends the spans of a run, and says so if that is not possible. Only what has ended is sent: a
/// run that goes on later sends the rest then.
pub(crate) fn export(store: &dyn Store, stream: &Stream, otlp: Option<&Otlp>) {
    let Some(otlp) = otlp else { return };
    match exported(store, stream, otlp) {
        Ok(None) => {}
        Ok(Some(sent)) if sent.rejected == 0 => {}
        Ok(Some(sent)) => {
            let said = sent.said.map_or_else(String::new, |said| format!(": {said}"));
            let rejected = output::plural(sent.rejected as u64, "span");
            output::note(&format!("note: the collector did not take {rejected}{said}"));
        }
        Err(error) => {
            let later = format!("quipu spans {stream} --to {}{}", otlp.endpoint, same_store());
            output::note(&format!(
                "note: no spans were exported: {}; `{later}` does it later",
                output::told(&error)
            ));
        }
    }
}

fn exported(store: &dyn Store, stream: &Stream, otlp: &Otlp) -> Result<Option<Sent>> {
    // A run that could not begin has nothing to tell.
    let Some(info) = store.stream(stream)? else { return Ok(None) };
    let last = Place::new(stream.clone(), info.next.saturating_sub(1));
    let collector = Collector::new(&otlp.endpoint)?.with_headers(otlp.headers.as_deref())?;
    let content = if otlp.content { Content::Told } else { Content::Left };
    let trace = spans(store, &last, content, EVENTS_MAX)?.settled();
    Ok(Some(send(&collector, &trace, PATIENCE)?))
}

/// What the configuration that a run was begun with says of spans, as far as it can be had: whoever
/// answers a question does not need it for anything else.
pub(crate) fn of_begun(store: &dyn Store, stream: &Stream) -> Option<Otlp> {
    let lineage = Lineage::of(store, stream, None).ok()??;
    let first = lineage.entry(store, 0).ok()??;
    let begun = store.fact(&first.event).ok()??;
    let history::kinds::What::RunStarted(started) = begun.what else { return None };
    let config = started.options.as_ref().and_then(|options| options.get("config"));
    let config = config.and_then(Value::as_text).map(|config| &**config);
    let file = config_file(None, config, std::path::Path::new("."))?;
    Config::load(&file).ok()?.otlp
}
