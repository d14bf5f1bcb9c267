//! Stores of protocols that are asked by edges: in the run, and outside of it.

use expect_test::expect;
use runtime::{Answer, Options, Request};
use value::{Value, json};

use crate::driving::{Made, ontology, run, run_with};

const SPEC: &str = r#"
name: Asking
version: "1.0"
description: Writes something down and looks for it.
entry_point: note
entities:
  - { id: nobody, type: agent, label: Nobody, model: m }
  - { id: notes, type: store, label: Notes, store_type: vector, retention: session }
schemas:
  - { name: Note, fields: [{ name: id, type: string }, { name: text, type: string }] }
  - name: Asked
    fields:
      - { name: top_k, type: integer, default: 1 }
      - { name: filter, type: object, optional: true }
processes:
  - { id: note, type: step, label: Note }
  - { id: look, type: step, label: Look }
edges:
  - { type: write, from: note, to: notes, data: Note }
  - { type: flow, from: note, to: look }
  - { type: read, from: look, to: notes, query_key: wanted, query: Asked }
"#;

fn made(retention: &str) -> Made {
    ontology(&SPEC.replace("retention: session", &format!("retention: {retention}")))
}

const INPUTS: &str = r#"{"id": "a", "text": "a red cord", "wanted": "cords"}"#;

#[test]
fn a_query_is_shaped_by_its_schema_and_asks_for_the_named_value() {
    let made = made("session");
    let (log, _) = run("r", &made, INPUTS, &mut |_| None);
    expect![[r#"
        0 the run begins with {"id":"a","text":"a red cord","wanted":"cords"}
        0 note: begins
        0 note/n1: store.write notes
        0 look: begins
        0 look/n1: store.read notes, notes = [{"id":"a","text":"a red cord","score":0.169037}]
        0 look/n2: returns null
        1 the run is done with null
    "#]]
    .assert_eq(&log.trace(&made.plan));
    // What is named may be an object, whose members count first.
    let asked = INPUTS.replace(r#""cords""#, r#"{"text": "cord", "top_k": 0}"#);
    let (log, _) = run("r", &made, &asked, &mut |_| None);
    assert!(log.trace(&made.plan).contains("notes = []"));
}

#[test]
fn a_question_that_makes_no_sense_fails_the_step() {
    let made = made("session");
    let asked = INPUTS.replace(r#""cords""#, r#"{"txt": "cord"}"#);
    let (log, run) = run("r", &made, &asked, &mut |_| None);
    assert_eq!(
        run.failure().unwrap().fault.to_string(),
        "store: a query of a vector store has no `txt`: it can have `text`, `top_k`, `filter`, \
         `min_score`"
    );
    log.told(&made.plan).unwrap();
}

#[test]
fn outside_of_the_run_the_same_is_asked() {
    let made = made("persistent");
    let mut asked = Vec::new();
    let (log, _) = run("r", &made, INPUTS, &mut |pending| {
        let Request::Tool(call) = &pending.request else { return None };
        asked.push(format!("{} {}", call.tool, json::compact(&Value::from(call.args.clone()))));
        Some(Answer::Value(Value::Null))
    });
    assert_eq!(
        asked,
        [
            r#"write {"store":"notes","value":{"id":"a","text":"a red cord"}}"#,
            r#"read {"store":"notes","key":{"top_k":1,"text":"cords"}}"#,
        ]
    );
    log.told(&made.plan).unwrap();
    // A rehearsal keeps it in the run.
    let rehearsal = Options { rehearsal: true, ..Options::default() };
    let (log, _) = run_with("r", &made, INPUTS, rehearsal, &mut |_| None);
    assert!(log.trace(&made.plan).contains(r#"notes = [{"id":"a","text":"a red cord""#));
}
