//! What goes wrong around a run: it is paused between two steps, its process dies, answers come
//! twice, late or in another order, and the clock jumps. What must hold in spite of it is checked
//! as it happens.

use std::collections::BTreeMap;

use graph::Again;
use history::kinds::Kind;
use runtime::{
    Answer, CallId, Input, Pending, PolicyChange, Refusal, Request, Stage, advance_for, note, rest,
};

use super::blocks::Blocks;
use super::driven::{Driver, Due, later, policy};
use crate::Random;

/// What goes wrong, and how often. 0 is never; 3 is one time in three.
#[derive(Clone, Debug)]
pub struct Unrest {
    /// Where its choices come from.
    pub random: Random,
    /// So many steps are taken before somebody looks.
    pub slice: u64,
    /// It is paused when somebody looks, and resumed by another process.
    pub pauses: usize,
    /// Its process dies after an append, whether it could have gone on or not.
    pub crashes: usize,
    /// An answer comes twice.
    pub duplicates: usize,
    /// An answer comes that nobody waits for any more.
    pub late: usize,
    /// Somebody ends it.
    pub cancels: usize,
    /// The clock jumps by up to so many milliseconds, forth and back.
    pub jumps_ms: usize,
    /// An answer is given by somebody who makes no calls, while nobody drives the run.
    pub elsewhere: usize,
    /// Another policy is put in force, where the run has one.
    pub policies: usize,
    /// Answers come in any order.
    pub any_order: bool,
}

impl Unrest {
    /// Nothing goes wrong.
    pub fn none(seed: u64) -> Unrest {
        Unrest {
            random: Random::new(seed),
            slice: 50_000,
            pauses: 0,
            crashes: 0,
            duplicates: 0,
            late: 0,
            cancels: 0,
            jumps_ms: 0,
            elsewhere: 0,
            policies: 0,
            any_order: false,
        }
    }

    fn now_and_then(&mut self, one_in: usize) -> bool {
        one_in > 0 && self.random.one_in(one_in)
    }
}

impl Driver<'_> {
    /// Drives the run to its end, whatever goes wrong.
    pub fn through(&mut self, unrest: &mut Unrest) -> Result<(), String> {
        let mut left: BTreeMap<CallId, Pending> = BTreeMap::new();
        self.slices(unrest, None)?;
        while !self.run.is_over() {
            self.jump(unrest)?;
            if self.room.is_some() && !self.run.is_over() {
                // What found no room before may find some now.
                self.slices(unrest, None)?;
            }
            let under_way = self.run.pending().filter(|pending| pending.stage == Stage::Started);
            left.extend(under_way.map(|pending| (pending.id, pending.clone())));
            let most = self.room.unwrap_or(usize::MAX);
            if let Some((tool, count)) = self.under_way().iter().find(|it| *it.1 > most) {
                return Err(format!("{count} calls of `{tool}` have left, and {most} have room"));
            }
            if self.run.is_over() {
                break;
            }
            if unrest.now_and_then(unrest.cancels) {
                self.cancel()?;
                break;
            }
            if self.run.policy().is_some() && unrest.now_and_then(unrest.policies) {
                self.change_policy(unrest)?;
                continue;
            }
            let due = self.choose(unrest).ok_or("the run waits for nothing")?;
            let input = self.input_of(&due);
            if unrest.now_and_then(unrest.crashes) {
                // It was carried out, and nobody was told.
                self.crash(unrest)?;
                continue;
            }
            match unrest.now_and_then(unrest.elsewhere) {
                true => self.given(unrest, &input)?,
                false => self.slices(unrest, Some(&input))?,
            }
            if unrest.now_and_then(unrest.duplicates) {
                self.duplicate(due.call, &input)?;
            }
            if unrest.now_and_then(unrest.late) {
                self.late(&mut left)?;
            }
            if unrest.now_and_then(unrest.crashes) {
                self.crash(unrest)?;
            }
        }
        while unrest.late > 0 && self.late(&mut left)? {}
        Ok(())
    }

    fn choose(&self, unrest: &mut Unrest) -> Option<Due> {
        if !unrest.any_order {
            return self.next();
        }
        let due = self.due();
        (!due.is_empty()).then(|| unrest.random.pick(&due).clone())
    }

    /// Takes an input, a slice of steps at a time.
    fn slices(&mut self, unrest: &mut Unrest, input: Option<&Input>) -> Result<(), String> {
        let mut input = input;
        loop {
            let answered = match input {
                Some(Input::Answer(call, _)) => Some(*call),
                _ => None,
            };
            let left = self.run.pending().filter(|pending| pending.stage == Stage::Started);
            let left: Vec<CallId> = left.map(|pending| pending.id).collect();
            let has_room = &mut self.has_room();
            let (plan, run, now) = (self.plan.clone(), &mut self.run, self.now);
            let logic = &mut self.blocks;
            let advanced =
                advance_for(unrest.slice, &plan, run, input.take(), now, logic, has_room)
                    .map_err(|refusal| format!("what was waited for is refused: {refusal}"))?;
            let is_gone =
                |call: &CallId| Some(*call) != answered && self.run.pending_call(*call).is_none();
            if let Some(call) = left.into_iter().find(is_gone).filter(|_| !advanced.gave_up) {
                return Err(format!("call {call} was given up, and nobody was told"));
            }
            let has_stored = !advanced.events.is_empty();
            self.append(advanced.events);
            if advanced.more && unrest.now_and_then(unrest.cancels) {
                return self.cancel();
            }
            if advanced.more && unrest.jumps_ms > 0 && unrest.random.one_in(8) {
                self.jump(unrest)?;
            }
            if self.run.is_over() {
                return Ok(());
            }
            if advanced.more && unrest.now_and_then(unrest.pauses) {
                self.pause(unrest)?;
            } else if advanced.more
                && has_stored
                && !self.run.is_over()
                && unrest.now_and_then(unrest.crashes)
            {
                // Where nothing was stored since the last time it would never come any further.
                self.crash_on_the_way(unrest)?;
            } else if !advanced.more {
                return Ok(());
            }
        }
    }

    /// Somebody gives an answer, who makes no calls: nothing leaves before somebody drives the run.
    fn given(&mut self, unrest: &mut Unrest, input: &Input) -> Result<(), String> {
        let events = note(&self.plan, &mut self.run, input, self.now).map_err(said)?;
        self.append(events);
        self.come_to_rest()?;
        if self.run.policy().is_some()
            && !self.run.is_over()
            && unrest.now_and_then(unrest.policies)
        {
            // What was just allowed has not left, and is not allowed any more.
            let change = Input::Policy(Box::new(self.next_policy(unrest)));
            let events = note(&self.plan, &mut self.run, &change, self.now).map_err(said)?;
            self.append(events);
            self.come_to_rest()?;
        }
        self.slices(unrest, None)
    }

    /// Goes on without an input, and lets nothing leave.
    fn come_to_rest(&mut self) -> Result<(), String> {
        loop {
            let rest = rest(&self.plan, &mut self.run, &mut self.blocks);
            if let Some(left) =
                rest.events.iter().find(|one| one.event.kind() == Kind::EffectStarted)
            {
                return Err(format!("nobody makes this call: {:?}", left.event));
            }
            self.append(rest.events);
            if !rest.more {
                return Ok(());
            }
        }
    }

    /// The run is paused, and another process goes on with it.
    fn pause(&mut self, unrest: &mut Unrest) -> Result<(), String> {
        let step = self.run.can_go_on().then(|| self.run.steps());
        let input = Input::Pause { reason: Some("a test".into()), step };
        if self.run.is_over() {
            return Ok(());
        }
        let events = note(&self.plan, &mut self.run, &input, self.now).map_err(said)?;
        self.append(events);
        let fold = self.follows.as_ref().map_err(|difference| differs(difference))?;
        if *fold.run() != self.run {
            return Err(unlike("after a pause", fold.run(), &self.run));
        }
        self.doubts(unrest)
    }

    /// Another policy comes into force: whatever has not left is decided about again.
    fn change_policy(&mut self, unrest: &mut Unrest) -> Result<(), String> {
        let change = Input::Policy(Box::new(self.next_policy(unrest)));
        self.slices(unrest, Some(&change))
    }

    fn next_policy(&self, unrest: &mut Unrest) -> PolicyChange {
        let count = self.log.iter().filter(|one| one.sealed.event.kind() == Kind::PolicyActivated);
        PolicyChange {
            policy: policy(count.count() + 1),
            actor: Some("ada".into()),
            notes: unrest.random.one_in(2).then(|| "tighter".into()),
        }
    }

    fn cancel(&mut self) -> Result<(), String> {
        let step = self.run.can_go_on().then(|| self.run.steps());
        let (reason, actor) = (Some("enough".into()), Some("somebody".into()));
        let input = Input::Cancel { reason, actor, step };
        if self.run.is_over() {
            return Ok(());
        }
        let events = note(&self.plan, &mut self.run, &input, self.now).map_err(said)?;
        self.append(events);
        Ok(())
    }

    /// The process dies. Another one reads the events, and goes on.
    fn crash(&mut self, unrest: &mut Unrest) -> Result<(), String> {
        let folded = self.refolded()?;
        if folded != self.run {
            return Err(unlike("after a crash", &folded, &self.run));
        }
        self.run = folded;
        self.doubts(unrest)?;
        self.slices(unrest, None)
    }

    /// The process dies while the run could go on: what it did since the last event is done again.
    fn crash_on_the_way(&mut self, unrest: &mut Unrest) -> Result<(), String> {
        let fold = self.follows.as_ref().map_err(|difference| differs(difference))?;
        if fold.is_between() {
            return Err("the last events belong to something that is not complete".to_string());
        }
        let (folded, mut again) = (fold.run().clone(), fold.run().clone());
        let ahead = self.run.steps() - folded.steps();
        if ahead > 0 {
            let (logic, no_room) = (&mut Blocks::default(), &mut |_: &Pending| false);
            advance_for(ahead, &self.plan, &mut again, None, self.now, logic, no_room)
                .map_err(said)?;
        }
        if again != self.run {
            return Err(unlike("after a crash on the way", &again, &self.run));
        }
        self.run = folded;
        self.doubts(unrest)
    }

    /// The run as its events leave it, when it has gone as far as that leads.
    pub fn refolded(&self) -> Result<runtime::Run, String> {
        let fold = self.follows.as_ref().map_err(|difference| differs(difference))?;
        if fold.is_between() {
            return Err("the last events belong to something that is not complete".to_string());
        }
        let mut run = fold.run().clone();
        loop {
            let rest = rest(&self.plan, &mut run, &mut Blocks::default());
            match rest.events.first() {
                Some(sealed) => return Err(format!("would go on by itself: {:?}", sealed.event)),
                None if rest.more => {}
                None => return Ok(run),
            }
        }
    }

    /// Calls that have left and were not answered may have happened: each is looked after as its
    /// tool was declared.
    fn doubts(&mut self, unrest: &mut Unrest) -> Result<(), String> {
        let left = self.run.pending().filter(|pending| pending.stage == Stage::Started);
        let left: Vec<CallId> = left.map(|pending| pending.id).collect();
        if left.is_empty() {
            return Ok(());
        }
        // What it comes to by itself comes first, and what it begins there is not in doubt.
        self.come_to_rest()?;
        let (mut again, mut in_doubt) = (Vec::new(), Vec::new());
        for pending in left.into_iter().filter_map(|call| self.run.pending_call(call)) {
            if let Request::Tool(call) = &pending.request {
                match call.again {
                    Again::Freely => {}
                    Again::WithKey => again.push(pending.id),
                    Again::ByAsking => in_doubt.push(pending.id),
                }
            }
        }
        if !in_doubt.is_empty() {
            self.slices(unrest, Some(&Input::Interrupted(in_doubt)))?;
        }
        for call in again {
            self.come_to_rest()?;
            // What the interruption led to may have given it up.
            if self.run.pending_call(call).is_some() {
                self.slices(unrest, Some(&Input::Leave(call)))?;
            }
        }
        Ok(())
    }

    /// An answer that was taken comes again: nothing may change.
    fn duplicate(&mut self, call: CallId, input: &Input) -> Result<(), String> {
        let (before, count) = (self.run.clone(), self.log.len());
        let was_abandoned = self.run.has_abandoned(call);
        match self.take(input) {
            Err(Refusal::NotWaiting | Refusal::Over) if self.run == before => {}
            Ok(()) if was_abandoned && self.log.len() > count => {}
            other => return Err(format!("call {call} was answered twice: {other:?}")),
        }
        Ok(())
    }

    /// An answer comes that nobody waits for: it is noted, once, and changes nothing else.
    fn late(&mut self, left: &mut BTreeMap<CallId, Pending>) -> Result<bool, String> {
        let found = left.keys().copied().find(|call| self.run.has_abandoned(*call));
        let Some(pending) = found.and_then(|call| left.remove(&call)) else { return Ok(false) };
        let answer = self.desk.answer(&pending);
        let is_noted =
            !matches!((&answer, &pending.request), (Answer::Failed(_), Request::Model(_)));
        let before = (self.run.state(&self.plan), self.run.status(), self.run.places(&self.plan));
        match (self.take(&Input::Answer(pending.id, answer.clone())), is_noted) {
            (Ok(()), true) | (Err(Refusal::NotWaiting), false) => {}
            (other, _) => return Err(format!("a late answer: {other:?}")),
        }
        let after = (self.run.state(&self.plan), self.run.status(), self.run.places(&self.plan));
        if before != after {
            return Err(format!("a late answer changed {before:?} to {after:?}"));
        }
        if is_noted {
            self.duplicate(pending.id, &Input::Answer(pending.id, answer))?;
        }
        Ok(true)
    }

    /// The clock jumps; if that is beyond what the run may take, it is told so.
    fn jump(&mut self, unrest: &mut Unrest) -> Result<(), String> {
        if unrest.jumps_ms > 0 {
            let jump = unrest.random.below(unrest.jumps_ms) as u64;
            self.now = match unrest.random.one_in(2) {
                true => later(self.now, jump),
                false => {
                    let back = i64::try_from(jump).unwrap_or(0) * 1_000;
                    history::Timestamp::from_micros(self.now.micros() - back)
                }
            };
        }
        match self.run.deadline() {
            Some(deadline) if self.now >= deadline => self.end(),
            _ => Ok(()),
        }
    }

    /// Its time is over, wherever it is.
    fn end(&mut self) -> Result<(), String> {
        if self.run.is_over() {
            return Ok(());
        }
        let step = self.run.can_go_on().then(|| self.run.steps());
        let events = note(&self.plan, &mut self.run, &Input::Tick { step }, self.now);
        self.append(events.map_err(said)?);
        Ok(())
    }
}

fn said(refusal: Refusal) -> String {
    format!("refused: {refusal}")
}

/// What a fold says that does not get along with the engine.
pub(super) fn differs(difference: &runtime::Difference) -> String {
    let runtime::Difference { seq, recorded, derived, why } = difference;
    format!("event {seq} is {recorded:?}, and the engine says {derived:?} ({why:?})")
}

/// Two runs that should be alike, from where they are not.
pub(super) fn unlike(when: &str, one: &runtime::Run, other: &runtime::Run) -> String {
    let (one, other) = (format!("{one:#?}"), format!("{other:#?}"));
    let parts = one.lines().zip(other.lines()).position(|(one, other)| one != other).unwrap_or(0);
    let from = |text: &str| {
        let lines = text.lines().skip(parts.saturating_sub(12)).take(24);
        lines.collect::<Vec<_>>().join("\n")
    };
    format!("{when}: folded to\n{}\nbut live it is\n{}", from(&one), from(&other))
}
