//! Brings those together who add events at the same time, so that they share one wait for the
//! disk. There is no thread: whoever comes first leads, and writes for all who wait.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use history::kinds::Blob;
use history::{BlobId, Event, Link, Place, Stream};
use value::Digest;

use crate::{AppendError, Durability, Expected, Receipt, StoreError};

/// An append, with what can be known of it before its turn.
pub(super) struct Request<'a> {
    pub(super) stream: Cow<'a, Stream>,
    pub(super) expected: Expected,
    pub(super) events: Cow<'a, [Event]>,
    pub(super) blobs: Cow<'a, [Blob]>,
    /// The key, and what it stands for.
    pub(super) key: Option<(Digest, Digest)>,
    pub(super) durability: Durability,
    /// Where it forks.
    pub(super) origin: Option<(Place, Link)>,
    /// The bytes that must be there.
    pub(super) needed: Vec<BlobId>,
    /// Whether the events are written here, and not brought.
    pub(super) here: bool,
}

impl Request<'_> {
    /// Events are shared text, so that this copies little but blobs.
    fn into_owned(self) -> Request<'static> {
        Request {
            stream: Cow::Owned(self.stream.into_owned()),
            expected: self.expected,
            events: Cow::Owned(self.events.into_owned()),
            blobs: Cow::Owned(self.blobs.into_owned()),
            key: self.key,
            durability: self.durability,
            origin: self.origin,
            needed: self.needed,
            here: self.here,
        }
    }
}

/// What becomes of a request.
pub(super) type Outcome = Result<Receipt, AppendError>;

/// Those who wait.
#[derive(Default)]
pub(super) struct Queue {
    line: Mutex<Line>,
}

#[derive(Default)]
struct Line {
    /// Whether somebody leads.
    busy: bool,
    /// They go next, each alone.
    urgent: VecDeque<Ticket>,
    /// They go together.
    shared: VecDeque<Ticket>,
    /// Whether an urgent one went last. Then those who share go next, or they might never.
    was_urgent: bool,
}

struct Ticket {
    request: Request<'static>,
    seat: Seat,
}

/// Where one waits for an answer.
struct Seat(Arc<(Mutex<Turn>, Condvar)>);

enum Turn {
    Waiting,
    /// It is its turn to lead, with its own request.
    Lead(Box<Request<'static>>),
    Done(Outcome),
}

impl Queue {
    /// Has a request answered by `commit`, which gets all requests that go together, and answers
    /// each of them in the same order.
    pub(super) fn serve(
        &self,
        request: Request<'_>,
        commit: impl FnOnce(&[Request<'_>]) -> Vec<Outcome>,
    ) -> Outcome {
        let mut line = self.line();
        if !line.busy {
            line.busy = true;
            return self.lead(line, request, commit);
        }
        let seat = Arc::new((Mutex::new(Turn::Waiting), Condvar::new()));
        let is_urgent = request.durability == Durability::Fsync;
        let ticket = Ticket { request: request.into_owned(), seat: Seat(seat.clone()) };
        let side = if is_urgent { &mut line.urgent } else { &mut line.shared };
        side.push_back(ticket);
        drop(line);
        match wait(&seat) {
            Turn::Lead(request) => self.lead(self.line(), *request, commit),
            Turn::Done(outcome) => outcome,
            Turn::Waiting => unreachable!("it has waited until its turn"),
        }
    }

    fn lead(
        &self,
        mut line: MutexGuard<'_, Line>,
        request: Request<'_>,
        commit: impl FnOnce(&[Request<'_>]) -> Vec<Outcome>,
    ) -> Outcome {
        let _baton = Baton(self);
        let is_urgent = request.durability == Durability::Fsync;
        let others = if is_urgent { VecDeque::new() } else { std::mem::take(&mut line.shared) };
        line.was_urgent = is_urgent;
        drop(line);
        let mut requests = vec![request];
        let mut seats = Vec::new();
        for ticket in others {
            requests.push(ticket.request);
            seats.push(ticket.seat);
        }
        let mut outcomes = commit(&requests).into_iter();
        let own = outcomes.next().expect("every request is answered");
        for (seat, outcome) in seats.into_iter().zip(outcomes) {
            seat.call(Turn::Done(outcome));
        }
        own
    }

    /// Nothing here can panic while it holds the line.
    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Leading. When it ends, however it ends, the next one leads.
struct Baton<'a>(&'a Queue);

impl Drop for Baton<'_> {
    fn drop(&mut self) {
        let mut line = self.0.line();
        let next = if line.was_urgent {
            line.shared.pop_front().or_else(|| line.urgent.pop_front())
        } else {
            line.urgent.pop_front().or_else(|| line.shared.pop_front())
        };
        match next {
            Some(Ticket { request, seat }) => seat.call(Turn::Lead(Box::new(request))),
            None => line.busy = false,
        }
    }
}

fn wait(seat: &(Mutex<Turn>, Condvar)) -> Turn {
    let (turn, called) = seat;
    let turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
    let mut turn = called
        .wait_while(turn, |turn| matches!(turn, Turn::Waiting))
        .unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut *turn, Turn::Waiting)
}

impl Seat {
    fn call(&self, turn: Turn) {
        let (waiting, called) = &*self.0;
        *waiting.lock().unwrap_or_else(PoisonError::into_inner) = turn;
        called.notify_one();
    }
}

/// A leader that panics answers nobody: those who wait must not wait forever.
impl Drop for Seat {
    fn drop(&mut self) {
        let (turn, called) = &*self.0;
        let mut turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        if std::thread::panicking() && matches!(*turn, Turn::Waiting) {
            let error = StoreError::Poisoned("the writer panicked".into());
            *turn = Turn::Done(Err(error.into()));
            called.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn request(durability: Durability) -> Request<'static> {
        Request {
            stream: Cow::Owned(Stream::Store),
            expected: Expected::New,
            events: Cow::Owned(Vec::new()),
            blobs: Cow::Owned(Vec::new()),
            key: None,
            durability,
            origin: None,
            needed: Vec::new(),
            here: true,
        }
    }

    /// Answers everybody, each with its place in the group.
    fn answer(requests: &[Request<'_>]) -> Vec<Outcome> {
        let link = Link(Digest::of(b""));
        let receipt = |first| Ok(Receipt { first, link, repeated: false });
        (0..requests.len() as u64).map(receipt).collect()
    }

    fn waiting(queue: &Queue) -> usize {
        let line = queue.line();
        line.urgent.len() + line.shared.len()
    }

    /// Has others wait behind a leader, who goes on when they all do; gives back the groups in
    /// which they were served, and what became of them.
    fn behind(
        leader: impl FnOnce(&[Request<'_>]) -> Vec<Outcome> + Send,
        others: &[Durability],
    ) -> (Vec<Vec<Durability>>, Vec<Outcome>) {
        let (queue, groups) = (Queue::default(), Mutex::new(Vec::new()));
        let (leads, led) = channel();
        let outcomes = std::thread::scope(|scope| {
            let (queue, groups) = (&queue, &groups);
            scope.spawn(move || {
                let lead = std::panic::AssertUnwindSafe(|| {
                    queue.serve(request(Durability::Group), |requests| {
                        leads.send(()).unwrap();
                        while waiting(queue) < others.len() {
                            std::thread::yield_now();
                        }
                        leader(requests)
                    })
                });
                let _ = std::panic::catch_unwind(lead);
            });
            led.recv().unwrap();
            let threads: Vec<_> = others
                .iter()
                .map(|durability| {
                    scope.spawn(move || {
                        queue.serve(request(*durability), |requests| {
                            let group = requests.iter().map(|request| request.durability);
                            groups.lock().unwrap().push(group.collect());
                            answer(requests)
                        })
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(!queue.line().busy);
        (groups.into_inner().unwrap(), outcomes)
    }

    #[test]
    fn those_who_wait_go_together() {
        let (groups, outcomes) = behind(answer, &[Durability::Group; 5]);
        assert_eq!(groups, [[Durability::Group; 5]]);
        let mut places: Vec<u64> =
            outcomes.into_iter().map(|outcome| outcome.unwrap().first).collect();
        places.sort_unstable();
        assert_eq!(places, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn the_urgent_go_next_and_alone_and_in_turn_with_the_others() {
        use Durability::{Fsync, Group};
        let (groups, _) = behind(answer, &[Group, Fsync, Group, Fsync]);
        assert_eq!(groups, [vec![Fsync], vec![Group, Group], vec![Fsync]]);
    }

    #[test]
    fn a_leader_that_panics_leaves_the_lead_to_others() {
        let (groups, outcomes) = behind(|_| panic!("as it should"), &[Durability::Group; 2]);
        assert_eq!(groups, [[Durability::Group; 2]]);
        assert!(outcomes.iter().all(Result::is_ok));
    }
}
