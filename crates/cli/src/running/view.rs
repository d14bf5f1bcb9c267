//! How a run comes along, on a terminal.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use runtime::{Plan, Run};

/// How often it moves.
const TICK: Duration = Duration::from_millis(100);

/// Shows how a run comes along, on a terminal only.
#[derive(Clone)]
pub(super) struct View {
    bar: ProgressBar,
    began: Instant,
}

impl View {
    /// One that shows nothing yet.
    pub(super) fn new() -> View {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{spinner} {wide_msg}");
        View { bar: bar.with_style(style.expect("the template is right")), began: Instant::now() }
    }

    /// Shows from now on what comes.
    pub(super) fn begin(&self) {
        if std::io::stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(TICK);
        }
    }

    pub(super) fn show(&self, plan: &Plan, run: &Run) {
        if self.bar.is_hidden() || self.bar.is_finished() {
            return;
        }
        let usage = run.usage();
        let at = run.first_place(plan).unwrap_or_default();
        self.bar.set_message(format!(
            "{}  {:.1} s, {} calls, {} tokens",
            diagnostics::plain(&at),
            self.began.elapsed().as_secs_f64(),
            u64::from(usage.model_calls) + usage.tool_calls,
            usage.prompt_tokens + usage.completion_tokens,
        ));
    }

    /// Whether anybody sees it.
    pub(super) fn is_shown(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Leaves the terminal to others, and nothing on it.
    pub(super) fn put_aside(&self) {
        self.bar.disable_steady_tick();
        self.bar.finish_and_clear();
    }

    /// Goes on after it was put aside.
    pub(super) fn take_up(&self) {
        if !self.bar.is_hidden() {
            self.bar.reset();
            self.bar.enable_steady_tick(TICK);
        }
    }
}
