//! What becomes of branches: begun, finished, taken away.

use value::Value;

use crate::call::CallId;
use crate::fork::beneath;
use crate::plan::{NodeNo, Plan, Slot, Step, To};
use crate::run::{Failure, Fiber, FiberNo, Group, GroupNo, Mode, Run};

impl Run {
    pub(super) fn forked(
        &mut self,
        plan: &Plan,
        fiber: FiberNo,
        node: NodeNo,
        branches: Vec<(u32, Option<(Slot, Value)>)>,
    ) {
        self.counts.steps += 1;
        let Step::Fork { join, .. } = plan.node(node).step else { return };
        let label = match plan.node(node).next {
            To::Label(label) => Some(label),
            To::Node(_) | To::End => None,
        };
        let strategy = match &plan.node(join).step {
            Step::Join { strategy, .. } => *strategy,
            _ => unreachable!("a fork leads to a join"),
        };
        self.counts.groups += 1;
        let number: GroupNo = self.counts.groups;
        let count = u32::try_from(branches.len()).unwrap_or(u32::MAX);
        let items = branches.iter().filter_map(|(_, item)| item.clone()).collect();
        let own = self.own(fiber);
        own.forget_tries(node);
        own.mode = Mode::AtJoin(number, join);
        let (turns, cause, frame) = (own.turns, own.cause, own.frame.clone());
        self.ready.remove(&(turns, fiber));
        let mut group = Group {
            owner: fiber,
            join,
            label,
            branches: count,
            needed: strategy.needed(count),
            alive: Default::default(),
            succeeded: Default::default(),
            failed: Default::default(),
            items,
            turns,
            cause: None,
        };
        for (order, (label, item)) in (0..).zip(branches) {
            let id = self.counts.fibers;
            self.counts.fibers += 1;
            let mut frame = frame.clone();
            if let Some((slot, value)) = item {
                frame.set(slot, Some(value));
            }
            let branch = Fiber {
                frame,
                mode: Mode::Enter(label),
                stack: Vec::new(),
                group: Some((number, order)),
                turns,
                tries: Vec::new(),
                cause,
                errand: None,
                talk: None,
            };
            self.fibers.insert(id, branch);
            self.ready.insert((turns, id));
            group.alive.insert(id);
        }
        if group.is_clear() {
            self.settled.push_back(number);
        }
        self.groups.insert(number, group);
    }

    /// The fiber that waited for a group can go on, when it is its turn.
    pub(super) fn back_from(&mut self, group: &Group) -> &mut Fiber {
        let owner = self.fibers.get_mut(&group.owner).expect("a group goes with its owner");
        owner.turns = owner.turns.max(group.turns);
        self.ready.insert((owner.turns, group.owner));
        owner
    }

    /// Takes a fiber away that is finished.
    pub(super) fn retire(&mut self, fiber: FiberNo) -> Option<(Fiber, GroupNo, u32)> {
        let own = self.fibers.remove(&fiber)?;
        self.ready.remove(&(own.turns, fiber));
        let (group, order) = own.group?;
        Some((own, group, order))
    }

    pub(super) fn arrived(&mut self, fiber: FiberNo) {
        self.counts.steps += 1;
        let Some((own, number, order)) = self.retire(fiber) else { return };
        let Some(group) = self.groups.get_mut(&number) else { return };
        group.alive.remove(&fiber);
        group.turns = group.turns.max(own.turns);
        group.cause = group.cause.or(own.cause);
        let was_clear = group.is_clear();
        group.succeeded.insert(order, own.frame);
        if !was_clear && group.is_clear() {
            self.settled.push_back(number);
        }
    }

    pub(super) fn branch_failed(&mut self, fiber: FiberNo, failure: Box<Failure>) {
        let Some((own, number, order)) = self.retire(fiber) else { return };
        let Some(group) = self.groups.get_mut(&number) else { return };
        group.alive.remove(&fiber);
        group.turns = group.turns.max(own.turns);
        let was_clear = group.is_clear();
        group.failed.insert(order, failure);
        if !was_clear && group.is_clear() {
            self.settled.push_back(number);
        }
    }

    /// Takes a group away, with everything of it that still runs.
    pub(super) fn dissolve(&mut self, number: GroupNo) -> Group {
        self.settled.pop_front();
        let lost = beneath(self, &self.groups[&number]);
        for fiber in lost {
            let calls: Vec<CallId> =
                self.calls_of(fiber).map(|waiting| waiting.pending.id).collect();
            let Some(own) = self.fibers.remove(&fiber) else { continue };
            self.ready.remove(&(own.turns, fiber));
            match own.mode {
                Mode::AtJoin(inner, _) => drop(self.groups.remove(&inner)),
                Mode::Waits(..) => calls.into_iter().for_each(|call| self.abandon(call)),
                _ => {}
            }
        }
        let groups = &self.groups;
        self.settled.retain(|number| groups.contains_key(number));
        self.groups.remove(&number).expect("it is there until it is dissolved")
    }
}
