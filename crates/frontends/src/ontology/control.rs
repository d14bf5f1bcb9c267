//! Where control can go between processes, and what can have been written on the way.

use std::collections::{BTreeMap, BTreeSet};

use graph::RECOVERIES;
use graph::components::Components;
use value::Text;

use super::effects::Effects;
use super::fields::{EdgeType, NodeType};
use super::meeting::{self, After};
use super::possible;
use super::spec::{Line, Spec, Thing};
use super::ways::Ways;
use crate::yaml::Tree;

/// The ways between the processes of a spec. Positions are those of `spec.things`.
pub(super) struct Control {
    /// Where a run begins.
    pub(super) entry: Option<usize>,
    /// For each process: every process that control can go to from it.
    ways: Vec<Vec<usize>>,
    /// The same, while nothing fails.
    normal: Vec<Vec<usize>>,
    /// Which processes can reach each other.
    cycles: Components,
    /// Whether a run can come to it.
    reached: Vec<bool>,
}

impl Control {
    pub(super) fn new(spec: &Spec<'_>) -> Control {
        let mut normal: Vec<Vec<usize>> = vec![Vec::new(); spec.things.len()];
        for (process, thing) in spec.processes() {
            normal[process] = normal_ways(spec, process, thing);
        }
        let mut ways = normal.clone();
        for (process, thing) in spec.processes() {
            ways[process].extend(thing.text("fallback").and_then(|id| passed(spec, id)));
        }
        after_errors(spec, &mut ways);
        let way = |process: u32, number: usize| {
            ways[process as usize].get(number).and_then(|next| u32::try_from(*next).ok())
        };
        let cycles = Components::new(ways.len(), |_| true, way);
        let entry = entry(spec);
        let mut reached = vec![false; ways.len()];
        let mut stack: Vec<usize> = entry.into_iter().collect();
        while let Some(process) = stack.pop() {
            if !std::mem::replace(&mut reached[process], true) {
                stack.extend(&ways[process]);
            }
        }
        Control { entry, ways, normal, cycles, reached }
    }

    /// The names among these that some path can have written before each process.
    pub(super) fn written_before(&self, effects: &[Effects], names: &BTreeSet<&str>) -> Written {
        let numbers: BTreeMap<Text, usize> =
            names.iter().enumerate().map(|(number, name)| (Text::from(*name), number)).collect();
        let words = names.len().div_ceil(64).max(1);
        let mut before = vec![0u64; words * self.ways.len()];
        let mut own = vec![0u64; words * self.ways.len()];
        for (process, effects) in effects.iter().enumerate() {
            let own = &mut own[process * words..(process + 1) * words];
            if effects.inexact {
                own.fill(u64::MAX);
            }
            for number in effects.writes.iter().filter_map(|name| numbers.get(name)) {
                own[number / 64] |= 1 << (number % 64);
            }
        }
        // Those that can reach each other know the same; ways between cycles lead to smaller
        // numbers, so that one pass is enough.
        let mut arriving = vec![0u64; words * self.cycles.members.len()];
        for (number, members) in self.cycles.members.iter().enumerate().rev() {
            let members = || members.iter().map(|process| *process as usize);
            let mut known = arriving[number * words..(number + 1) * words].to_vec();
            let first = members().next().unwrap_or_default();
            let goes_round = members().count() > 1 || self.ways[first].contains(&first);
            let before_all = known.clone();
            for process in members().filter(|process| self.reached[*process]) {
                let own = &own[process * words..(process + 1) * words];
                known.iter_mut().zip(own).for_each(|(known, own)| *known |= own);
            }
            for process in members().filter(|process| self.reached[*process]) {
                let place = &mut before[process * words..(process + 1) * words];
                place.copy_from_slice(if goes_round { &known } else { &before_all });
                for next in &self.ways[process] {
                    let to = self.cycles.of[*next] as usize;
                    if to != number {
                        let there = &mut arriving[to * words..(to + 1) * words];
                        there.iter_mut().zip(&known).for_each(|(there, known)| *there |= known);
                    }
                }
            }
        }
        Written { numbers, words, before }
    }

    /// The cycle that a process is on: those on one can reach each other.
    pub(super) fn cycle_of(&self, process: usize) -> u32 {
        self.cycles.of[process]
    }

    /// For each process with several ways at once, the process where they meet.
    pub(super) fn joins(&self, ways: &[Ways<'_, '_>]) -> BTreeMap<usize, Meeting> {
        let forks = || ways.iter().enumerate().filter(|(_, ways)| ways.flows.len() > 1);
        if forks().next().is_none() {
            return BTreeMap::new();
        }
        // A loop that is not always taken may also be where the run ends.
        let may_end: Vec<bool> = ways
            .iter()
            .map(|ways| ways.flows.is_empty() && ways.loops.iter().any(|way| way.when.is_some()))
            .collect();
        let after = meeting::after(&self.normal, &may_end);
        let mut joins = BTreeMap::new();
        for (process, own) in forks() {
            let mut heads = own.flows.iter().map(|(target, _)| *target);
            let first = heads.next().expect("a fork has several");
            if let Some(at) = heads.try_fold(first, |a, b| after.meeting(a, b)) {
                joins.insert(process, Meeting { at, may_be_missed: false });
            }
        }
        if joins.len() < forks().count() {
            self.possible_joins(ways, &after, &mut joins);
        }
        joins
    }

    /// Where the branches meet of those forks that have no place which none can avoid.
    fn possible_joins(
        &self,
        ways: &[Ways<'_, '_>],
        after: &After,
        joins: &mut BTreeMap<usize, Meeting>,
    ) {
        let before = self.before();
        let mut onward: Vec<Vec<usize>> = (0..ways.len())
            // A gate has no flows but branches.
            .map(|process| match &ways[process] {
                own if own.flows.is_empty() && own.loops.is_empty() => self.normal[process].clone(),
                own => own.flows.iter().map(|(target, _)| *target).collect(),
            })
            .collect();
        // Who forks goes on where its own branches meet, so that the inner forks come first.
        let mut order = self.entry.map_or(Vec::new(), |entry| meeting::postorder(&onward, entry));
        order.extend((0..ways.len()).filter(|process| !self.reached[*process]));
        let mut steps = possible::STEPS_MAX;
        for process in order.into_iter().filter(|process| ways[*process].flows.len() > 1) {
            if steps > 0 && !joins.contains_key(&process) {
                let heads = &onward[process];
                // What every run passes before the fork is not where its branches meet.
                let closed: BTreeSet<usize> = before.chain(process).collect();
                steps = steps.saturating_sub(closed.len());
                if let Some(at) = possible::meeting(&onward, heads, &closed, &mut steps) {
                    let may_be_missed =
                        !heads.iter().any(|head| after.meeting(*head, at) == Some(at));
                    joins.insert(process, Meeting { at, may_be_missed });
                }
            }
            onward[process] = joins.get(&process).map(|meeting| meeting.at).into_iter().collect();
        }
    }

    /// What cannot be avoided before a process, as a tree towards the entry.
    fn before(&self) -> After {
        let mut back: Vec<Vec<usize>> = vec![Vec::new(); self.normal.len()];
        for process in (0..back.len()).filter(|process| self.reached[*process]) {
            self.normal[process].iter().for_each(|to| back[*to].push(process));
        }
        let begins: Vec<bool> = (0..back.len()).map(|at| self.entry == Some(at)).collect();
        meeting::after(&back, &begins)
    }

    /// Whether something between a fork and the place where its ways meet may set `_done`.
    pub(super) fn may_end_between(
        &self,
        flows: &[(usize, &Line<'_>)],
        join: usize,
        effects: &[Effects],
    ) -> bool {
        let mut seen = BTreeSet::from([join]);
        let mut stack: Vec<usize> = flows.iter().map(|(target, _)| *target).collect();
        while let Some(process) = stack.pop() {
            if !seen.insert(process) {
                continue;
            }
            if effects[process].may_end {
                return true;
            }
            stack.extend(&self.normal[process]);
        }
        false
    }
}

/// Where the branches of a fork meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub(super) at: usize,
    /// Whether every branch may also end elsewhere, so that it can be that none comes.
    pub(super) may_be_missed: bool,
}

/// Which names can have been written before which process.
pub(super) struct Written {
    numbers: BTreeMap<Text, usize>,
    words: usize,
    before: Vec<u64>,
}

impl Written {
    /// Whether some path writes a name before it comes to a process.
    pub(super) fn before(&self, process: usize, name: &str) -> bool {
        self.numbers.get(name).is_some_and(|number| {
            self.before[process * self.words + number / 64] >> (number % 64) & 1 == 1
        })
    }
}

/// Where a run begins: as the spec says, else the first process that nothing leads to.
pub(super) fn entry(spec: &Spec<'_>) -> Option<usize> {
    let given = spec.tree.get("entry_point").and_then(Tree::as_text);
    if let Some(entry) = given.and_then(|id| passed(spec, id)) {
        return Some(entry);
    }
    // What a person begins with is where a run begins; branches lead somewhere as well.
    let mut led_to: BTreeSet<&str> = BTreeSet::new();
    for (position, thing) in spec.processes() {
        let edges = spec.edges_from(position);
        let leads = [EdgeType::Flow, EdgeType::Loop, EdgeType::Branch];
        led_to.extend(edges.filter(|line| leads.iter().any(|is| line.is(*is))).map(|line| line.to));
        if thing.is(NodeType::Gate) {
            led_to.extend(
                gate_targets(spec, position, thing).into_iter().map(|to| spec.things[to].id),
            );
        }
    }
    let passed = spec.processes().filter(|(_, thing)| is_passed(thing));
    let passed: Vec<usize> = passed.map(|(process, _)| process).collect();
    let is_root = |process: &&usize| !led_to.contains(spec.things[**process].id);
    passed.iter().find(is_root).or(passed.first()).copied()
}

/// A process that has a label, by its id.
pub(super) fn passed(spec: &Spec<'_>, id: &str) -> Option<usize> {
    spec.find(id).filter(|process| is_passed(&spec.things[*process]))
}

fn is_passed(thing: &Thing<'_>) -> bool {
    thing.place.list == "processes" && thing.def.is_none_or(|def| def.is.is_passed())
}

/// Flow edges of an entity that count as a step's own. More would be no flow but a mistake, and
/// must not multiply with the steps that call the entity.
const BRIDGED_MAX: usize = 64;

/// The flow edges that a process goes on by: its own, or where none of them leads to a process,
/// those of the entities it calls.
pub(super) fn flows<'s, 't>(spec: &'s Spec<'t>, process: usize) -> Vec<(usize, &'s Line<'t>)> {
    let lead_on = |thing: usize| {
        let edges = spec.edges_from(thing).filter(|line| line.is(EdgeType::Flow));
        edges.filter_map(|line| Some((passed(spec, line.to)?, line)))
    };
    let mut flows: Vec<(usize, &Line<'t>)> = lead_on(process).collect();
    if flows.is_empty() {
        let called = spec.edges_from(process).filter(|line| line.is(EdgeType::Invoke));
        let bridged =
            called.filter_map(|line| spec.find(line.to)).flat_map(lead_on).take(BRIDGED_MAX);
        // An arrow back to the caller is how some draw that a call returns.
        flows = bridged.filter(|(target, _)| *target != process).collect();
    }
    let mut seen = BTreeSet::new();
    flows.retain(|(target, _)| seen.insert(*target));
    flows
}

/// The processes that a process goes on to, when no loop is taken.
pub(super) fn targets(spec: &Spec<'_>, process: usize) -> Vec<usize> {
    flows(spec, process).into_iter().map(|(target, _)| target).collect()
}

/// The loop edges of a process that lead to processes.
pub(super) fn loops<'s, 't>(
    spec: &'s Spec<'t>,
    process: usize,
) -> impl Iterator<Item = &'s Line<'t>> {
    let loops = spec.edges_from(process).filter(|line| line.is(EdgeType::Loop));
    loops.filter(|line| passed(spec, line.to).is_some())
}

/// Everything that a gate can lead to.
fn gate_targets(spec: &Spec<'_>, gate: usize, thing: &Thing<'_>) -> Vec<usize> {
    let explicit =
        spec.edges_from(gate).filter(|line| line.is(EdgeType::Branch)).map(|line| line.to);
    let ids = thing.own_targets().map(|id| &**id).chain(explicit);
    ids.filter_map(|id| passed(spec, id)).collect()
}

fn normal_ways(spec: &Spec<'_>, process: usize, thing: &Thing<'_>) -> Vec<usize> {
    if thing.is(NodeType::Gate) {
        return gate_targets(spec, process, thing);
    }
    let back = loops(spec, process).filter_map(|line| passed(spec, line.to));
    targets(spec, process).into_iter().chain(back).collect()
}

/// Adds the ways that control takes after an error.
fn after_errors(spec: &Spec<'_>, ways: &mut [Vec<usize>]) {
    let recoveries = |handler: &Thing<'_>| -> Vec<usize> {
        let names = RECOVERIES.into_iter();
        names.filter_map(|name| passed(spec, handler.text(name)?)).collect()
    };
    for (_, handler) in spec.of_type(NodeType::ErrorHandler) {
        let targets = recoveries(handler);
        let scope = handler.tree.get("scope").and_then(Tree::as_list).unwrap_or_default();
        for covered in scope.iter().filter_map(|id| spec.find(id.as_text()?)) {
            ways[covered].extend(&targets);
        }
    }
    for line in spec.edges.iter().filter(|line| line.is(EdgeType::Error)) {
        let (Some(from), Some(to)) = (spec.find(line.from), spec.find(line.to)) else { continue };
        match passed(spec, line.to) {
            Some(to) => ways[from].push(to),
            None => ways[from].extend(recoveries(&spec.things[to])),
        }
    }
}
