//! `quipu new` makes agents that are clean, and overwrites nothing.

use crate::run::Folder;

const TEMPLATES: [&str; 3] = ["react", "self-refine", "human-approval"];

#[test]
fn every_template_is_clean() {
    let folder = Folder::new();
    for template in TEMPLATES {
        let done = folder.run(&["new", template, "--template", template]);
        assert_eq!(
            (done.code, done.stdout.as_str(), done.stderr.as_str()),
            (
                0,
                &*format!(
                    "made {template}/agent.yaml from the template {template}\n\
                     next: quipu check {template}/agent.yaml\n\
                     then: quipu run {template}/agent.yaml --model stub:high\n"
                ),
                ""
            )
        );
        let file = format!("{template}/agent.yaml");
        let done = folder.run(&["check", &file, "--strict"]);
        assert_eq!(done.code, 0, "{}", done.stderr);
        assert!(done.stderr.starts_with(&format!("{file}: ok (")), "{}", done.stderr);
        assert_eq!(folder.run(&["compile", &file]).code, 0);
        assert_eq!(folder.run(&["show", &file, "--as", "svg"]).stderr, "");
    }
}

#[test]
fn a_run_of_a_template_needs_only_what_a_person_gives() {
    let folder = Folder::new();
    for (template, given) in [
        ("react", &["question"][..]),
        ("self-refine", &["request", "audience"]),
        ("human-approval", &["sender", "message"]),
    ] {
        folder.run(&["new", template, "--template", template]);
        let graph = folder.run(&["compile", &format!("{template}/agent.yaml")]).json();
        let inputs = graph.get("declarations").and_then(|all| all.get("inputs")).unwrap();
        let from = |word: &str| -> Vec<String> {
            let inputs = inputs.as_map().unwrap().iter();
            let has = |value: &value::Value| value.get("from") == Some(&word.into());
            inputs.filter(|(_, value)| has(value)).map(|(name, _)| name.to_string()).collect()
        };
        assert_eq!(from("user"), given, "{template}");
        assert_eq!(from("assumed"), [""; 0], "{template}");
    }
}

#[test]
fn every_gate_of_a_template_says_what_decides() {
    let folder = Folder::new();
    for template in TEMPLATES {
        folder.run(&["new", template, "--template", template]);
        let done = folder.run(&["compile", &format!("{template}/agent.yaml")]);
        assert!(done.stdout.contains(r#""source": "explicit""#), "{}", done.stdout);
        assert!(!done.stdout.contains(r#""source": "polarity""#), "{}", done.stdout);
    }
}

#[test]
fn the_template_need_not_be_named() {
    let folder = Folder::new();
    let done = folder.run(&["new", "."]);
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (
            0,
            "made agent.yaml from the template self-refine\nnext: quipu check agent.yaml\n\
             then: quipu run agent.yaml --model stub:high\n"
        )
    );
    let done = folder.run(&["new", "a/b c", "--json"]);
    assert_eq!(done.code, 0);
    assert_eq!(
        value::json::compact(&done.json()),
        r#"{"ok":true,"file":"a/b c/agent.yaml","template":"self-refine"}"#
    );
    let done = folder.run(&["new", "it's"]);
    assert!(done.stdout.contains("next: quipu check 'it'\\''s/agent.yaml'\n"), "{}", done.stdout);
}

#[test]
fn nothing_is_overwritten() {
    let folder = Folder::new();
    folder.write("agent.yaml", "mine");
    let done = folder.run(&["new", ".", "--template", "react"]);
    assert_eq!(
        (done.code, done.stdout.as_str(), done.stderr.as_str()),
        (2, "", "error: `agent.yaml` is already there; nothing was changed\n")
    );
    assert_eq!(std::fs::read_to_string(folder.path().join("agent.yaml")).unwrap(), "mine");
}

#[test]
fn what_cannot_be_made_is_said() {
    let folder = Folder::new();
    folder.write("file", "");
    let done = folder.run(&["new", "file"]);
    assert_eq!((done.code, done.stdout.as_str()), (2, ""));
    assert!(done.stderr.starts_with("error: cannot make the folder `file`: "), "{}", done.stderr);
    let done = folder.run(&["new", "x", "--template", "rect"]);
    assert_eq!((done.code, done.stdout.as_str()), (2, ""));
    assert!(done.stderr.contains("'react'"), "{}", done.stderr);
    assert!(!folder.path().join("x").exists());
}
