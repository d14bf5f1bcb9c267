//! What is said about lines that cannot be taken, and what is taken all the same.

use history::kinds::Blob;
use history::{Event, Stream};
use store::Imported;
use value::json;

use crate::shelf::{Said, Shelf, bare, event, file, fork};

/// Imports a file into every backend, which must all say the same.
fn said(lines: &[impl AsRef<str>]) -> Said {
    let mut all: Vec<Said> =
        Shelf::all().into_iter().map(|shelf| shelf.import(file(lines))).collect();
    let last = all.pop().unwrap();
    assert!(all.iter().all(|other| *other == last));
    last
}

/// An export of these events of a run `r`, in lines.
fn exported(lines: &[String]) -> Vec<String> {
    let shelf = Shelf::memory();
    shelf.import(file(lines));
    shelf.export().lines().map(Into::into).collect()
}

fn three() -> Vec<String> {
    exported(&[bare("r", "1"), bare("r", "2"), bare("r", "3")])
}

fn check(lines: &[impl AsRef<str>], findings: &[&str], added: u64, left: u64) {
    let said = said(lines);
    assert_eq!(said.findings, findings);
    assert_eq!((said.done.added, said.done.left), (added, left));
}

#[test]
fn a_line_that_is_no_event_stops_its_run_only() {
    check(
        &[bare("r", "1"), r#"{"run_id": "r"}"#.into(), bare("r", "2"), bare("s", "1")],
        &["2: error[H101] /kind: an event needs a `kind`, which is text; \
           the rest of `r` in this file is not taken"],
        2,
        1,
    );
    check(
        &[bare("r", "1"), "[1]".into(), bare("r", "2"), bare("s", "1"), "7".into()],
        &["2: error[H101] : an event is an object; events behind it are not taken, \
             because nobody knows what is missing, unless they are lines of an export"],
        1,
        3,
    );
    let mut lines = three();
    lines[1] = lines[1].replace("\"kind\":\"x.test.2\"", "\"kind\":7");
    let said = said(&lines);
    assert!(said.findings[0].starts_with("2: error[H101] /event/kind: an event needs"), "{said:?}");
    lines = three();
    lines[1] = lines[1].replace("\"seq\":1", "\"seq\":\"1\"");
    check(
        &lines,
        &["2: error[H101] /seq: `seq` does not say where the event stands; \
           such a line has `event`, `link`, `seq` and `stream`, and nothing else; \
           the rest of `r` in this file is not taken"],
        1,
        1,
    );
}

#[test]
fn a_wrong_id_is_told_with_the_right_one() {
    let line = bare("r", "1");
    let id = event("r", "1").id();
    let with = |id: &str| line.replacen('{', &format!("{{\"event_id\":\"{id}\","), 1);
    check(&[with(&id.to_string())], &[], 1, 0);
    check(
        &[with(&"0".repeat(64))],
        &[&format!(
            "1: error[H102] /event_id: `event_id` is not the hash of this event; its hash is {id}; \
             the event was changed after it was given its id, or hashed in another way; \
             the rest of `r` in this file is not taken"
        )],
        0,
        0,
    );
    check(
        &[with("...")],
        &["1: error[H102] /event_id: `event_id` must be 64 hexadecimal digits; \
           leave it out, and it is computed; the rest of `r` in this file is not taken"],
        0,
        0,
    );
    let lines: Vec<String> =
        three().iter().map(|line| line.replace("x.test.2", "x.test.9")).collect();
    let said = said(&lines);
    assert!(said.findings[0].starts_with("2: error[H102] /event/event_id: "), "{said:?}");
    assert_eq!((said.codes().len(), said.done.added, said.done.left), (1, 1, 1));
}

#[test]
fn text_that_has_no_hash_is_refused_where_it_stands() {
    let with = |members: &str| bare("r", "1").replacen('{', &format!("{{{members},"), 1);
    check(
        &[with(r#""a":1,"a":2"#), with(r#""a":9007199254740993"#), bare("s", "1")],
        &[
            "1: error[T003] /a: `a` is given twice; an event with one name for two things has no \
             hash; keep one of them; the rest of `r` in this file is not taken",
            "2: error[T005] /a: the number 9007199254740993 cannot be kept exactly; \
             it would become 9007199254740992; write it as text, in quotes",
        ],
        1,
        0,
    );
    let deep = with(&format!(r#""a":{}{}"#, "[".repeat(200), "]".repeat(200)));
    let said = said(&[deep]);
    assert_eq!(said.codes(), ["T004"]);
}

#[test]
fn after_a_line_that_nobody_can_read_only_placed_events_are_taken() {
    let mut lines = vec![bare("r", "1"), r#"{"kind": "x"#.into(), bare("s", "1"), bare("r", "2")];
    lines.extend(exported(&[bare("t", "1"), bare("t", "2")]));
    let findings = ["2: error[T002] column 11: this is not JSON: the text ends inside of text; \
                     a `\"` is missing; events behind it are not taken, because nobody knows \
                     what is missing, unless they are lines of an export"];
    check(&lines, &findings, 3, 2);
    // The mended file brings the rest.
    lines[1] = bare("q", "1");
    for shelf in Shelf::all() {
        shelf.import(file(&[bare("r", "1"), r#"{"kind": "x"#.into(), bare("s", "1")]));
        let done = shelf.take(file(&lines));
        assert_eq!((done.added, done.repeated), (5, 1));
    }
    for shelf in Shelf::all() {
        let mut text = file(&[bare("r", "1")]).into_bytes();
        text.extend(b"{\"a\":\"\xff\"}\n");
        text.extend(bare("r", "2").bytes());
        let said = shelf.import(text);
        assert_eq!(
            said.findings,
            [
                "2: error[T001] column 7: this is not UTF-8 text; save the file as UTF-8, or find out \
              what wrote this line; events behind it are not taken, because nobody knows what \
              is missing, unless they are lines of an export"
            ]
        );
    }
}

#[test]
fn a_file_without_an_event_per_line_is_told_so_once() {
    let events = [bare("r", "1").replacen('{', r#"{"a":[{"b":{}},{"b":1}],"#, 1), bare("r", "2")];
    let pretty = |text: &str| json::pretty(&json::parse(text).unwrap());
    let list = format!("[{}]", events.join(","));
    let spread = "1: error[H101] column 1: each line is an event, and this one goes on behind its \
                  line; `jq -c . FILE` puts each event on a line of its own";
    let listed = "1: error[H101] column 1: each line is an event, and here a list begins; \
                  `jq -c '.[]' FILE` makes lines of it";
    let no_text = "1: error[T001] column 1: this is no text, or UTF-16 text; \
                   if it is text, save it as UTF-8: `iconv -f UTF-16 -t UTF-8 FILE` does";
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let binary: Vec<u8> = (0..10_000_u32).map(|at| (at * at / 7) as u8).collect();
    let lines = events.join(",\n");
    for (file, finding) in [
        (file(&[pretty(&events[0]), pretty(&events[1])]).into_bytes(), spread),
        (pretty(&list).into_bytes(), listed),
        (format!("[\n{lines}\n]\n").into_bytes(), listed),
        (list.into_bytes(), listed),
        (wide(&file(&events)), no_text),
        (wide(&format!("\u{feff}{}", file(&events))), no_text),
        (binary, no_text),
    ] {
        for shelf in Shelf::all() {
            let said = shelf.import(&file);
            assert_eq!(said.findings, [finding]);
            assert_eq!((said.done.added, said.done.errors), (0, 1));
            assert!(shelf.import_strictly(&file).done.refused);
        }
    }
}

#[test]
fn a_torn_last_line_is_named() {
    for shelf in Shelf::all() {
        let text = file(&[bare("r", "1"), bare("r", "2")]);
        let said = shelf.import(&text[..text.len() - 5]);
        assert_eq!(
            said.findings,
            ["2: error[T002] column 63: this is not JSON: the text ends inside of text; \
              a `\"` is missing; the file ends in this line; is it all of it?"]
        );
        assert_eq!(said.done.added, 1);
        assert_eq!(shelf.take(text).added, 1);
    }
}

#[test]
fn a_changed_order_breaks_the_link() {
    let mut lines = three();
    let at = lines[1].find("\"link\":\"").unwrap() + 8;
    lines[1].replace_range(at..at + 64, &"0".repeat(64));
    let said = said(&lines);
    assert!(
        said.findings[0].starts_with(
            "2: error[H201] /link: the link of `r@1` does not follow from the events before it; \
             it would be "
        ),
        "{said:?}"
    );
    assert_eq!((said.codes().len(), said.done.added, said.done.left), (1, 1, 1));
}

#[test]
fn a_missing_event_leaves_a_gap() {
    let lines = three();
    let help = "export the run again, whole; or import the part that is missing first; \
                the rest of `r` in this file is not taken";
    check(
        &[&lines[0], &lines[2]],
        &[&format!("2: error[H202] /seq: `r` goes on at 2, but event 1 is missing; {help}")],
        1,
        0,
    );
    check(
        &[&lines[2]],
        &[&format!("1: error[H202] /seq: `r` goes on at 2, but events 0 to 1 are missing; {help}")],
        0,
        0,
    );
}

#[test]
fn another_event_at_the_same_place_diverges() {
    let other = exported(&[bare("r", "1"), bare("r", "other"), bare("r", "4")]);
    for shelf in Shelf::all() {
        shelf.take(file(&three()));
        let before = shelf.export();
        let said = shelf.import(file(&other));
        let id = event("r", "2").id();
        assert_eq!(
            said.findings,
            [format!(
                "2: error[H203] /seq: `r@1` is another event already: {id}; two histories have \
                 the same run id; import one of them into another store to compare them; \
                 the rest of `r` in this file is not taken"
            )]
        );
        assert_eq!(said.done, Imported { repeated: 1, left: 1, errors: 1, ..Imported::default() });
        assert_eq!(shelf.export(), before);
    }
    let said = said(&[&three()[0], &three()[1], &other[1]]);
    assert_eq!((said.codes(), said.done.added), (vec!["H203"], 2));
}

#[test]
fn a_fork_of_nothing_is_refused_with_its_place_and_kept_without() {
    let nothing = event("gone", "1");
    let start = fork("f", "p", 1, &event("p", "2"));
    let lines = exported(&[bare("p", "1"), bare("p", "2"), start.clone(), bare("f", "1")]);
    let [f1, f2, p1, ..] = &lines[..] else { panic!("{lines:?}") };
    let id = event("p", "2").id();
    check(
        &[f1, f2, p1],
        &[&format!(
            "1: error[H204] /event/from: `f` goes on from `p@1`, which is not there; \
             the event is {id}; import its run first; the rest of `f` in this file is not taken"
        )],
        1,
        1,
    );
    let moved = f1.replace("\"seq\":2", "\"seq\":3");
    check(
        &[&moved],
        &["1: error[H204] /seq: `f` goes on from `p@1`, so that it cannot begin at 3; \
           the rest of `f` in this file is not taken"],
        0,
        0,
    );
    let alone = [fork("f", "gone", 7, &nothing), bare("f", "1")];
    check(
        &alone,
        &["1: warning[H205] /from: `f` goes on from `gone@7`, which is not there; \
           it is kept as a run of its own; to keep it as a fork, import that run first"],
        2,
        0,
    );
    let other = [bare("p", "1"), fork("f", "p", 0, &nothing)];
    let said = said(&other);
    assert_eq!(said.done.added, 2);
    assert!(said.findings[0].contains("`p@0`, which is another event: "), "{said:?}");
    // It is a run of its own in an export, too.
    let shelf = Shelf::memory();
    shelf.take(file(&exported(&alone)));
    assert_eq!(shelf.0.stream(&Stream::run("f")).unwrap().unwrap().first, 0);
}

#[test]
fn a_fork_that_does_not_say_of_what_is_flagged() {
    let start = fork("f", "p", 0, &event("p", "1"));
    let blob = Blob::new(r#"{"run_id":"p"}"#);
    let value = format!(r#"{{"blob":"{}","text":"{{\"run_id\":\"p\"}}"}}"#, blob.id());
    let at = start.find(r#""from":{"#).unwrap() + 7;
    let mut behind = start.clone();
    behind.replace_range(at..=start.find('}').unwrap(), &format!(r#"{{"$blob":"{}"}}"#, blob.id()));
    for line in [start.replace(r#""seq":0"#, r#""seq":-1"#), behind] {
        check(
            &[&bare("p", "1"), &line, &value],
            &[
                "2: warning[H205] /from: `from` does not say which event `f` goes on from; it is kept \
               as a run of its own; `from` has the `run_id`, the `seq` (0 or more) and the \
               `event_id` of the last event that a fork shares",
            ],
            2,
            0,
        );
    }
    // What is of no run goes on from none.
    let negative = start.replace(r#""seq":0"#, r#""seq":-1"#);
    assert_eq!(said(&[negative.replace(r#""run_id":"f","#, "")]).codes(), ["H103"]);
    // What the table says about it is enough.
    for (seq, code) in [(r#""seq":0.5"#, "H104"), (r#""sec":0"#, "H103"), (r#""seq":null"#, "H109")]
    {
        let said = said(&[bare("p", "1"), start.replace(r#""seq":0"#, seq)]);
        assert_eq!((said.codes()[0], said.done.added), (code, 2));
    }
}

#[test]
fn an_event_of_another_run_is_refused() {
    let shelf = Shelf::memory();
    shelf.append(&Stream::run("s"), store::Expected::New, &[event("s", "1")]);
    check(
        &[shelf.export().trim_end().replace("run:s", "run:r")],
        &["1: error[H206] /event/run_id: the event is of `s`, and stands in `r`; \
           the rest of `r` in this file is not taken"],
        0,
        0,
    );
}

#[test]
fn what_is_no_run_is_no_fork() {
    let shelf = Shelf::memory();
    let start = fork("f", "r", 0, &event("r", "1")).replace(r#""run_id":"f","#, "");
    let said = shelf.import(file(&[bare("r", "1"), start]));
    assert_eq!((said.done.added, said.done.errors), (2, 0));
    let agent = shelf.0.stream(&Stream::Agent("a".into())).unwrap().unwrap();
    assert_eq!((agent.parent, agent.first), (None, 0));
}

#[test]
fn an_event_that_stands_in_a_file_twice_is_kept_once() {
    let lines = [bare("r", "1"), bare("r", "2"), bare("r", "1")];
    check(
        &lines,
        &["3: warning[H207] column 1: this event of `r` stands in the file before; it is kept \
           once; two events of one run differ in something, such as their time"],
        2,
        0,
    );
}

#[test]
fn bytes_with_another_hash_are_not_kept() {
    let (blob, other) = (Blob::new("[1]"), Blob::new("[2]"));
    let line = |id, text| format!(r#"{{"blob":"{id}","text":"{text}"}}"#);
    check(
        &[line(blob.id(), "[2]"), r#"{"base64":"Zh==","blob":"0"}"#.into()],
        &[
            &format!(
                "1: error[H208] /blob: `blob` is not the hash of these bytes; their hash is {}",
                other.id()
            ),
            "2: error[H208] column 1: this does not say which bytes there are; \
             such a line has `blob` and either `text` or `base64`",
        ],
        0,
        0,
    );
    for shelf in Shelf::all() {
        let twice = [line(blob.id(), "[1]"), line(blob.id(), "[1]"), line(blob.id(), "[2]")];
        assert_eq!(shelf.import(file(&twice)).done.blobs, 1);
        assert_eq!(shelf.blob_ids(), [blob.id()]);
    }
}

#[test]
fn a_value_that_is_nowhere_is_missed() {
    let blob = Blob::new("[1]");
    let line = bare("r", "1").replacen('{', &format!(r#"{{"a":{{"$blob":"{}"}},"#, blob.id()), 1);
    let message = format!(
        "`a` stands behind {}, which is not there; the event is kept without it; \
         import a file that has this `blob`",
        blob.id()
    );
    check(std::slice::from_ref(&line), &[&format!("1: warning[H209] /a: {message}")], 1, 0);
    let placed = exported(std::slice::from_ref(&line));
    check(&placed, &[&format!("1: error[H209] /event/a: {message}")], 1, 0);
    // It may come later in the file, or later.
    let value = format!(r#"{{"blob":"{}","text":"[1]"}}"#, blob.id());
    check(&[&placed[0], &value], &[], 1, 0);
    for shelf in Shelf::all() {
        shelf.import(file(&placed));
        assert_eq!(shelf.take(&value).blobs, 1);
    }
    let shelf = Shelf::memory();
    assert!(shelf.import_strictly(file(&[line])).done.refused);
}

#[test]
fn a_move_that_does_not_follow_is_refused_with_the_rest_of_its_name() {
    let from = Shelf::memory();
    from.take(file(&[bare("r", "1"), bare("r", "2")]));
    let run = Stream::run("r");
    let first = from.name("main", &run, None);
    from.take(bare("r", "3"));
    from.name("main", &run, None);
    from.take(bare("r", "4"));
    from.name("main", &run, None);
    from.name("other", &run, None);
    let lines: Vec<String> = from.export().lines().map(Into::into).collect();
    let without = [&lines[..4], &lines[4..5], &lines[6..]].concat();
    let said = said(&without);
    assert_eq!(
        said.findings,
        ["6: error[H210] /operation: `main` was moved by somebody else; \
          the rest of `main` in this file is not taken"]
    );
    assert_eq!(said.done.names, 2);
    let id = lines[4].replace(&first.id().to_string(), &"0".repeat(64));
    let changed = [&lines[..4], &[id]].concat();
    check(
        &changed,
        &[&format!(
            "5: error[H210] /id: `id` is not the hash of this move; its hash is {}",
            first.id()
        )],
        4,
        0,
    );
    let nowhere = [&lines[..1], &lines[4..5]].concat();
    check(
        &nowhere,
        &["2: error[H210] /operation: there is no `r@1` with this link; \
           the rest of `main` in this file is not taken"],
        1,
        0,
    );
    let broken = json::canonical(&json::parse(r#"{"id": "x", "operation": {}}"#).unwrap());
    check(&[broken], &["1: error[H210] column 1: this does not say how a name was moved"], 0, 0);
}

#[test]
fn what_is_odd_about_an_event_is_a_warning_at_its_member() {
    let odd = r#"{"kind":"tool_resullt","run_id":"r","ts":"2026-01-01T00:00:00.000000Z"}"#;
    let findings = "warning[H106] KIND: unknown kind `tool_resullt`; did you mean `tool_result`?";
    check(&[odd], &[&format!("1: {}", findings.replace("KIND", "/kind"))], 1, 0);
    let placed = exported(&[odd.into()]);
    check(&placed, &[&format!("1: {}", findings.replace("KIND", "/event/kind"))], 1, 0);
    assert!(Event::read(odd).is_ok());
}
