//! What nodes become that use a cache, a queue or a memory: the ops and the calls of adapters are
//! the same steps.

use value::Value;

use super::build::{Builder, Place};
use super::{KeepStep, Operand, Slot, Step};
use crate::stores::{DeedDef, Where, would_run_what_is_stored};

impl Builder<'_> {
    /// An op: what it is named in, and what it is given, in the order of its verb.
    pub(super) fn keep(&mut self, place: &Place<'_>, name: &str, slots: &[&str]) -> Step {
        let def = place.node.adapter().and_then(|(space, verb)| DeedDef::find(space, verb));
        let Some(def) = def else { return Step::Unready("it does nothing".into()) };
        let name = place.text(name).unwrap_or_else(|| "".into());
        let given = def.takes.iter().zip(slots);
        let args = given.filter_map(|(taken, slot)| {
            let operand = match self.operand(place, slot) {
                // It was over at once, when that was no way to say nothing.
                Some(Operand::Lit(Value::Int(0))) if self.keeps_in_run && *taken == "ttl_s" => {
                    Operand::Lit(Value::Int(-1))
                }
                other => other?,
            };
            Some((*taken, operand))
        });
        Step::Keep(Box::new(KeepStep {
            def,
            name: Some(Operand::Lit(Value::Text(name))),
            args: args.collect(),
            out: self.bound(place, "out"),
            of_run: self.keeps_in_run,
        }))
    }

    /// A call of an adapter, where it is one of these.
    pub(super) fn kept(
        &mut self,
        place: &Place<'_>,
        space: &str,
        verb: &str,
        out: Option<Slot>,
    ) -> Option<Step> {
        if self.keeps_in_run {
            return None;
        }
        if would_run_what_is_stored(space, verb) {
            let message = format!(
                "`{space}.{}` would run a program that comes out of a store, and those are not \
                 run: call a label of this graph",
                verb.to_lowercase()
            );
            return Some(Step::Unready(message.into()));
        }
        let def = DeedDef::find(space, verb)?;
        // The older form has its verb where others have their first operand.
        let is_split = place.text("adapter").is_some_and(|adapter| !adapter.contains('.'));
        let target = if is_split { None } else { self.operand(place, "target") };
        let mut given = target.into_iter().chain(self.operands(place, "args"));
        let name = if def.at == Where::Named { given.next() } else { None };
        let args: Vec<_> = def.takes.iter().copied().zip(given.by_ref()).collect();
        let is_named = name.is_some() == (def.at == Where::Named);
        if !is_named || args.len() < def.needs || given.next().is_some() {
            let message = format!("`{}` is written `{}`", def.word, def.usage());
            return Some(Step::Unready(message.into()));
        }
        Some(Step::Keep(Box::new(KeepStep { def, name, args, out, of_run: false })))
    }
}
