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
    let difference = replayed.first_difference.unwrap();
    assert_eq!(difference.seq, log.seq("tool_call", 1));
    assert_eq!(difference.recorded.members().get("tool"), Some(&"u".into()));
    assert_eq!(difference.derived.unwrap().members().get("tool"), Some(&"v".into()));
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
    let (log, _) = run("r", &sketch(GRAPH), "{}", &mut plainly);
    let asks = sketch("main\n  Ask prompt=\"who?\"\n");
    let difference = replayed(&asks, &log).first_difference.unwrap();
    assert_eq!(difference.derived.unwrap().kind().name(), "question_asked");
    let ends = sketch("main\n  R adapter=tool.CALL target=t out=y\n");
    let (short, _) = run("r", &ends, "{}", &mut |_| None);
    let mut longer = short.clone();
    longer.events.push(log.events[log.seq("tool_result", 1) as usize].clone());
    let difference = replayed(&ends, &longer).first_difference.unwrap();
    let told = difference.to_string();
    let lines: Vec<&str> = told.lines().filter(|line| !line.contains("recorded:")).collect();
    expect![[r#"
        event 3 differs
          derived:  nothing
          because:  the engine would wait here"#]]
    .assert_eq(&lines.join("\n"));
}
