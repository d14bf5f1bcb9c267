//! What is asked where the branches of a fork have met: whether one of them has ended the run, and
//! whether one has come at all.

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::Anchor;
use graph::{Expr, Path, Term};
use value::{Text, Value};

use super::control::{Control, Meeting};
use super::effects::Effects;
use super::label::{Builder, Slot};
use super::spec::Spec;
use super::ways::{Ways, plain};

/// What a process where ways meet has to ask when they have met.
#[derive(Clone, Debug, Default)]
pub(super) struct Met {
    /// Whether one of these ways may have ended the run.
    pub(super) may_end: bool,
    /// The name that holds true until one of them comes, where it can be that none does.
    pub(super) missed: Option<Text>,
}

/// Which processes begin with a join, and what they ask then.
pub(super) fn meetings(
    spec: &Spec<'_>,
    control: &Control,
    ways: &[Ways<'_, '_>],
    joins: &BTreeMap<usize, Meeting>,
    effects: &[Effects],
) -> BTreeMap<usize, Met> {
    let mut meetings: BTreeMap<usize, Met> = BTreeMap::new();
    let mut known = BTreeSet::new();
    let can_end = effects.iter().any(|effects| effects.may_end);
    for (fork, Meeting { at, may_be_missed }) in joins {
        let met = meetings.entry(*at).or_default();
        met.may_end |= can_end && control.may_end_between(&ways[*fork].flows, *at, effects);
        if *may_be_missed {
            met.missed.get_or_insert_with(|| missed(spec, *at, &mut known));
        }
    }
    meetings
}

/// The name that says that nobody has come to a process yet; no two processes share one.
fn missed(spec: &Spec<'_>, process: usize, known: &mut BTreeSet<Text>) -> Text {
    let base = format!("_missed_{}", plain(spec.things[process].id));
    let mut name: Text = base.as_str().into();
    if !known.insert(name.clone()) {
        name = format!("{base}_{process}").into();
        known.insert(name.clone());
    }
    name
}

/// Sets a name to true or false.
pub(super) fn set(name: &Text, value: bool, label: &mut Builder, at: &Anchor) {
    let slots = [("name", Slot::Var(name.clone())), ("ref", Slot::Lit(Value::Bool(value)))];
    label.node("Set", slots, at);
}

/// Every branch has ended elsewhere: then nothing has led here. Whoever comes later is not meant.
pub(super) fn end_when_missed(missed: &Text, label: &mut Builder, at: &Anchor) {
    let is_missed = Term::Name(Path::parse(missed).expect("it is made of letters"));
    let way = label.ask(Expr::Truthy(is_missed), at);
    let rest = label.take_open();
    label.reopen([way]);
    set(missed, false, label, at);
    label.take_open().into_iter().for_each(|way| label.end_by(way));
    label.reopen(rest);
}
