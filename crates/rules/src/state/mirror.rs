//! Keeping facts in step with a state.

use std::sync::Arc;

use value::{Pointer, Value};

use super::declare::Refusal;
use super::fields::{find, same};
use super::shape::{FactShape, Shape};
use crate::field::{FactId, Field};
use crate::memory::{Memory, Provenance};
use crate::program::{self, Program, TemplateId};

/// The facts of a state in one working memory.
///
/// What did not change keeps its fact, so that its place in the order of facts stays, and a rule
/// that fired because of it does not fire again. That also holds for a fact that a rule retracted:
/// it comes back when its field changes. A fact that says the same as one that a rule asserted
/// is that one, and goes when the field does.
///
/// Facts that no template of the program is for are left out, as no rule can speak of them.
/// A memory that is forked needs a clone of this, and both go on by themselves.
///
/// ```
/// use std::sync::Arc;
/// use rules::{Limits, Memory, Rulebook, read::read_with, state::{Mirror, Shape}};
/// use value::json;
///
/// let (shape, _) = Shape::of_types(&json::parse(r#"{"severity": "int", "owner": "str"}"#).unwrap());
/// let text = "(defrule page (severity (value ?s&:(>= ?s 4))) => (assert (paged ?s)))";
/// let (program, findings) = read_with(shape.templates(), text);
/// assert!(findings.is_empty());
/// let mut mirror = Mirror::new(Arc::new(shape), &program).unwrap();
/// let book = Rulebook::new(program).unwrap();
/// let mut memory = Memory::new(Arc::new(book), Limits::default());
///
/// let state = json::parse(r#"{"severity": 3, "owner": "Ann"}"#).unwrap();
/// assert_eq!(mirror.sync(&mut memory, &state, None).asserted.len(), 2);
/// let state = json::parse(r#"{"severity": 5, "owner": "Ann"}"#).unwrap();
/// let synced = mirror.sync(&mut memory, &state, None);
/// assert_eq!((synced.retracted.len(), synced.asserted.len()), (1, 1));
/// memory.run(|_| {});
/// assert_eq!(memory.fact_count(), 3);
/// ```
#[derive(Clone, Debug)]
pub struct Mirror {
    shape: Arc<Shape>,
    facts: Vec<Mirrored>,
}

/// What [`Mirror::sync`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synced {
    /// The facts that went, in the order of the fields.
    pub retracted: Vec<FactId>,
    /// The facts that came, in the order of the fields.
    pub asserted: Vec<FactId>,
}

/// One fact of a state.
#[derive(Clone, Debug)]
struct Mirrored {
    /// The position of its shape.
    shape: usize,
    template: TemplateId,
    /// What the slots of the program's template hold, and which the state fills, by position.
    defaults: Vec<Field>,
    slots: Vec<usize>,
    /// What they were last filled from: values that did not change are not looked at again.
    values: Vec<Option<Value>>,
    /// What the fact says; none while the state has none of its members.
    fields: Option<Vec<Field>>,
    /// The fact, once it was asserted.
    fact: Option<FactId>,
}

impl Mirror {
    /// For a memory that works by this program. The program's templates may have more slots than
    /// the shape's, and in another order; the state fills those it knows.
    pub fn new(shape: Arc<Shape>, program: &Program) -> Result<Mirror, Vec<Refusal>> {
        let mut facts = Vec::new();
        let mut refused = Vec::new();
        for (position, fact) in shape.facts.iter().enumerate() {
            let at = program.templates.iter().position(|template| template.name == fact.name);
            let Some(at) = at else { continue };
            match Mirrored::new(position, fact, &program.templates[at], TemplateId(at as u32)) {
                Ok(mirrored) => facts.push(mirrored),
                Err(refusal) => refused.push(refusal),
            }
        }
        if refused.is_empty() { Ok(Mirror { shape, facts }) } else { Err(refused) }
    }

    /// Lets the facts say what the state says: facts of what changed are retracted first, then
    /// asserted anew, both in the order of the shape. What is asserted carries the provenance.
    ///
    /// It costs a comparison of each value that is not shared with the last state, and beyond that
    /// what the changes cost. A memory that a limit has stopped stays as it is.
    pub fn sync(
        &mut self,
        memory: &mut Memory,
        state: &Value,
        provenance: Option<&Arc<Provenance>>,
    ) -> Synced {
        let mut changed = Vec::new();
        for (at, mirrored) in self.facts.iter_mut().enumerate() {
            if mirrored.follow(&self.shape.facts[mirrored.shape], state) {
                changed.push(at);
            }
        }
        let mut synced = Synced::default();
        for at in &changed {
            let gone = self.facts[*at].fact.take();
            synced.retracted.extend(gone.filter(|fact| memory.retract(*fact)));
        }
        for at in changed {
            let mirrored = &mut self.facts[at];
            let Some(fields) = &mirrored.fields else { continue };
            mirrored.fact =
                memory.assert(mirrored.template, fields.clone(), provenance.map(Arc::clone));
            synced.asserted.extend(mirrored.fact);
        }
        synced
    }
}

impl Mirrored {
    fn new(
        position: usize,
        shape: &FactShape,
        template: &program::Template,
        id: TemplateId,
    ) -> Result<Mirrored, Refusal> {
        let refuse = |what: String| {
            let from = shape.slots.first().map(|slot| &slot.from[..]).unwrap_or_default();
            Err(Refusal {
                at: from.iter().fold(Pointer::root(), |at, name| at.child(name)),
                message: format!("the program's template `{}` {what}", shape.name),
                help: "leave the template to the state, or declare it alike".into(),
            })
        };
        if template.ordered != shape.ordered {
            return refuse(match shape.ordered {
                true => "is not ordered, and the state's is".into(),
                false => "is ordered, and the state's is not".into(),
            });
        }
        let mut slots = Vec::new();
        for slot in &shape.slots {
            let same = |other: &program::Slot| shape.ordered || other.name == slot.name;
            match template.slots.iter().position(same) {
                Some(at) if template.slots[at].many == (slot.many || shape.ordered) => {
                    slots.push(at);
                }
                Some(_) if slot.many => {
                    return refuse(format!("has one field in `{}`, which is a list", slot.name));
                }
                Some(_) => return refuse(format!("has a list in `{}`, which is none", slot.name)),
                None => return refuse(format!("has no slot `{}`", slot.name)),
            }
        }
        let mut defaults = Vec::new();
        for (at, slot) in template.slots.iter().enumerate() {
            match &slot.default {
                program::Default::Value(field) => defaults.push(field.clone()),
                _ if slots.contains(&at) => defaults.push(Field::nil()),
                _ => return refuse(format!("has a slot `{}` that a state cannot fill", slot.name)),
            }
        }
        let values = vec![None; shape.slots.len()];
        let (shape, template) = (position, id);
        Ok(Mirrored { shape, template, defaults, slots, values, fields: None, fact: None })
    }

    /// Takes over what the state says, and tells whether that makes another fact.
    fn follow(&mut self, shape: &FactShape, state: &Value) -> bool {
        let values = || shape.slots.iter().map(|slot| find(state, &slot.from));
        let unchanged = values().zip(&self.values).all(|(now, before)| match (now, before) {
            (Some(now), Some(before)) => same(now, before),
            (now, before) => now.is_none() && before.is_none(),
        });
        if unchanged {
            return false;
        }
        self.values = values().map(|value| value.cloned()).collect();
        let present = self.values.iter().any(Option::is_some);
        let fields = present.then(|| self.filled(shape));
        // Another value may be the same field: `1` and `1.0` in a slot for floats.
        let differs = fields != self.fields;
        self.fields = fields;
        differs
    }

    fn filled(&self, shape: &FactShape) -> Vec<Field> {
        let mut fields = self.defaults.clone();
        for ((slot, at), value) in shape.slots.iter().zip(&self.slots).zip(&self.values) {
            let field = value.as_ref().map_or_else(|| slot.absent(), |value| slot.field(value));
            fields[*at] = if shape.ordered { Field::many([field]) } else { field };
        }
        fields
    }
}
