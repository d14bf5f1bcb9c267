//! Two runs side by side: where they part, and what is different from there on.

mod show;
mod story;

use std::collections::BTreeMap;

use value::{Map, Text, Value};

use crate::plan::Plan;
use crate::run::Usage;
use crate::trace::{By, Decided, Step, StepKind};
use story::asks_same;

pub use story::{Effect, Story};

/// What two runs have in common, and what not.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The ids of the runs.
    pub runs: (Text, Text),
    /// Where they part; nothing where they do the same.
    pub parted: Option<Parted>,
    /// The processes that they begin.
    pub path: Paths,
    /// The names that they end with.
    pub state: States,
    /// What they ask of the world.
    pub effects: Effects,
    /// What they took.
    pub usage: (Usage, Usage),
}

/// Where two runs part.
#[derive(Clone, Debug, PartialEq)]
pub struct Parted {
    /// The place in the first one, as `run@seq`.
    pub a: Text,
    /// The place in the second one.
    pub b: Text,
    /// Why.
    pub why: Cause,
    /// What the first one did there; nothing where it had ended.
    pub a_did: Option<Text>,
    /// What the second one did there.
    pub b_did: Option<Text>,
}

/// Why two runs part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// They were given other inputs, or a fork set values.
    Input,
    /// The world, a person or a fork answered otherwise.
    Answer,
    /// A condition was decided otherwise.
    Decision,
    /// Their graphs are different there.
    Graph,
    /// Something else was asked for, by the options of the run.
    Request,
    /// Logic did something else.
    Logic,
    /// The clock said something else.
    Clock,
    /// Answers came in another order.
    Order,
    /// One of them ended, or waits.
    End,
}

/// The processes of two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Paths {
    /// How many they have in common before they part.
    pub common: usize,
    /// The rest of the first.
    pub a: Vec<Text>,
    /// The rest of the second.
    pub b: Vec<Text>,
}

/// The names of two runs, without those that begin with `_`.
#[derive(Clone, Debug, PartialEq)]
pub struct States {
    /// Only the first has these.
    pub only_a: Map,
    /// Only the second has these.
    pub only_b: Map,
    /// Both have these, with other values.
    pub different: Vec<(Text, Value, Value)>,
}

/// The calls of two runs. They are matched by node, and there by their order.
#[derive(Clone, Debug)]
pub struct Effects {
    /// Only the first made these.
    pub removed: Vec<Effect>,
    /// Only the second made these.
    pub added: Vec<Effect>,
    /// Both made these, with another request or another answer.
    pub changed: Vec<(Effect, Effect)>,
}

/// Compares two runs.
pub fn compare(a: &Story, b: &Story) -> Comparison {
    Comparison {
        runs: (a.run.clone(), b.run.clone()),
        parted: parted(a, b),
        path: paths(a, b),
        state: states(a, b),
        effects: effects(a, b),
        usage: (a.end.usage(), b.end.usage()),
    }
}

impl Comparison {
    /// Whether they did the same, and came to the same.
    pub fn is_equal(&self) -> bool {
        let (a, b) = &self.usage;
        self.parted.is_none()
            && self.path.a.is_empty()
            && self.path.b.is_empty()
            && self.state.is_empty()
            && self.effects.is_empty()
            && a == b
    }
}

impl States {
    fn is_empty(&self) -> bool {
        self.only_a.is_empty() && self.only_b.is_empty() && self.different.is_empty()
    }
}

impl Effects {
    fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty() && self.changed.is_empty()
    }
}

/// The steps that say what a run did; not that something left, or that it is a fork.
fn telling(story: &Story) -> impl Iterator<Item = &Step> {
    story.steps.iter().filter(|step| match &step.what {
        StepKind::Left { .. } | StepKind::Began { from: Some(_), .. } => false,
        StepKind::Answered(answered) => answered.by != By::TooLate,
        _ => true,
    })
}

fn parted(a: &Story, b: &Story) -> Option<Parted> {
    let (mut steps_a, mut steps_b) = (telling(a), telling(b));
    let mut last = (0, 0);
    loop {
        let (one, other) = match (steps_a.next(), steps_b.next()) {
            (None, None) => return None,
            (Some(one), Some(other)) if is_same(one, other) => {
                last = (one.seq, other.seq);
                continue;
            }
            found => found,
        };
        let place = |story: &Story, step: Option<&Step>, last: u64| -> Text {
            format!("{}@{}", story.run, step.map_or(last, |step| step.seq)).into()
        };
        let did = |step: Option<&Step>| step.map(|step| step.to_string().into());
        return Some(Parted {
            a: place(a, one, last.0),
            b: place(b, other, last.1),
            why: cause(a, b, one, other),
            a_did: did(one),
            b_did: did(other),
        });
    }
}

fn is_same(a: &Step, b: &Step) -> bool {
    if a.fiber != b.fiber || a.at != b.at {
        return false;
    }
    match (&a.what, &b.what) {
        (
            StepKind::Requested { call: a, request: asks_a },
            StepKind::Requested { call: b, request: asks_b },
        ) => a == b && asks_same(asks_a, asks_b),
        (StepKind::Decided(a), StepKind::Decided(b)) => {
            a.condition == b.condition && a.holds == b.holds && a.to == b.to
        }
        (a, b) => a == b,
    }
}

fn cause(a: &Story, b: &Story, one: Option<&Step>, other: Option<&Step>) -> Cause {
    let is_given =
        |step: Option<&Step>| step.is_some_and(|step| matches!(step.what, StepKind::Given { .. }));
    if is_given(one) || is_given(other) {
        return Cause::Input;
    }
    let (Some(one), Some(other)) = (one, other) else { return Cause::End };
    let graphs_differ = || !is_same_graph(&a.plan, &b.plan);
    let is_same_place = one.at == other.at && one.fiber == other.fiber;
    match (&one.what, &other.what) {
        (StepKind::Began { .. }, StepKind::Began { .. }) => Cause::Input,
        (StepKind::Answered(_), StepKind::Answered(_)) if is_same_place => Cause::Answer,
        (StepKind::Answered(_), StepKind::Answered(_)) => Cause::Order,
        (StepKind::Decided(one), StepKind::Decided(other))
            if is_same_place && asked(one) == asked(other) =>
        {
            Cause::Decision
        }
        _ if graphs_differ() => Cause::Graph,
        (StepKind::Requested { .. }, StepKind::Requested { .. }) if is_same_place => Cause::Request,
        (StepKind::Ran { .. }, StepKind::Ran { .. }) if is_same_place => Cause::Logic,
        (StepKind::Wrote { .. }, StepKind::Wrote { .. }) if is_same_place => Cause::Clock,
        // The same graph did the same so far, so that only the world can be the reason.
        _ if is_same_place => Cause::Answer,
        _ => Cause::Order,
    }
}

fn asked(decided: &Decided) -> Option<&Text> {
    decided.condition.as_ref().map(|seen| &seen.text)
}

/// Whether two plans say the same, as far as steps can show.
fn is_same_graph(a: &Plan, b: &Plan) -> bool {
    let labels = |plan: &Plan| -> BTreeMap<Text, Vec<(Text, value::Digest)>> {
        let mut labels: BTreeMap<Text, Vec<(Text, value::Digest)>> = BTreeMap::new();
        for node in &plan.nodes {
            let label = plan.label(node.label).id.clone();
            labels.entry(label).or_default().push((node.at.clone(), node.hash));
        }
        labels
    };
    let agents = |plan: &Plan| -> Vec<(Text, Text, Text)> {
        let each = plan.agents.iter();
        each.map(|agent| (agent.id.clone(), agent.model.clone(), agent.prompt.clone())).collect()
    };
    std::ptr::eq(a, b) || labels(a) == labels(b) && agents(a) == agents(b)
}

fn paths(a: &Story, b: &Story) -> Paths {
    let path = |story: &Story| -> Vec<Text> { story.end.path(&story.plan).0.cloned().collect() };
    let (mut a, mut b) = (path(a), path(b));
    let common = a.iter().zip(&b).take_while(|(one, other)| one == other).count();
    Paths { common, a: a.split_off(common), b: b.split_off(common) }
}

fn states(a: &Story, b: &Story) -> States {
    let state = |story: &Story| -> Map {
        let all = story.end.state(&story.plan);
        let shown = all.iter().filter(|(name, _)| !name.starts_with('_'));
        shown.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    let (a, b) = (state(a), state(b));
    let only = |own: &Map, other: &Map| -> Map {
        let missing = own.iter().filter(|(name, _)| !other.contains_key(name));
        missing.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    let different = a.iter().filter_map(|(name, one)| {
        let other = b.get(name).filter(|other| *other != one)?;
        Some((name.clone(), one.clone(), other.clone()))
    });
    States { only_a: only(&a, &b), only_b: only(&b, &a), different: different.collect() }
}

/// Calls by their node, and by the how manieth of it they are.
fn by_place(effects: &[Effect]) -> BTreeMap<(Text, u64), &Effect> {
    let mut counts: BTreeMap<&Text, u64> = BTreeMap::new();
    let mut places = BTreeMap::new();
    for effect in effects {
        let count = counts.entry(&effect.at).or_default();
        *count += 1;
        places.insert((effect.at.clone(), *count), effect);
    }
    places
}

fn effects(a: &Story, b: &Story) -> Effects {
    let (in_a, in_b) = (by_place(&a.effects), by_place(&b.effects));
    let only = |own: &BTreeMap<(Text, u64), &Effect>, other: &BTreeMap<(Text, u64), &Effect>| {
        let missing = own.iter().filter(|(place, _)| !other.contains_key(*place));
        let mut missing: Vec<Effect> = missing.map(|(_, effect)| (*effect).clone()).collect();
        missing.sort_by_key(|effect| effect.seq);
        missing
    };
    let both = in_a.iter().filter_map(|(place, one)| Some((*one, *in_b.get(place)?)));
    let mut changed: Vec<(Effect, Effect)> = both
        .filter(|(one, other)| {
            !asks_same(&one.request, &other.request) || one.answer != other.answer
        })
        .map(|(one, other)| (one.clone(), other.clone()))
        .collect();
    changed.sort_by_key(|(one, _)| one.seq);
    Effects { removed: only(&in_a, &in_b), added: only(&in_b, &in_a), changed }
}
