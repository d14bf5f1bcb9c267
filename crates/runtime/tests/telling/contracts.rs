//! What a tool declares decides whether it is called: what must be granted, what it costs, and what
//! becomes of it in a fork.

use std::collections::BTreeMap;

use graph::Touches;
use history::Timestamp;
use history::kinds::records::Origin;
use history::kinds::words::RunReason;
use history::kinds::{Common, RunStarted};
use proptest::prelude::*;
use runtime::{
    Answer, Fold, Input, Limits, Money, Options, Pending, Replay, Request, Run, Stage,
    ToolContract, advance,
};
use value::{Text, Value};

use crate::driving::{Lines, Log, Made, go_on, plainly, run_with, sketch};

const PAYS: &str = "main\n  R adapter=tool.CALL target=pay out=paid\n  J var=$paid\n";

fn options(contract: ToolContract) -> Options {
    Options { tools: BTreeMap::from([("pay".into(), contract)]), ..Options::default() }
}

/// How it ended: with a result, or why not.
fn ended(run: &Run) -> String {
    match run.failure() {
        Some(failure) => failure.fault.to_string(),
        None => run.result().as_text().map_or("no text", |text| text).to_owned(),
    }
}

#[test]
fn a_tool_is_called_only_if_all_that_it_needs_is_granted() {
    let made = sketch(PAYS);
    for (needed, grants, is_called) in [
        (&["net.web"][..], &[][..], false),
        (&["net.web"], &["net.web"], true),
        (&["net.web", "fs.write"], &["net.web"], false),
        (&["net.web", "fs.write"], &["fs.write", "net.web"], true),
        (&["fs.write:notes"], &["fs.write"], true),
        (&["fs.write:notes"], &["fs.write:n*"], true),
        (&["fs.write:notes"], &["fs.write:*"], true),
        (&["fs.write:notes"], &["fs.write:note"], false),
        (&["fs.write:notes"], &["fs.*"], false),
        (&["fs.write:notes"], &["*"], false),
        (&["fs.write"], &["fs.write:*"], false),
        (&["fs.write"], &["FS.WRITE"], false),
        (&["fs.write"], &["fs.write "], false),
    ] {
        let texts = |texts: &[&str]| texts.iter().map(|text| Text::from(*text)).collect();
        let contract = ToolContract { permissions: texts(needed), ..ToolContract::UNKNOWN };
        let options = Options { grants: texts(grants), ..options(contract) };
        let mut called = false;
        let (log, run) = run_with("r", &made, "{}", options, &mut |pending| {
            called = true;
            plainly(pending)
        });
        assert_eq!(called, is_called, "{needed:?} by {grants:?}");
        if !is_called {
            assert!(ended(&run).contains("not granted"), "{}", ended(&run));
            assert_eq!(log.seq("approval_decided", 0), 2, "a refusal is on the record");
        }
        let (fold, _) = log.told(&made.plan).unwrap();
        assert_eq!(fold.run(), &run);
    }
}

/// A run that was forked at its beginning.
fn forked(made: &Made, contract: ToolContract, live: bool) -> String {
    let (mut log, _) = run_with("r", made, "{}", options(contract.clone()), &mut |_| None);
    log.events.truncate(1);
    let event_id = log.events[0].id();
    let ts = Timestamp::from_micros(1_700_000_100_000_000);
    let common = Common { run_id: Some("f".into()), agent_id: Some("a".into()), ..Common::at(ts) };
    let started = RunStarted {
        reason: Some(RunReason::Fork),
        from: Some(Origin { run_id: "r".into(), seq: 0, event_id }),
        graph: None,
        document: None,
        inputs: None,
        seed: None,
        versions: None,
        options: Some(Options { live, ..options(contract) }.to_map()),
    };
    log.add(vec![common.seal(&started)]);
    let mut fold = Fold::new(made.plan.clone());
    for (seq, event) in (0..).zip(&log.events) {
        fold.take(seq, event, &log.fact(event), &mut Lines).unwrap();
    }
    let (plan, mut run) = fold.finish();
    go_on(&mut log, &plan, &mut run, &mut plainly);
    ended(&run)
}

#[test]
fn what_a_fork_may_write_is_as_the_replay_policy_says() {
    let made = sketch(PAYS);
    let found = |replay, live, touches| {
        forked(&made, ToolContract { replay, touches, ..ToolContract::UNKNOWN }, live)
    };
    let needs_live = "denied: a fork does not write: `tool.pay` needs `--live`";
    let never = "denied: a fork never calls `tool.pay`, whose replay policy is `fail-loud`: give \
                 its answer (`--output main/n1=VALUE`)";
    for (replay, live, touches, expected) in [
        (Replay::MustStub, false, Touches::Write, needs_live),
        (Replay::MustStub, true, Touches::Write, "pay"),
        (Replay::FailLoud, false, Touches::Write, never),
        (Replay::FailLoud, true, Touches::Write, never),
        (Replay::Live, false, Touches::Write, "pay"),
        (Replay::FailLoud, false, Touches::Read, "pay"),
        (Replay::MustStub, false, Touches::Read, "pay"),
    ] {
        assert_eq!(found(replay, live, touches), expected, "{replay:?} {live} {touches:?}");
    }
}

#[test]
fn contracts_are_recorded_and_only_what_is_not_as_always() {
    let plain = ToolContract::UNKNOWN;
    let full = ToolContract {
        permissions: vec!["net.web".into()],
        cost: Money::parse("0.10").unwrap(),
        replay: Replay::FailLoud,
        ..plain.clone()
    };
    for (contract, written) in [
        (plain, r#"{"touches":"write","again":"ask"}"#),
        (
            full,
            r#"{"touches":"write","again":"ask","permissions":["net.web"],"cost":"0.1","replay":"fail-loud"}"#,
        ),
    ] {
        let options = Options { grants: vec!["a".into()], ..options(contract) };
        let map = options.to_map();
        let tool = map.get("tools").unwrap().get("pay").unwrap();
        assert_eq!(value::json::compact(tool), written);
        assert_eq!(Options::from_map(&map), options);
    }
}

const FANS_OUT: &str = "main
  Fork over=$prices item=price branch>@each next>n2
  Join
each
  R adapter=tool.CALL target=$price out=done retry>n2
  Retry count=1
";

/// What a run of parallel calls spends: each is left under way, answered or failed, as `luck` says.
fn spends(prices: &[u64], budget: u64, luck: &[u8]) -> (Money, Log, Run, Made) {
    let made = sketch(FANS_OUT);
    let amount = |cents: u64| Money::parse(&format!("0.{cents:03}")).unwrap();
    let contract = |price: &u64| ToolContract { cost: amount(*price), ..ToolContract::UNKNOWN };
    let tools = prices.iter().map(|price| (Text::from(format!("t{price}")), contract(price)));
    let limits = Limits { cost: Some(amount(budget)), ..Limits::default() };
    let options = Options { limits, tools: tools.collect(), ..Options::default() };
    let names: Vec<Value> = prices.iter().map(|price| format!("t{price}").into()).collect();
    let inputs = Value::map([("prices", Value::list(names))]);
    let mut spent = Money::ZERO;
    let mut seen = std::collections::BTreeSet::new();
    let mut luck = luck.iter().copied().cycle();
    let mut answers = |pending: &Pending| {
        let Request::Tool(call) = &pending.request else { return plainly(pending) };
        if pending.stage == Stage::Queued {
            return None;
        }
        if seen.insert(pending.id) {
            spent = spent.plus(amount(call.tool[1..].parse().unwrap()));
        }
        match luck.next().unwrap() {
            0 => {
                let fault = runtime::Fault::new(runtime::FaultKind::Tool, "no").reported();
                Some(Answer::Failed(fault))
            }
            1 => Some(Answer::Value(1.into())),
            _ => None,
        }
    };
    let (mut log, mut run) =
        run_with("r", &made, &value::json::compact(&inputs), options, &mut answers);
    // Those that were left under way end now.
    while !run.is_over() {
        let before = log.events.len();
        go_on(&mut log, &made.plan, &mut run, &mut answers);
        if log.events.len() == before && !run.is_over() {
            let left = run.pending().next().map(|pending| pending.id);
            let Some(call) = left else { break };
            let ts = run.now();
            let input = Input::Answer(call, Answer::Value(1.into()));
            let advanced =
                advance(&made.plan, &mut run, Some(&input), ts, &mut Lines, &mut |_| true);
            log.add(advanced.unwrap().events);
        }
    }
    (spent, log, run, made)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// However many are under way at once, and in whatever order they end.
    #[test]
    fn calls_at_the_same_time_do_not_spend_the_same_money(
        prices in prop::collection::vec(1u64..200, 1..20),
        budget in 0u64..900,
        luck in prop::collection::vec(0u8..4, 1..8),
    ) {
        let (spent, log, run, made) = spends(&prices, budget, &luck);
        let most = Money::parse(&format!("0.{budget:03}")).unwrap();
        prop_assert!(spent <= most, "{spent} of {most}");
        prop_assert!(run.usage().cost <= most);
        prop_assert!(run.usage().cost >= spent, "what was allowed was counted");
        let total: u64 = prices.iter().sum();
        if total <= budget / 2 {
            let said = ended(&run);
            prop_assert!(!said.starts_with("cost_exceeded"), "there was enough for all: {}", said);
        }
        let (fold, _) = log.told(&made.plan).unwrap();
        prop_assert_eq!(fold.run(), &run, "and so it is after a restart");
    }
}
