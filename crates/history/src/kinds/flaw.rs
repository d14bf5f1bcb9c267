//! What is wrong with what an event says, by the table. An event with flaws is still an event:
//! it is kept as it is, and whoever reads it is told.

use diagnostics::{Anchor, Diagnostic, codes, nearest};
use value::{At, Map, Pointer, Text, Value};

use super::field::{Field, Member, Record, Shape};
use super::records::{EventRef, ExtRef, Ref};
use super::{Common, Kind, ROWS, referenced};
use crate::{EventId, Timestamp};

/// Something that is wrong with what an event says.
#[derive(Clone, Debug, PartialEq)]
pub struct Flaw {
    /// Where in the event. What is missing has the place where it would be.
    pub pointer: Pointer,
    /// What.
    pub what: FlawKind,
}

/// What can be wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum FlawKind {
    /// A member that must be there is not.
    Missing(Shape),
    /// A value of the wrong kind.
    Wrong {
        /// What must be there.
        expected: Shape,
        /// What is there, in words.
        found: &'static str,
    },
    /// A word that is not one of those there are.
    UnknownWord {
        /// The word.
        word: Text,
        /// Those there are.
        words: Vec<&'static str>,
    },
    /// `null`; what is not known is left out.
    Null {
        /// Whether it cannot be left out.
        required: bool,
    },
    /// A kind that is neither in the table nor an extension.
    UnknownKind(Text),
    /// A member that the kind or the record does not have.
    UnknownMember {
        /// The one that was probably meant.
        near: Option<&'static str>,
    },
    /// A time that is not written in UTC with `Z`, as this is.
    OddTime(String),
}

/// What is wrong with what an event says. Members behind hashes are not looked into.
pub fn flaws(members: &Map) -> Vec<Flaw> {
    let mut flaws = Flaws(Vec::new());
    let row = match members.get("kind").map(|kind| kind.as_text().ok_or(kind)) {
        Some(Ok(name)) => {
            let row = Kind::find(name).row();
            if row.is_none() && !is_extension(name) {
                flaws.add(&At::Root.member("kind"), FlawKind::UnknownKind(name.clone()));
            }
            row
        }
        Some(Err(other)) => {
            flaws.wrong(&At::Root.member("kind"), Shape::Text, other);
            None
        }
        None => {
            flaws.add(&At::Root.member("kind"), FlawKind::Missing(Shape::Text));
            None
        }
    };
    let needs = row.map_or(&[][..], |row| row.needs);
    let common = Common::MEMBERS.iter().map(|member| {
        let required = member.required || needs.contains(&member.name);
        Member { required, ..*member }
    });
    let own = row.into_iter().flat_map(|row| row.members);
    let known: Vec<Member> = common.chain(own.copied()).collect();
    for member in &known {
        let value = members.get(member.name);
        if value.and_then(referenced).is_none() {
            flaws.member(&At::Root, member, value);
        }
    }
    // Whoever left them empty has most likely lost them.
    for name in ["run_id", "agent_id"] {
        if members.get(name).and_then(Value::as_text).is_some_and(|id| id.is_empty()) {
            let empty = FlawKind::Wrong { expected: Shape::Text, found: "empty text" };
            flaws.add(&At::Root.member(name), empty);
        }
    }
    // What others put into events of their own kinds is theirs.
    if row.is_some() {
        flaws.unknown(&At::Root, members, &known, &["kind", "event_id"]);
    }
    flaws.0
}

/// Whether a kind or a member belongs to somebody who extends the vocabulary: `x.VENDOR.NAME`.
fn is_extension(name: &str) -> bool {
    let mut parts = name.splitn(3, '.');
    parts.next() == Some("x") && (0..2).all(|_| parts.next().is_some_and(|part| !part.is_empty()))
}

struct Flaws(Vec<Flaw>);

impl Flaws {
    fn add(&mut self, at: &At<'_>, what: FlawKind) {
        self.0.push(Flaw { pointer: at.pointer(), what });
    }

    fn wrong(&mut self, at: &At<'_>, expected: Shape, found: &Value) {
        self.add(at, FlawKind::Wrong { expected, found: found.kind() });
    }

    fn member(&mut self, owner: &At<'_>, member: &Member, value: Option<&Value>) {
        let at = owner.member(member.name);
        match value {
            None if member.required => self.add(&at, FlawKind::Missing(member.shape)),
            None => {}
            Some(Value::Null) if member.shape != Shape::Any => {
                self.add(&at, FlawKind::Null { required: member.required });
            }
            Some(value) => self.value(&at, member.shape, value),
        }
    }

    fn value(&mut self, at: &At<'_>, shape: Shape, value: &Value) {
        match (shape, value) {
            (Shape::Any, _)
            | (Shape::Text | Shape::Ref, Value::Text(_))
            | (Shape::Integer, Value::Int(_))
            | (Shape::Boolean, Value::Bool(_))
            | (Shape::Object, Value::Map(_)) => {}
            // Its canonical form is a whole number.
            (Shape::Integer, Value::Float(float)) if float.fract() == 0.0 => {}
            (Shape::Integer, Value::Float(_)) => {
                self.add(at, FlawKind::Wrong { expected: shape, found: "a fraction" });
            }
            (Shape::EventId, Value::Text(id)) if EventId::parse(id).is_some() => {}
            (Shape::Time, Value::Text(text)) => match Timestamp::parse(text) {
                None => self.add(at, FlawKind::Wrong { expected: shape, found: "other text" }),
                Some(_) if Timestamp::is_utc(text) => {}
                Some(moment) => self.add(at, FlawKind::OddTime(moment.to_string())),
            },
            (Shape::Words(enumeration), Value::Text(word)) => {
                if !enumeration.words.contains(&&**word) {
                    let words = enumeration.words.to_vec();
                    self.add(at, FlawKind::UnknownWord { word: word.clone(), words });
                }
            }
            (Shape::List(of), Value::List(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.value(&at.item(index), *of, item);
                }
            }
            (Shape::Record(record), Value::Map(members)) => {
                self.members(at, members, record.members, &[]);
            }
            (Shape::OneOf(records), Value::Map(members)) => self.choice(at, members, records),
            (Shape::Ref, Value::Map(members)) => self.reference(at, members),
            (Shape::EventId, Value::Text(_)) => {
                self.add(at, FlawKind::Wrong { expected: shape, found: "other text" });
            }
            _ => self.wrong(at, shape, value),
        }
    }

    fn members(&mut self, at: &At<'_>, members: &Map, known: &[Member], besides: &[&str]) {
        for member in known {
            self.member(at, member, members.get(member.name));
        }
        self.unknown(at, members, known, besides);
    }

    fn unknown(&mut self, at: &At<'_>, members: &Map, known: &[Member], besides: &[&str]) {
        for name in members.keys() {
            let is_known = known.iter().any(|member| member.name == &**name)
                || besides.contains(&&**name)
                || is_extension(name);
            if !is_known {
                // What is there already was not meant.
                let free = known.iter().map(|member| member.name);
                let near = nearest(name, free.filter(|name| !members.contains_key(name)));
                self.add(&at.member(name), FlawKind::UnknownMember { near });
            }
        }
    }

    fn choice(&mut self, at: &At<'_>, members: &Map, records: &'static [Record]) {
        let place = at.member("type");
        match members.get("type") {
            None => self.add(&place, FlawKind::Missing(Shape::Text)),
            Some(Value::Null) => self.add(&place, FlawKind::Null { required: true }),
            Some(Value::Text(word)) => match records.iter().find(|record| record.name == &**word) {
                Some(record) => self.members(at, members, record.members, &["type"]),
                None => {
                    let words = records.iter().map(|record| record.name).collect();
                    self.add(&place, FlawKind::UnknownWord { word: word.clone(), words });
                }
            },
            Some(other) => self.wrong(&place, Shape::Text, other),
        }
    }

    /// One that can be read is right. Else the member that says which one was meant says what is
    /// wrong.
    fn reference(&mut self, at: &At<'_>, members: &Map) {
        if members.contains_key("event_id") {
            return self.members(at, members, EventRef::RECORD.members, &[]);
        }
        if members.contains_key("kind") || members.contains_key("id") {
            return self.members(at, members, ExtRef::RECORD.members, &[]);
        }
        let value = Value::from(members.clone());
        let is_known = !matches!(Ref::read(&value), None | Some(Ref::Other(_)));
        if !is_known || members.len() > 1 {
            self.wrong(at, Shape::Ref, &value);
        }
    }
}

impl Flaw {
    /// As a finding. `base` is where the event stands in the text that is shown.
    pub fn diagnostic(&self, base: &Pointer) -> Diagnostic {
        let tokens: Vec<String> = self.pointer.tokens().collect();
        let name = match &self.what {
            FlawKind::UnknownMember { .. } => tokens.last(),
            // What stands in a list is called by what the list is called.
            _ => tokens.iter().rev().find(|token| token.parse::<usize>().is_err()),
        };
        let name = name.map_or("", |name| name);
        let pointer = tokens.iter().fold(base.clone(), |pointer, token| pointer.child(token));
        let value = || Anchor::value(pointer.clone());
        let found = |code, at, message: String| Diagnostic::new(code, at, message);
        match &self.what {
            FlawKind::Missing(shape) => {
                let message = match tokens.len() {
                    0 | 1 => format!("`{name}` is missing"),
                    _ => format!("`{name}` is missing in `{}`", tokens[0]),
                };
                found(&codes::MISSING_EVENT_MEMBER, value(), message).help(format!("it is {shape}"))
            }
            FlawKind::Wrong { expected, found: kind } => {
                let message = format!("`{name}` must be {expected}, not {kind}");
                found(&codes::WRONG_EVENT_VALUE, value(), message)
            }
            FlawKind::UnknownWord { word, words } => {
                let message = format!("`{word}` is no `{name}`");
                let found = found(&codes::UNKNOWN_WORD, value(), message);
                match nearest(word, words.iter().copied()) {
                    Some(near) => meant(found, near, value()),
                    None => found.help(format!("it is one of {}", words.join(", "))),
                }
            }
            FlawKind::Null { required } => {
                let message = format!("`{name}` is `null`");
                let help = if *required { "say what it is" } else { "leave it out" };
                found(&codes::NULL_MEMBER, value(), message).help(help)
            }
            FlawKind::UnknownKind(kind) => {
                let found = found(&codes::UNKNOWN_KIND, value(), format!("unknown kind `{kind}`"));
                match nearest(kind, ROWS.iter().map(|row| row.name)) {
                    Some(near) => meant(found, near, value()),
                    None => found.help("kinds of your own are named `x.VENDOR.NAME`"),
                }
            }
            FlawKind::UnknownMember { near } => {
                let key = Anchor::key(pointer.clone());
                let message = format!("unknown member `{name}`");
                let found = found(&codes::UNKNOWN_EVENT_MEMBER, key.clone(), message);
                match near {
                    Some(near) => meant(found, near, key),
                    None => found.help("members of your own are named `x.VENDOR.NAME`"),
                }
            }
            FlawKind::OddTime(utc) => {
                let message = format!("`{name}` is a time that is not written in UTC with `Z`");
                let found = found(&codes::ODD_TIME, value(), message);
                found
                    .help(format!("write `{utc}`"))
                    .fix(format!("write `{utc}`"), value(), format!("\"{utc}\""))
                    .unsure()
            }
        }
    }
}

/// What was probably meant, as JSON. A person has to agree: the event gets another id.
fn meant(found: Diagnostic, near: &str, at: Anchor) -> Diagnostic {
    let found = found.help(format!("did you mean `{near}`?"));
    found.fix(format!("write `{near}`"), at, format!("\"{near}\"")).unsure()
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::json;

    /// What is wrong with an event, as a person sees it.
    fn told(members: &str) -> Vec<String> {
        let text = format!(r#"{{"ts": "2026-01-01T00:00:00.000000Z", {members}}}"#);
        let members = json::parse(&text).unwrap();
        let tell = |flaw: &Flaw| {
            let found = flaw.diagnostic(&Pointer::root().child("event"));
            let at = found.at.pointer().unwrap();
            let help = found.help.map(|help| format!("; {help}")).unwrap_or_default();
            format!("{} {at}: {}{help}", found.code.id, found.message)
        };
        flaws(members.as_map().unwrap()).iter().map(tell).collect()
    }

    #[test]
    fn what_is_missing_or_wrong_is_told_once() {
        assert_eq!(
            told(r#""kind": "tool_result", "run_id": "r", "agent_id": null, "status": 7"#),
            [
                "H109 /event/agent_id: `agent_id` is `null`; say what it is",
                "H103 /event/call_id: `call_id` is missing; it is text",
                "H104 /event/status: `status` must be a word, not a number",
                "H103 /event/result: `result` is missing; it is an object",
            ]
        );
    }

    #[test]
    fn an_id_that_is_empty_is_none() {
        assert_eq!(
            told(r#""kind": "x.acme.lost", "run_id": "", "agent_id": """#),
            [
                "H104 /event/run_id: `run_id` must be text, not empty text",
                "H104 /event/agent_id: `agent_id` must be text, not empty text",
            ]
        );
    }

    #[test]
    fn a_request_to_a_model_needs_what_its_answer_is_found_by() {
        let request = r#""kind": "model_request", "run_id": "r", "agent_id": "a", "model": "m",
            "params": {}, "input_refs": ["m1", {"event_id": "prev"}, {"uri": "x"}, {"id": "y"}, {}]"#;
        assert_eq!(
            told(request),
            [
                "H103 /event/correlation_id: `correlation_id` is missing; it is text",
                "H104 /event/input_refs/1/event_id: `event_id` must be the id of an event, \
                 not other text",
                "H103 /event/input_refs/3/kind: `kind` is missing in `input_refs`; it is text",
                "H104 /event/input_refs/4: `input_refs` must be a reference, not an object",
            ]
        );
    }

    #[test]
    fn what_an_event_can_be_read_without_is_missed_all_the_same() {
        let (event, hash) = ("1".repeat(64), "2".repeat(64));
        assert_eq!(
            told(&format!(
                r#""kind": "effect_started", "run_id": "r", "agent_id": "a",
                "call": {{"event_id": "{event}"}}, "idem_key": 7"#
            )),
            [
                "H103 /event/attempt: `attempt` is missing; it is a whole number",
                "H104 /event/idem_key: `idem_key` must be text, not a number",
            ]
        );
        assert_eq!(
            told(&format!(
                r#""kind": "summary_created", "agent_id": "a", "summary_ref": "s", "sources": [
                {{"$blob": "{hash}"}}, {{"$blob": "{hash}", "uri": "x"}}, {{"$blub": "{hash}"}}]"#
            )),
            [
                "H104 /event/sources/1: `sources` must be a reference, not an object",
                "H104 /event/sources/2: `sources` must be a reference, not an object",
            ]
        );
    }

    #[test]
    fn the_parts_of_a_message_are_looked_at() {
        let message = r#""kind": "message_created", "agent_id": "a", "message": {"role": "usr",
            "content": [{"type": "text", "text": "hi"}, {"type": "txt"}, {"type": "tool_use",
            "id": "c1", "name": "x", "inptu": {}}, {"type": "reasoning", "text": null}, {}]}"#;
        assert_eq!(
            told(message),
            [
                "H105 /event/message/role: `usr` is no `role`; did you mean `user`?",
                "H105 /event/message/content/1/type: `txt` is no `type`; did you mean `text`?",
                "H103 /event/message/content/2/input: `input` is missing in `message`; \
                 it is an object",
                "H107 /event/message/content/2/inptu: unknown member `inptu`; \
                 did you mean `input`?",
                "H109 /event/message/content/3/text: `text` is `null`; say what it is",
                "H103 /event/message/content/4/type: `type` is missing in `message`; it is text",
            ]
        );
    }

    #[test]
    fn other_peoples_kinds_and_members_are_theirs() {
        assert_eq!(told(r#""kind": "x.acme.lost", "n": null"#), [""; 0]);
        assert_eq!(told(r#""kind": "agent_created", "agent_id": "a", "x.acme.n": null"#), [""; 0]);
        assert_eq!(
            told(r#""kind": "agent_created", "agent_id": "a", "v": 1.0, "7": 7"#),
            ["H107 /event/7: unknown member `7`; members of your own are named `x.VENDOR.NAME`"]
        );
        assert_eq!(
            told(r#""kind": "x.lost", "v": 1.5, "n": 1"#),
            [
                "H106 /event/kind: unknown kind `x.lost`; \
                 kinds of your own are named `x.VENDOR.NAME`",
                "H104 /event/v: `v` must be a whole number, not a fraction",
            ]
        );
        assert_eq!(
            told(r#""kind": "agent_create", "valid_at": "2026-01-01T02:00:00+02:00", "at": 1"#),
            [
                "H106 /event/kind: unknown kind `agent_create`; did you mean `agent_created`?",
                "H104 /event/at: `at` must be text, not a number",
                "H108 /event/valid_at: `valid_at` is a time that is not written in UTC with `Z`; \
                 write `2026-01-01T00:00:00.000000Z`",
            ]
        );
    }

    #[test]
    fn what_stands_behind_a_hash_is_not_looked_into() {
        let hash = "0".repeat(64);
        let call = format!(
            r#""kind": "state_set", "run_id": "r", "agent_id": "a", "values": {{"$blob": "{hash}"}}"#
        );
        assert_eq!(told(&call), [""; 0]);
        assert_eq!(told(&call.replace("$blob", "$blub")), [""; 0]);
        let message = format!(
            r#""kind": "message_created", "agent_id": "a", "message": {{"$blob": "{hash}"}}"#
        );
        assert_eq!(told(&message), [""; 0]);
        assert_eq!(told(&message.replace("$blob", "$blub")).len(), 3);
    }
}
