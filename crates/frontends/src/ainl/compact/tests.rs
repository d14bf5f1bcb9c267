use diagnostics::{Diagnostic, Source};
use graph::draft::Draft;

use crate::ainl;

fn read(text: &str) -> (Draft, Vec<Diagnostic>) {
    let reading = ainl::read(&Source::new("a.ainl", text), &crate::Given::default());
    (reading.draft.unwrap(), reading.findings)
}

/// The labels as lines of ops: the words of each step as `data` says them.
fn shown(text: &str) -> String {
    let (draft, findings) = read(text);
    assert!(findings.is_empty(), "{text}: {findings:?}");
    let mut shown = String::new();
    for (id, label) in draft.labels.iter() {
        shown.push_str(&format!("{id}:"));
        for node in &label.nodes {
            let data = node.data.as_deref().unwrap();
            let skipped = ["op", "lineno", "src", "req_op", "entity", "fields"];
            let slots = data.iter().filter(|(name, _)| !skipped.contains(&&***name));
            let words = slots.map(|(_, value)| match value {
                value::Value::Text(text) => text.to_string(),
                value::Value::List(items) => items
                    .iter()
                    .map(|item| item.as_text().unwrap().to_string())
                    .collect::<Vec<_>>()
                    .join(" "),
                other => value::json::compact(other),
            });
            let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
            let op = node.op.as_deref().unwrap();
            shown.push_str(&format!(" {op} {};", words.join(" ")));
        }
        shown.push('\n');
    }
    shown
}

fn codes(text: &str) -> Vec<&'static str> {
    read(text).1.iter().map(|found| found.code.id).collect()
}

#[test]
fn a_condition_is_computed_and_what_follows_is_a_label() {
    assert_eq!(
        shown("g:\n  in: a\n  if a >= 3:\n    out \"many\"\n  out \"few\"\n"),
        "_entry: Set a $a; X _cmp_c_cmp_3 core.gte a 3; If _cmp_c_cmp_3 _c_then_1 _c_cont_2;\n\
         _c_then_1: Set _out many; J _out;\n\
         _c_cont_2: Set _out few; J _out;\n"
    );
    // Without spaces, with tabs, and with the line ends of Windows.
    assert_eq!(
        shown("g:\r\n\tin: a,b\r\n\tif a!=b:\r\n\t\tout 1\r\n\r\n\t# no\r\n\tout 2 # yes\r\n"),
        "_entry: Set a $a; Set b $b; X _cmp_c_cmp_3 core.neq a b; If _cmp_c_cmp_3 _c_then_1 _c_cont_2;\n\
         _c_then_1: Set _out 1; J _out;\n\
         _c_cont_2: Set _out 2; J _out;\n"
    );
}

#[test]
fn a_block_that_does_not_return_goes_on_behind_it() {
    assert_eq!(
        shown("g:\n  in: a\n  b = 1\n  if a:\n    b = 2\n    if b:\n      b = 3\n  out b\n"),
        "_entry: Set a $a; Set b 1; If a _c_then_1 _c_cont_2;\n\
         _c_then_1: Set b 2; If b _c_then_3 _c_cont_2;\n\
         _c_then_3: Set b 3; If true _c_cont_2 _c_cont_2;\n\
         _c_cont_2: Set _out b; J _out;\n"
    );
    // Nothing follows: then there is nothing to go to.
    assert_eq!(
        shown("g:\n  in: a\n  if a:\n    out a\n"),
        "_entry: Set a $a; If a _c_then_1 null;\n_c_then_1: Set _out a; J _out;\n"
    );
}

#[test]
fn otherwise_has_labels_too() {
    assert_eq!(
        shown(
            "g:\n  in: a\n  if a == 1:\n    b = 1\n  elif not a:\n    b = 2\n  else:\n    b = 3\n  out b\n"
        ),
        "_entry: Set a $a; X _cmp_c_cmp_3 core.eq a 1; If _cmp_c_cmp_3 _c_then_1 _c_else_4;\n\
         _c_then_1: Set b 1; If true _c_cont_2 _c_cont_2;\n\
         _c_else_4: X _cmp_c_cmp_6 core.not a; If _cmp_c_cmp_6 _c_then_5 _c_else_7;\n\
         _c_then_5: Set b 2; If true _c_cont_2 _c_cont_2;\n\
         _c_else_7: Set b 3; If true _c_cont_2 _c_cont_2;\n\
         _c_cont_2: Set _out b; J _out;\n"
    );
}

#[test]
fn conditions_are_joined() {
    assert_eq!(
        shown("g:\n  in: a b\n  c = a<1 and not b or b == \"x or y\"\n  out c\n"),
        "_entry: Set a $a; Set b $b; X _cmp_c_cmp_1 core.lt a 1; X _cmp_c_cmp_2 core.not b; \
         X _cmp_c_cmp_3 core.and _cmp_c_cmp_1 _cmp_c_cmp_2; X _cmp_c_cmp_4 core.eq b x or y; \
         X c core.or _cmp_c_cmp_3 _cmp_c_cmp_4; Set _out c; J _out;\n"
    );
}

#[test]
fn statements_are_lines_of_ops() {
    for (statement, expected) in [
        ("v = core.ADD 1 2", "R core.ADD 1 2 v;"),
        ("Lv=core.ADD 1 2", "R core.ADD 1 2 _Lv; Set Lv _Lv;"),
        ("core.NOOP \"x\"", "R core.NOOP x _;"),
        ("core.NOOP \"x\" ->v", "R core.NOOP x v;"),
        ("v= \"a = b\"", "Set v a = b;"),
        ("v =3", "Set v 3;"),
        ("v = 2 + 3", "X v core.add 2 3;"),
        ("out", "Set _out done; J _out;"),
        ("out core.NOW", "R core.NOW _out; J _out;"),
        ("err \"too late\"", "R core.FAIL too late _;"),
        ("err too late", "R core.FAIL too late _;"),
        ("call g", "Call _entry;"),
        ("v = call g", "Call _entry v;"),
        ("call other ->v", "Call _other v;"),
        ("Set v 3", "Set v 3;"),
        ("Retry 2", "Retry 2 0;"),
    ] {
        assert_eq!(shown(&format!("g:\n  {statement}\n")), format!("_entry: {expected}\n"));
    }
}

#[test]
fn headers_and_fields_declare() {
    let text = "a @cron \"0 9 * * *\":\n  config k:S\n  config l:I\n  out 1\nb @cron \"1 * * * *\":\n  out 2\n";
    let (draft, findings) = read(text);
    assert!(findings.is_empty(), "{findings:?}");
    let of = |name: &str| value::json::compact(draft.extra.get(name).unwrap());
    assert_eq!(of("types"), r#"{"Config":{"fields":{"k":"S","l":"I"}}}"#);
    assert_eq!(of("services"), r#"{"core":{"mode":"cron","path":"0 9 * * *","eps":{},"ui":{}}}"#);
    assert_eq!(value::json::compact(&draft.crons[0]), r#"{"label":"L_b","expr":"1 * * * *"}"#);
    let ids: Vec<_> = draft.labels.keys().map(|id| &**id).collect();
    assert_eq!(ids, ["_entry", "_b"]);
}

#[test]
fn what_is_wrong_is_found_where_it_stands() {
    for (text, code, at) in [
        ("g:\n  hello there\n  out 1\n", "N251", "hello"),
        ("g:\n  a = 1\n    b = 2\n  out 1\n", "N252", "b = 2"),
        ("g:\n  if true:\n      a = 1\n    b = 2\n  out 1\n", "N252", "b = 2"),
        ("g:\n  if true:\n  out 1\n", "N253", "if true:"),
        ("g @daily \"x\":\n  out 1\n", "N254", "@daily"),
        ("g @cron:\n  out 1\n", "N254", "@cron"),
        ("g:\n  if true\n    out 1\n  out 2\n", "N254", "if true"),
        ("g:\n  in: a\n  if a = 1:\n    out 1\n  out 2\n", "N255", "="),
        ("g:\n  in: a\n  if (a):\n    out 1\n  out 2\n", "N255", "(a)"),
        ("g:\n  v = 1 + 2 + 3\n  out 1\n", "N256", "1 + 2 + 3"),
        ("g:\n  v =\n  out v\n", "N256", "v ="),
        ("g:\n  2v = 1\n  out 1\n", "N257", "2v"),
        ("g:\n  in:\n  out 1\n", "N257", "in:"),
        ("g:\n  call\n  out 1\n", "N257", "call"),
        ("g:\n  else:\n    out 1\n  out 2\n", "N258", "else:"),
        ("g:\n  for a in b:\n    core.NOOP 1\n  out 2\n", "N251", "for"),
        ("g:\n  a.b = 2\n  out 2\n", "N257", "a.b"),
        ("g:\n  if true:\n    out 1\n  else:\n    out 2\n  else:\n    out 3\n", "N258", "else:"),
        ("g:\n  out wrod\n", "N110", "wrod"),
    ] {
        let (_, findings) = read(text);
        let [found] = &findings[..] else { panic!("{text}: {findings:?}") };
        assert_eq!(found.code.id, code, "{text}: {}", found.message);
        let span = found.at.span();
        assert_eq!(&text[span.range()], at, "{text}");
    }
}

#[test]
fn only_a_header_makes_it_compact() {
    for (text, is_compact) in [
        ("g:\n", true),
        ("\n# hi\n  g @api \"/p\":\n", true),
        ("L1:\n", false),
        ("Lead:\n", false),
        ("1:\n", false),
        ("S core web\n", false),
        ("Set:\n", false),
        ("", false),
    ] {
        assert_eq!(super::is_compact(text), is_compact, "{text}");
    }
    assert_eq!(codes("\u{feff}L1:\n  R core.NOW\n  J res\n"), [""; 0]);
}
