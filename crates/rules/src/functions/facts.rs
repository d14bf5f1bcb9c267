//! What a fact says of itself.

use super::Facts;
use super::arguments::{Outcome, fields, misfit};
use crate::field::{FactId, Field};
use crate::program::Kinds;

/// The fact of an address or an index.
fn fact(facts: &dyn Facts, args: &[Field]) -> Result<Option<FactId>, String> {
    match &args[0] {
        Field::Fact(id) => Ok(facts.template_of(*id).map(|_| *id)),
        Field::Int(index) => Ok(u64::try_from(*index).ok().and_then(|index| facts.at_index(index))),
        _ => Err(misfit(args, 0, Kinds::INT.or(Kinds::FACT))),
    }
}

fn live(facts: &dyn Facts, args: &[Field]) -> Result<FactId, String> {
    fact(facts, args)?.ok_or_else(|| match &args[0] {
        Field::Int(index) => format!("there is no fact with the index `{index}`"),
        _ => "the fact is no longer there".to_owned(),
    })
}

pub(super) fn exists(facts: &dyn Facts, args: &[Field]) -> Outcome {
    Ok(Field::Bool(fact(facts, args)?.is_some()))
}

pub(super) fn index(facts: &dyn Facts, args: &[Field]) -> Outcome {
    match &args[0] {
        Field::Fact(id) => {
            let index = facts.index_of(*id).ok_or("the fact is no longer there")?;
            Ok(Field::Int(i64::try_from(index).unwrap_or(i64::MAX)))
        }
        _ => Err(misfit(args, 0, Kinds::FACT)),
    }
}

pub(super) fn relation(facts: &dyn Facts, args: &[Field]) -> Outcome {
    let id = live(facts, args)?;
    Ok(facts.template_of(id).map_or(Field::Bool(false), |template| Field::symbol(&template.name)))
}

pub(super) fn slot_names(facts: &dyn Facts, args: &[Field]) -> Outcome {
    let id = live(facts, args)?;
    let Some(template) = facts.template_of(id) else { return Ok(Field::Bool(false)) };
    // The one slot of an ordered fact has no name that facts would write.
    if template.ordered {
        return fields(vec![Field::symbol("implied")]);
    }
    fields(template.slots.iter().map(|slot| Field::symbol(slot)).collect())
}

pub(super) fn slot_value(facts: &dyn Facts, args: &[Field]) -> Outcome {
    let id = live(facts, args)?;
    let name = match &args[1] {
        Field::Symbol(name) => name.as_str(),
        Field::Bool(_) => args[1].lexeme().unwrap_or_default(),
        _ => return Err(misfit(args, 1, Kinds::SYMBOL)),
    };
    let Some(template) = facts.template_of(id) else { return Ok(Field::Bool(false)) };
    let slot = if template.ordered {
        (name == "implied").then_some(0)
    } else {
        template.slots.iter().position(|slot| **slot == *name)
    };
    slot.and_then(|slot| facts.fields_of(id)?.get(slot).cloned())
        .ok_or_else(|| format!("`{}` has no slot `{name}`", template.name))
}
