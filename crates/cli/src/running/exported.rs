//! Sends the spans of runs that have stopped to where the operator wants them. A run never fails
//! because of that, and never waits for it for long.

use std::time::Duration;

use anyhow::Result;
use history::spans::{Content, spans};
use history::{Place, Stream};
use host::config::{Config, Otlp};
use host::otlp::{Collector, Sent, send};
use store::Store;

use super::report::same_store;
use crate::output;

/// Whoever runs an agent waits no longer than this for a collector.
const PATIENCE: Duration = Duration::from_secs(4);

/// Longer runs take long to read; `quipu spans` exports them when somebody has the time.
const EVENTS_MAX: u64 = 100_000;

/// Sends the spans of a run, and says so if that is not possible. Only what has ended is sent: a
/// run that goes on later sends the rest then.
pub(super) fn export(store: &dyn Store, stream: &Stream, otlp: Option<&Otlp>) {
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
    let collector = Collector::new(&otlp.endpoint)?.with_headers(otlp.headers.as_ref())?;
    let content = if otlp.content { Content::Told } else { Content::Left };
    let trace = spans(store, &last, content, EVENTS_MAX)?.settled();
    Ok(Some(send(&collector, &trace, PATIENCE)?))
}

/// The same for a run that is not driven here, by a configuration that may be of no use.
pub(crate) fn export_as(store: &dyn Store, stream: &Stream, config: &Result<Config>) {
    match config {
        Ok(config) => export(store, stream, config.otlp.as_ref()),
        Err(error) => {
            output::note(&format!("note: no spans were exported: {}", output::told(error)));
        }
    }
}
