//! One step: an op of the table with its slots filled by the words of a line.
//!
//! Which word fills which slot follows from the op table: in order, except that `->name` binds the
//! output, `@n2` names the node that a guard protects, and `limit=3` names its slot.

use std::borrow::Cow;

use graph::ops::{OpDef, Slot, SlotKind};

use super::token::{Line, Word};

/// A step as it was written.
#[derive(Clone, Debug)]
pub(crate) struct Step<'a> {
    pub(crate) op: &'static OpDef,
    pub(crate) line: Line<'a>,
    /// The slots that are filled, in the order of the words; a slot of many values comes often.
    pub(crate) filled: Vec<(&'static Slot, Word<'a>)>,
    /// Words that no slot takes.
    pub(crate) surplus: Vec<Word<'a>>,
}

impl<'a> Step<'a> {
    /// Puts the words of a line into the slots of its op.
    pub(crate) fn new(op: &'static OpDef, line: Line<'a>) -> Step<'a> {
        let mut step = Step { op, line, filled: Vec::new(), surplus: Vec::new() };
        step.filled.reserve_exact(step.line.words.len());
        if op.slot_of(SlotKind::Adapter).is_some() {
            step.fill_call()
        } else {
            step.fill()
        }
        step
    }

    /// The word in a slot.
    pub(crate) fn word(&self, slot: &str) -> Option<&Word<'a>> {
        self.filled.iter().find(|(own, _)| own.name == slot).map(|(_, word)| word)
    }

    /// The first word in a slot of a kind.
    pub(crate) fn of_kind(&self, kind: SlotKind) -> Option<&Word<'a>> {
        self.filled.iter().find(|(slot, _)| slot.kind == kind).map(|(_, word)| word)
    }

    fn fill(&mut self) {
        let op = self.op;
        let is_positional = |slot: &&Slot| {
            let is_marked = slot.kind == SlotKind::Protects || is_output(slot);
            !is_marked && !is_only_in_graphs(slot)
        };
        let mut places = op.slots.iter().filter(is_positional).peekable();
        for (position, word) in self.line.words.iter().enumerate() {
            if let Some(slot) = marked(op, word, position) {
                self.filled.push((slot, value_of(slot, word)));
                continue;
            }
            // What may be left out is, where the word belongs to a later slot.
            if !word.quoted && op.slots.iter().any(|slot| has_word(slot, &word.text)) {
                while places.next_if(|slot| !slot.required && !has_word(slot, &word.text)).is_some()
                {
                }
            }
            match places.peek() {
                Some(slot) if slot.kind == SlotKind::Values => {
                    self.filled.push((slot, word.clone()));
                }
                Some(slot) => {
                    self.filled.push((slot, value_of(slot, word)));
                    places.next();
                }
                None => self.surplus.push(word.clone()),
            }
        }
        if op.slot_of(SlotKind::Values).is_some() {
            self.unwrap_parentheses();
        }
    }

    /// `X v (core.add a b)` is written with parentheses too; they mean nothing.
    fn unwrap_parentheses(&mut self) {
        let Some(function) = self.filled.iter().position(|(slot, _)| slot.kind == SlotKind::Name)
        else {
            return;
        };
        let trimmed = |word: &mut Word<'a>, trim: fn(&str) -> &str| {
            if word.quoted {
                return;
            }
            match &mut word.text {
                Cow::Borrowed(text) => *text = trim(text),
                Cow::Owned(text) => *text = trim(text).to_string(),
            }
        };
        trimmed(&mut self.filled[function].1, |text| text.trim_start_matches('('));
        if let Some((_, last)) = self.filled[function..].last_mut() {
            trimmed(last, |text| text.trim_end_matches(')'));
        }
    }

    /// An adapter call: the adapter, its first argument, the others, and the output at the end.
    fn fill_call(&mut self) {
        let mut words = &self.line.words[..];
        let slot = |kind: SlotKind| self.op.slot_of(kind);
        if let Some((last, others)) = words.split_last()
            && last.bound().is_some()
            && let Some(out) = self.op.slots.iter().find(|slot| is_output(slot))
        {
            self.filled.push((out, value_of(out, last)));
            words = others;
        }
        let places = [slot(SlotKind::Adapter), slot(SlotKind::FirstValue)];
        let rest = slot(SlotKind::Values);
        for (position, word) in words.iter().enumerate() {
            match places.get(position).copied().flatten().or(rest) {
                Some(slot) => self.filled.push((slot, word.clone())),
                None => self.surplus.push(word.clone()),
            }
        }
    }
}

/// Whether a slot takes this word and others, but nothing else.
fn has_word(slot: &Slot, word: &str) -> bool {
    matches!(slot.kind, SlotKind::Word(words) if words.contains(&word))
}

/// The slot that a word is marked for.
fn marked(op: &'static OpDef, word: &Word<'_>, position: usize) -> Option<&'static Slot> {
    if word.quoted {
        return None;
    }
    if position == 0 && word.text.starts_with('@') {
        return op.slot_of(SlotKind::Protects);
    }
    word.bound()?;
    op.slots.iter().find(|slot| is_output(slot))
}

/// What a word says in a slot: without the marks that say which slot it is.
fn value_of<'a>(slot: &Slot, word: &Word<'a>) -> Word<'a> {
    let cut = match slot.kind {
        _ if word.quoted => 0,
        _ if is_output(slot) => "->".len(),
        SlotKind::Protects => "@".len(),
        SlotKind::Number => {
            let named = word.text.strip_prefix(slot.name).and_then(|rest| rest.strip_prefix('='));
            named.map_or(0, |rest| word.text.len() - rest.len())
        }
        _ => 0,
    };
    let text = match &word.text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[cut..]),
        Cow::Owned(text) => Cow::Owned(text[cut..].to_string()),
    };
    Word { text, ..word.clone() }
}

/// Whether a slot is filled by `->name`.
pub(crate) fn is_output(slot: &Slot) -> bool {
    slot.kind == SlotKind::Bind && slot.name == "out"
}

/// Whether no word of a line can fill a slot.
fn is_only_in_graphs(slot: &Slot) -> bool {
    matches!(slot.kind, SlotKind::Takes | SlotKind::Gives | SlotKind::Literal)
        || slot.name == "timeout_ms"
}

/// How a line of an op is written: what may be left out is in brackets.
pub fn usage(op: &OpDef) -> String {
    let mut words = Vec::new();
    let (mut guards, mut outputs) = (Vec::new(), Vec::new());
    for slot in op.slots {
        let word = match slot.kind {
            SlotKind::Protects => {
                guards.push("[@node]".to_string());
                continue;
            }
            _ if is_output(slot) => {
                outputs.push("[->out]".to_string());
                continue;
            }
            _ if is_only_in_graphs(slot) => continue,
            SlotKind::Number if slot.name == "limit" => "limit=N".to_string(),
            SlotKind::Values => format!("{}...", slot.name),
            SlotKind::Target(_) | SlotKind::Callee => format!("->L{}", slot.name),
            SlotKind::Word(choices) if choices.len() <= 4 => choices.join("|"),
            _ => slot.name.to_string(),
        };
        let is_needed = words.len() < op.least || slot.required;
        words.push(if is_needed { word } else { format!("[{word}]") });
    }
    let op = std::iter::once(op.name.to_string());
    op.chain(guards).chain(words).chain(outputs).collect::<Vec<_>>().join(" ")
}
