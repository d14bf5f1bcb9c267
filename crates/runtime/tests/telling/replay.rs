use expect_test::expect;
use runtime::Replay;

use crate::driving::{Lines, Log, Made, plainly, run, sketch};

fn replayed(made: &Made, log: &Log) -> runtime::Replayed {
    let mut replay = Replay::new(made.plan.clone());
    for (seq, event) in (0..).zip(&log.events) {
        replay.take(seq, event, &log.fact(event), &mut Lines);
    }
    replay.finish()
}

const GRAPH: &str = "main
  R adapter=logic.PYTHON target=\"x = 2\"
  If cond=\"x > 1\" then>@call
call
  R adapter=tool.CALL target=t out=y
  R adapter=tool.CALL target=u out=z
";

#[test]
fn a_history_runs_again_to_the_same_events() {
    let made = sketch(GRAPH);
    let (log, _) = run("r", &made, "{}", &mut plainly);
    let replayed = replayed(&made, &log);
    assert_eq!(replayed.events, log.events.len() as u64);
    assert!(replayed.first_difference.is_none());
}

#[test]
fn another_graph_shows_the_first_difference_with_both_sides() {
    let made = sketch(GRAPH);
    let (log, _) = run("r", &made, "{}", &mut plainly);
    let other = sketch(&GRAPH.replace("target=u", "target=v"));
    let replayed = replayed(&other, &log);
    assert_eq!(replayed.events, log.events.len() as u64);
    expect![[r#"
        event 4 differs
          recorded: {"agent_id":"agent","args":{"input":""},"at":"call/n2","call_id":"c2","effect_class":"at_most_once","kind":"tool_call","requested_by":{"event_id":"9da55f2fd30be4329f0474d2edf3212e6cc0a479bbf33d7df6741e1eb4e119fd"},"run_id":"r","server":"tool","tool":"u","ts":"2023-11-14T23:03:20.000000Z"}
          derived:  {"agent_id":"agent","args":{"input":""},"at":"call/n2","call_id":"c2","effect_class":"at_most_once","kind":"tool_call","requested_by":{"event_id":"9da55f2fd30be4329f0474d2edf3212e6cc0a479bbf33d7df6741e1eb4e119fd"},"run_id":"r","server":"tool","tool":"v","ts":"2023-11-14T23:03:20.000000Z"}
    "#]].assert_eq(&replayed.first_difference.unwrap().to_string());
}

/// What was computed since the last event is not stored, but a digest of it is.
#[test]
fn logic_that_answers_otherwise_is_a_difference() {
    let made = sketch(GRAPH);
    let (log, _) = run("r", &made, "{}", &mut plainly);
    let other = sketch(&GRAPH.replace("x = 2", "x = 3"));
    let difference = replayed(&other, &log).first_difference.unwrap();
    assert_eq!(difference.seq, log.seq("tool_call", 0));
}

#[test]
fn where_the_engine_would_wait_it_says_so() {
    let made = sketch(GRAPH);
    let (log, _) = run("r", &made, "{}", &mut plainly);
    let other = sketch("main\n  Ask prompt=\"who?\"\n");
    let difference = replayed(&other, &log).first_difference.unwrap();
    expect![[r#"
        event 1 differs
          recorded: {"agent_id":"agent","args":{"input":""},"at":"call/n1","call_id":"c1","derived":"sha256:1232331bd","effect_class":"at_most_once","kind":"tool_call","requested_by":{"event_id":"140e6f36ce20a1cf8037b6c50d88f83a1df1fd3aeb21321fc6e8f2fe25fe7ef6"},"run_id":"r","server":"tool","tool":"t","ts":"2023-11-14T22:13:20.000000Z"}
          derived:  {"agent_id":"agent","at":"main/n1","kind":"question_asked","prompt":"who?","question_id":"sha256:be3d8","run_id":"r","ts":"2023-11-14T22:13:20.000000Z"}
    "#]].assert_eq(&difference.to_string());
}
