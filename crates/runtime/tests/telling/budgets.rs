//! S21: what a run may take, however many of its branches ask at once. `contracts` has money.

use std::collections::BTreeMap;

use proptest::prelude::*;
use runtime::{
    Answer, Input, Limits, ModelAnswer, Options, Pending, Request, Stage, ToolContract, advance,
};
use value::{Value, json};

use crate::driving::{Lines, Log, Made, declared, run_with};

const AGENT: &str = r#"{"agents": {"a": {"model": "m"}}}"#;

/// Each branch asks its model or its tool three times.
const BRANCHES: &str = "main
  Fork over=$branches item=one branch>@each next>n2
  Join
each
  R adapter=agent.INVOKE target=a out=x
  R adapter=tool.CALL target=t out=x
  R adapter=agent.INVOKE target=a out=x
  R adapter=tool.CALL target=t out=x
  R adapter=agent.INVOKE target=a out=x
";

/// What left of a run whose answers come in any order, while others are under way.
struct Taken {
    models: u64,
    tools: u64,
    used: u64,
    /// The most calls of models that were under way at once.
    at_once: u64,
    log: Log,
    run: runtime::Run,
    made: Made,
}

fn takes(branches: usize, limits: Limits, prices: &[u64], order: &[usize]) -> Taken {
    let made = declared(BRANCHES, AGENT);
    let list = Value::list((0..branches as i64).map(Value::Int));
    let inputs = json::compact(&Value::map([("branches", list)]));
    let tools = BTreeMap::from([("t".into(), ToolContract::UNKNOWN)]);
    let options = Options { limits, tools, ..Options::default() };
    let (mut log, mut run) = run_with("r", &made, &inputs, options, &mut |_| None);
    let mut seen = BTreeMap::new();
    let (mut prices, mut order) = (prices.iter().cycle(), order.iter().cycle());
    let (mut used, mut at_once) = (0, 0);
    while !run.is_over() {
        let out: Vec<&Pending> =
            run.pending().filter(|pending| pending.stage != Stage::Queued).collect();
        for pending in &out {
            seen.insert(pending.id, matches!(pending.request, Request::Model(_)));
        }
        let asked = out.iter().filter(|pending| matches!(pending.request, Request::Model(_)));
        at_once = at_once.max(asked.count() as u64);
        if out.is_empty() {
            break;
        }
        let next = out[order.next().unwrap() % out.len()];
        let answer = match &next.request {
            Request::Model(_) => {
                let tokens = *prices.next().unwrap();
                used += tokens;
                let said = ModelAnswer { completion_tokens: tokens, ..ModelAnswer::default() };
                Answer::Model(Box::new(said))
            }
            _ => Answer::Value(1.into()),
        };
        let (input, ts) = (Input::Answer(next.id, answer), run.now());
        let advanced = advance(&made.plan, &mut run, Some(&input), ts, &mut Lines, &mut |_| true);
        log.add(advanced.unwrap().events);
    }
    let models = seen.values().filter(|is_model| **is_model).count() as u64;
    let tools = seen.len() as u64 - models;
    Taken { models, tools, used, at_once, log, run, made }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("QUIPU_SLOW").is_some() { 300 } else { 60 }))]

    /// A tool is never called once more than it may be: what leaves is counted as it leaves.
    #[test]
    fn branches_at_once_call_no_tool_too_often(
        branches in 1usize..24,
        most in 0u64..20,
        order in prop::collection::vec(0usize..64, 1..16),
    ) {
        let limits = Limits { calls: BTreeMap::from([("t".into(), most)]), ..Limits::default() };
        let taken = takes(branches, limits, &[1], &order);
        prop_assert!(taken.tools <= most, "{} of {most}", taken.tools);
        let (fold, _) = taken.log.told(&taken.made.plan).unwrap();
        prop_assert_eq!(fold.run(), &taken.run, "and so it is after a restart");
    }

    /// What a model will take is known when it has answered. So a limit of tokens can be passed by
    /// what is under way, and by nothing else: no question leaves once the limit is reached.
    #[test]
    fn branches_at_once_pass_a_limit_of_tokens_by_what_is_under_way_only(
        branches in 1usize..24,
        most in 0u64..200,
        in_flight in 1u64..8,
        prices in prop::collection::vec(0u64..40, 1..8),
        order in prop::collection::vec(0usize..64, 1..16),
    ) {
        let limits = Limits { tokens: Some(most), in_flight, ..Limits::default() };
        let taken = takes(branches, limits, &prices, &order);
        let dearest = prices.iter().copied().max().unwrap();
        prop_assert!(taken.at_once <= in_flight);
        // The last of those that left found less than the limit used; so did all beside it.
        prop_assert!(taken.used <= most + in_flight * dearest, "{} of {most}", taken.used);
        if most == 0 {
            prop_assert_eq!(taken.models, 0);
        }
        let (fold, _) = taken.log.told(&taken.made.plan).unwrap();
        prop_assert_eq!(fold.run(), &taken.run, "and so it is after a restart");
    }

    /// No process is begun beyond the limit of visits, and no step is taken beyond that of steps.
    #[test]
    fn branches_at_once_begin_nothing_beyond_the_limits(
        branches in 1usize..24,
        visits in 0u64..20,
        steps in 0u64..100,
        order in prop::collection::vec(0usize..64, 1..16),
    ) {
        let limits = Limits { visits, steps, ..Limits::default() };
        let taken = takes(branches, limits, &[1], &order);
        let (path, omitted) = taken.run.path(&taken.made.plan);
        prop_assert!(path.count() as u64 + omitted <= visits);
        prop_assert!(taken.run.steps() <= steps, "{} of {steps}", taken.run.steps());
    }
}
