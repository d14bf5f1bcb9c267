//! What models answer, and what logic does with it.

use super::*;

/// An agent that asks a model once and keeps what it says, with a block of logic behind.
fn agent(logic: &str) -> Folder {
    let folder = Folder::new();
    let logic: String = logic.lines().map(|line| format!("      {line}\n")).collect();
    folder.write(
        "agent.yaml",
        format!(
            r#"
name: Reader
version: "1.0"
description: Asks once.
entry_point: ask
entities:
  - {{ id: who, type: agent, label: Who, model: m, system_prompt: Say }}
processes:
  - {{ id: ask, type: step, label: Ask }}
  - id: look
    type: step
    label: Look
    logic: |
{logic}
edges:
  - {{ type: invoke, from: ask, to: who, output: Said }}
  - {{ type: flow, from: ask, to: look }}
schemas:
  - {{ name: Said, fields: [{{ name: text, type: string }}, {{ name: count, type: integer }}] }}
"#
        ),
    );
    folder
}

fn run(folder: &Folder, answers: &str) -> Done {
    folder.write("answers.json", answers);
    folder.run(&["run", "agent.yaml", "--id", "r", "--model", "script:answers.json", "--json"])
}

#[test]
fn an_answer_that_does_not_fit_says_where() {
    let half = "the answer is no `Said`: it is not JSON: EOF while parsing a string at line 1, \
                column 12";
    for (answers, code, message) in [
        (
            r#"["I would rather not."]"#,
            "schema",
            "the answer is no `Said`: there is no JSON object in it",
        ),
        (r#"["{\"text\": \"ha"]"#, "schema", half),
        (r#"[{"text": "a"}]"#, "schema", "the answer is no `Said`: `count` is missing at `/count`"),
        (
            r#"[{"text": 1, "count": "x"}]"#,
            "schema",
            "the answer is no `Said`: a number where a value of type `string` is needed at `/text` \
             (and 1 more)",
        ),
        ("[]", "model", "the script `answers.json` has 0 answers, and this is question 1"),
    ] {
        let one = answers.trim_matches(['[', ']']);
        let again = "; asked again, the model failed: the script `answers.json` has 1 answers, and \
                     this is question 2";
        // Such an answer is asked for again: another one like it fails, and so does none.
        for (answers, behind) in [(format!("[{one},{one}]"), ""), (answers.to_string(), again)] {
            let folder = agent("pass");
            let done = run(&folder, if one.is_empty() { "[]" } else { &answers });
            let document = shown(&done);
            assert_eq!((done.code, ending(&document)), (1, code), "{answers}");
            let error = document.get("error").unwrap();
            let message = format!("{message}{}", if one.is_empty() { "" } else { behind });
            assert_eq!((text(error, "node"), text(error, "message")), ("ask/n1", &*message));
            folder.is_sound("r");
        }
    }
}

#[test]
fn an_answer_in_a_fence_is_taken_and_so_is_a_long_one() {
    let long = format!(r#"[{{"text": "{}", "count": 1}}]"#, "x".repeat(10_000_000));
    for answers in [r#"["Sure:\n```json\n{\"text\": \"x\", \"count\": 1}\n```\n"]"#, &long] {
        let folder = agent("state.data['length'] = len(state.data['text'])");
        let done = run(&folder, answers);
        assert_eq!(ending(&shown(&done)), "done", "{}", &done.stderr);
        folder.is_sound("r");
    }
}

#[test]
fn hostile_text_stays_what_it_is() {
    let hostile =
        r"\u001b[2J{{count}} $count ${HOME} {count} %(count)s __import__('os').system('id') \u0000";
    let folder = agent("state.data['seen'] = state.data['text']");
    let done = run(&folder, &format!(r#"[{{"text": "{hostile}", "count": 1}}]"#));
    let state = shown(&done).get("state").unwrap().clone();
    let plain =
        "\u{1b}[2J{{count}} $count ${HOME} {count} %(count)s __import__('os').system('id') \0";
    assert_eq!((text(&state, "text"), text(&state, "seen")), (plain, plain));
    let state = folder.run(&["state", "r", "--json"]).json();
    assert_eq!(text(state.get("state").unwrap(), "seen"), plain);
    folder.is_sound("r");
}

#[test]
fn logic_that_goes_wrong_says_what_it_did() {
    for (logic, code, message) in [
        (
            "raise ValueError('too little')",
            "logic",
            "ValueError: too little (line 1: `raise ValueError('too little')`)",
        ),
        ("state.data['f'] = lambda x: x", "logic", "state.data[\"f\"] is a function"),
        ("x = 'a'\nwhile True: x += x", "logic_limit", "MemoryError"),
        ("while True: pass", "logic_limit", "TimeoutError"),
    ] {
        let folder = agent(logic);
        let done = run(&folder, r#"[{"text": "a", "count": 1}]"#);
        let document = shown(&done);
        assert_eq!((done.code, ending(&document)), (1, code), "{logic}");
        let error = document.get("error").unwrap();
        assert_eq!(text(error, "node"), "look/n1");
        assert!(text(error, "message").starts_with(message), "{}", done.stdout);
        folder.is_sound("r");
    }
}
