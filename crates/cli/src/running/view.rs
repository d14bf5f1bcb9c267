//! How a run comes along, on a terminal.

use std::io::IsTerminal;
use std::time::Instant;

use runtime::{Plan, Run};

/// Shows how a run comes along, on a terminal only.
pub(super) struct View {
    bar: Option<indicatif::ProgressBar>,
    began: Instant,
}

impl View {
    pub(super) fn new(quiet: bool) -> View {
        let is_shown = !quiet && std::io::stderr().is_terminal();
        let bar = is_shown.then(|| {
            let bar = indicatif::ProgressBar::new_spinner();
            let style = indicatif::ProgressStyle::with_template("{spinner} {wide_msg}");
            bar.set_style(style.expect("the template is right"));
            bar.enable_steady_tick(std::time::Duration::from_millis(100));
            bar
        });
        View { bar, began: Instant::now() }
    }

    pub(super) fn show(&self, plan: &Plan, run: &Run) {
        let Some(bar) = &self.bar else { return };
        let usage = run.usage();
        let places = run.places(plan);
        let at = places.first().map_or("", |at| at);
        bar.set_message(format!(
            "{}  {:.1} s, {} calls, {} tokens",
            diagnostics::plain(at),
            self.began.elapsed().as_secs_f64(),
            u64::from(usage.model_calls) + usage.tool_calls,
            usage.prompt_tokens + usage.completion_tokens,
        ));
    }

    pub(super) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
