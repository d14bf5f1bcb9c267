//! Forks, joins, and how the frames of branches become one.

use graph::ops::Port;
use graph::{Cmp, Kind, ToKind};
use value::{Map, Text, Value};

use super::fiber::{Doing, Fiber, Frame, Spot};
use super::{Run, Status};
use crate::engine::world::{Doubt, Fault};

/// A fork whose join is waited at.
#[derive(Debug)]
pub(super) struct Fork {
    /// The fiber that waits.
    parent: usize,
    /// Where it waits.
    join: Spot,
    /// The label that begins with the join, where the fork leads to a label.
    label: Option<Text>,
    /// The fibers that it began, in this order.
    branches: Vec<usize>,
    is_decided: bool,
}

impl Run<'_> {
    /// Begins the branches, and waits at the join.
    pub(super) fn fork(&mut self, fiber: usize, spot: &Spot) -> Doing {
        let node = self.node_at(spot);
        let item_name = node.operands.text("item").cloned();
        let over = node.operands.one("over").cloned();
        let labels: Vec<Text> =
            self.edges_from(spot, Port::Branch).map(|edge| edge.to.clone()).collect();
        let items = match &over {
            None => vec![None],
            Some(over) => match super::nodes::items(self.read(fiber, Some(over))) {
                Ok(items) => items.into_iter().map(Some).collect(),
                Err(fault) => return Doing::Failed(spot.clone(), fault),
            },
        };
        let to_join = self.edges_from(spot, Port::Next).next().expect("a fork has a `next`");
        let (to, to_kind) = (to_join.to.clone(), to_join.to_kind);
        let (join, label) = match to_kind {
            ToKind::Node => (Spot { label: spot.label.clone(), node: to }, None),
            ToKind::Label => (self.entry_of(&to), Some(to)),
        };
        if !self.node_at(&join).def().is_some_and(|op| op.joins) {
            return Doing::Failed(spot.clone(), Fault::new("missing"));
        }
        let alive = self.fibers.iter().filter(|fiber| !matches!(fiber.doing, Doing::Over)).count();
        if alive + items.len() * labels.len() > self.limits.fibers {
            self.ended = Some(Status::Failed("fibers_exceeded".into()));
            return Doing::Over;
        }
        let number = self.forks.len();
        let begun = self.fibers[fiber].begun;
        let mut branches = Vec::new();
        for item in items {
            for label in &labels {
                let mut frame = self.fibers[fiber].frame.clone();
                if let (Some(name), Some(item)) = (&item_name, &item) {
                    frame.0.insert(name.clone(), item.clone());
                }
                branches.push(self.fibers.len());
                let doing = Doing::Begin { label: label.clone(), met: false };
                self.fibers.push(Fiber { begun, ..Fiber::new(frame.0, doing, Some(number)) });
            }
        }
        self.fibers[fiber].doing = Doing::Waiting;
        self.forks.push(Fork { parent: fiber, join, label, branches, is_decided: false });
        self.settle(number);
        // What is decided at once is not waited for.
        match self.fibers[fiber].can_go_on() {
            true => std::mem::replace(&mut self.fibers[fiber].doing, Doing::Waiting),
            false => Doing::Waiting,
        }
    }

    /// Whether a node is the join that the fork of this branch waits at.
    pub(super) fn is_own_join(&self, fiber: usize, spot: &Spot) -> bool {
        self.fibers[fiber].branch_of.is_some_and(|fork| self.forks[fork].join == *spot)
    }

    /// A branch has come to its join, or ended, or failed.
    pub(super) fn finish(&mut self, fiber: usize, how: Result<(), Fault>) -> Doing {
        self.fibers[fiber].doing = Doing::Over;
        self.fibers[fiber].finished = Some(how);
        let fork = self.fibers[fiber].branch_of.expect("only branches finish");
        self.settle(fork);
        Doing::Over
    }

    /// Lets the waiting fiber go on where the join is decided.
    fn settle(&mut self, number: usize) {
        let fork = &self.forks[number];
        let (parent, join) = (fork.parent, fork.join.clone());
        let finished = fork.branches.iter().map(|branch| &self.fibers[*branch].finished);
        let succeeded = finished.clone().filter(|how| matches!(how, Some(Ok(())))).count();
        let failures: Vec<Fault> =
            finished.filter_map(|how| how.clone().and_then(Result::err)).collect();
        let total = fork.branches.len();
        let strategy = self.node_at(&join).operands.text("strategy").cloned();
        let strategy = strategy.as_deref().unwrap_or("all");
        let needed = match strategy {
            "any" | "race" => 1,
            "quorum" => total / 2 + 1,
            other => match other.strip_prefix("quorum:").and_then(|count| count.parse().ok()) {
                Some(count) => count,
                None => total,
            },
        };
        let highest = fork.branches.iter().map(|branch| &self.fibers[*branch]);
        let highest = highest.filter(|branch| branch.finished.is_some()).map(|one| one.begun).max();
        if total == 0 || succeeded >= needed {
            self.decide(number);
            self.merge(number);
            self.catch_up(parent, highest);
            let fork = &self.forks[number];
            self.fibers[parent].doing = match fork.label.clone() {
                // Where its own fork waits too, it has come to the join.
                _ if self.is_own_join(parent, &join) => {
                    self.finish(parent, Ok(()));
                    return;
                }
                Some(label) => Doing::Begin { label, met: true },
                None => Doing::GoOn(join, Port::Next),
            };
        } else if total - failures.len() < needed {
            let doubt = self.decide(number);
            self.catch_up(parent, highest);
            let fault = match (strategy, failures.into_iter().next()) {
                ("all", Some(fault)) => fault,
                _ => Fault::new("branches"),
            };
            let fault = Fault { doubt, ..fault }.further_out();
            self.fibers[parent].top().attempts = 0;
            self.fibers[parent].doing = Doing::Failed(join, fault);
        }
    }

    /// A fiber has begun as many processes as the branch that it waited for and that began most.
    fn catch_up(&mut self, parent: usize, highest: Option<usize>) {
        let parent = &mut self.fibers[parent];
        parent.begun = parent.begun.max(highest.unwrap_or(0));
    }

    /// Cancels the branches that still run, with everything they began. Says what all branches
    /// leave in doubt: none has a call under way, but what fails in them may have happened.
    fn decide(&mut self, number: usize) -> Doubt {
        self.forks[number].is_decided = true;
        let mut forks = vec![number];
        let mut doubt = Doubt::None;
        while let Some(fork) = forks.pop() {
            for branch in self.forks[fork].branches.clone() {
                let own = &self.fibers[branch];
                doubt = doubt.max(match (&own.finished, &own.doing) {
                    (Some(Err(fault)), _) | (None, Doing::Failed(_, fault)) => fault.doubt,
                    (None, _) if own.stack.iter().any(|one| one.in_doubt) => Doubt::Here,
                    _ => Doubt::None,
                });
                self.fibers[branch].doing = Doing::Over;
                self.waits.retain(|wait| wait.fiber != branch);
                let begun = (0..self.forks.len())
                    .filter(|at| self.forks[*at].parent == branch && !self.forks[*at].is_decided);
                forks.extend(begun);
            }
        }
        doubt
    }

    /// Merges the frames of the branches that succeeded, in the order in which they began.
    fn merge(&mut self, number: usize) {
        let fork = &self.forks[number];
        let (parent, join) = (fork.parent, fork.join.clone());
        let own = match self.node_at(&join).operands.one("reducers") {
            Some(graph::Operand::Lit(Value::Map(reducers))) => (**reducers).clone(),
            _ => Map::default(),
        };
        let mut merged = self.fibers[parent].frame.clone();
        for branch in &fork.branches {
            let branch = &self.fibers[*branch];
            if !matches!(branch.finished, Some(Ok(()))) {
                continue;
            }
            let removed = branch.base.0.keys().filter(|name| !branch.frame.0.contains_key(*name));
            removed.for_each(|name| drop(merged.0.remove(name)));
            for (name, value) in &branch.frame.0 {
                let before = branch.base.0.get(name);
                if before == Some(value) {
                    continue;
                }
                let declared = self.graph.declarations.of(Kind::Reducers);
                let word = own.get(name).or_else(|| declared.get(name)?.get("reducer"));
                let word = word.and_then(Value::as_text).map_or("replace", |word| word);
                let reduced = reduce(word, &merged, name, before, value);
                merged.0.insert(name.clone(), reduced);
            }
        }
        self.fibers[parent].frame = merged;
    }
}

/// What becomes of a name: `before` is what the branch began with, `value` what it ended with.
fn reduce(word: &str, merged: &Frame, name: &str, before: Option<&Value>, value: &Value) -> Value {
    let so_far = merged.read(name);
    let before = before.cloned().unwrap_or_default();
    match word {
        "append" => {
            let list = |value: &Value| match value {
                Value::Null => Vec::new(),
                Value::List(items) => items.to_vec(),
                other => vec![other.clone()],
            };
            let (known, new) = (list(&before), list(value));
            // Where a branch added to what was there, only what it added is new.
            let added = if new.starts_with(&known) { &new[known.len()..] } else { &new[..] };
            Value::list(list(&so_far).into_iter().chain(added.iter().cloned()))
        }
        "merge" => match (&so_far, value) {
            (Value::Map(so_far), Value::Map(members)) => {
                let mut whole = (**so_far).clone();
                for (member, value) in members.iter() {
                    if before.get(member) != Some(value) {
                        whole.insert(member.clone(), value.clone());
                    }
                }
                whole.into()
            }
            _ => value.clone(),
        },
        "max" if so_far != Value::Null && Cmp::Gt.holds(&so_far, value) => so_far,
        "min" if so_far != Value::Null && Cmp::Lt.holds(&so_far, value) => so_far,
        _ => value.clone(),
    }
}
