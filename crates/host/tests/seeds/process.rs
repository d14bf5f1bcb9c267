//! A process that drives the run, or gives an answer: what it sees of the world, and how it dies.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use graph::{Again, Touches};
use history::Timestamp;
use host::{Adapter, Call, Calling, Dispatcher, Limits};
use runtime::{Answer, Fault, FaultKind, Request, ToolCall};
use store::{Lease, Leases};
use tokio::sync::oneshot;
use value::Text;

use crate::ground::{Due, Ground, Happening};
use crate::lives::{answer, cancel, live};

/// Longer than any lease.
pub(crate) const LEASE_MICROS: i64 = 31_000_000;

/// So often a process looks at the clock without adding anything before it counts as stuck.
const LOOKS_MAX: usize = 200;

/// What a process is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It drives the run.
    Drives,
    /// It drives the run while another process stands still.
    TakesOver,
    /// It gives an input, and is gone.
    Gives,
}

/// When a process died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Death {
    /// Before it could add events.
    BeforeAppend,
    /// When they were added.
    AfterAppend,
    /// While a call was made.
    InCall,
    /// It was stuck.
    Stuck,
}

/// A call that does not answer before it is told to.
struct Withheld {
    is_tool: bool,
    answers: oneshot::Sender<()>,
}

/// A process.
pub(crate) struct Process<'w, 'g> {
    pub(crate) ground: &'w Ground<'g>,
    pub(crate) role: Role,
    pub(crate) stop: AtomicBool,
    pub(crate) dispatcher: Dispatcher,
    death: Mutex<Option<Death>>,
    lease: Mutex<Option<Lease>>,
    /// Whether somebody else had the lease when this process wanted it.
    is_held: AtomicBool,
    /// Calls that do not answer before they are told to.
    withheld: Mutex<Vec<Withheld>>,
    /// The writes that it made.
    made: Mutex<Vec<Text>>,
    looks: AtomicUsize,
}

impl<'w, 'g> Process<'w, 'g> {
    pub(crate) fn new(ground: &'w Ground<'g>, role: Role) -> Process<'w, 'g> {
        Process {
            ground,
            role,
            stop: AtomicBool::new(false),
            dispatcher: Dispatcher::new(&Limits::default()),
            death: Mutex::new(None),
            lease: Mutex::new(None),
            is_held: AtomicBool::new(false),
            withheld: Mutex::new(Vec::new()),
            made: Mutex::new(Vec::new()),
            looks: AtomicUsize::new(0),
        }
    }

    fn died(&self) -> MutexGuard<'_, Option<Death>> {
        self.death.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn withheld(&self) -> MutexGuard<'_, Vec<Withheld>> {
        self.withheld.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.died().is_some()
    }

    /// Whether the process may drive the run.
    pub(crate) fn keep(&self, lease: Option<Lease>) {
        self.is_held.store(lease.is_none(), Ordering::Relaxed);
        *self.lease.lock().unwrap_or_else(PoisonError::into_inner) = lease;
    }

    /// The process dies. In a calm world its lease is known to be that of a dead process; else it
    /// lasts.
    pub(crate) fn kill(&self, death: Death) {
        *self.died() = Some(death);
        self.ground.breaks_off();
        match death {
            Death::BeforeAppend => self.ground.happens(Happening::DiedBeforeAppend),
            Death::AfterAppend => self.ground.happens(Happening::DiedAfterAppend),
            Death::InCall => self.ground.happens(Happening::DiedInCall),
            Death::Stuck => {}
        }
        let lease = self.lease.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(lease), true) = (lease, self.ground.unrest().is_calm) {
            let released = self.ground.store.release(&self.ground.stream, &lease);
            released.expect("a store in memory does not fail");
        }
    }

    /// What the clock says. While the run waits for people and moments, time passes when somebody
    /// looks.
    pub(crate) fn look(&self) -> Timestamp {
        let ground = self.ground;
        if self.is_dead() {
            return ground.now();
        }
        if self.looks.fetch_add(1, Ordering::Relaxed) > LOOKS_MAX {
            ground.wrong("a process looks at the clock, and nothing happens".into());
            self.kill(Death::Stuck);
        }
        self.jump();
        let (is_calm, pauses, others) = {
            let mut unrest = ground.unrest();
            let (pauses, others) = (unrest.pauses, 2 * unrest.others);
            (unrest.is_calm, unrest.strikes(pauses), unrest.strikes(others))
        };
        if pauses {
            self.pause();
        }
        let (due, has_timers) = {
            let seen = ground.seen();
            (seen.next_due(), seen.view.has_timers_of_its_own())
        };
        let is_begun = !ground.seen().log.is_empty();
        if others && !is_calm && is_begun && (due.is_none() || has_timers) {
            ground.happens(Happening::WrittenBetweenLooks);
            self.somebody_writes();
        } else {
            self.release_one();
        }
        match due {
            None => return ground.now(),
            Some(Due::Moment(at)) => ground.wait_until(at),
            // Then nobody drives it.
            Some(Due::Reply(..)) if !has_timers => {}
            Some(Due::Reply(at, question, value)) => {
                if is_calm || ground.unrest().random.one_in(2) {
                    self.pause();
                } else {
                    ground.wait_until(at);
                    answer(ground, &question, &value);
                    ground.wait_until(ground.seen().view.next_timer().map_or(at, |(due, _)| due));
                }
            }
        }
        self.release_tools();
        ground.now()
    }

    fn jump(&self) {
        let mut unrest = self.ground.unrest();
        if unrest.jumps_ms > 0 && unrest.random.one_in(4) {
            let most = unrest.jumps_ms * 1_000;
            let by = i64::try_from(unrest.random.below(most)).expect("it is small");
            let is_back = unrest.random.one_in(2);
            drop(unrest);
            self.ground.pass(if is_back { -by } else { by });
        }
    }

    /// The process is told to stop. What it cannot repeat comes back then.
    fn pause(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.release_tools();
    }

    /// What happens right before this process adds events.
    pub(crate) fn before_append(&self) {
        let ground = self.ground;
        if self.is_held.load(Ordering::Relaxed) {
            ground.wrong("a process writes although another one has the lease".into());
        }
        if self.role == Role::Gives || ground.seen().log.is_empty() {
            return;
        }
        let mut unrest = ground.unrest();
        let (others, standstills) = (unrest.others, unrest.standstills);
        let (writes, stands_still) = (unrest.strikes(others), unrest.strikes(standstills));
        drop(unrest);
        if writes {
            self.somebody_writes();
        }
        if stands_still {
            self.stand_still();
        }
    }

    /// Another process takes the run over.
    fn stand_still(&self) {
        if self.role == Role::Drives {
            self.ground.breaks_off();
            self.ground.pass(LEASE_MICROS);
            if let Err(why) = live(self.ground, Role::TakesOver) {
                self.ground.wrong(why);
            }
        }
    }

    /// Somebody else is faster.
    fn somebody_writes(&self) {
        let ground = self.ground;
        let is_calm = ground.unrest().is_calm;
        let due = ground.seen().next_due();
        if let (true, Some(Due::Reply(at, question, value))) = (is_calm, due) {
            ground.wait_until(at);
            answer(ground, &question, &value);
        }
        if is_calm {
            return;
        }
        let (cancels, is_enough) = {
            let mut unrest = ground.unrest();
            (unrest.cancels, unrest.random.one_in(2))
        };
        if cancels > 0 && is_enough {
            return cancel(ground);
        }
        let open = ground.seen().open_questions();
        if let Some((question, Some(value))) = open.last() {
            answer(ground, question, value);
        }
    }

    /// What happens right after.
    pub(crate) fn after_append(&self) {
        self.looks.store(0, Ordering::Relaxed);
        if self.ground.seen().view.is_over() {
            self.release_tools();
        }
    }

    /// One of the calls that are under way may answer.
    fn release_one(&self) {
        let mut withheld = self.withheld();
        if !withheld.is_empty() {
            let nth = self.ground.unrest().random.below(withheld.len());
            let call = withheld.swap_remove(nth);
            drop(withheld);
            self.release(call);
        }
    }

    /// All calls answer that must be waited for. Others are given up, or they hang.
    pub(crate) fn release_tools(&self) {
        let tools: Vec<_> = self.withheld().extract_if(.., |call| call.is_tool).collect();
        tools.into_iter().for_each(|call| self.release(call));
    }

    /// A call answers. The order of answers is that in which they are allowed.
    fn release(&self, call: Withheld) {
        let before = self.dispatcher.under_way();
        if call.answers.send(()).is_ok() {
            let begin = Instant::now();
            while self.dispatcher.under_way() >= before && begin.elapsed() < Duration::from_secs(1)
            {
                std::thread::yield_now();
            }
        }
    }

    /// The writes that this process made and whose answers are not stored.
    pub(crate) fn unanswered(&self) -> Vec<Text> {
        let seen = self.ground.seen();
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.iter().filter(|name| !seen.answered.contains(*name)).cloned().collect()
    }
}

impl Adapter for Process<'_, '_> {
    fn call(&self, call: Call) -> Calling {
        let nothing = || {
            let fault = Fault::new(FaultKind::Failed, "the process is dead");
            Calling::Now(Answer::Failed(fault))
        };
        match *self.died() {
            None => {}
            Some(Death::InCall) => return nothing(),
            Some(death) => {
                self.ground.wrong(format!("a process that died ({death:?}) makes a call"));
                return nothing();
            }
        }
        let mut unrest = self.ground.unrest();
        let deaths = unrest.deaths_in_calls;
        let death = unrest.strikes(deaths).then(|| unrest.random.one_in(2));
        let is_later = unrest.later && !unrest.random.one_in(4);
        drop(unrest);
        if death == Some(false) {
            self.kill(Death::InCall);
            return nothing();
        }
        let (name, answer) = self.ground.carry_out(&call);
        let tool = match &call.request {
            Request::Tool(tool) => Some(&**tool),
            _ => None,
        };
        // That a free call leaves is not recorded, so that a run can end without knowing of it.
        let is_known = |tool: &ToolCall| tool.again != Again::Freely;
        if tool.is_some_and(|tool| tool.touches == Touches::Write && is_known(tool)) {
            self.made.lock().unwrap_or_else(PoisonError::into_inner).push(name);
        }
        if death.is_some() {
            self.kill(Death::InCall);
        }
        let is_over = self.ground.seen().view.is_over();
        if !is_later || is_over || self.is_dead() || self.stop.load(Ordering::Relaxed) {
            return Calling::Now(answer);
        }
        self.ground.happens(Happening::AnsweredLater);
        let (answers, told) = oneshot::channel();
        self.withheld().push(Withheld { is_tool: tool.is_some(), answers });
        Calling::Later(Box::pin(async move {
            let _ = told.await;
            answer
        }))
    }
}
