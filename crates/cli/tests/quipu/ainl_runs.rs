//! Programs that the reference compiled and ran come to the same here, from their source and from
//! what the reference made of it; and strict mode says of them what the reference says, or there is
//! a reason. They are in the corpus that `QUIPU_CORPUS` names; without it the tests say so and pass.
#![expect(clippy::print_stderr, reason = "a test that skips says so")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use value::{Map, Value, json};

use crate::run::Folder;

/// A program that comes to something else on purpose: its name, what it comes to here, and why.
type Deviation = (&'static str, &'static str, &'static str);

const OF_BOTH: &[Deviation] = &[
    ("err_at_node", "an error with code `missing`", "`_error` has the code beside the message"),
    ("filt_single_eq", "done [{\"a\":2}]", "`=` compares, as it is documented to (J 18)"),
    ("quoted_shadow", "done \"name\"", "quoted text stays text (J 2)"),
    ("callee_fail_err_caller", "an error with code `missing`", "the call's own guard (J 4)"),
    ("call_missing", "refused", "a label that is not there is an error (J 16)"),
    ("undef_target", "refused", "a label that is not there is an error (J 16)"),
    ("endpoint_missing", "refused", "a label that is not there is an error (J 16)"),
    ("line_filter_foreach", "refused", "a label without a step is an error (J 7)"),
    ("x_unknown_alone", "failed missing", "an error that says what is wrong (J 6)"),
];

const OF_SOURCES: &[Deviation] = &[
    ("bare_num_label", "done 3", "steps in no label run where there is nothing else (J 16)"),
    ("compact_if", "done \"nomatch\"", "comparisons compare (J 1)"),
];

const OF_DOCUMENTS: &[Deviation] = &[
    ("adjacent", "done null", "a document's `reads` say that it is a variable: it holds null"),
    ("call_bad_bind", "done null", "a document's `reads` say that it is a variable"),
    ("j_label", "done null", "a document's `reads` say that `L2` is a variable"),
    ("bare_num_label", "refused", "the label it ran is not there (J 16)"),
];

/// Programs whose result is a moment: both give a number.
const MOMENTS: &[&str] = &["compact_cron"];

/// What a failure of the reference is called here.
const CODES: &[(&str, &str)] =
    &[("RUNTIME_MAX_DEPTH", "depth_exceeded"), ("RUNTIME_WHILE_LIMIT", "turns_exceeded")];

/// A failure that the reference names only in its message.
const MESSAGES: &[(&str, &str)] = &[("POLICY_VIOLATION[", "denied")];

#[test]
fn programs_come_to_what_the_reference_says() {
    compare(OF_SOURCES, |folder, case, _| {
        folder.write("program.ainl", case.get("source").unwrap().as_text().unwrap().as_bytes());
        "program.ainl"
    });
}

#[test]
fn compiled_programs_come_to_what_the_reference_says() {
    compare(OF_DOCUMENTS, |folder, case, ran| {
        folder.write("graph.json", json::compact(&document(case, ran)));
        "graph.json"
    });
}

/// Every case of the corpus, with its name.
fn cases() -> Vec<(String, Value)> {
    let Some(corpus) = std::env::var_os("QUIPU_CORPUS") else {
        eprintln!("skipped: QUIPU_CORPUS is not set");
        return Vec::new();
    };
    let corpus = PathBuf::from(corpus).join("ainl");
    let files = std::fs::read_dir(corpus).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|it| it == "json")).collect();
    files.sort();
    let read = |file: PathBuf| {
        let name = file.file_stem().unwrap().to_str().unwrap().to_string();
        (name, json::parse(&std::fs::read_to_string(&file).unwrap()).unwrap())
    };
    files.into_iter().map(read).collect()
}

fn compare(
    deviations: &'static [Deviation],
    write: impl Fn(&Folder, &Value, &Value) -> &'static str,
) {
    let cases = cases();
    if cases.is_empty() {
        return;
    }
    let folder = Folder::new();
    let listed = OF_BOTH.iter().chain(deviations);
    let mut listed: BTreeMap<&str, (&str, &str)> =
        listed.map(|(name, own, why)| (*name, (*own, *why))).collect();
    let mut wrong = Vec::new();
    let mut same = 0;
    for (name, case) in cases {
        let Some(ran) = case.get("run").and_then(|run| run.get("graph-preferred")) else {
            continue;
        };
        let file = write(&folder, &case, ran);
        let own = came_to(&folder, file);
        let theirs = theirs(ran);
        let is_moment = |done: &str| {
            done.strip_prefix("done ").is_some_and(|result| result.parse::<f64>().is_ok())
        };
        if MOMENTS.contains(&&*name) && is_moment(&own) && is_moment(&theirs) {
            same += 1;
            continue;
        }
        match listed.remove(&*name) {
            Some((wanted, _)) if own == wanted && own != theirs => {}
            None if own == theirs => same += 1,
            other => wrong.push(format!("{name}: {own}, reference {theirs}, listed {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(listed.is_empty(), "no such cases: {listed:?}");
    assert!(same >= 20, "only {same} come to the same");
}

/// Where strict mode says something else than the reference: whether it finds errors here, and why.
const VERDICTS: &[(&str, &[&str], &str)] = &[
    ("bare_num_label", &["N102", "N105"], "a line that means nothing is told (J 7)"),
    ("callee_fail_err_caller", &["N110"], "arguments of calls are read (J 8)"),
    ("decls", &["N103", "N208"], "a comment ate a value, and `Inc` includes nothing (J 7)"),
    ("err_at_node", &["N110"], "arguments of calls are read (J 8)"),
    ("err_callee_effects", &[], "a handler may do what its caller does not"),
    ("j_label", &["A121"], "`J` does not jump (J 19)"),
    ("loop_item_read", &[], "the item of a loop is written (J 8)"),
    ("may_defined", &["A116"], "one way to it does not write the name (J 9)"),
    ("recursion", &["A114"], "it never ends"),
    ("retry_exp", &["N110"], "arguments of calls are read (J 8)"),
    ("x_unknown_alone", &["G419"], "there is no such function (J 7)"),
];

#[test]
fn strict_mode_says_what_the_reference_says() {
    let folder = Folder::new();
    let mut wrong = Vec::new();
    for (name, case) in cases() {
        folder.write("program.ainl", case.get("source").unwrap().as_text().unwrap().as_bytes());
        let done = folder.run(&["check", "program.ainl", "--strict", "--json"]).json();
        let file = &done.get("files").unwrap().as_list().unwrap()[0];
        let mut codes: Vec<String> = Vec::new();
        for found in file.get("diagnostics").unwrap().as_list().unwrap() {
            let code = found.get("code").unwrap().as_text().unwrap().to_string();
            let is_error = found.get("severity") == Some(&Value::text("error"));
            if is_error && !codes.contains(&code) {
                codes.push(code);
            }
        }
        codes.sort();
        let strict = case.get("strict").unwrap();
        let theirs = !strict.get("errors").unwrap().as_list().unwrap().is_empty();
        let listed = VERDICTS.iter().find(|(listed, ..)| *listed == name);
        let is_right = match listed {
            Some((_, wanted, _)) => codes == *wanted && codes.is_empty() == theirs,
            None => codes.is_empty() != theirs,
        };
        if !is_right {
            wrong.push(format!("{name}: {codes:?}, reference {theirs}, listed {listed:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the reference compiled, to be begun where it began.
fn document(case: &Value, ran: &Value) -> Value {
    let mut document = Map::default();
    for member in ["labels", "capabilities", "services", "types", "crons"] {
        if let Some(value) = case.get(member) {
            document.insert(member.into(), value.clone());
        }
    }
    if let Some(label) = ran.get("label") {
        let policy = [("entry", label.clone()), ("unknown_op_policy", "skip".into())];
        document.insert("runtime_policy".into(), Value::map(policy));
    }
    document.into()
}

/// What a program comes to here.
fn came_to(folder: &Folder, file: &str) -> String {
    let done = folder.run(&["run", file, "--json"]);
    let Ok(told) = json::parse(&done.stdout) else { return "refused".into() };
    match (told.get("error"), told.get("result")) {
        (Some(error), _) if *error != Value::Null => {
            let code = error.get("code").and_then(Value::as_text);
            format!("failed {}", code.map_or("", |code| code))
        }
        (_, Some(result)) => match result.get("code").and_then(Value::as_text) {
            Some(code) => format!("an error with code `{code}`"),
            None => format!("done {}", json::canonical(result)),
        },
        _ => "refused".into(),
    }
}

fn theirs(ran: &Value) -> String {
    if ran.get("ok") == Some(&Value::Bool(true)) {
        return format!("done {}", json::canonical(ran.get("result").unwrap()));
    }
    let code = ran.get("error").and_then(|error| error.get("code")?.as_text());
    let code = code.map_or("", |code| code);
    let message = ran.get("error").and_then(|error| error.get("message")?.as_text());
    let named = |(part, _): &&(&str, &str)| message.is_some_and(|message| message.contains(part));
    if let Some((_, own)) = MESSAGES.iter().find(named) {
        return format!("failed {own}");
    }
    let own = CODES.iter().find(|(theirs, _)| *theirs == code);
    format!("failed {}", own.map_or(code, |(_, own)| own))
}
