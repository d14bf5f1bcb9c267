//! Calls on their way: what leaves, what is in doubt after a crash, what comes back too late.

use std::collections::BTreeMap;
use std::time::Instant;

use graph::Again;
use runtime::{Answer, CallId, Input, Pending, Request, Stage, idempotency_key};

use super::{DriveError, Driver, GRACE, LOOK};
use crate::adapter::Call;
use crate::answered;
use crate::dispatch::{Dispatcher, Room};

impl Driver<'_> {
    /// Whatever has left now was made by others.
    pub(super) fn with_doubts(mut self) -> Self {
        for pending in self.run.pending().filter(|pending| pending.stage == Stage::Started) {
            self.doubts.insert(pending.id);
            if contract(pending) == Some(Again::WithKey) {
                // Before anything else leaves: it was there first.
                self.rooms.keep(self.world.dispatcher, pending);
            }
        }
        self
    }

    /// Calls that had left before this driver came, were not answered, and may run again like this.
    fn doubtful(&self, again: Again) -> impl Iterator<Item = CallId> {
        let doubts = self.doubts.iter().filter_map(|call| self.run.pending_call(*call));
        doubts.filter(move |call| contract(call) == Some(again)).map(|call| call.id)
    }

    /// Whether nothing is in doubt any more. Before that nothing new leaves.
    pub(super) fn is_clear(&self) -> bool {
        let mut left = self.doubtful(Again::ByAsking).chain(self.doubtful(Again::WithKey));
        left.next().is_none()
    }

    /// What becomes of the next call that is in doubt: it may have happened.
    pub(super) fn next_doubt(&mut self) -> Option<Input> {
        let in_doubt: Vec<CallId> = self.doubtful(Again::ByAsking).collect();
        if !in_doubt.is_empty() {
            return Some(Input::Interrupted(in_doubt));
        }
        let again = self.doubtful(Again::WithKey).next()?;
        self.doubts.remove(&again);
        Some(Input::Leave(again))
    }

    /// Makes the calls that have left, and gives up those that nobody waits for. When the run
    /// should stop, only those that would be in doubt for ever if they were not made.
    pub(super) fn make(&mut self) {
        for id in std::mem::take(&mut self.to_make) {
            let Some(pending) = self.run.pending_call(id) else {
                self.rooms.0.remove(&id);
                continue;
            };
            if self.should_stop() && !self.must_be_made(pending) {
                continue;
            }
            if !pending.is_made() {
                // Another policy has come into force since it might have left.
                continue;
            }
            match &pending.request {
                Request::Question(question) => {
                    if self.asked.insert(id) {
                        self.ask(id, (**question).clone());
                    }
                }
                _ if !self.under_way.insert(id) => {}
                _ => {
                    let call = self.call(pending.clone());
                    let (adapter, answers) = (self.world.adapter, &self.answers.0);
                    let room = self.rooms.0.get(&id).cloned();
                    let dispatcher = self.world.dispatcher;
                    if let Some(answer) = dispatcher.start(id, call, adapter, answers, room) {
                        self.at_once.push_back((id, answer));
                    }
                }
            }
        }
        // Thousands can be under way: not every answer may cost a look at all of them.
        if !std::mem::take(&mut self.gave_up) {
            return;
        }
        let is_lost =
            |call: &CallId| self.run.pending_call(*call).is_none() && !self.run.awaits_late(*call);
        let lost = self.under_way.iter().copied().filter(is_lost);
        self.give_up(lost.collect());
    }

    /// Whether a call was recorded as leaving by this driver, and cannot be repeated.
    fn must_be_made(&self, pending: &Pending) -> bool {
        contract(pending) == Some(Again::ByAsking) && !self.doubts.contains(&pending.id)
    }

    /// Whether an input answers a call that cannot be repeated.
    pub(super) fn cannot_be_had_again(&self, input: &Input) -> bool {
        let Input::Answer(call, _) = input else { return false };
        self.run.pending_call(*call).and_then(contract) == Some(Again::ByAsking)
    }

    /// Nobody waits for these calls.
    pub(super) fn give_up(&mut self, calls: Vec<CallId>) {
        for call in calls {
            self.under_way.remove(&call);
            self.rooms.0.remove(&call);
            self.world.dispatcher.cancel(self.run.id(), call);
        }
    }

    fn call(&self, pending: Pending) -> Call {
        Call {
            run: self.run.id().clone(),
            at: pending.at,
            key: idempotency_key(self.run.id(), pending.key),
            attempt: pending.attempt,
            request: pending.request,
            // Whoever makes it again must say the same under its key, whenever that is.
            now: pending.since,
        }
    }

    pub(super) fn answer(&mut self, call: CallId, mut answer: Answer) -> Result<(), DriveError> {
        self.under_way.remove(&call);
        // Only now: until its answer is recorded a call may have happened, as far as anybody knows.
        self.rooms.0.remove(&call);
        self.asked.remove(&call);
        if self.should_stop() && answered::was_asked_to_end(&answer) {
            // It was stopped with us, and did not fail: whoever resumes looks after it.
            return Ok(());
        }
        let pending = self.run.pending_call(call).map(|pending| &pending.request);
        if let (Answer::Failed(_), Some(Request::Question(_))) = (&answer, pending) {
            // Nobody can answer it: that is all there is to record.
            return self.input(&Input::Interrupted(vec![call]));
        }
        // Answers that come too late are kept too.
        if let Some(pending) = self.run.known_call(call) {
            answer = answered::settled(answer, pending);
        }
        self.input(&Input::Answer(call, answer))?;
        // Only now: where somebody else was faster, whoever answered is told so.
        self.thinking.remove(&call);
        Ok(())
    }

    /// A call that must not be made again unasked would be in doubt for ever if it were given up
    /// now. It ends by itself, or when its time is over.
    pub(super) fn wait_for_what_cannot_be_repeated(&mut self) -> Result<(), DriveError> {
        let counts = |pending: &&Pending| contract(pending) == Some(Again::ByAsking);
        (self.world.progress)(&self.plan, &self.run);
        while self.run.pending().filter(counts).any(|pending| self.under_way.contains(&pending.id))
        {
            self.claim.renew()?;
            let answer = match self.at_once.pop_front() {
                Some(answer) => Some(answer),
                None => self.answers.1.recv_timeout(LOOK).ok(),
            };
            match answer {
                Some((call, answer)) => self.answer(call, answer)?,
                None => self.notice_others()?,
            }
        }
        Ok(())
    }

    /// Writes that left before their branch was given up come back, or are given up too.
    pub(super) fn wait_for_late_answers(&mut self) -> Result<(), DriveError> {
        let begin = Instant::now();
        loop {
            let late: Vec<CallId> =
                self.under_way.iter().copied().filter(|call| self.run.awaits_late(*call)).collect();
            let Some(left) = GRACE.checked_sub(begin.elapsed()).filter(|_| !late.is_empty()) else {
                return Ok(());
            };
            self.claim.renew()?;
            let answer = match self.at_once.pop_front() {
                Some(answer) => Some(answer),
                None => self.answers.1.recv_timeout(left.min(LOOK)).ok(),
            };
            if let Some((call, answer)) = answer {
                self.answer(call, answer)?;
            }
        }
    }
}

/// Room that is kept for calls from when they leave until they are answered.
#[derive(Default)]
pub(super) struct Rooms(pub(super) BTreeMap<CallId, Room>);

impl Rooms {
    /// Keeps room for a call. False if there is none.
    pub(super) fn keep(&mut self, dispatcher: &Dispatcher, pending: &Pending) -> bool {
        let room = dispatcher.room_for(&pending.request);
        room.map(|room| self.0.insert(pending.id, room)).is_some()
    }
}

/// How a call may run again, where it is one that leaves traces.
fn contract(pending: &Pending) -> Option<Again> {
    match &pending.request {
        Request::Tool(call) => Some(call.again),
        _ => None,
    }
}
