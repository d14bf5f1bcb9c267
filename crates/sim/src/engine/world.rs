//! A world that answers calls. What it says depends on its seed, the node that asks, what is
//! asked, and how often that was asked before; not on the order in which others ask. So two
//! interpreters get equal answers.

use std::collections::BTreeMap;

use graph::Again;
use value::{Digest, Map, Text, Value, json};

use crate::Random;

/// Why the world did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The code that retries and handlers go by.
    pub code: Text,
    /// In words.
    pub message: Text,
    /// Whether it may have done it all the same.
    pub doubt: Doubt,
}

/// Whether something that failed may have happened: each forbids more than the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    /// No, or whoever failed says so itself.
    None,
    /// Nobody knows, and the failure is at the node that asked for it.
    Here,
    /// The same, further out.
    FurtherOut,
}

impl Fault {
    /// A failure of this code, which leaves nothing in doubt.
    pub fn new(code: &str) -> Fault {
        let message = format!("the world says {code}").into();
        Fault { code: code.into(), message, doubt: Doubt::None }
    }

    /// The same, of something that may have happened.
    fn in_doubt(code: &str) -> Fault {
        Fault { doubt: Doubt::Here, ..Fault::new(code) }
    }

    /// The same, where it has left the node that it began at.
    pub(super) fn further_out(self) -> Fault {
        let doubt = match self.doubt {
            Doubt::None => Doubt::None,
            Doubt::Here | Doubt::FurtherOut => Doubt::FurtherOut,
        };
        Fault { doubt, ..self }
    }
}

/// What a model says, and which tools it wants with what before it goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// What it says.
    pub text: String,
    /// What it wants.
    pub wishes: Vec<(Text, Map)>,
}

impl Heard {
    fn text(text: String) -> Heard {
        Heard { text, wishes: Vec::new() }
    }
}

/// What a person does about a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Answers, after so many milliseconds.
    After(u64, Value),
    /// Says nothing before the question expires.
    Silence,
}

/// What a policy says about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may be made.
    Allow,
    /// It may not.
    Deny,
    /// It may not, and the run ends.
    Abort,
    /// Nothing that can be understood.
    Nonsense,
    /// A person has so many milliseconds to decide.
    Ask(u64),
}

/// What goes wrong around a run, beside the answers themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// One answer in so many comes twice; 0 for none.
    pub duplicate_answers: usize,
    /// One answer in so many comes again after the run has gone on; 0 for none.
    pub late_answers: usize,
    /// After one append in so many the process dies; 0 for never.
    pub crash_after_append: usize,
    /// The clock goes forward by up to so many milliseconds between inputs; 0 for not at all.
    pub clock_jumps_ms: u64,
}

impl Trouble {
    /// Nothing goes wrong.
    pub const NONE: Trouble =
        Trouble { duplicate_answers: 0, late_answers: 0, crash_after_append: 0, clock_jumps_ms: 0 };

    /// What goes wrong with this seed: one kind of trouble, or several.
    pub fn of(seed: u64) -> Trouble {
        let mut random = Random::new(seed ^ 0x7472_6f75_626c_6500);
        let mut rate = |kinds: &[usize]| *random.pick(kinds);
        Trouble {
            duplicate_answers: rate(&[0, 0, 2, 5]),
            late_answers: rate(&[0, 0, 3, 7]),
            crash_after_append: rate(&[0, 1, 2, 3, 5, 10]),
            clock_jumps_ms: rate(&[0, 0, 50, 100_000]) as u64,
        }
    }
}

/// Where answers come from.
#[derive(Clone, Debug)]
enum Answers {
    Seed(u64),
    /// For each node its answers in order; the last one is given again.
    Script(Map),
}

/// The world.
#[derive(Clone, Debug)]
pub struct World {
    answers: Answers,
    /// How every tool may run again.
    pub again: Again,
    /// Whether a policy decides about calls of tools.
    pub has_policy: bool,
    asked: BTreeMap<(Text, Text), usize>,
}

impl World {
    /// One that follows from a seed.
    pub fn seeded(seed: u64) -> World {
        let kinds = [Again::WithKey, Again::ByAsking, Again::Freely];
        let again = *Random::new(seed ^ 0x6167_6169_6e00).pick(&kinds);
        let has_policy = Random::new(seed ^ 0x706f_6c69_6379).one_in(3);
        World { answers: Answers::Seed(seed), again, has_policy, asked: BTreeMap::new() }
    }

    /// One that says what is written: `{"main/n1": [ANSWER, ...]}`. Text is what a model says;
    /// `{"fault": CODE}` is a failure, with `"in_doubt": true` of something that may have
    /// happened; `{"wants": [{"tool": ID, "input": {}}]}` is what a model wants; a person says
    /// `{"after_ms": 5, "answer": VALUE}` or, with null, nothing. `again` is how tools may run again,
    /// `key` where nothing is said. `policy`, where it is there, says of nodes what a policy says, in
    /// the same way: `allow`, `deny`, `abort`, `nonsense`, or a number of milliseconds that a person
    /// has.
    pub fn scripted(script: Map) -> World {
        let again = match script.get("again").and_then(Value::as_text).map(|word| &**word) {
            Some("free") => Again::Freely,
            Some("ask") => Again::ByAsking,
            _ => Again::WithKey,
        };
        let has_policy = script.get("policy").is_some();
        World { answers: Answers::Script(script), again, has_policy, asked: BTreeMap::new() }
    }

    /// The same one, before anybody has asked it anything.
    pub fn anew(&self) -> World {
        World { asked: BTreeMap::new(), ..self.clone() }
    }

    /// What a model says. `fields` are those of the schema that the answer must fit, if any;
    /// `tools` are those that it may want.
    pub fn model(
        &mut self,
        at: &str,
        request: &str,
        fields: Option<&[Value]>,
        tools: &[Text],
    ) -> Result<Heard, Fault> {
        match self.next(at, request) {
            Next::Random(mut random) => {
                // What people think of a wish takes time, in which others go on: that is not naive.
                if tools.is_empty() || self.has_policy || !random.one_in(3) {
                    return seeded_model(&mut random, fields).map(Heard::text);
                }
                let wishes = (0..random.between(1, 3)).map(|_| wish(&mut random, tools));
                Ok(Heard { wishes: wishes.collect(), text: "let me look".to_string() })
            }
            Next::Written(Value::Text(text)) => Ok(Heard::text(text.to_string())),
            Next::Written(value) => match value.get("wants").and_then(Value::as_list) {
                Some(wishes) => Ok(Heard {
                    text: String::new(),
                    wishes: wishes.iter().filter_map(written_wish).collect(),
                }),
                None => written(value).map(|value| Heard::text(json::compact(&value))),
            },
        }
    }

    /// What a tool, or whatever else is called, gives back.
    pub fn tool(&mut self, at: &str, request: &str) -> Result<Value, Fault> {
        match self.next(at, request) {
            Next::Random(mut random) if is_kept(request) => match random.one_in(6) {
                true => Err(Fault::new("store")),
                false => Ok(Value::Int(random.below(4) as i64)),
            },
            Next::Random(_) if !request.starts_with("tool ") => Err(Fault::new("missing")),
            Next::Random(mut random) => seeded_tool(&mut random),
            Next::Written(value) => written(value),
        }
    }

    /// What a person does about a question.
    pub fn person(
        &mut self,
        at: &str,
        request: &str,
        options: &[Value],
        expires_ms: Option<u64>,
    ) -> Reply {
        match self.next(at, request) {
            Next::Random(mut random) => seeded_person(&mut random, options, expires_ms),
            Next::Written(Value::Null) => Reply::Silence,
            Next::Written(value) => {
                let after = match value.get("after_ms") {
                    Some(Value::Int(after)) => u64::try_from(*after).unwrap_or(0),
                    _ => 0,
                };
                Reply::After(after, value.get("answer").cloned().unwrap_or_default())
            }
        }
    }

    /// What the policy says about a call, where there is one.
    pub fn policy(&mut self, at: &str, request: &str) -> Verdict {
        if !self.has_policy {
            return Verdict::Allow;
        }
        if let Answers::Script(script) = &self.answers {
            let said = script.get("policy").and_then(|policy| policy.get(at)?.as_list());
            let count = self.asked.entry((at.into(), "policy".into())).or_default();
            let before = *count;
            *count += 1;
            let said = said.and_then(|said| said.get(before).or(said.last()));
            return match said {
                Some(Value::Int(time)) => Verdict::Ask(u64::try_from(*time).unwrap_or(0)),
                Some(Value::Text(word)) => match &**word {
                    "allow" => Verdict::Allow,
                    "deny" => Verdict::Deny,
                    "abort" => Verdict::Abort,
                    _ => Verdict::Nonsense,
                },
                _ => Verdict::Allow,
            };
        }
        match self.next(at, &format!("policy {request}")) {
            Next::Random(mut random) => match random.below(40) {
                0 => Verdict::Abort,
                1 | 2 => Verdict::Nonsense,
                3..7 => Verdict::Deny,
                7..18 => Verdict::Ask(random.between(2, 60) as u64),
                _ => Verdict::Allow,
            },
            Next::Written(_) => Verdict::Allow,
        }
    }

    fn next(&mut self, at: &str, request: &str) -> Next {
        // In a script the text of a request does not matter: only how often the node asked.
        let said = match &self.answers {
            Answers::Seed(_) => request,
            Answers::Script(_) => "",
        };
        let count = self.asked.entry((at.into(), said.into())).or_default();
        let before = *count;
        *count += 1;
        match &self.answers {
            Answers::Seed(seed) => {
                let place = format!("{seed} {before} {at} {request}");
                Next::Random(Random::new(number_of(&place)))
            }
            Answers::Script(script) => {
                let answers = script.get(at).and_then(Value::as_list).unwrap_or_default();
                let answer = answers.get(before).or(answers.last());
                let missing = || Value::map([("fault", Value::text("missing"))]);
                Next::Written(answer.cloned().unwrap_or_else(missing))
            }
        }
    }
}

enum Next {
    Random(Random),
    Written(Value),
}

fn number_of(text: &str) -> u64 {
    let hex = format!("{:x}", Digest::of(text.as_bytes()));
    u64::from_str_radix(&hex[..16], 16).expect("a digest is written in hexadecimal digits")
}

fn written(value: Value) -> Result<Value, Fault> {
    match value.get("fault").and_then(Value::as_text) {
        Some(code) if value.get("in_doubt") == Some(&Value::Bool(true)) => {
            Err(Fault::in_doubt(code))
        }
        Some(code) => Err(Fault::new(code)),
        None => Ok(value),
    }
}

/// Now and then a tool that nobody has offered.
fn wish(random: &mut Random, tools: &[Text]) -> (Text, Map) {
    let tool = match random.one_in(6) {
        true => "conjure".into(),
        false => random.pick(tools).clone(),
    };
    let input = [("z".into(), Value::Int(random.below(3) as i64)), ("b".into(), Value::Float(2.0))];
    (tool, input.into_iter().collect())
}

fn written_wish(wish: &Value) -> Option<(Text, Map)> {
    let input = wish.get("input").and_then(Value::as_map).cloned().unwrap_or_default();
    Some((wish.get("tool")?.as_text()?.clone(), input))
}

/// Whether a store, a cache or a queue is asked.
fn is_kept(request: &str) -> bool {
    ["store.", "cache.", "queue."].iter().any(|space| request.starts_with(space))
}

fn seeded_tool(random: &mut Random) -> Result<Value, Fault> {
    match random.below(8) {
        0 if random.one_in(2) => Err(Fault::in_doubt("tool")),
        0 => Err(Fault::new("tool")),
        1 => Err(match random.below(3) {
            0 => Fault::in_doubt("timeout"),
            1 => Fault::new("busy"),
            _ => Fault::new("denied"),
        }),
        2 => Ok(Value::list([Value::Int(1), Value::text("two")])),
        3 => Ok(Value::map([("found", Value::Bool(true))])),
        4 => Ok(Value::Null),
        5 => Ok(Value::text("text of a tool")),
        _ => Ok(Value::Int(random.below(10) as i64)),
    }
}

fn seeded_person(random: &mut Random, options: &[Value], expires_ms: Option<u64>) -> Reply {
    if expires_ms.is_some() && random.one_in(3) {
        return Reply::Silence;
    }
    // Never at the moment of expiry: who comes first then is nobody's promise.
    let latest = expires_ms.map_or(50, |expires| expires.saturating_sub(1)).max(1);
    let after = random.between(1, latest as usize) as u64;
    let answer = match options {
        [] => Value::text(*random.pick(&["yes", "no", "ask me later"])),
        options => random.pick(options).clone(),
    };
    Reply::After(after, answer)
}

fn seeded_model(random: &mut Random, fields: Option<&[Value]>) -> Result<String, Fault> {
    if random.one_in(12) {
        return Err(Fault::new(["model", "timeout"][random.below(2)]));
    }
    let Some(fields) = fields else {
        return Ok(random
            .pick(&["free text", "", "{\"no\": \"schema\"}", "größer \"q\""])
            .to_string());
    };
    let mut whole = Map::default();
    for field in fields {
        let Some(name) = field.get("name").and_then(Value::as_text) else { continue };
        let may_lack = field.get("default").is_some();
        if random.one_in(if may_lack { 3 } else { 14 }) {
            continue;
        }
        let of_type = field.get("type").and_then(Value::as_text).map_or("string", |text| text);
        let value = match random.one_in(16) {
            true => Value::list([Value::Null]),
            false => of_field(random, of_type),
        };
        whole.insert(name.clone(), value);
    }
    if random.one_in(4) {
        whole.insert("extra_member".into(), Value::Int(random.below(5) as i64));
    }
    let text = json::compact(&whole.into());
    Ok(match random.below(10) {
        0 => format!("Here you are:\n```json\n{text}\n```\nAnything else?"),
        1 => format!("I say {text} and nothing more"),
        2 => text[..text.len() - 1].to_string(),
        3 if random.one_in(3) => "I would rather not".to_string(),
        _ => text,
    })
}

/// A value of a type that a field of a schema can have.
fn of_field(random: &mut Random, of_type: &str) -> Value {
    match of_type {
        "integer" => Value::Int(random.below(10) as i64),
        "float" => Value::Float(random.below(10) as f64 + 0.5),
        "boolean" => Value::Bool(random.one_in(2)),
        "object" => Value::map([("ox", Value::Int(random.below(4) as i64))]),
        "list<integer>" => Value::list((0..random.below(4)).map(|at| Value::Int(at as i64))),
        "enum[low, high]" => Value::text(*random.pick(&["low", "high"])),
        _ => Value::text(*random.pick(&["alpha", "beta", "gamma"])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_asking_does_not_matter() {
        let (mut one, mut other) = (World::seeded(3), World::seeded(3));
        let first = one.tool("a/n1", "tool search {}");
        let second = one.tool("b/n1", "tool search {}");
        assert_eq!(other.tool("b/n1", "tool search {}"), second);
        assert_eq!(other.tool("a/n1", "tool search {}"), first);
    }

    #[test]
    fn every_kind_of_answer_is_given() {
        let fields = [
            Value::map([("name", "score".into()), ("type", "integer".into())]),
            Value::map([
                ("name", "mood".into()),
                ("type", "string".into()),
                ("default", "calm".into()),
            ]),
        ];
        let mut world = World::seeded(1);
        let said: Vec<_> =
            (0..300).map(|at| world.model("a/n1", &at.to_string(), Some(&fields), &[])).collect();
        let ok = |find: &str| said.iter().flatten().any(|heard| heard.text.contains(find));
        assert!(ok("```json") && ok("I say {") && ok("rather not") && ok("extra_member"));
        assert!(
            said.iter()
                .flatten()
                .any(|heard| json::parse(&heard.text).is_err() && heard.text.starts_with('{'))
        );
        assert!(said.iter().any(Result::is_err));
    }
}
