//! How far a run may go, as it is written on the command line.

use anyhow::{Context, Result, bail};
use runtime::Plan;

use crate::args::running::LimitChoice;
use crate::output;

/// The limits that were given, over those that there are.
pub(crate) fn limit(limits: &mut runtime::Limits, choice: &LimitChoice) -> Result<()> {
    let set = |own: &mut u64, given: Option<u64>| *own = given.unwrap_or(*own);
    set(&mut limits.visits, choice.max_visits);
    set(&mut limits.steps, choice.max_steps);
    set(&mut limits.depth, choice.max_depth);
    set(&mut limits.fibers, choice.max_fibers);
    set(&mut limits.in_flight, choice.max_in_flight);
    set(&mut limits.talk, choice.max_tool_turns);
    if limits.in_flight == 0 {
        bail!("`--max-in-flight 0` would let nothing leave");
    }
    limits.tokens = choice.max_tokens.or(limits.tokens);
    if let Some(cost) = &choice.max_cost {
        let parsed = runtime::Money::parse(cost);
        limits.cost = Some(parsed.with_context(|| format!("`{cost}` is no amount of money"))?);
    }
    if let Some(time) = &choice.max_time {
        limits.time_ms = Some(milliseconds(time)?);
    }
    for words in &choice.max_calls {
        let parsed = words.split_once('=').and_then(|(tool, n)| Some((tool, n.parse().ok()?)));
        let (tool, most) =
            parsed.with_context(|| format!("`{words}` is no limit; write `TOOL=N`"))?;
        limits.calls.insert(tool.into(), most);
    }
    Ok(())
}

/// Says which limits are for tools that an agent does not have.
pub(crate) fn remind_of_limits(plan: &Plan, choice: &LimitChoice) {
    let mut tools = plan.tools();
    tools.extend(plan.adapters());
    for words in &choice.max_calls {
        let tool = words.split_once('=').map_or(words.as_str(), |(tool, _)| tool);
        if !tools.iter().any(|known| **known == *tool) {
            output::note(&format!("note: `--max-calls {words}`: the agent has no tool `{tool}`"));
        }
    }
}

fn milliseconds(words: &str) -> Result<u64> {
    let split = words.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let (number, unit) = words.split_at(split.unwrap_or(words.len()));
    let factor = match unit {
        "ms" => 1.0,
        "" | "s" => 1_000.0,
        "m" => 60_000.0,
        "h" => 3_600_000.0,
        "d" => 86_400_000.0,
        _ => bail!("`{words}` is no time; write seconds, or `90s`, `5m`, `2h`"),
    };
    let number: f64 = number.parse().with_context(|| format!("`{words}` is no time"))?;
    Ok((number * factor) as u64)
}
