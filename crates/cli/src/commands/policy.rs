//! `quipu policy`

use anyhow::{Context, Result, anyhow, bail};
use host::policy::{self, Activation, ActiveError, Policy, Proposal, Step, Tested, read_tests};
use store::Store;
use value::{Text, Value};

use crate::args::policy::{
    Activate, Policy as Arguments, PolicyCommand, PolicyHistory, Propose, Show, Test,
};
use crate::load::read_source;
use crate::opened::{Access, now, open};
use crate::running::user;
use crate::{Outcome, output};

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    match &arguments.command {
        PolicyCommand::Propose(arguments) => told(propose(arguments), arguments.format.is_json()),
        PolicyCommand::Test(arguments) => told(test(arguments), arguments.format.is_json()),
        PolicyCommand::Activate(arguments) => activate(arguments),
        PolicyCommand::History(arguments) => history(arguments),
        PolicyCommand::Show(arguments) => show(arguments),
    }
}

/// A text that is no policy, or no tests of one.
#[derive(Debug)]
struct Unreadable(String);

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreadable {}

/// What is wrong with a text is a finding, and no mistake in how the command was used.
fn told(done: Result<Outcome>, is_json: bool) -> Result<Outcome> {
    let Err(error) = done else { return done };
    let Some(Unreadable(why)) = error.downcast_ref() else { return Err(error) };
    match is_json {
        true => {
            let members = [("ok", false.into()), ("error", Value::text(why.as_str()))];
            output::print_json(&Value::map(members))?;
        }
        false => output::note(&format!("error: {why}")),
    }
    Ok(Outcome::Found)
}

/// The policy in a file.
pub(crate) fn read(file: &str) -> Result<Policy> {
    Policy::read(&read_source(file)?).map_err(|why| anyhow!(Unreadable(why.to_string())))
}

fn propose(arguments: &Propose) -> Result<Outcome> {
    let mut policy = read(&arguments.file)?;
    let tests = read_tests(&read_source(&arguments.tests)?)
        .map_err(|why| anyhow!(Unreadable(why.to_string())))?;
    let store = open(&arguments.store, Access::Create)?;
    let (agent, notes) = (Text::from(&*arguments.agent), arguments.notes.as_deref());
    let notes = notes.map(Text::from);
    let (proposal, tested) = policy::propose(&*store, &mut policy, &tests, &agent, notes, now()?)?;
    let is_green = !tested.is_empty() && tested.iter().all(Tested::passes);
    if arguments.format.is_json() {
        let mut members = proposed(&proposal);
        members.push(("tests", results(&tested)));
        members.push(("ok", is_green.into()));
        output::print_json(&Value::map(members))?;
    } else {
        tell_tests(&tested)?;
        let name = short(&proposal.policy_ref);
        output::print(&match is_green {
            true => format!("proposed {name}; `quipu policy activate {name}` puts it in force"),
            false => format!("proposed {name}; it cannot come into force before its tests pass"),
        })?;
    }
    Ok(if is_green { Outcome::Fine } else { Outcome::Found })
}

fn test(arguments: &Test) -> Result<Outcome> {
    let given = arguments.tests.as_deref().map(|file| {
        read_tests(&read_source(file)?).map_err(|why| anyhow!(Unreadable(why.to_string())))
    });
    let given = given.transpose()?;
    let (mut policy, own) = match std::path::Path::new(&arguments.policy).is_file() {
        true => (read(&arguments.policy)?, None),
        false => {
            let store = open(&arguments.store, Access::Read)?;
            let proposal = one(&*store, &arguments.policy, None)?;
            let (policy, tests) = proposal.read(&*store)?;
            (policy, Some(tests))
        }
    };
    let tests = given.or(own).context("say which tests: `--tests FILE`")?;
    let tested = policy.test(&tests);
    let is_green = tested.iter().all(Tested::passes);
    if arguments.format.is_json() {
        output::print_json(&Value::map([
            ("digest", Value::Text(policy.digest().clone())),
            ("tests", results(&tested)),
            ("ok", is_green.into()),
        ]))?;
    } else {
        tell_tests(&tested)?;
    }
    Ok(if is_green { Outcome::Fine } else { Outcome::Found })
}

fn activate(arguments: &Activate) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Change)?;
    let proposal = one(&*store, &arguments.policy, arguments.agent.as_deref())?;
    let actor = arguments.actor.clone().map(Text::from).or_else(user);
    let actor = actor.context("say who puts it in force: `--actor NAME`")?;
    let notes = arguments.notes.as_deref().map(Text::from);
    let is_json = arguments.format.is_json();
    match policy::activate(&*store, &proposal, &actor, notes, now()?) {
        Ok((activation, tested)) => {
            if is_json {
                let mut members = activated(&activation);
                members.extend([("tests", results(&tested)), ("ok", true.into())]);
                output::print_json(&Value::map(members))?;
            } else {
                let passed = output::plural(tested.len(), "test");
                let (name, whose) = (short(&activation.policy_ref), of_agent(&activation.agent));
                output::print(&format!("{name} is in force for {whose} ({passed} passed)"))?;
            }
            Ok(Outcome::Fine)
        }
        Err(error @ (ActiveError::Untested | ActiveError::Failing(_))) => {
            let tested = match &error {
                ActiveError::Failing(tested) => tested.as_slice(),
                _ => &[],
            };
            if is_json {
                output::print_json(&Value::map([
                    ("ok", false.into()),
                    ("error", error.to_string().into()),
                    ("tests", results(tested)),
                ]))?;
            } else {
                tell_tests(tested)?;
                output::note(&format!("not put in force: {error}"));
            }
            Ok(Outcome::Found)
        }
        Err(error) => Err(error.into()),
    }
}

fn history(arguments: &PolicyHistory) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Read)?;
    let steps = match &arguments.agent {
        Some(agent) => policy::history(&*store, agent)?,
        None => policy::all_history(&*store)?,
    };
    if arguments.format.is_json() {
        let steps = steps.iter().map(|step| match step {
            Step::Proposed(proposal) => {
                let mut members = vec![("what", Value::text("proposed"))];
                members.extend(proposed(proposal));
                Value::map(members)
            }
            Step::Activated(activation) => {
                let mut members = vec![("what", Value::text("activated"))];
                members.extend(activated(activation));
                Value::map(members)
            }
        });
        output::print_json(&Value::map([("policies", Value::list(steps))]))?;
        return Ok(Outcome::Fine);
    }
    if steps.is_empty() {
        output::note(
            "no policy was proposed yet; `quipu policy propose FILE --tests FILE` does so",
        );
    }
    for step in &steps {
        output::print(&match step {
            Step::Proposed(it) => {
                let tests = it.tests.as_ref();
                let count = tests.and_then(|tests| tests.total).unwrap_or(0);
                let failed = tests.map_or(0, |tests| tests.failed);
                let notes = it.notes.as_deref().map(|notes| format!(": {notes}"));
                format!(
                    "{}  proposed   {}  for {}, {failed} of {count} tests failed{}",
                    it.ts,
                    short(&it.policy_ref),
                    of_agent(&it.agent),
                    notes.unwrap_or_default()
                )
            }
            Step::Activated(it) => format!(
                "{}  activated  {}  for {}, by {}{}",
                it.ts,
                short(&it.policy_ref),
                of_agent(&it.agent),
                it.actor.as_deref().unwrap_or("nobody in particular"),
                if it.here { "" } else { ", elsewhere: not in force here" }
            ),
        })?;
    }
    Ok(Outcome::Fine)
}

fn show(arguments: &Show) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Read)?;
    // The digest that a decision names may be of a policy that was only tried.
    let kept = Policy::load(&*store, &arguments.policy)?;
    let policy = match kept {
        Some(Ok(policy)) => policy,
        _ => one(&*store, &arguments.policy, None)?.read(&*store)?.0,
    };
    if arguments.format.is_json() {
        output::print_json(&Value::map([
            ("digest", Value::Text(policy.digest().clone())),
            ("language", policy.language().word().into()),
            ("source", policy.source().clone().into()),
        ]))?;
    } else {
        output::print(policy.source().trim_end())?;
    }
    Ok(Outcome::Fine)
}

/// The one proposal that is meant.
fn one(store: &dyn Store, words: &str, agent: Option<&str>) -> Result<Proposal> {
    let mut found = policy::find(store, words)?;
    found.retain(|one| agent.is_none_or(|agent| *one.agent == *agent));
    match found.len() {
        0 => bail!("there is no policy `{words}`; `quipu policy history` lists them"),
        1 => Ok(found.remove(0)),
        _ => {
            let each = found
                .iter()
                .map(|one| format!("\n  {} for {}", short(&one.policy_ref), of_agent(&one.agent)));
            bail!(
                "`{words}` may be several; say more of it, or `--agent`:{}",
                each.collect::<String>()
            )
        }
    }
}

fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

fn of_agent(agent: &str) -> String {
    match agent {
        policy::ALL_AGENTS => "all agents".to_owned(),
        name => format!("`{name}`"),
    }
}

fn proposed(it: &Proposal) -> Vec<(&'static str, Value)> {
    vec![
        ("policy", it.policy_ref.clone().into()),
        ("digest", it.digest.clone().into()),
        ("agent", it.agent.clone().into()),
        ("ts", it.ts.to_string().into()),
        ("notes", it.notes.clone().into()),
    ]
}

fn activated(it: &Activation) -> Vec<(&'static str, Value)> {
    vec![
        ("policy", it.policy_ref.clone().into()),
        ("digest", it.digest.clone().into()),
        ("agent", it.agent.clone().into()),
        ("ts", it.ts.to_string().into()),
        ("actor", it.actor.clone().into()),
        ("here", it.here.into()),
    ]
}

fn results(tested: &[Tested]) -> Value {
    Value::list(tested.iter().map(|one| {
        Value::map([
            ("call", Value::from(one.test.call.clone())),
            ("expect", one.test.expect.clone().into()),
            ("decision", one.decision.into()),
            ("reason", one.reason.clone().into()),
            ("ok", one.passes().into()),
        ])
    }))
}

fn tell_tests(tested: &[Tested]) -> Result<()> {
    for (number, one) in (1..).zip(tested).filter(|(_, one)| !one.passes()) {
        let call = |name: &str| one.test.call.get(name).cloned().unwrap_or_default();
        let (tool, args) = (call("tool"), value::json::compact(&call("args")));
        let tool = tool.as_text().map_or("", |tool| tool);
        let reason = one.reason.as_deref().map(|reason| format!(" ({reason})"));
        output::print(&format!(
            "test {number}: `{tool}` with {args}: expected {}, got {}{}",
            one.test.expect,
            one.decision,
            reason.unwrap_or_default()
        ))?;
    }
    let passed = tested.iter().filter(|one| one.passes()).count();
    output::print(&format!("{passed} of {} passed", output::plural(tested.len(), "test")))?;
    Ok(())
}
