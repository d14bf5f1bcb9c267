//! What a fact says of itself.

use super::arguments::{Outcome, fields, list, misfit, short_enough};
use super::{Facts, Shape};
use crate::field::{FactId, Field};
use crate::program::Kinds;

/// What functions call the one slot of an ordered fact.
const IMPLIED: &str = "implied";

/// The fact of an address or an index; none where there is no such index. An address whose fact
/// is gone is wrong: the rule has to know.
fn live(facts: &dyn Facts, args: &[Field]) -> Result<Option<FactId>, String> {
    match &args[0] {
        Field::Fact(id) if facts.template_of(*id).is_some() => Ok(Some(*id)),
        Field::Fact(_) => Err("the fact is no longer there".to_owned()),
        Field::Int(index) => Ok(u64::try_from(*index).ok().and_then(|index| facts.at_index(index))),
        _ => Err(misfit(args, 0, Kinds::INT.or(Kinds::FACT))),
    }
}

pub(super) fn exists(facts: &dyn Facts, args: &[Field]) -> Outcome {
    Ok(Field::Bool(match &args[0] {
        Field::Fact(id) => facts.template_of(*id).is_some(),
        _ => live(facts, args)?.is_some(),
    }))
}

/// The index of a fact that is gone is -1.
pub(super) fn index(facts: &dyn Facts, args: &[Field]) -> Outcome {
    match &args[0] {
        Field::Fact(id) if facts.template_of(*id).is_some() => {
            let index = facts.index_of(*id).and_then(|index| i64::try_from(index).ok());
            Ok(Field::Int(index.unwrap_or(-1)))
        }
        Field::Fact(_) => Ok(Field::Int(-1)),
        _ => Err(misfit(args, 0, Kinds::FACT)),
    }
}

/// The template of a fact, or the value of the function where there is no fact.
fn shape<'f>(
    facts: &'f dyn Facts,
    args: &[Field],
) -> Result<Result<(FactId, &'f Shape), Field>, String> {
    let found = live(facts, args)?.and_then(|id| Some((id, facts.template_of(id)?)));
    Ok(found.ok_or(Field::Bool(false)))
}

pub(super) fn relation(facts: &dyn Facts, args: &[Field]) -> Outcome {
    Ok(match shape(facts, args)? {
        Ok((_, template)) => Field::symbol(&template.name),
        Err(none) => none,
    })
}

pub(super) fn slot_names(facts: &dyn Facts, args: &[Field]) -> Outcome {
    match shape(facts, args)? {
        // The one slot of an ordered fact has no name that facts would write.
        Ok((_, template)) if template.ordered => fields(vec![Field::symbol(IMPLIED)]),
        Ok((_, template)) => {
            fields(template.slots.iter().map(|slot| Field::symbol(slot)).collect())
        }
        Err(none) => Ok(none),
    }
}

pub(super) fn slot_value(facts: &dyn Facts, args: &[Field]) -> Outcome {
    let (id, template) = match shape(facts, args)? {
        Ok(found) => found,
        Err(none) => return Ok(none),
    };
    let name = match &args[1] {
        Field::Symbol(_) | Field::Bool(_) => args[1].lexeme().unwrap_or_default(),
        _ => return Err(misfit(args, 1, Kinds::SYMBOL)),
    };
    let slot = if template.ordered {
        (name == IMPLIED).then_some(0)
    } else {
        template.slots.iter().position(|slot| **slot == *name)
    };
    slot.and_then(|slot| facts.fields_of(id)?.get(slot).cloned())
        .ok_or_else(|| format!("`{}` has no slot `{name}`", template.name))
}

/// A list as a string, its fields as programs write them.
pub(super) fn implode(facts: &dyn Facts, args: &[Field]) -> Outcome {
    let mut whole = String::new();
    for (at, field) in list(args, 0)?.iter().enumerate() {
        if at > 0 {
            whole.push(' ');
        }
        crate::code::written(facts, field, &mut whole);
        short_enough(whole.len())?;
    }
    Ok(Field::text(&whole))
}
