//! Contracts that somebody declares: of verbs that are not in the table.
//!
//! A declaration is an object: `effect_tier` and `effect_kind` as graph documents print them, and
//! where the author knows more, `touches`, `again`, `memory_type` and `names`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use value::{Ordered, Text, Value};

use super::{Contract, find};
use crate::declarations::{Declarations, Kind};
use crate::draft::{Draft, DraftNode};
use crate::effects::{Again, Tier, Touches};
use crate::ops::{self, SlotKind};

const TIERS: [Tier; 4] = [Tier::Pure, Tier::IoRead, Tier::IoWrite, Tier::Control];
const TOUCHES: [(&str, Touches); 4] = [
    ("nothing", Touches::Nothing),
    ("read", Touches::Read),
    ("write", Touches::Write),
    ("model", Touches::Model),
];
const AGAIN: [(&str, Again); 3] =
    [("free", Again::Freely), ("key", Again::WithKey), ("ask", Again::ByAsking)];
const MEMBERS: [&str; 6] =
    ["effect_tier", "effect_kind", "touches", "again", "memory_type", "names"];

/// No verb has more arguments that are names.
const NAMES_MAX: i64 = 16;

/// What is wrong with a declaration.
#[derive(Debug)]
pub struct BadContract {
    /// The member that is wrong, or missing; none where it is the whole.
    pub member: Option<Text>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// The contract that a declaration of `namespace.VERB` says.
pub fn read(name: &str, declared: &Value) -> Result<Contract, Vec<BadContract>> {
    let mut bad = Vec::new();
    if !is_verb(name) {
        let message = format!("`{name}` is no verb");
        bad.push(wrong(None, message, "write `namespace.VERB`, with the verb in capitals"));
    }
    let Some(members) = declared.as_map() else {
        let message = format!("the contract of `{name}` is {}, and no object", declared.kind());
        let help = "write {\"effect_tier\": \"io-read\", \"effect_kind\": \"http\"}";
        bad.push(wrong(None, message, help));
        return Err(bad);
    };
    for member in members.keys().filter(|member| !MEMBERS.contains(&&***member)) {
        let message = format!("a contract has no member `{member}`");
        let help = match diagnostics::nearest(member, MEMBERS) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it has {}", MEMBERS.join(", ")),
        };
        bad.push(wrong(Some(member), message, help));
    }
    let mut of = Reader { name, declared, bad };
    let tier = of.word("effect_tier", TIERS.map(|tier| (tier.word(), tier)), true);
    let kind = of.text("effect_kind", true);
    let touches = of.word("touches", TOUCHES, false);
    let again = of.word("again", AGAIN, false);
    let memory_type = of.text("memory_type", false);
    let names = of.count("names");
    if let (Some(tier), Some(touches)) = (tier, touches)
        && tier != touches.tier()
        && tier != Tier::Control
    {
        let tier = tier.word();
        let message = format!("`{name}` cannot be `{tier}` and touch what its `touches` says");
        let help = format!("what it touches makes it `{}`", touches.tier().word());
        of.bad.push(wrong(Some(&"touches".into()), message, help));
    }
    match (tier, kind) {
        (Some(tier), Some(kind)) if of.bad.is_empty() => {
            let touches = touches.unwrap_or(match tier {
                Tier::Pure => Touches::Nothing,
                Tier::IoRead => Touches::Read,
                Tier::IoWrite | Tier::Control | Tier::Meta => Touches::Write,
            });
            // Nobody says that a write may happen twice, so it must not.
            let again = again.unwrap_or(match touches {
                Touches::Write => Again::ByAsking,
                _ => Again::Freely,
            });
            let (kind, memory_type) = (owned(&kind), memory_type.as_ref().map(owned));
            Ok(Contract { touches, again, kind, memory_type, names, tier })
        }
        _ => Err(of.bad),
    }
}

fn owned(text: &Text) -> Cow<'static, str> {
    Cow::Owned(text.to_string())
}

fn wrong(member: Option<&Text>, message: String, help: impl Into<String>) -> BadContract {
    BadContract { member: member.cloned(), message, help: help.into() }
}

/// `namespace.VERB`, as contracts are found under.
fn is_verb(name: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && !word.contains(char::is_whitespace);
    let is_upper = |verb: &str| *verb == verb.to_ascii_uppercase();
    name.split_once('.')
        .is_some_and(|(space, verb)| is_word(space) && is_word(verb) && is_upper(verb))
}

struct Reader<'a> {
    name: &'a str,
    declared: &'a Value,
    bad: Vec<BadContract>,
}

impl Reader<'_> {
    fn text(&mut self, member: &str, is_needed: bool) -> Option<Text> {
        match self.declared.get(member) {
            Some(Value::Text(text)) if !text.is_empty() => Some(text.clone()),
            None if !is_needed => None,
            other => {
                let what = other.map_or("missing".to_owned(), |other| other.kind().to_owned());
                let message = format!("`{member}` of `{}` is {what}", self.name);
                self.bad.push(wrong(Some(&member.into()), message, "write a word"));
                None
            }
        }
    }

    fn word<T: Copy>(
        &mut self,
        member: &str,
        words: impl IntoIterator<Item = (&'static str, T)>,
        is_needed: bool,
    ) -> Option<T> {
        let words: Vec<(&str, T)> = words.into_iter().collect();
        let given = self.declared.get(member);
        let found = given.and_then(Value::as_text).map(|text| &**text);
        let meant = words.iter().find(|(word, _)| Some(*word) == found).map(|(_, meant)| *meant);
        if meant.is_none() && (is_needed || given.is_some()) {
            let what = match (given, found) {
                (_, Some(word)) => format!("`{word}`"),
                (Some(other), None) => other.kind().to_owned(),
                (None, None) => "missing".to_owned(),
            };
            let message = format!("`{member}` of `{}` is {what}", self.name);
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let help = format!("write one of {}", words.join(", "));
            self.bad.push(wrong(Some(&member.into()), message, help));
        }
        meant
    }

    fn count(&mut self, member: &str) -> u8 {
        match self.declared.get(member) {
            None => 0,
            Some(Value::Int(count)) if (0..=NAMES_MAX).contains(count) => {
                u8::try_from(*count).unwrap_or(0)
            }
            Some(_) => {
                let message = format!("`{member}` of `{}` is no such number", self.name);
                let help =
                    format!("it is how many of the first arguments are names: 0 to {NAMES_MAX}");
                self.bad.push(wrong(Some(&member.into()), message, help));
                0
            }
        }
    }
}

impl Declarations {
    /// The contract that is declared of a verb which is not in the table.
    pub fn contract(&self, namespace: &str, verb: &str) -> Option<Contract> {
        let declared = self.of(Kind::Contracts);
        if declared.is_empty() || find(namespace, verb).is_some() {
            return None;
        }
        let name = key(namespace, verb);
        read(&name, declared.get(&name)?).ok()
    }
}

fn key(namespace: &str, verb: &str) -> String {
    format!("{namespace}.{}", verb.to_ascii_uppercase())
}

/// Declares those of the known contracts that a draft needs: verbs that it calls, and that neither
/// it nor the table says anything of.
pub fn declare(draft: &mut Draft, known: &Ordered<Value>) {
    if known.is_empty() {
        return;
    }
    let nodes = draft.labels.values().flat_map(|label| &label.nodes);
    let called: BTreeSet<String> = nodes.filter_map(called).collect();
    let declared = draft.declarations.of_mut(Kind::Contracts);
    for (name, contract) in known.iter().filter(|(name, _)| called.contains(&***name)) {
        if !declared.contains_key(name) {
            declared.insert(name.clone(), contract.clone());
        }
    }
}

/// The verb that a node calls, if the table does not have it.
fn called(node: &DraftNode) -> Option<String> {
    let op = ops::find(node.op.as_deref()?)?;
    let text = |kind: SlotKind| -> Option<Text> {
        let slot = op.slot_of(kind)?;
        let typed = node.operands.as_ref().and_then(|operands| operands.get(slot.name));
        let written = match typed {
            Some(operand) => operand.get("lit"),
            None => node.data.as_ref().and_then(|data| data.get(slot.name)),
        };
        written?.as_text().cloned()
    };
    let adapter = text(SlotKind::Adapter)?;
    let (namespace, verb) = match adapter.split_once('.') {
        Some((namespace, verb)) => (namespace, verb.into()),
        None => (&*adapter, text(SlotKind::FirstValue)?),
    };
    find(namespace, &verb).is_none().then(|| key(namespace, &verb))
}
