use std::fmt::Write;

use expect_test::expect;

use super::shown;

#[test]
fn mistakes_are_told_in_our_words() {
    let mistakes = [
        "a:\n\tb: 1\n",
        "a:\n  b: 1\n\tc: 2\n",
        "a: |\n\tx\n",
        "a: 1\nkey:value\nother: 1\n",
        "key:value\nother: 1\n",
        "a: \"unclosed\nb: 1\n",
        "a: 'unclosed\n",
        "a: 'it's'\nb: 1\n",
        "a: \"x\",\nb: 1\n",
        "a: \"say \"hi\"\"\n",
        "a: \"C:\\dir\"\n",
        "a: \"\\u12\"\n",
        "a: [1, 2\nb: 1\n",
        "a: {x: 1\nb: 1\n",
        "a: [b c\n",
        "a: [b \"c\"]\n",
        "a: {b: [}\n",
        "a: [1, 2]]\n",
        "text: note: this\n",
        "a: *bold* text\n",
        "a: &x 1\n*x: 2\n",
        "a: @home\n",
        "a: `code`\n",
        "a: %x\n",
        "%x: 1\n",
        "a: & b\n",
        "a: !x!y z\n",
        "a: - b\n",
        "a: ? b\n",
        "a: , b\n",
        "a: 1\n b: 2\n",
        "a:\n    b: 1\n  c: 2\n",
        "a: 1\n- b\n",
        "- a\nb: 1\n",
        "  a: 1\nb: 2\n",
        "a: |x\n  t\n",
        "a: text # c\n  more\n",
        "a: b\nc\nd: e\n",
        "a: \"b\"#c\n",
        "a: [\nb\n]\n",
        "a: [- b]\n",
        "a\0: b\n",
        "a: b\u{feff}c\n",
        "&a &b c\n",
    ];
    let mut out = String::new();
    for mistake in mistakes {
        writeln!(out, "{mistake:?}\n{}", shown(mistake)).unwrap();
    }
    expect![[r##"
        "a:\n\tb: 1\n"
        a.yaml:2:1: error[T007]: this is not YAML: a tab stands here
          help: YAML is indented with spaces

        "a:\n  b: 1\n\tc: 2\n"
        a.yaml:3:1: error[T007]: this is not YAML: a tab stands here
          help: YAML is indented with spaces

        "a: |\n\tx\n"
        a.yaml:2:1: error[T007]: this is not YAML: a tab stands here
          help: YAML is indented with spaces

        "a: 1\nkey:value\nother: 1\n"
        a.yaml:2:4: error[T007]: this is not YAML: a space is missing after `:`
          help: write `key: value`, with a space after the `:`

        "key:value\nother: 1\n"
        a.yaml:1:4: error[T007]: this is not YAML: a space is missing after `:`
          help: write `key: value`, with a space after the `:`

        "a: \"unclosed\nb: 1\n"
        a.yaml:1:4: error[T007]: this is not YAML: the `"` is never closed
          help: close it where the text ends; lines that go on are indented

        "a: 'unclosed\n"
        a.yaml:1:4: error[T007]: this is not YAML: the `'` is never closed
          help: close it where the text ends; lines that go on are indented

        "a: 'it's'\nb: 1\n"
        a.yaml:1:8: error[T007]: this is not YAML: there is more text after the closing quote
          help: write an apostrophe in single quotes as `''`, or use double quotes

        "a: \"x\",\nb: 1\n"
        a.yaml:1:7: error[T007]: this is not YAML: there is more text after the closing quote
          help: remove the comma: lines of a map have none

        "a: \"say \"hi\"\"\n"
        a.yaml:1:10: error[T007]: this is not YAML: there is more text after the closing quote
          help: put all of the text in one pair of quotes; write `\"` for a quote inside

        "a: \"C:\\dir\"\n"
        a.yaml:1:7: error[T007]: this is not YAML: an unknown escape in text
          help: write a backslash as `\\`, or use single quotes

        "a: \"\\u12\"\n"
        a.yaml:1:5: error[T007]: this is not YAML: an unknown escape in text
          help: write a backslash as `\\`, or use single quotes

        "a: [1, 2\nb: 1\n"
        a.yaml:1:4: error[T007]: this is not YAML: the `[` is never closed
          2:2: it is still open here
          help: a `]` is missing

        "a: {x: 1\nb: 1\n"
        a.yaml:1:4: error[T007]: this is not YAML: the `{` is never closed
          2:2: it is still open here
          help: a `}` is missing

        "a: [b c\n"
        a.yaml:1:4: error[T007]: this is not YAML: the `[` is never closed
          help: a `]` is missing

        "a: [b \"c\"]\n"
        1:1 "a: [b \"c\"]" map
        "a" "a": 1:4 "[b \"c\"]" list
          - 1:5 "b \"c\"" Text("b \"c\"")

        "a: {b: [}\n"
        a.yaml:1:9: error[T007]: this is not YAML: a value must begin here
          help: if it is text, put it in quotes

        "a: [1, 2]]\n"
        a.yaml:1:10: error[T007]: this is not YAML: this `]` closes nothing
          help: remove it; if it is text, put it in quotes

        "text: note: this\n"
        a.yaml:1:11: error[T007]: this is not YAML: a second `:` stands on this line
          1:5: the first one
          help: put the text in quotes

        "a: *bold* text\n"
        a.yaml:1:4: error[T008]: nothing before this is named `&bold*`
          help: an alias repeats a value that is named before it; if it is text, put it in quotes

        "a: &x 1\n*x: 2\n"
        a.yaml:2:1: error[T007]: this is not YAML: the `:` belongs to the name of this alias
          help: write `*name : value`, with a space before the `:`

        "a: @home\n"
        a.yaml:1:4: error[T007]: this is not YAML: a text cannot begin with `@`
          help: put the text in quotes

        "a: `code`\n"
        a.yaml:1:4: error[T007]: this is not YAML: a text cannot begin with a backtick
          help: put the text in quotes

        "a: %x\n"
        a.yaml:1:4: error[T007]: this is not YAML: a text cannot begin with `%`
          help: put the text in quotes

        "%x: 1\n"
        a.yaml:1:1: error[T007]: this is not YAML: a text cannot begin with `%`
          help: put the text in quotes

        "a: & b\n"
        a.yaml:1:4: error[T007]: this is not YAML: a name must follow `&`
          help: if it is text, put it in quotes

        "a: !x!y z\n"
        a.yaml:1:4: error[T007]: this is not YAML: this tag cannot be read
          help: if it is text, put it in quotes

        "a: - b\n"
        a.yaml:1:4: error[T007]: this is not YAML: a list cannot begin behind other text
          help: begin the list on a line of its own; if it is text, put it in quotes

        "a: ? b\n"
        a.yaml:1:4: error[T007]: this is not YAML: a text cannot begin with `? `
          help: put the text in quotes

        "a: , b\n"
        a.yaml:1:4: error[T007]: this is not YAML: a value must begin here
          help: if it is text, put it in quotes

        "a: 1\n b: 2\n"
        a.yaml:2:2: error[T007]: this is not YAML: `b` is indented like text of the line above
          1:1: this line goes on there
          help: indent the keys of one map alike, or put the text in quotes

        "a:\n    b: 1\n  c: 2\n"
        a.yaml:3:3: error[T007]: this is not YAML: this line is not indented like those above
          help: indent the keys of one map alike, and what belongs to a key deeper

        "a: 1\n- b\n"
        a.yaml:2:1: error[T007]: this is not YAML: an item of a list cannot stand between keys
          help: the items of a list come right after their key, `key:`, without a value

        "- a\nb: 1\n"
        a.yaml:2:1: error[T007]: this is not YAML: an item (`- `) must begin here, like those above
          help: items of one list are indented alike; what belongs to an item, deeper

        "  a: 1\nb: 2\n"
        a.yaml:2:1: error[T007]: this is not YAML: this does not belong to what the text began with
          help: is the first line indented deeper than this one, or no `key: value`?

        "a: |x\n  t\n"
        a.yaml:1:4: error[T007]: this is not YAML: nothing can follow this sign on its line
          help: begin the text on the next line, indented; or put it in quotes

        "a: text # c\n  more\n"
        a.yaml:1:9: error[T007]: this is not YAML: a comment stands in the middle of a text
          help: move the comment away; if it is text, put all of it in quotes

        "a: b\nc\nd: e\n"
        a.yaml:2:1: error[T007]: this is not YAML: `c` is no `key: value`
          help: add the `:`; a text that goes on from the line above is indented deeper

        "a: \"b\"#c\n"
        a.yaml:1:7: error[T007]: this is not YAML: a space is missing before `#`
          help: add one for a comment; if it is text, use quotes

        "a: [\nb\n]\n"
        a.yaml:2:1: error[T007]: this is not YAML: what stands in brackets is indented deeper than their key
          1:4: inside of these brackets
          help: indent it deeper, or close the bracket before it

        "a: [- b]\n"
        a.yaml:1:5: error[T007]: this is not YAML: `-` cannot stand in brackets
          help: separate items by commas; put text in quotes

        "a\0: b\n"
        a.yaml:1:2: error[T007]: this is not YAML: an invisible character (U+0000) stands here
          help: remove it

        "a: b\u{feff}c\n"
        a.yaml:1:5: error[T007]: this is not YAML: an invisible character (U+FEFF) stands here
          help: remove it

        "&a &b c\n"
        a.yaml:1:4: error[T007]: this is not YAML: this does not belong to what the text began with
          help: is the first line indented deeper than this one, or no `key: value`?

    "##]]
    .assert_eq(&out);
}
