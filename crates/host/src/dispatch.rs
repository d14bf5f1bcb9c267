//! Lets calls run: so many at once and no more, each with one answer, and none left behind.
//!
//! Calls that answer at once need nothing of this. The first one that takes time starts a few
//! threads on which all of them wait.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use runtime::{Answer, CallId, Fault, FaultKind, Happened, Request};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use value::Text;

use crate::adapter::{Adapter, Call, Calling};
use crate::config::Config;
use crate::registry::names_verb;

/// Calls wait and hardly compute: few threads carry many of them.
const THREADS: usize = 2;

/// How long the threads may take to end, once everything that they carry was given up.
const ENDING_MAX: Duration = Duration::from_secs(2);

/// How many calls may run at once.
#[derive(Clone, Debug)]
pub struct Limits {
    /// All of them.
    pub calls_max: usize,
    /// Those of a tool, where somebody said so.
    pub per_tool: BTreeMap<Text, usize>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { calls_max: 64, per_tool: BTreeMap::new() }
    }
}

impl Limits {
    /// As `quipu.toml` says.
    pub fn of(config: &Config) -> Limits {
        let tools = config.tools.iter();
        let per_tool = tools.filter_map(|(id, tool)| Some((id.clone(), tool.concurrency?)));
        Limits { per_tool: per_tool.collect(), ..Limits::default() }
    }
}

/// A call of a run.
pub type Called = (Text, CallId);

/// Room for one call. It is free when nobody holds it any more.
#[derive(Clone)]
pub struct Room {
    _permits: Arc<Vec<OwnedSemaphorePermit>>,
}

/// Lets calls run.
pub struct Dispatcher {
    threads: Mutex<Threads>,
    under_way: Arc<UnderWay>,
    all: Arc<Semaphore>,
    per_tool: BTreeMap<Text, Arc<Semaphore>>,
    tickets: AtomicU64,
}

enum Threads {
    /// Nothing needed them yet.
    None,
    Some(Runtime),
    /// Nothing starts any more.
    Ended,
}

/// The calls that have no answer yet. Whoever takes a call out of it answers it, or has given it
/// up: so there is never more than one answer.
#[derive(Default)]
struct UnderWay {
    calls: Mutex<BTreeMap<Called, Listed>>,
    fewer: Condvar,
}

struct Listed {
    /// A call that was cancelled may still be ending when it is made again under its number; what
    /// it then says must not be taken for the answer.
    ticket: Ticket,
    task: AbortHandle,
}

/// Of all calls that were ever started, which one.
type Ticket = u64;

impl UnderWay {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Called, Listed>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, called: &Called, fits: impl FnOnce(&Listed) -> bool) -> Option<Listed> {
        let mut calls = self.lock();
        let taken = calls.get(called).is_some_and(fits).then(|| calls.remove(called)).flatten();
        self.fewer.notify_all();
        taken
    }
}

impl Dispatcher {
    /// One with these limits. No thread starts before a call needs it.
    pub fn new(limits: &Limits) -> Dispatcher {
        let semaphore = |count: usize| Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS)));
        let per_tool = limits.per_tool.iter();
        Dispatcher {
            threads: Mutex::new(Threads::None),
            under_way: Arc::default(),
            all: semaphore(limits.calls_max),
            per_tool: per_tool.map(|(id, count)| (id.clone(), semaphore(*count))).collect(),
            tickets: AtomicU64::new(0),
        }
    }

    /// Room for a call that was not made yet, if there is some now.
    pub fn room_for(&self, request: &Request) -> Option<Room> {
        let found = self.wanted(request).into_iter().map(Semaphore::try_acquire_owned);
        found.collect::<Result<_, _>>().ok().map(|permits| Room { _permits: Arc::new(permits) })
    }

    /// Makes a call. What answers at once is given back; any other answer is sent, unless the call
    /// is cancelled before. A call for which no room was kept waits until there is some, and its
    /// time counts from then.
    pub fn start(
        &self,
        id: CallId,
        call: Call,
        adapter: &dyn Adapter,
        answer_to: &Sender<(CallId, Answer)>,
        kept: Option<Room>,
    ) -> Option<Answer> {
        let called = (call.run.clone(), id);
        let subject = Subject::of(&call.request);
        let wanted = self.wanted(&call.request);
        let future = match adapter.call(call) {
            Calling::Now(answer) => return Some(answer),
            Calling::Later(future) => future,
        };
        let ticket = self.tickets.fetch_add(1, Ordering::Relaxed);
        let promise = Promise {
            called: called.clone(),
            ticket,
            under_way: Arc::clone(&self.under_way),
            answer_to: answer_to.clone(),
            subject,
        };
        let task = async move {
            let room = match kept {
                Some(room) => room,
                None => take_room(wanted).await,
            };
            let answer = future.await;
            // First: whoever gets the answer may want the room for the next call.
            drop(room);
            promise.keep(answer);
        };
        let mut threads = self.threads();
        let runtime = match started(&mut threads) {
            Ok(runtime) => runtime,
            Err(why) => {
                let message = format!("the call could not be made: {why}");
                let fault = Fault::new(FaultKind::Cancelled, message);
                return Some(Answer::Failed(fault.with_happened(Happened::No)));
            }
        };
        // Locked until the call is listed: it may be answered before this function returns.
        let mut calls = self.under_way.lock();
        let task = runtime.spawn(task).abort_handle();
        let earlier = calls.insert(called, Listed { ticket, task });
        drop(calls);
        assert!(earlier.is_none(), "a call is made once: the run counts them");
        None
    }

    /// Gives a call up, and kills what it started. False if it is answered already.
    pub fn cancel(&self, run: &Text, id: CallId) -> bool {
        let taken = self.under_way.take(&(run.clone(), id), |_| true);
        taken.inspect(|listed| listed.task.abort()).is_some()
    }

    /// How many calls have no answer yet.
    pub fn under_way(&self) -> usize {
        self.under_way.lock().len()
    }

    /// Starts nothing more, waits so long for what is under way, and gives the rest up: these come
    /// back, and get no answer.
    pub fn shutdown(&self, grace: Duration) -> Vec<Called> {
        let runtime = match std::mem::replace(&mut *self.threads(), Threads::Ended) {
            Threads::Some(runtime) => runtime,
            Threads::None | Threads::Ended => return Vec::new(),
        };
        let waited = self
            .under_way
            .fewer
            .wait_timeout_while(self.under_way.lock(), grace, |calls| !calls.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        let left = std::mem::take(&mut *{ waited.0 });
        left.values().for_each(|listed| listed.task.abort());
        // Ends the futures, and with them the programs.
        runtime.shutdown_timeout(ENDING_MAX);
        left.into_keys().collect()
    }

    fn threads(&self) -> MutexGuard<'_, Threads> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where a call must find room: first at its tool, so that one that waits there takes none
    /// from others.
    fn wanted(&self, request: &Request) -> Vec<Arc<Semaphore>> {
        let tool = match request {
            // An adapter's calls may be those of a tool that is bound to all of its verbs.
            Request::Tool(tool) => {
                let names = |(id, _): &(&Text, _)| names_verb(id, &tool.server, &tool.tool);
                let other = || self.per_tool.iter().find(names).map(|(_, limit)| limit);
                let of_verb = self.per_tool.get(&tool.name()).or_else(other);
                of_verb.or_else(|| self.per_tool.get(&tool.server))
            }
            _ => None,
        };
        tool.into_iter().chain([&self.all]).map(Arc::clone).collect()
    }
}

async fn take_room(wanted: Vec<Arc<Semaphore>>) -> Room {
    let mut permits = Vec::with_capacity(wanted.len());
    for semaphore in wanted {
        permits.push(semaphore.acquire_owned().await.expect("no semaphore is ever closed"));
    }
    Room { _permits: Arc::new(permits) }
}

fn started(threads: &mut Threads) -> Result<&Runtime, io::Error> {
    if let Threads::None = threads {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(THREADS).thread_name("quipu-calls").enable_all();
        *threads = Threads::Some(builder.build()?);
    }
    match threads {
        Threads::Some(runtime) => Ok(runtime),
        _ => Err(io::Error::other("everything is being shut down")),
    }
}

/// What a call is about, where nothing else is known.
#[derive(Clone)]
struct Subject {
    kind: FaultKind,
    name: Text,
}

impl Subject {
    fn of(request: &Request) -> Subject {
        let (kind, name) = match request {
            Request::Model(question) => (FaultKind::Model, question.model.clone()),
            Request::Tool(tool) => (FaultKind::Tool, tool.name()),
            Request::Question(_) | Request::Timer(_) => (FaultKind::Failed, "".into()),
        };
        Subject { kind, name }
    }
}

/// Owes an answer. An adapter that panics leaves it unkept, and then it says so: a run must not
/// wait for what never comes.
struct Promise {
    called: Called,
    ticket: Ticket,
    under_way: Arc<UnderWay>,
    answer_to: Sender<(CallId, Answer)>,
    subject: Subject,
}

impl Promise {
    fn keep(&self, answer: Answer) {
        let is_mine = |listed: &Listed| listed.ticket == self.ticket;
        if self.under_way.take(&self.called, is_mine).is_some() {
            // A run that is gone needs no answer.
            let _ = self.answer_to.send((self.called.1, answer));
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        let message =
            format!("what answers `{}` broke down; this is a bug in it", self.subject.name);
        let fault = Fault::new(self.subject.kind.clone(), message);
        self.keep(Answer::Failed(fault.with_happened(Happened::Maybe)));
    }
}
