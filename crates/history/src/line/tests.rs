use value::Digest;

use super::*;
use crate::{Entry, Place, Target, Timestamp, chain};

fn entry(stream: &Stream, body: &str) -> Entry {
    let event = Event::read(body).unwrap();
    Entry { seq: 0, link: chain::link(&chain::genesis(stream), 0, None, event.id()), event }
}

fn written(stream: &Stream, entry: &Entry) -> String {
    let mut out = String::new();
    write_event(&mut out, stream, entry);
    out.strip_suffix('\n').unwrap().to_string()
}

#[test]
fn an_event_line_is_canonical_wherever_the_id_belongs() {
    for body in [
        r#"{"kind":"x"}"#,
        r#"{"kind":"x","event":1,"event_i":2,"event_ie":3,"event_id0":4,"f":5}"#,
        r#"{"a":{"event_id":"b","z":[1,{"k":"}],\""}]},"event_id\"":1,"event\"":2,"kind":"x"}"#,
        r#"{"\u0001":1,"\\":2,"\"":3,"event\\z":4,"é":5,"event_é":6,"😀":7,"kind":"x","ﬀ":1}"#,
        r#"{"args":{},"kind":"tool_call","list":[],"run_id":"a\"b","text":"\\\""}"#,
    ] {
        let stream = Stream::run("a\"\\b");
        let entry = entry(&stream, body);
        let line = written(&stream, &entry);
        assert_eq!(line, json::canonical(&json::parse(&line).unwrap()), "{body}");
        let Entry { seq, link, event } = entry;
        assert_eq!(Line::read(&line), Ok(Line::Event { stream, seq, link, event }));
    }
}

#[test]
fn an_event_is_as_deep_in_its_line_as_alone() {
    let depth = json::DEPTH_MAX - 1;
    let body = format!(r#"{{"a":{}{},"kind":"x"}}"#, "[".repeat(depth), "]".repeat(depth));
    let entry = entry(&Stream::Store, &body);
    let line = written(&Stream::Store, &entry);
    assert!(matches!(Line::read(&line), Ok(Line::Event { .. })));
}

#[test]
fn a_line_may_be_written_in_another_way() {
    let entry = entry(&Stream::Store, r#"{"kind":"x"}"#);
    let line = written(&Stream::Store, &entry);
    let pretty = json::pretty(&json::parse(&line).unwrap());
    assert_eq!(Line::read(&pretty), Line::read(&line));
    assert_eq!(Line::read(r#" {"kind": "x"} "#), Ok(Line::Bare(entry.event)));
}

#[test]
fn operations_are_read_as_they_are_written() {
    let link = Link(Digest::of(b"link"));
    let target = Target { place: Place::new(Stream::run("r"), 3), link };
    let mut operation = Operation {
        name: "main".into(),
        previous: None,
        target: Some(target),
        ts: Timestamp::from_micros(1),
        actor: Some("me".into()),
        reason: None,
    };
    for _ in 0..2 {
        let id = operation.id();
        let mut line = String::new();
        write_operation(&mut line, id, &operation);
        assert_eq!(line.trim_end(), json::canonical(&json::parse(&line).unwrap()));
        let read = Line::read(line.trim_end());
        assert_eq!(read, Ok(Line::Operation { id, operation: operation.clone() }));
        operation = Operation { previous: Some(id), target: None, ..operation };
    }
}

#[test]
fn blobs_are_read_as_they_are_written() {
    for bytes in [&b"{\"a\":\"\n\"}"[..], b"", b"\xff\x00", "é".as_bytes()] {
        let id = BlobId(Digest::of(bytes));
        let mut line = String::new();
        write_blob(&mut line, id, bytes);
        assert_eq!(line.trim_end(), json::canonical(&json::parse(&line).unwrap()));
        assert!(Line::may_be_blob(&line));
        assert_eq!(Line::read(&line), Ok(Line::Blob { id, bytes: bytes.to_vec() }));
    }
    assert!(!Line::may_be_blob(r#"{"kind": "x", "blob": 1}"#));
}

#[test]
fn a_broken_line_says_whose_it_was() {
    let of = |text: &str| Line::read(text).unwrap_err().whose;
    let run = Whose::Alone(Stream::run("r"));
    assert_eq!(of(r#"{"run_id": "r"}"#), run);
    assert_eq!(of(r#"{"run_id": "r", "kind": "x", "event_id": "y"}"#), run);
    assert_eq!(of(r#"{"run_id": "r", "kind": "x", "a": 1, "a": 2}"#), run);
    assert_eq!(of(r#"{"run_id": "r", "kind": "x", "a": 9007199254740993}"#), run);
    let placed = Whose::Placed(Stream::run("r"));
    assert_eq!(of(r#"{"event": {"kind": "x"}, "stream": "run:r"}"#), placed);
    assert_eq!(of(r#"{"run_id": "r", "run_id": "s", "kind": "x"}"#), Whose::Anybody);
    for text in [r#"{"run_id": "r", "kind": "x""#, "[1]", ""] {
        assert_eq!(of(text), Whose::Anybody, "{text}");
    }
    assert_eq!(of(r#"{"blob": "x"}"#), Whose::Nobody);
    assert_eq!(of(r#"{"operation": {}}"#), Whose::Nobody);
}

#[test]
fn a_place_has_all_of_its_members_and_no_other() {
    let line = written(&Stream::Store, &entry(&Stream::Store, r#"{"kind":"x"}"#));
    let why = |from: &str, to: &str| Line::read(&line.replace(from, to)).unwrap_err().why;
    assert_eq!(why("\"seq\":0", "\"seq\":-1"), Why::Place("seq".into()));
    assert_eq!(why("\"seq\":0", "\"more\":1,\"seq\":0"), Why::Place("more".into()));
    assert_eq!(why("\"link\":\"", "\"link\":\"x"), Why::Place("link".into()));
    assert_eq!(why("\"store\"", "\"shop\""), Why::Place("stream".into()));
}

#[test]
fn there_is_one_text_for_some_bytes() {
    let line = |text: &str| format!(r#"{{"base64":"{text}","blob":"{}"}}"#, "0".repeat(64));
    assert!(matches!(Line::read(&line("/w==")), Ok(Line::Blob { bytes, .. }) if bytes == [0xff]));
    for text in ["/w", "/w=", "/x==", "/w==/w==", "_w==", "/w==\\n"] {
        assert_eq!(Line::read(&line(text)).unwrap_err().why, Why::NotABlob, "{text}");
    }
}
