//! What a driver writes, and what others write meanwhile.

use std::time::Instant;

use history::kinds::{Kind, Sealed};
use runtime::{Advanced, CallId, Input, Pending, Refusal, split};
use store::{Append, AppendError, Durability, Expected, append_known};

use super::{DriveError, Driver, made};
use crate::load::load;

/// What became of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Appended {
    /// It is stored.
    Done,
    /// Somebody else was faster.
    Conflict,
}

impl Driver<'_> {
    pub(super) fn append(&mut self, mut advanced: Advanced) -> Result<Appended, DriveError> {
        self.gave_up |= advanced.gave_up;
        if advanced.events.is_empty() {
            self.to_make.append(&mut advanced.calls);
            return Ok(Appended::Done);
        }
        let durability = durability(&advanced.events);
        let facts: Vec<_> = advanced.events.iter_mut().map(|sealed| sealed.fact.take()).collect();
        let (events, blobs) = split(advanced.events);
        let append = Append {
            stream: &self.stream,
            expected: if self.next == 0 { Expected::New } else { Expected::Next(self.next) },
            events: &events,
            blobs: &blobs,
            key: None,
            durability,
            unverified: false,
        };
        // Where this fails, the run and its ledger are ahead of the store: both are read again.
        let ledger = std::mem::take(&mut self.ledger);
        match append_known(self.world.store, ledger, &append, &facts) {
            // Somebody else has come to the same, and may have gone on from there.
            Ok((receipt, _)) if receipt.repeated && self.next > 0 => Ok(Appended::Conflict),
            Ok((_, ledger)) => {
                self.ledger = ledger;
                self.next += events.len() as u64;
                self.to_make.append(&mut advanced.calls);
                (self.world.progress)(&self.plan, &self.run);
                Ok(Appended::Done)
            }
            Err(AppendError::Conflict { .. }) if self.next > 0 => Ok(Appended::Conflict),
            Err(error) => Err(error.into()),
        }
    }

    /// Somebody else has written: what they wrote counts.
    pub(super) fn reload(&mut self) -> Result<(), DriveError> {
        self.claim.make_sure()?;
        let loaded = load(self.world.store, &self.stream, None, self.logic)?;
        self.plan = loaded.plan;
        self.run = loaded.run;
        self.ledger = loaded.ledger;
        self.next = loaded.next;
        self.to_make = made(&self.run).collect();
        self.gave_up = true;
        // What was not stored has not left.
        let has_left = |call| self.run.pending_call(call).is_some_and(Pending::is_made);
        self.rooms.0.retain(|call, _| self.under_way.contains(call) || has_left(*call));
        let open = |call: &CallId| self.run.pending_call(*call).is_some();
        let gone = self.under_way.iter().filter(|call| !open(call));
        let gone = gone.copied().filter(|call| !self.run.has_abandoned(*call));
        self.give_up(gone.collect());
        let open = |call: &CallId| self.run.pending_call(*call).is_some();
        self.asked.retain(open);
        self.withdraw()
    }

    /// Others may have written: an answer to a question, a cancellation.
    pub(super) fn notice_others(&mut self) -> Result<(), DriveError> {
        self.looked = Instant::now();
        let info = history::Archive::stream(self.world.store, &self.stream)?;
        if info.is_some_and(|info| info.next != self.next) {
            self.reload()?;
        }
        Ok(())
    }

    pub(super) fn pause(&mut self) -> Result<(), DriveError> {
        self.stop_here(&|step| Input::Pause { reason: Some("interrupted".into()), step })
    }

    /// The run's time is over.
    pub(super) fn end(&mut self) -> Result<(), DriveError> {
        self.stop_here(&|step| Input::Tick { step })
    }

    /// Notes that the run stops where it is.
    fn stop_here(&mut self, input: &dyn Fn(Option<u64>) -> Input) -> Result<(), DriveError> {
        while !self.run.is_over() {
            let could_go_on = self.run.can_go_on();
            let input = input(could_go_on.then(|| self.run.steps()));
            let now = (self.world.clock)();
            // Only noted: what would follow is for whoever resumes.
            let events = match runtime::note(&self.plan, &mut self.run, &input, now) {
                Err(Refusal::Early) => return Ok(()),
                events => events.map_err(DriveError::Refused)?,
            };
            let calls = Vec::new();
            let stopped = Advanced { events, more: could_go_on, gave_up: true, calls };
            match self.append(stopped)? {
                Appended::Done => return Ok(()),
                Appended::Conflict => self.reload()?,
            }
        }
        Ok(())
    }
}

/// What must be on the disk before anything follows from it: that a write leaves, and what cannot
/// be had again.
fn durability(events: &[Sealed]) -> Durability {
    let must_stay = |sealed: &Sealed| {
        matches!(
            sealed.event.kind(),
            Kind::EffectStarted
                | Kind::QuestionAnswered
                | Kind::RunStarted
                | Kind::RunFinished
                | Kind::RunCancelled
                | Kind::RunPaused
                | Kind::Interruption
                | Kind::PolicyActivated
        )
    };
    if events.iter().any(must_stay) { Durability::Group } else { Durability::Os }
}
