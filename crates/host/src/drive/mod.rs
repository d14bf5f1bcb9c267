//! The loop around the core: one input, one append, then what was asked for leaves.
//!
//! A run that is driven has a thread; a run that waits for people has none. What answers at once
//! is asked on that thread, everything else on the dispatcher's.

mod calls;
mod heard;
mod lease;
mod pace;
mod people;
mod policy;
mod stored;
mod ways;
mod world;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use history::{Ledger, Stream, Timestamp};
use runtime::{
    Advanced, Answer, Begin, CallId, Input, Logic, Plan, Refusal, Request, Run, advance, rest,
};

use self::calls::Rooms;
use self::lease::Claim;
use self::pace::Paced;
use self::people::Thinking;
pub use self::people::{People, Reply, Withdrawn};
use self::policy::Asking;
pub use self::policy::Rules;
use self::stored::Appended;
pub use self::world::{DriveError, Stopped, World};
use crate::load::{Loaded, load};

/// How often the loop looks whether it should stop, or somebody else has written.
const LOOK: Duration = Duration::from_millis(50);

/// How long calls that nobody waits for may take to come back after the end, and a run that should
/// stop may take to where it can take in what has come.
const GRACE: Duration = Duration::from_secs(5);

/// An answer that came, and to what.
type Came = (CallId, Answer);

/// Drives one run.
pub struct Driver<'a> {
    world: &'a World<'a>,
    logic: &'a mut dyn Logic,
    stream: Stream,
    plan: Arc<Plan>,
    run: Run,
    ledger: Ledger,
    next: u64,
    claim: Claim<'a>,
    /// Calls that have left as far as the history knows, and questions nobody was asked yet.
    to_make: Vec<CallId>,
    /// Calls that had left before this driver came, and are not looked after yet.
    doubts: BTreeSet<CallId>,
    /// Room for calls that are recorded when they leave.
    rooms: Rooms,
    /// Calls that are under way.
    under_way: BTreeSet<CallId>,
    /// Some of them may have been given up since somebody looked.
    gave_up: bool,
    /// Questions that were asked here, whether anybody is here or not.
    asked: BTreeSet<CallId>,
    /// Questions that somebody here thinks about.
    thinking: BTreeMap<CallId, Thinking>,
    answers: (Sender<Came>, Receiver<Came>),
    /// Answers that came at once.
    at_once: VecDeque<Came>,
    /// When it was last looked whether others have written.
    looked: Instant,
    /// Who is asked before calls leave.
    rules: Asking<'a>,
    /// Since when it only goes on so that answers which have come can be taken in.
    stopping: Option<Instant>,
}

impl<'a> Driver<'a> {
    /// Begins a run.
    pub fn begin(
        world: &'a World<'a>,
        logic: &'a mut dyn Logic,
        plan: Arc<Plan>,
        mut begin: Begin,
    ) -> Result<Driver<'a>, DriveError> {
        policy::begin(world.store, &plan, &mut begin)?;
        let stream = Stream::run(&*begin.run);
        let claim = Claim::take(world, &stream)?;
        let run = Run::new(&plan);
        let loaded = Loaded { plan, run, next: 0, ledger: Ledger::default() };
        let mut driver = Driver::new(world, logic, stream, claim, loaded);
        driver.input(&Input::Begin(Box::new(begin)))?;
        Ok(driver)
    }

    /// Goes on with a run. Calls that were under way when its process died are looked after.
    pub fn resume(
        world: &'a World<'a>,
        logic: &'a mut dyn Logic,
        stream: Stream,
    ) -> Result<Driver<'a>, DriveError> {
        let claim = Claim::take(world, &stream)?;
        let loaded = load(world.store, &stream, None, logic)?;
        let mut driver = Driver::new(world, logic, stream, claim, loaded).with_doubts();
        driver.keep_up_with_policy()?;
        Ok(driver)
    }

    /// The same with what was loaded before. It is loaded again if somebody has written since.
    pub fn resume_loaded(
        world: &'a World<'a>,
        logic: &'a mut dyn Logic,
        stream: Stream,
        loaded: Loaded,
    ) -> Result<Driver<'a>, DriveError> {
        let claim = Claim::take(world, &stream)?;
        let mut driver = Driver::new(world, logic, stream, claim, loaded);
        driver.notice_others()?;
        let mut driver = driver.with_doubts();
        driver.keep_up_with_policy()?;
        Ok(driver)
    }

    fn new(
        world: &'a World<'a>,
        logic: &'a mut dyn Logic,
        stream: Stream,
        claim: Claim<'a>,
        loaded: Loaded,
    ) -> Driver<'a> {
        let to_make = made(&loaded.run).collect();
        Driver {
            world,
            logic,
            stream,
            plan: loaded.plan,
            run: loaded.run,
            ledger: loaded.ledger,
            next: loaded.next,
            claim,
            to_make,
            doubts: BTreeSet::new(),
            rooms: Rooms::default(),
            under_way: BTreeSet::new(),
            gave_up: false,
            asked: BTreeSet::new(),
            thinking: BTreeMap::new(),
            answers: channel(),
            at_once: VecDeque::new(),
            looked: Instant::now(),
            rules: Asking::default(),
            stopping: None,
        }
    }

    /// The run as it is now.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// What it runs by.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Which stream it is.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Drives the run until it is over, waits for a person, or should pause.
    pub fn drive(&mut self) -> Result<Stopped, DriveError> {
        loop {
            self.claim.renew()?;
            let rests = self.go_on()?;
            self.withdraw()?;
            self.hear()?;
            if self.run.is_over() {
                self.wait_for_late_answers()?;
                return Ok(Stopped::Over);
            }
            if self.should_stop() {
                return self.stop();
            }
            if self.is_late() {
                self.end()?;
                continue;
            }
            if !rests {
                // A clock may go back.
                continue;
            }
            if let Some(doubt) = self.next_doubt() {
                self.input(&doubt)?;
                continue;
            }
            if let Some(ruling) = self.next_ruling()? {
                self.input(&ruling)?;
                continue;
            }
            self.make();
            match self.next_answer()? {
                Next::Answer(call, answer) => self.answer(call, answer)?,
                Next::Waiting => {
                    self.wait_for_late_answers()?;
                    return Ok(Stopped::Waiting);
                }
                Next::Look => {}
            }
        }
    }

    /// Stops, when nothing would be lost: not what cannot be repeated, and no answer that has come.
    fn stop(&mut self) -> Result<Stopped, DriveError> {
        self.make();
        self.wait_for_what_cannot_be_repeated()?;
        self.wait_for_late_answers()?;
        while let Some((call, answer)) = self.answer_that_came() {
            self.answer(call, answer)?;
        }
        self.pause()?;
        Ok(if self.run.is_over() { Stopped::Over } else { Stopped::Paused })
    }

    /// An answer that is there already.
    fn answer_that_came(&mut self) -> Option<Came> {
        self.at_once.pop_front().or_else(|| self.answers.1.try_recv().ok())
    }

    /// Goes on without an input, as long as it can and should. Says whether it can go no further.
    fn go_on(&mut self) -> Result<bool, DriveError> {
        while !self.should_stop() && !self.is_late() {
            let advanced = self.advance(None, (self.world.clock)());
            if !self.goes_on(advanced.map_err(DriveError::Refused)?)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes on, and lets leave what there is room for; nothing while something is in doubt.
    fn advance(&mut self, input: Option<&Input>, now: Timestamp) -> Result<Advanced, Refusal> {
        let (dispatcher, is_clear) = (self.world.dispatcher, self.is_clear());
        let has_room = &mut |call: &_| is_clear && self.rooms.keep(dispatcher, call);
        advance(&self.plan, &mut self.run, input, now, &mut Paced::new(self.logic), has_room)
    }

    /// Whether the run's time is over.
    fn is_late(&self) -> bool {
        self.run.deadline().is_some_and(|deadline| (self.world.clock)() >= deadline)
    }

    /// Goes on to where the run can go no further without an input: only there it takes one.
    /// Nothing leaves yet. Where its time is over meanwhile, it ends. Where it should stop, it
    /// goes on for a while only, unless what it is to take in could not be had again.
    fn comes_to_rest_for(&mut self, input: &Input) -> Result<bool, DriveError> {
        loop {
            if self.is_late() {
                self.end()?;
            }
            if self.should_stop() {
                let stopping = *self.stopping.get_or_insert_with(Instant::now);
                if stopping.elapsed() >= GRACE && !self.cannot_be_had_again(input) {
                    return Ok(false);
                }
            }
            let advanced = rest(&self.plan, &mut self.run, &mut Paced::new(self.logic));
            if !self.goes_on(advanced)? {
                return Ok(true);
            }
        }
    }

    /// Has gone on for a while. Says whether there is more to do.
    fn goes_on(&mut self, advanced: Advanced) -> Result<bool, DriveError> {
        self.claim.renew()?;
        let more = advanced.more;
        match self.append(advanced)? {
            Appended::Done => {
                if more && self.looked.elapsed() >= LOOK {
                    self.notice_others()?;
                }
                Ok(more)
            }
            Appended::Conflict => self.reload().map(|()| true),
        }
    }

    fn should_stop(&self) -> bool {
        self.world.stop.load(Ordering::Relaxed)
    }

    /// Takes an input: one append holds it and what follows from it. When the run should stop,
    /// nothing follows: what would be begun then could not leave any more.
    fn input(&mut self, input: &Input) -> Result<(), DriveError> {
        loop {
            let now = self.time_of(input);
            let advanced =
                match self.should_stop() {
                    false => self.advance(Some(input), now),
                    true => {
                        if !self.comes_to_rest_for(input)? {
                            return Ok(());
                        }
                        runtime::note(&self.plan, &mut self.run, input, now).map(|events| {
                            Advanced { events, more: true, gave_up: true, calls: Vec::new() }
                        })
                    }
                };
            match advanced {
                Err(Refusal::NotWaiting | Refusal::Over | Refusal::Early) => return Ok(()),
                Err(refusal) => return Err(DriveError::Refused(refusal)),
                Ok(advanced) => match self.append(advanced)? {
                    Appended::Done => return Ok(()),
                    Appended::Conflict => {
                        self.reload()?;
                        if !self.comes_to_rest_for(input)? {
                            return Ok(());
                        }
                    }
                },
            }
        }
    }

    /// When an input is taken. The clock may have been put back since a moment was seen to come.
    fn time_of(&self, input: &Input) -> Timestamp {
        let now = (self.world.clock)();
        if let Input::Told(told) = input {
            return heard::time_of(told).unwrap_or(now);
        }
        let Input::Answer(call, Answer::Due) = input else { return now };
        match self.run.pending_call(*call).map(|pending| &pending.request) {
            Some(Request::Timer(due)) => now.max(*due),
            _ => now,
        }
    }

    /// The next thing that happens.
    fn next_answer(&mut self) -> Result<Next, DriveError> {
        let now = (self.world.clock)();
        let first = self.run.next_timer();
        // Where fibers take turns, moments pass only when nobody waits for an immediate answer.
        let comes_first = self.run.options().in_turn && !self.at_once.is_empty();
        if let Some((due, timer)) = first
            && now >= due
            && !comes_first
        {
            return Ok(Next::Answer(timer, Answer::Due));
        }
        if let Some((call, answer)) = self.at_once.pop_front() {
            return Ok(Next::Answer(call, answer));
        }
        // First: whoever has just answered thinks no more, and then the answer is there.
        let waits_for_people_only = self.waits_for_people_only();
        if let Ok((call, answer)) = self.answers.1.try_recv() {
            return Ok(Next::Answer(call, answer));
        }
        if waits_for_people_only {
            return Ok(Next::Waiting);
        }
        let until = first.map(|(due, _)| due).into_iter().chain(self.run.deadline()).min();
        let patience = until.map_or(LOOK, |due| {
            let micros = due.micros().saturating_sub(now.micros());
            Duration::from_micros(u64::try_from(micros).unwrap_or(0)).min(LOOK)
        });
        match self.answers.1.recv_timeout(patience) {
            Ok((call, answer)) => Ok(Next::Answer(call, answer)),
            Err(RecvTimeoutError::Timeout) => {
                self.notice_others()?;
                Ok(Next::Look)
            }
            Err(RecvTimeoutError::Disconnected) => Ok(Next::Look),
        }
    }

    /// Whether nothing is under way but questions that nobody here thinks about, and the moments
    /// when they expire.
    fn waits_for_people_only(&self) -> bool {
        self.run.waits_for_others()
            && self.run.has_questions()
            && !self.somebody_thinks()
            && !self.run.has_timers_of_its_own()
    }
}

enum Next {
    Answer(CallId, Answer),
    Waiting,
    Look,
}

/// The calls of a run that somebody must make, and the questions somebody must be asked.
fn made(run: &Run) -> impl Iterator<Item = CallId> {
    run.pending().filter(|pending| pending.is_made()).map(|pending| pending.id)
}
