//! What is tried again, and as what.

use std::collections::BTreeMap;

use graph::{Again, Touches};
use history::kinds::What;
use runtime::{
    Answer, Fault, FaultKind, Input, NoLogic, Options, Pending, Request, Status, ToolContract,
    advance, idempotency_key,
};
use value::{Text, Value, json};

use crate::driving::{Log, fork, run_with, sketch};

const PAYS: &str = "main
  R adapter=tool.CALL target=pay out=paid retry>n2
  Retry count=2 backoff_ms=5
  R adapter=tool.CALL target=pay out=again
  J var=$again
";

fn options(again: Again) -> Options {
    let contract = ToolContract { touches: Touches::Write, again, ..ToolContract::UNKNOWN };
    Options { tools: BTreeMap::from([("pay".into(), contract)]), ..Options::default() }
}

/// Fails so many times, and may have done what it does.
fn fails(times: u32) -> impl FnMut(&Pending) -> Option<Answer> {
    fails_with(times, r#"{"may_have_happened": true}"#)
}

fn fails_with(mut times: u32, details: &str) -> impl FnMut(&Pending) -> Option<Answer> {
    move |pending| match &pending.request {
        Request::Timer(_) => Some(Answer::Due),
        _ if times > 0 => {
            times -= 1;
            let details = Some(json::parse(details).unwrap());
            Some(Answer::Failed(Fault { details, ..Fault::new(FaultKind::Tool, "no line") }))
        }
        _ => Some(Answer::Value(Value::Int(5))),
    }
}

/// The keys under which calls left, and the attempts that they were.
fn left(log: &Log) -> Vec<(Text, i64)> {
    let facts = log.events.iter().map(|event| log.fact(event));
    facts
        .filter_map(|fact| match fact.what {
            What::EffectStarted(left) => Some((left.idem_key.unwrap(), left.attempt.unwrap())),
            _ => None,
        })
        .collect()
}

#[test]
fn an_effect_that_is_tried_again_has_the_key_that_it_had() {
    let made = sketch(PAYS);
    let (mut keys, mut times) = (Vec::new(), Vec::new());
    let mut answers = fails(2);
    let (log, run) = run_with("r", &made, "{}", options(Again::WithKey), &mut |pending| {
        if let Request::Tool(_) = pending.request {
            keys.push((idempotency_key("r", pending.key), i64::from(pending.attempt)));
            times.push(pending.since);
        }
        answers(pending)
    });
    assert_eq!(run.status(), Status::Done);
    let left_as = left(&log);
    assert_eq!(left_as, keys, "what leaves is what was recorded");
    let attempts: Vec<i64> = left_as.iter().map(|(_, attempt)| *attempt).collect();
    assert_eq!(attempts, [1, 2, 3, 1]);
    assert!(left_as[1].0 == left_as[0].0 && left_as[2].0 == left_as[0].0);
    assert_ne!(left_as[3].0, left_as[0].0, "another node is another effect");
    assert!(times[1] == times[0] && times[2] == times[0], "what it writes may hold the time");
    assert_ne!(times[3], times[0]);
    let (fold, _) = log.told(&made.plan).unwrap();
    assert_eq!(fold.run(), &run);

    let seq = log.seq("tool_result", 0);
    let (forked, _) = fork("f", &log, seq, &made, None, "{}", &mut fails(0));
    let in_fork = left(&forked);
    assert_eq!(in_fork[1].1, 1, "the fork's first attempt");
    assert!(in_fork[1..].iter().all(|(key, _)| *key != left_as[0].0), "a fork has its own keys");
}

#[test]
fn what_may_have_happened_is_not_tried_again_unasked() {
    let made = sketch(PAYS);
    let (log, run) = run_with("r", &made, "{}", options(Again::ByAsking), &mut fails(1));
    assert_eq!(run.status(), Status::Failed);
    assert_eq!(left(&log).len(), 1);

    // Nor by whoever called what called it.
    let text = "main
  Call label=@inner out=x retry>n2
  Retry count=2
inner
  R adapter=tool.CALL target=pay out=paid
";
    let made = sketch(text);
    let (log, _) = run_with("r", &made, "{}", options(Again::ByAsking), &mut fails(1));
    assert_eq!(left(&log).len(), 1);
    // Not even with a key: out there nobody knows which one it had.
    let (log, run) = run_with("r", &made, "{}", options(Again::WithKey), &mut fails(1));
    assert_eq!((left(&log).len(), run.status()), (1, Status::Failed));
    let (_, run) = run_with("r", &made, "{}", options(Again::Freely), &mut fails(1));
    assert_eq!(run.status(), Status::Done);
}

/// What `pay` answers to one attempt after the other, by the details of its failures. Nothing is
/// an answer that never comes.
fn in_turn<'a>(said: &'a [Option<&'a str>]) -> impl FnMut(&Pending) -> Option<Answer> + 'a {
    let mut said = said.iter();
    move |pending| match &pending.request {
        Request::Timer(_) if pending.at.starts_with("pays/") => None,
        Request::Timer(_) => Some(Answer::Due),
        _ => {
            let details = Some(json::parse((*said.next()?)?).unwrap());
            Some(Answer::Failed(Fault { details, ..Fault::new(FaultKind::Tool, "no line") }))
        }
    }
}

const DOUBT: Option<&str> = Some(r#"{"may_have_happened": true}"#);
const NOTHING: Option<&str> = Some(r#"{"may_have_happened": false}"#);

/// That the second attempt did nothing says nothing about the first.
#[test]
fn a_later_attempt_does_not_settle_what_an_earlier_one_left_in_doubt() {
    let made = sketch(
        "main
  Call label=@pays out=x retry>n2
  Retry count=2
pays
  R adapter=tool.CALL target=pay out=paid retry>n2
  Retry count=1
",
    );
    let answers = &mut in_turn(&[DOUBT, NOTHING]);
    let (log, run) = run_with("r", &made, "{}", options(Again::WithKey), answers);
    assert_eq!(run.status(), Status::Failed);
    let left = left(&log);
    assert!(left.len() == 2 && left[0].0 == left[1].0, "{left:?}");
    // Where it was not in doubt, whoever called it may try again.
    let answers = &mut in_turn(&[NOTHING, NOTHING, DOUBT, NOTHING]);
    let (log, _) = run_with("r", &made, "{}", options(Again::WithKey), answers);
    assert_eq!(self::left(&log).len(), 4);
}

/// A branch is given up while it waits to be tried again, with its key, or before its second
/// attempt is answered: what the first one did is in doubt, and the key goes with the branch.
#[test]
fn what_was_to_be_tried_again_is_in_doubt_when_it_is_given_up() {
    for delay in [" backoff_ms=60000", ""] {
        let made = sketch(&format!(
            "main
  Call label=@both out=x retry>n2
  Retry count=2
both
  Fork branch>@pays branch>@fails next>n2
  Join
pays
  R adapter=tool.CALL target=pay out=paid retry>n2
  Retry count=2{delay}
fails
  R adapter=core.SLEEP target=5
  R adapter=core.FAIL target=\"boom\"
"
        ));
        let answers = &mut in_turn(&[DOUBT, None]);
        let (log, run) = run_with("r", &made, "{}", options(Again::WithKey), answers);
        assert_eq!(run.failure().unwrap().fault.kind.word(), "boom");
        let left = left(&log);
        assert!(left.iter().all(|(key, _)| *key == left[0].0), "{left:?}");
        let (fold, _) = log.told(&made.plan).unwrap();
        assert_eq!(fold.run(), &run);
    }
}

/// Two calls are interrupted at once. The branch that fails first has nothing in doubt, but it
/// takes the other with it.
#[test]
fn a_branch_that_is_about_to_fail_is_in_doubt_when_it_is_given_up() {
    let made = sketch(
        "main
  Call label=@both out=x retry>n2
  Retry count=2
both
  Fork branch>@pays branch>@asks next>n2
  Join
pays
  R adapter=tool.CALL target=pay out=paid
asks
  Ask prompt=\"shall we?\" out=s
",
    );
    let never = &mut |_: &Pending| None;
    let (mut log, mut run) = run_with("r", &made, "{}", options(Again::ByAsking), never);
    let calls: Vec<_> = run.pending().map(|pending| pending.id).collect();
    let interrupted = Input::Interrupted(calls);
    let now = run.now();
    let advanced =
        advance(&made.plan, &mut run, Some(&interrupted), now, &mut NoLogic, &mut |_| true)
            .unwrap();
    log.add(advanced.events);
    assert_eq!(run.failure().unwrap().fault.kind, FaultKind::Input);
    assert_eq!(left(&log).len(), 1);
}

/// Whoever says that it has failed leaves no doubt about that, only about what it did before.
#[test]
fn what_a_tool_itself_calls_a_failure_is_tried_again() {
    let made = sketch(PAYS);
    let details = r#"{"may_have_happened": true, "reported": true}"#;
    let mut answers = fails_with(1, details);
    let (log, run) = run_with("r", &made, "{}", options(Again::ByAsking), &mut answers);
    assert_eq!(run.status(), Status::Done);
    let attempts: Vec<i64> = left(&log).iter().map(|(_, attempt)| *attempt).collect();
    assert_eq!(attempts, [1, 2, 1]);
}
