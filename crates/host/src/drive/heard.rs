//! What a run is told without having asked: it is recorded where the run is, and changes nothing.

use history::Timestamp;
use history::kinds::Common;
use runtime::Input;

use super::{DriveError, Driver};
use crate::mcp::Notice;

impl Driver<'_> {
    /// Takes in what was told since somebody last listened. Whoever stops does not listen.
    pub(super) fn hear(&mut self) -> Result<(), DriveError> {
        if self.run.is_over() || self.should_stop() {
            return Ok(());
        }
        for notice in self.world.adapter.notices(self.run.id()) {
            if let Some(told) = self.told(&notice) {
                self.input(&told)?;
            }
        }
        Ok(())
    }

    /// As an input. One that does not fit into an event is not worth one.
    fn told(&self, notice: &Notice) -> Option<Input> {
        let now = (self.world.clock)().max(self.run.now());
        let common = Common {
            agent_id: Some(self.plan.name.clone()),
            run_id: Some(self.run.id().clone()),
            ..Common::at(now)
        };
        let sealed = notice.seal(&common);
        let told = runtime::Told { event: sealed.event, fork: None };
        sealed.blobs.is_empty().then(|| Input::Told(Box::new(told)))
    }
}

/// When something was told: whoever replays it knows no other time.
pub(super) fn time_of(told: &runtime::Told) -> Option<Timestamp> {
    told.event.fact().map(|fact| fact.common.ts)
}
