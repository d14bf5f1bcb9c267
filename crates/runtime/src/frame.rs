//! The named values of a fiber, by number.

use std::sync::Arc;

use value::Value;

use crate::plan::Slot;

/// What a fiber's names hold. A copy shares everything until one of the two changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Frame(Arc<Vec<Option<Value>>>);

impl Frame {
    /// A frame with room for so many names.
    pub(crate) fn with_room(names: usize) -> Frame {
        Frame(Arc::new(vec![None; names]))
    }

    /// What a name holds; nothing where it was never written, or was removed.
    pub(crate) fn get(&self, slot: Slot) -> Option<&Value> {
        self.0.get(slot as usize)?.as_ref()
    }

    /// Writes a name.
    pub(crate) fn set(&mut self, slot: Slot, value: Option<Value>) {
        let slots = Arc::make_mut(&mut self.0);
        let at = slot as usize;
        if at >= slots.len() {
            slots.resize(at + 1, None);
        }
        slots[at] = value;
    }

    /// Takes what a name holds.
    pub(crate) fn take(&mut self, slot: Slot) -> Option<Value> {
        Arc::make_mut(&mut self.0).get_mut(slot as usize)?.take()
    }

    /// The names that hold something, with what, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Slot, &Value)> + Clone {
        (0..).zip(self.0.iter()).filter_map(|(slot, value)| Some((slot, value.as_ref()?)))
    }

    /// The names that hold something else than in another frame, with what they hold now.
    pub(crate) fn changed_from<'a>(
        &'a self,
        base: &'a Frame,
    ) -> impl Iterator<Item = (Slot, Option<&'a Value>)> {
        let count = if Arc::ptr_eq(&self.0, &base.0) { 0 } else { self.0.len().max(base.0.len()) };
        (0..count).filter_map(|at| {
            let slot = Slot::try_from(at).expect("there are fewer names than that");
            let (own, other) = (self.get(slot), base.get(slot));
            let is_same = match (own, other) {
                (None, None) => true,
                (Some(own), Some(other)) => same(own, other),
                _ => false,
            };
            (!is_same).then_some((slot, own))
        })
    }
}

/// Whether two values are equal, looking at shared ones only once.
fn same(own: &Value, other: &Value) -> bool {
    match (own, other) {
        (Value::Text(own), Value::Text(other)) => Arc::ptr_eq(own, other) || own == other,
        (Value::List(own), Value::List(other)) => Arc::ptr_eq(own, other) || own == other,
        (Value::Map(own), Value::Map(other)) => Arc::ptr_eq(own, other) || own == other,
        _ => own == other,
    }
}
