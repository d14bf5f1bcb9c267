//! Programs that the reference compiled and ran come to the same here. They are in the corpus that
//! `QUIPU_CORPUS` names; without it the test says so and passes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use value::{Map, Value, json};

use crate::run::Folder;

/// Where a run comes to something else on purpose: what it comes to here, and why.
const DEVIATIONS: &[(&str, &str, &str)] = &[
    ("adjacent", "done null", "a name that nothing has written holds null, and not its own text"),
    ("call_bad_bind", "done null", "a name that nothing has written holds null"),
    ("err_at_node", "an error with code `missing`", "`_error` has the code beside the message"),
    ("filt_single_eq", "done [{\"a\":2}]", "`=` compares, as it is documented to"),
    ("j_label", "done null", "`L2` is read, and nothing has written it: `J` is no jump"),
    ("quoted_shadow", "done \"name\"", "quoted text stays text (J 2)"),
    ("sort_desc", SORTED, "what has no field comes last, whichever way the rest is sorted"),
    ("callee_fail_err_caller", "an error with code `missing`", "the call's own guard (J 4)"),
    ("call_missing", "refused", "a label that is not there is an error (J 16)"),
    ("undef_target", "refused", "a label that is not there is an error (J 16)"),
    ("endpoint_missing", "refused", "a label that is not there is an error (J 16)"),
    ("line_filter_foreach", "refused", "a program without a step cannot run"),
    ("bare_num_label", "refused", "a program without a step cannot run"),
    ("x_unknown_alone", "failed missing", "an error that says what is wrong (J 6)"),
];

const SORTED: &str = "done [{\"a\":\"z\"},{\"a\":3},{\"a\":1},{\"b\":2}]";

/// Programs whose result is a moment: both give a number.
const MOMENTS: &[&str] = &["compact_cron"];

/// What a failure of the reference is called here.
const CODES: &[(&str, &str)] =
    &[("RUNTIME_MAX_DEPTH", "depth_exceeded"), ("RUNTIME_WHILE_LIMIT", "turns_exceeded")];

/// A failure that the reference names only in its message.
const MESSAGES: &[(&str, &str)] = &[("POLICY_VIOLATION[", "denied")];

#[test]
fn compiled_programs_come_to_what_the_reference_says() {
    let Some(corpus) = std::env::var_os("QUIPU_CORPUS") else {
        eprintln!("skipped: QUIPU_CORPUS is not set");
        return;
    };
    let corpus = PathBuf::from(corpus).join("ainl");
    let files = std::fs::read_dir(corpus).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|it| it == "json")).collect();
    files.sort();
    let folder = Folder::new();
    let mut listed: BTreeMap<&str, (&str, &str)> =
        DEVIATIONS.iter().map(|(name, own, why)| (*name, (*own, *why))).collect();
    let mut wrong = Vec::new();
    let mut same = 0;
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap().to_string();
        let case = json::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let Some(ran) = case.get("run").and_then(|run| run.get("graph-preferred")) else {
            continue;
        };
        let own = came_to(&folder, &case, ran);
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

/// What a compiled program comes to here.
fn came_to(folder: &Folder, case: &Value, ran: &Value) -> String {
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
    folder.write("graph.json", json::compact(&Value::from(document)));
    let done = folder.run(&["run", "graph.json", "--json"]);
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
