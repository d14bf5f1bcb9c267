//! What a fork takes along, and what it changes.

use runtime::Pending;
use value::{Value, json};

use crate::driving::{fork, plainly, run, sketch};

/// One branch is finished already: what it began with must not come back.
#[test]
fn what_a_fork_sets_stays_when_branches_join() {
    let made = sketch(
        "main
  Fork branch>@left branch>@right next>n2
  Join
  J var=$x
left
  R adapter=tool.CALL target=l out=l
right
  R adapter=tool.CALL target=r out=r
",
    );
    let mut first = true;
    let (log, _) = run("r", &made, r#"{"x": 1}"#, &mut |pending: &Pending| {
        std::mem::take(&mut first).then(|| plainly(pending)).flatten()
    });
    let seq = log.seq("tool_result", 0);
    let (_, forked) = fork("f", &log, seq, &made, None, r#"{"x": 2}"#, &mut plainly);
    assert_eq!(json::compact(forked.result()), "2");
    let state = Value::from(forked.state(&made.plan));
    assert_eq!(json::compact(&state), r#"{"l":"l","x":2,"r":"r"}"#);

    let made = sketch(
        "main
  Fork over=[1,2] item=i branch>@each next>n2
  Join reducers={\"i\":\"append\"}
  J var=$i
each
  R adapter=tool.CALL target=t out=t
",
    );
    let mut first = true;
    let (log, _) = run("r", &made, "{}", &mut |pending: &Pending| {
        std::mem::take(&mut first).then(|| plainly(pending)).flatten()
    });
    let seq = log.seq("tool_result", 0);
    let (_, forked) = fork("f", &log, seq, &made, None, r#"{"i": 5}"#, &mut plainly);
    assert_eq!(json::compact(forked.result()), "5");
}
