//! What processes do and where they go: labels read as a person would tell them. A process is a
//! label, or a declared process that has none yet.

use std::collections::BTreeMap;

use value::{Text, Value};

use crate::declarations;
use crate::model::Graph;

use super::label::{Told, tell};
use super::picture::Kind;

/// All processes of a graph.
pub(super) struct Story<'a> {
    /// Labels in document order, then processes without a label.
    pub processes: Vec<Process<'a>>,
    /// The one a run begins with.
    pub entry: Option<usize>,
    /// Positions in the order in which a run meets them; what it never meets comes last.
    pub order: Vec<usize>,
}

/// A process.
pub(super) struct Process<'a> {
    /// Its id.
    pub id: &'a str,
    /// What is declared of it.
    pub declared: Option<&'a Value>,
    /// What it is.
    pub kind: Kind,
    /// What it does, in order.
    pub deeds: Vec<Deed<'a>>,
    /// Where control can go from it, in the order in which that is decided.
    pub ways: Vec<Way<'a>>,
    /// What it waits for before it begins, in words.
    pub join: Option<String>,
}

/// Something a process does.
pub(super) enum Deed<'a> {
    /// Runs code: the names it writes.
    Logic(&'a [Text]),
    /// Uses something that can be declared.
    Call(Call<'a>),
    /// Anything else, in words.
    Other(String),
}

/// A use of an entity.
pub(super) struct Call<'a> {
    /// What it uses.
    pub of: declarations::Kind,
    /// Which ones: one of them, where there are several.
    pub targets: Vec<&'a str>,
    /// Whether it only looks.
    pub reads: bool,
    /// The schema of what it gives.
    pub takes: Option<&'a str>,
    /// The schema of what it gets.
    pub gives: Option<&'a str>,
    /// What happens where it fails.
    pub retry: Option<String>,
}

/// A way out of a process.
#[derive(Clone)]
pub(super) struct Way<'a> {
    /// Where it leads.
    pub to: To<'a>,
    /// When it is taken.
    pub how: How,
    /// What decides, in words.
    pub clause: String,
    /// What its author calls it.
    pub label: String,
    /// Which of the author's texts decides.
    pub source: String,
    /// Whether it leads back to where the run has been.
    pub is_back: bool,
}

/// Where a way leads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum To<'a> {
    /// To a process.
    Process(usize),
    /// To a process that does not exist.
    Missing(&'a str),
    /// To the end of the run.
    End,
    /// To its failure.
    Failure,
}

/// When a way is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// Always.
    Next,
    /// When its clause holds.
    When,
    /// When no clause before it holds.
    Otherwise,
    /// Together with the other branches.
    Branch,
    /// When the branches have come together.
    Joined,
    /// After a failure.
    Error,
    /// To come back.
    Call,
}

impl<'a> Story<'a> {
    /// Reads a graph.
    pub(super) fn of(graph: &'a Graph) -> Story<'a> {
        let declared = graph.declarations.of(declarations::Kind::Processes);
        let unlabelled = declared.keys().filter(|id| !graph.labels.contains_key(id));
        let ids: Vec<&str> = graph.labels.keys().chain(unlabelled).map(|id| &**id).collect();
        let places: BTreeMap<&str, usize> =
            ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
        let mut processes: Vec<Process<'a>> = Vec::with_capacity(ids.len());
        for id in ids {
            let told = graph.labels.get(id).map(|label| tell(&places, label));
            let told = told.unwrap_or_default();
            let declared = declared.get(id);
            let kind = kind(declared, &told);
            let Told { deeds, ways, join } = told;
            processes.push(Process { id, declared, kind, deeds, ways, join });
        }
        let entry = graph.entry().and_then(|entry| places.get(&**entry).copied());
        let entry = entry.or_else(|| (!graph.labels.is_empty()).then_some(0));
        let mut story = Story { processes, entry, order: Vec::new() };
        story.walk();
        story
    }

    /// Finds the order of the processes and the ways that lead back.
    fn walk(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let count = self.processes.len();
        let mut states = vec![State::New; count];
        // Each root's processes as they are left; backwards that is the order of the run.
        let mut left: Vec<usize> = Vec::with_capacity(count);
        for root in self.entry.into_iter().chain(0..count) {
            if states[root] != State::New {
                continue;
            }
            let first = left.len();
            states[root] = State::Open;
            let mut path = vec![(root, self.processes[root].ways.len())];
            while let Some((at, ways_left)) = path.last_mut() {
                let at = *at;
                // The last way first, so that the first one comes first when turned round.
                let Some(way) = ways_left.checked_sub(1) else {
                    states[at] = State::Done;
                    left.push(at);
                    path.pop();
                    continue;
                };
                *ways_left = way;
                let To::Process(to) = self.processes[at].ways[way].to else { continue };
                match states[to] {
                    State::New => {
                        states[to] = State::Open;
                        path.push((to, self.processes[to].ways.len()));
                    }
                    State::Open => self.processes[at].ways[way].is_back = true,
                    State::Done => {}
                }
            }
            left[first..].reverse();
        }
        self.order = left;
    }
}

/// What an author says a process is, else what it looks like.
fn kind(declared: Option<&Value>, told: &Told<'_>) -> Kind {
    let word = declared.and_then(|declared| declared.get("type")).and_then(Value::as_text);
    match word.map(|word| &**word) {
        Some("gate") => Kind::Gate,
        Some("checkpoint") => Kind::Checkpoint,
        Some("spawn") => Kind::Spawn,
        Some("protocol") => Kind::Protocol,
        Some(_) => Kind::Step,
        None if told.deeds.is_empty() && told.ways.iter().any(|way| way.how == How::When) => {
            Kind::Gate
        }
        None => Kind::Step,
    }
}
