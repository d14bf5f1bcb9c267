use diagnostics::{Diagnostic, Source};
use graph::draft::Draft;
use value::Value;

/// The draft of a program, and the codes of what is found.
fn read(text: &str) -> (Draft, Vec<Diagnostic>) {
    let reading = crate::ainl::read(&Source::new("a.ainl", text), &crate::Given::default());
    (reading.draft.unwrap(), reading.findings)
}

fn codes(text: &str) -> Vec<&'static str> {
    read(text).1.iter().map(|found| found.code.id).collect()
}

fn shown(draft: &Draft, member: &str) -> String {
    draft.extra.get(member).map(value::json::compact).unwrap_or_default()
}

#[test]
fn rows_put_words_where_they_say() {
    for (text, member, expected) in [
        ("S shop web", "services", r#"{"shop":{"mode":"web","path":"","eps":{},"ui":{}}}"#),
        (
            "U Page a b\nT x:S",
            "services",
            r#"{"fe":{"ui":{"Page":["a","b"]},"states":{"Page":[["x","S"]]}}}"#,
        ),
        (
            "Bind Page /a P ->x",
            "services",
            r#"{"fe":{"bindings":{"Page":[{"path":"/a","method":"P","var":"x"}]}}}"#,
        ),
        ("Lim /a 5\nLim tenant 9", "limits", r#"{"per_path":{"/a":"5"},"per_tenant":"9"}"#),
        (
            "Allow boss /a\nAllow boss Page",
            "allow",
            r#"[{"role":"boss","path":"/a","method":"G"},{"role":"boss","ui":"Page"}]"#,
        ),
        (
            "Desc /a \"one two\"\nDesc T three",
            "desc",
            r#"{"endpoints":{"/a":"one two"},"types":{"T":"three"}}"#,
        ),
        ("Env A\nops.Env B required", "config", r#"{"env":{"A":"","B":"required"}}"#),
        (
            "D T a:A[S]? b:I!",
            "types",
            r#"{"T":{"fields":{"a":"A[S]","b":"I"},"optional":["a"],"required":["b"]}}"#,
        ),
    ] {
        let (draft, findings) = read(text);
        assert_eq!(shown(&draft, member), expected, "{text}");
        assert!(findings.is_empty(), "{text}: {findings:?}");
    }
}

#[test]
fn endpoints_and_crons_are_the_graphs() {
    let (draft, _) = read(
        "Ver 1.1.0\nE /a g ->L1 ->x A[S] \"all of them\"\nCr L1 */5 * * * *\nL1:\n  Set x 1\n  J x\n",
    );
    assert_eq!(draft.ir_version.as_deref(), Some("1.1.0"));
    let endpoint = &draft.endpoints[0];
    assert_eq!((&*endpoint.method, endpoint.label.as_deref()), ("G", Some("1")));
    let members = Value::Map(endpoint.members.clone());
    let expected = concat!(
        r#"{"method":"G","label_id":"1","return_var":"x","tgt":"->L1","#,
        r#""return_type":"A[S]","description":"all of them"}"#
    );
    assert_eq!(value::json::compact(&members), expected);
    assert_eq!(value::json::compact(&draft.crons[0]), r#"{"label":"L1","expr":"*/5 * * * *"}"#);
    assert!(draft.crons.len() == 1 && draft.extra.get("crons").is_none());
}

#[test]
fn capabilities_are_always_there() {
    let (draft, _) = read("A jwt Authorization\n");
    let expected = concat!(
        r#"{"auth":{"kind":"jwt","arg":"Authorization","extra":""},"#,
        r#""policy":{},"cache":{},"queue":{},"txn":{}}"#
    );
    assert_eq!(value::json::compact(&draft.capabilities.into()), expected);
    assert_eq!(shown(&read("L1:\n").0, "services"), "");
}

#[test]
fn what_is_wrong_is_found_once() {
    for (text, expected) in [
        ("ops.Nope 1", "N202"),
        ("arch.Plan", "N202"),
        ("foo.Bar 1", "N201"),
        ("S hybrid langgraph foo", "N203"),
        ("E /u G L1\nL1:\n  J \"x\"", "N204"),
        ("Q a 1\nQ a 2", "N205"),
        ("S a web\nS a cron", "N205"),
        ("D T a:S?\nD T a:S", "N205"),
        ("E /u G ->L1\nE /u g ->L2", "N205"),
        ("Pol p auth", "N206"),
        ("D T name", "N206"),
        ("T x:S", "N207"),
        ("Rel T has U id", "N207"),
        ("Inc a.ainl", "N208"),
        ("Txn t db readwrite more", "N104"),
        ("E /u G ->L1 ->x S \"d\" more", "N104"),
        ("Bind Page /a x", "N109"),
        ("Lim /a", "N103"),
        ("L1:\n  R core.ADD 1 2 ->a\n  Err @n1\n  J a", "N103"),
        ("L1:\n  core.ADD 1 2 ->a", "N102"),
    ] {
        assert_eq!(codes(text), [expected], "{text}");
    }
    assert!(
        codes("Q a 1\nQ a 1\nD T a:S\nRel T has U id\nIdx T a\nS core web\nE /u G ->L1").is_empty()
    );
}

#[test]
fn targets_follow_from_what_is_declared() {
    for (text, expected) in [
        ("", "python_api"),
        ("L1:\n  J \"x\"", "python_api"),
        ("S core cron \"* * * * *\"\nL1:\n  J \"x\"", "cron python_api"),
        ("Cr L1 * * * * *\nL1:\n  J \"x\"", "cron"),
        ("D T a:S\nCr L1 * * * * *", "prisma cron"),
        ("U Page\nE /a G ->L1", "react_ts python_api"),
        ("L1:\n  R mt5.BUY x\n  J \"x\"", "mt5"),
        ("S hybrid temporal langgraph", "langgraph temporal"),
    ] {
        let (draft, _) = read(text);
        assert_eq!(draft.emit_targets.unwrap().join(" "), expected, "{text}");
    }
}

#[test]
fn every_row_says_how_it_is_written() {
    for row in super::DECLARES {
        let usage = super::table::usage(row);
        let needed = usage.split(' ').skip(1).filter(|word| !word.starts_with('[')).count();
        assert!(needed + 1 >= row.least, "`{usage}` shows fewer than {} words", row.least);
        assert!(usage.starts_with(row.word), "{usage}");
    }
    let aliases: std::collections::BTreeSet<&str> = super::words().collect();
    let distinct = super::DECLARES
        .iter()
        .map(|row| (row.word, row.alias))
        .collect::<std::collections::BTreeSet<_>>();
    let with_alias = distinct.iter().filter(|(_, alias)| !alias.is_empty()).count();
    assert_eq!(aliases.len(), distinct.len() + with_alias);
}

#[test]
fn what_the_graph_finds_is_shown_at_the_line() {
    let text = "S core web /\nE /u G ->L5\nCr L7 * * * * *\nL1:\n  J \"x\"\n";
    let mut reading = crate::ainl::read(&Source::new("a.ainl", text), &crate::Given::default());
    let graph = graph::normalize(reading.draft.unwrap(), &mut reading.findings);
    let mut found = graph::validate::validate(&graph, graph::validate::Edges::Strict);
    reading.origins.trace(&mut found);
    let mut places: Vec<&str> = found.iter().map(|found| &text[found.at.span().range()]).collect();
    places.sort_unstable();
    assert_eq!(places, ["Cr L7 * * * * *", "E /u G ->L5"]);
}
