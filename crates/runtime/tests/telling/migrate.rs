use expect_test::expect;
use runtime::{Answer, Fault, FaultKind, Pending, Request, Run};
use value::{Value, json};

use crate::driving::{Log, Made, declared, fork, go_on, plainly, run, says, sketch};

const GRAPH: &str = "main
  Set name=x ref=1
  Fork branch>@left branch>@right next>n3
  Join
  Call label=@tail out=t
left
  R adapter=tool.CALL target=l out=l
right
  R adapter=tool.CALL target=r out=r
tail
  Loop ref=[1,2] item=i body>@turn after>n2
  J var=$x
turn
  X dst=x fn=add args=[$x, $i]
  R adapter=tool.CALL target=t retry>n3 out=last end
  Retry count=2
";

fn ending(made: &Made, log: &Log, run: &Run) -> String {
    let (fold, _) = log.told(&made.plan).unwrap();
    let (path, _) = run.path(fold.plan());
    let path: Vec<&str> = path.map(|label| &**label).collect();
    let state = Value::from(run.state(fold.plan()));
    format!("{} {} {}\n", path.join(" "), json::compact(run.result()), json::compact(&state))
}

/// Whatever the event: brought to the graph that it has, a run goes on as if nothing had been.
#[test]
fn to_the_same_graph_nothing_changes() {
    let made = sketch(GRAPH);
    let (log, whole) = run("r", &made, "{}", &mut plainly);
    for seq in 0..log.events.len() as u64 - 1 {
        let (plain, one) = fork("f", &log, seq, &made, None, "{}", &mut plainly);
        let (moved, other) = fork("f", &log, seq, &made, Some(&made.document), "{}", &mut plainly);
        assert_eq!(ending(&made, &plain, &one), ending(&made, &log, &whole), "at {seq}");
        assert_eq!(ending(&made, &moved, &other), ending(&made, &log, &whole), "at {seq}");
        let own = seq as usize + 3;
        let ids = |log: &Log| log.events[own..].iter().map(|event| event.id()).collect::<Vec<_>>();
        assert_eq!(ids(&plain), ids(&moved), "at {seq}");
    }
}

fn at_first_call(made: &Made) -> Log {
    let (log, _) = run("r", made, "{}", &mut |_| None);
    log
}

fn refused(old: &Made, log: &Log, new: &Made) -> String {
    let (mut fold, _) = log.told(&old.plan).unwrap();
    let refused = fold.change_plan(new.plan.clone()).unwrap_err();
    refused.iter().map(|one| format!("{one}\n")).collect()
}

fn kept(old: &Made, log: &Log, new: &Made) -> String {
    let (mut fold, _) = log.told(&old.plan).unwrap();
    let kept = fold.change_plan(new.plan.clone()).unwrap();
    kept.iter().map(|one| format!("{one}\n")).collect()
}

#[test]
fn what_is_the_same_is_found_where_its_number_has_changed() {
    let old = sketch(GRAPH);
    let log = at_first_call(&old);
    let new = sketch(&GRAPH.replace("left\n", "left\n  Set name=new ref=1\n"));
    expect![[r#"
        left/n2: call c1 stays open
        right/n1: call c2 stays open
        main/n3: branches are waited for here
    "#]]
    .assert_eq(&kept(&old, &log, &new));
}

#[test]
fn what_has_changed_is_refused_in_words() {
    let old = sketch(GRAPH);
    let log = at_first_call(&old);
    let new =
        sketch(&GRAPH.replace("target=l", "target=other").replace("Join", "Join strategy=any"));
    expect![[r#"
        left/n1: its call c1 is open, and the node has changed
        main/n3: branches are waited for here, and the node has changed
    "#]]
    .assert_eq(&refused(&old, &log, &new));
    let new = sketch(&GRAPH.replace("right", "elsewhere"));
    expect![[r#"
        right/n1: its call c2 is open, and there is no label `right` any more
    "#]]
    .assert_eq(&refused(&old, &log, &new));
    let twice = "left\n  Set name=new ref=1\n  R adapter=tool.CALL target=l out=l\n";
    let new = sketch(&GRAPH.replace("left\n", twice));
    expect![[r#"
        left/n1: its call c1 is open, and 2 nodes could be it: its number has changed
    "#]]
    .assert_eq(&refused(&old, &log, &new));
}

const ASKS: &str = "main\n  R adapter=agent.INVOKE target=a out=said\n  J var=$said\n";
const WRITER: &str =
    r#"{"agents": {"a": {"model": "m", "system_prompt": "Write."}}, "inputs": {"old": {}}}"#;

/// The question was asked as the old graph says, so that its answer is none to the new one.
#[test]
fn an_open_call_of_an_agent_that_changed_is_refused() {
    let old = declared(ASKS, WRITER);
    let log = at_first_call(&old);
    let new = declared(ASKS, &WRITER.replace("Write.", "Write well."));
    expect![[r#"
        main/n1: its call q1 is open, and agent `a` has changed; fork before that call
    "#]]
    .assert_eq(&refused(&old, &log, &new));
}

/// A label of the path that is gone keeps its name, names keep their values, and a new input has
/// its default.
#[test]
fn a_fork_goes_on_by_another_graph() {
    let old = declared(
        "first
  R adapter=tool.CALL target=t out=got
  Set name=gone ref=5 next>@second
second
  R adapter=agent.INVOKE target=a out=said
  J var=$said
",
        WRITER,
    );
    let mut answers = |pending: &Pending| match &pending.request {
        Request::Tool(_) => Some(Answer::Value("tool".into())),
        Request::Model(_) => Some(says("first")),
        _ => None,
    };
    let (log, _) = run("r", &old, r#"{"old": 1}"#, &mut answers);
    let new = declared(
        "second
  R adapter=agent.INVOKE target=a out=said
  X dst=more fn=concat args=[$said, $fresh]
  J var=$more
",
        &WRITER.replace(r#""old": {}"#, r#""fresh": {"default": "!"}"#),
    );
    let mut again = |_: &Pending| Some(says("second"));
    let seq = log.seq("model_request", 0);
    let (forked, done) = fork("f", &log, seq, &old, Some(&new.document), "{}", &mut again);
    expect![[r#"
        first second "second!" {"fresh":"!","said":"second","more":"second!","old":1,"got":"tool","gone":5}
    "#]].assert_eq(&ending(&old, &forked, &done));
    expect![[r#"
        0 the run begins with {"old":1}
        0 first: begins
        1 first/n1: c1 asks tool.t with {"input":""}
        2 first/n1: c1 leaves
        3 first/n1: c1 is answered: "tool"
        3 first/n2: gone = 5
        3 second: begins
        5 second/n1: q2 asks model m as a: {"old":1,"got":"tool","gone":5}
        6 goes on from r@5 as a fork
        9 second/n1: q2 is answered: "second"
        9 second/n2: more = "second!"
        9 second/n3: returns "second!"
        10 the run is done with "second!"
    "#]]
    .assert_eq(&forked.trace(&old.plan));
}

#[test]
fn stores_come_along_by_their_names() {
    let declarations = r#"{"stores": {
        "a": {"store_type": "kv", "retention": "session"},
        "b": {"store_type": "queue", "retention": "session"}
    }}"#;
    let text = "main
  R adapter=store.WRITE target=a
  R adapter=store.WRITE target=b
  Ask prompt=\"on?\"
  R adapter=store.READ target=a out=got
  J var=$got
";
    let old = declared(text, declarations);
    let (log, _) = run("r", &old, r#"{"x": 1}"#, &mut |_| None);
    let first = r#"{"stores": { "0": {"store_type": "kv", "retention": "session"},"#;
    let new = declared(text, &declarations.replacen(r#"{"stores": {"#, first, 1));
    expect![[r#"
        main/n3: call p1 stays open
        a: the store keeps what it holds
        b: the store keeps what it holds
    "#]]
    .assert_eq(&kept(&old, &log, &new));
    let (mut fold, _) = log.told(&old.plan).unwrap();
    fold.change_plan(new.plan.clone()).unwrap();
    let (plan, mut run) = fold.finish();
    let mut rest = log.clone();
    go_on(&mut rest, &plan, &mut run, &mut |_| Some(Answer::Person(true.into(), None)));
    assert_eq!(json::compact(run.result()), r#"{"x":1}"#);
    let other = declared(text, &declarations.replace("queue", "kv"));
    expect![[r#"
        b: the store holds something, and is of another kind
    "#]]
    .assert_eq(&refused(&old, &log, &other));
}

/// What is known of branches is known by the numbers of the plan: of its labels, and its names.
#[test]
fn branches_join_as_they_would_have() {
    let text = "main
  Fork over=$list item=i branch>@each next>@after
each
  X dst=seen fn=concat args=[\"s\", $i]
  R adapter=tool.CALL target=t out=got
after
  Join
  J var=$i
";
    let reducers = r#""reducers": {"i": {"reducer": "max"}}"#;
    let old = declared(text, &format!("{{{reducers}}}"));
    // One branch is finished, the other is waited for.
    let mut first = true;
    let (log, _) = run("r", &old, r#"{"list": ["a", "b"], "i": 7}"#, &mut |pending| {
        std::mem::take(&mut first).then(|| plainly(pending)).flatten()
    });
    let more = r#"{"inputs": {"a": {"default": 1}, "b": {"default": 2}}, "#;
    let before = format!("before\n  Set name=fresh ref=1\n{text}");
    let mut sketch = sim::engine::Sketch::read(&before).unwrap();
    sketch.begin_at("main");
    for (kind, named) in crate::driving::map(&format!("{more}{reducers}}}")).iter() {
        sketch.declare(kind, named.clone());
    }
    let new = crate::driving::plan_of(&sketch.document());
    let (mut fold, _) = log.told(&old.plan).unwrap();
    fold.change_plan(new).unwrap();
    let (plan, mut run) = fold.finish();
    let mut rest = log.clone();
    go_on(&mut rest, &plan, &mut run, &mut plainly);
    // Nobody has changed what the item is called, and nobody has taken the new inputs away.
    assert_eq!(json::compact(run.result()), "7");
    let (path, _) = run.path(&plan);
    assert_eq!(path.map(|label| &**label).collect::<Vec<_>>(), ["main", "each", "each", "after"]);
    let state = run.state(&plan);
    assert_eq!((state.get("a"), state.get("b")), (Some(&Value::Int(1)), Some(&Value::Int(2))));

    let other =
        text.replace("next>@after", "next>@then").replace("Join", "Set name=x ref=1\n  Join");
    let other = format!("{other}then\n  Join\n");
    expect![[r#"
        after: branches are waited for here, and it does not begin with their join any more
    "#]]
    .assert_eq(&refused(&old, &log, &declared(&other, &format!("{{{reducers}}}"))));
}

#[test]
fn what_has_failed_is_told_of_the_node_that_it_is_now() {
    let graph = "main
  R adapter=tool.CALL target=t out=x
";
    let (old, new) =
        (sketch(graph), sketch(&graph.replace("main\n", "main\n  Set name=y ref=1\n")));
    let mut fails = |_: &Pending| Some(Answer::Failed(Fault::new(FaultKind::Tool, "no line")));
    let (log, _) = run("r", &old, "{}", &mut fails);
    let seq = log.seq("tool_result", 0);
    let (_, run) = fork("f", &log, seq, &old, Some(&new.document), "{}", &mut fails);
    assert_eq!(run.failure().unwrap().at.as_deref(), Some("main/n2"));
}
