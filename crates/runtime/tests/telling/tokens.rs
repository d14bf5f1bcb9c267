//! What models take is counted, whoever still waits for them.

use history::Timestamp;
use runtime::{Answer, Input, ModelAnswer, Request, advance};

use crate::driving::{Lines, declared, plainly, run, says};

const AGENT: &str = r#"{"agents": {"a": {"model": "m"}}}"#;

#[test]
fn an_answer_that_comes_too_late_was_paid_for() {
    let made = declared(
        "main
  Fork branch>@asks branch>@calls next>n2
  Join strategy=any
  Ask prompt=\"on?\"
asks
  R adapter=agent.INVOKE target=a out=said
calls
  R adapter=tool.CALL target=t out=t
",
        AGENT,
    );
    let mut model = None;
    let (mut log, mut run) = run("r", &made, "{}", &mut |pending| match pending.request {
        Request::Model(_) => {
            model = Some(pending.id);
            None
        }
        _ => plainly(pending),
    });
    assert!(run.has_abandoned(model.unwrap()));
    let late = Input::Answer(model.unwrap(), says("late"));
    let ts = Timestamp::from_micros(1_800_000_000_000_000);
    let advanced =
        advance(&made.plan, &mut run, Some(&late), ts, &mut Lines, &mut |_| true).unwrap();
    log.add(advanced.events);
    assert_eq!((run.usage().prompt_tokens, run.usage().completion_tokens), (10, 3));
    let (fold, _) = log.told(&made.plan).unwrap();
    assert_eq!(fold.run().usage(), run.usage());
}

#[test]
fn no_count_is_more_than_can_be_counted() {
    let made = declared(
        "main\n  R adapter=agent.INVOKE target=a\n  R adapter=agent.INVOKE target=a\n",
        AGENT,
    );
    let (log, run) = run("r", &made, "{}", &mut |_| {
        let (prompt_tokens, completion_tokens) = (u64::MAX, u64::MAX);
        let answer = ModelAnswer { prompt_tokens, completion_tokens, ..Default::default() };
        Some(Answer::Model(Box::new(answer)))
    });
    assert_eq!(run.usage().prompt_tokens, 2 << 53);
    let (fold, _) = log.told(&made.plan).unwrap();
    assert_eq!(fold.run(), &run);
}
