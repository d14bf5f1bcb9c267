//! What the built-in tools answer.

use expect_test::{Expect, expect};
use history::Timestamp;
use host::tools::{BUILTINS, Builtin};
use value::json;

use crate::scratch::folded;

/// Calls a tool once per line, `name {arguments}`, and shows what it answers.
fn check(calls: &[&str], answers: Expect) {
    let now = Timestamp::parse("2026-01-31T09:30:00.25Z").unwrap();
    let answer = |call: &&str| {
        let (name, args) = call.split_once(' ').unwrap();
        let args = json::parse(args).unwrap();
        match Builtin::find(name).unwrap().run(args.as_map().unwrap(), now) {
            Ok(value) => json::compact(&value),
            Err(fault) => folded(&fault),
        }
    };
    answers.assert_eq(&calls.iter().map(answer).collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_calculator_computes() {
    check(
        &[
            r#"calculator {"expression": "2 * (3 + 4)"}"#,
            r#"calculator {"tool_input": "1 / 4"}"#,
            r#"calculator {"input": "1 / 0"}"#,
            r#"calculator {"expression": null}"#,
            r#"calculator {"expression": 7}"#,
        ],
        expect![[r#"
            14
            0.25
            tool (has not happened):
              calculator: division by zero
            tool (has not happened):
              calculator: `expression` is missing
            tool (has not happened):
              calculator: `expression` must be text, but is a number"#]],
    );
}

#[test]
fn json_is_read_looked_into_and_written() {
    check(
        &[
            r#"json {"operation": "parse", "text": "{\"a\": [1, 2.5]}"}"#,
            r#"json {"operation": "parse", "text": "{\"a\": "}"#,
            r#"json {"operation": "parse", "text": "{\"a\": 1, \"a\": 2}"}"#,
            r#"json {"operation": "get", "value": {"a/b": [10, 20]}, "pointer": "/a~1b/1"}"#,
            r#"json {"operation": "get", "text": "[1]", "pointer": ""}"#,
            r#"json {"operation": "get", "value": [1], "pointer": "/01"}"#,
            r#"json {"operation": "get", "value": [1], "pointer": "/7", "default": "none"}"#,
            r#"json {"operation": "get", "value": [1], "pointer": "7"}"#,
            r#"json {"operation": "get", "value": [1]}"#,
            r#"json {"operation": "pretty", "value": {"a": [1, 2]}}"#,
            r#"json {"operation": "shred"}"#,
            r#"json {}"#,
        ],
        expect![[r#"
            {"a":[1,2.5]}
            tool (has not happened):
              json: the text is not JSON: EOF while parsing a value, in line 1, column 6
            tool (has not happened):
              json: the text is not JSON: `/a` is given twice, in line 1, column 1
            20
            [1]
            tool (has not happened):
              json: nothing is at `/01`
            "none"
            tool (has not happened):
              json: `7` is no pointer: it must begin with `/`
            tool (has not happened):
              json: `pointer` is missing
            "{ \"a\": [1, 2] }"
            tool (has not happened):
              json: unknown operation `shred`: there are `parse`, `get`, `pretty`
            tool (has not happened):
              json: `operation` is missing: it is one of `parse`, `get`, `pretty`"#]],
    );
}

#[test]
fn text_is_changed_and_counted() {
    check(
        &[
            r#"text {"operation": "upper", "text": "straße"}"#,
            r#"text {"operation": "lower", "text": "ÄB"}"#,
            r#"text {"operation": "trim", "text": "\n a \t"}"#,
            r#"text {"operation": "length", "text": "aé😀"}"#,
            r#"text {"operation": "words", "text": " one  two\nthree "}"#,
            r#"text {"operation": "replace", "text": "a-b-c", "find": "-", "with": "+"}"#,
            r#"text {"operation": "replace", "text": "a-b-c", "find": "-"}"#,
            r#"text {"operation": "replace", "text": "a-b-c", "find": ""}"#,
            r#"text {"operation": "split", "text": "a,b,,c", "separator": ","}"#,
            r#"text {"operation": "split", "text": " a  b "}"#,
            r#"text {"operation": "split", "text": "ab", "separator": ""}"#,
            r#"text {"operation": "join", "items": ["a", "b"], "separator": ", "}"#,
            r#"text {"operation": "join", "items": ["a", 1]}"#,
            r#"text {"operation": "join", "items": "ab"}"#,
            r#"text {"operation": "upper"}"#,
        ],
        expect![[r#"
            "STRASSE"
            "äb"
            "a"
            3
            3
            "a+b+c"
            "abc"
            tool (has not happened):
              text: `find` must be there, and not be empty
            ["a","b","","c"]
            ["a","b"]
            tool (has not happened):
              text: `separator` must not be empty
            "a, b"
            tool (has not happened):
              text: `items` must be a list of texts, but not all of them are
            tool (has not happened):
              text: `items` must be a list of texts, but is text
            tool (has not happened):
              text: `text` is missing"#]],
    );
}

#[test]
fn a_small_call_cannot_make_a_huge_text() {
    let long = "x".repeat(5_000);
    let replace =
        format!(r#"text {{"operation":"replace","text":"{long}","find":"x","with":"{long}"}}"#);
    check(
        &[&replace],
        expect![[r#"
            tool (has not happened):
              text: the answer would be longer than 16777216 bytes"#]],
    );
}

#[test]
fn the_clock_knows_only_the_time_of_the_run() {
    check(
        &[
            r#"clock {}"#,
            r#"clock {"operation": "now"}"#,
            r#"clock {"operation": "parse", "time": "2026-01-31T10:30:00+01:00"}"#,
            r#"clock {"operation": "parse", "time": "1970-01-01T00:00:01.5Z"}"#,
            r#"clock {"operation": "parse", "time": "yesterday"}"#,
            r#"clock {"operation": "format", "seconds": 1.5}"#,
            r#"clock {"operation": "format", "seconds": "1"}"#,
            r#"clock {"operation": "add", "duration": "1h 30m"}"#,
            r#"clock {"operation": "add", "duration": "-2 days"}"#,
            r#"clock {"operation": "add", "time": "2026-01-31T00:00:00Z", "duration": 90}"#,
            r#"clock {"operation": "add", "duration": "3000000 days"}"#,
            r#"clock {"operation": "add", "duration": "a while"}"#,
            r#"clock {"operation": "add", "duration": 900000000000000}"#,
        ],
        expect![[r#"
            "2026-01-31T09:30:00.250000Z"
            "2026-01-31T09:30:00.250000Z"
            1769851800
            1.5
            tool (has not happened):
              clock: `yesterday` is no time: write it as in RFC 3339, such as `2026-01-31T09:30:00Z`
            "1970-01-01T00:00:01.500000Z"
            tool (has not happened):
              clock: `seconds` must be a number, but is text
            "2026-01-31T11:00:00.250000Z"
            "2026-01-29T09:30:00.250000Z"
            "2026-01-31T00:01:30.000000Z"
            tool (has not happened):
              clock: the time is beyond the calendar
            tool (has not happened):
              clock: `a while` is no duration: write it such as `1h 30m`
            tool (has not happened):
              clock: `duration` is too large"#]],
    );
}

#[test]
fn the_table_is_complete() {
    let names: Vec<&str> = BUILTINS.iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["calculator", "json", "text", "clock"]);
    for tool in BUILTINS {
        assert!(tool.doc.ends_with('.') && !tool.arguments.is_empty(), "{tool:?}");
    }
}
