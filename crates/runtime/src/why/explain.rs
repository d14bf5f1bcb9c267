//! What each kind of decision was about.

use value::{Text, Value};

use super::ways::{all, node, others};
use super::{Decision, NotTaken};
use crate::call::Request;
use crate::fault::FAULTS;
use crate::plan::{self, Plan};
use crate::run::Status;
use crate::trace::{Answered, Approval, By, Decided, Joined, Seen, Step, StepKind, target};
use crate::{Failure, Fault};

/// Whether a step is a decision about what follows.
pub(super) fn is_decision(step: &Step) -> bool {
    match &step.what {
        StepKind::Decided(_)
        | StepKind::Turned { .. }
        | StepKind::CameBack { turns: Some(_), .. }
        | StepKind::TriedAgain { .. }
        | StepKind::Handled { .. }
        | StepKind::Ruled(_)
        | StepKind::Refused { .. } => true,
        // A join decides where some branches did not succeed, or need not have.
        StepKind::Joined(joined) => {
            joined.outcome.is_err() || !joined.failed.is_empty() || !joined.cancelled.is_empty()
        }
        StepKind::Answered(answered) => {
            answered.by == By::Nobody || wishes(step, answered).is_some()
        }
        _ => false,
    }
}

/// The decision that the last of some steps is. Those before it are what explains it.
pub(super) fn decision(plan: &Plan, steps: &[Step]) -> Option<Decision> {
    let (step, before) = steps.split_last()?;
    match &step.what {
        StepKind::Decided(_) => Some(gate(plan, steps)),
        StepKind::Turned { .. } | StepKind::CameBack { turns: Some(_), .. } => {
            Some(turn(plan, step))
        }
        StepKind::TriedAgain { attempt, of, fault, .. } => {
            Some(retry(plan, step, *attempt, *of, fault))
        }
        StepKind::Handled { handler, fault } => Some(handled(plan, step, handler, fault)),
        StepKind::Joined(joined) => Some(join(plan, before, step, joined)),
        StepKind::Answered(answered) => Some(match wishes(step, answered) {
            Some(wants) => wished(plan, step, answered, wants),
            None => expiry(plan, before, step, answered),
        }),
        StepKind::Ruled(approval) => Some(ruled(before, step, approval)),
        StepKind::Refused { call, fault } => Some(refused(before, step, call, fault)),
        StepKind::Finished { status, failure: Some(failure), .. } => Some(ended(*status, failure)),
        _ => None,
    }
}

fn leads(to: Option<&Text>) -> Text {
    to.cloned().unwrap_or_else(|| "the label ends".into())
}

/// A chain of questions that were asked one after the other.
fn gate(plan: &Plan, steps: &[Step]) -> Decision {
    let questions = steps.iter().filter_map(|step| match &step.what {
        StepKind::Decided(decided) => Some((step, &**decided)),
        _ => None,
    });
    let chain: Vec<(&Step, &Decided)> = questions.collect();
    let mut values: Vec<(Text, Value)> = Vec::new();
    let mut not_taken = Vec::new();
    for (place, (step, decided)) in chain.iter().enumerate() {
        let seen = decided.condition.iter().flat_map(|seen| &seen.values);
        for (name, value) in seen {
            if !values.iter().any(|(known, _)| known == name) {
                values.push((name.clone(), value.clone()));
            }
        }
        let ways = node(plan, &step.at).map(|here| others(plan, here, decided.holds));
        // Where the way led on to the next question, that one has the rest to say.
        let to = chain.get(place + 1).map_or(decided.to.as_ref(), |(next, _)| Some(&next.at));
        not_taken.extend(
            ways.into_iter().flatten().filter(|way| way.target.as_ref() != to || to.is_none()),
        );
    }
    let (step, decided) = chain.last().expect("the decision itself is in the chain");
    let condition = |seen: &Seen| match decided.holds {
        true => format!("`{}` holds", seen.text),
        false => format!("`{}` does not hold", seen.text),
    };
    let because = decided.condition.as_ref().map(condition).unwrap_or_default();
    let (source, text) = match &decided.clause {
        Some(clause) => (clause.source.clone(), clause.text.clone()),
        None => ("condition".into(), because.into()),
    };
    Decision {
        decision: leads(decided.to.as_ref()),
        source,
        text,
        at: step.at.clone(),
        values,
        not_taken,
    }
}

/// A loop goes on, or ends.
fn turn(plan: &Plan, step: &Step) -> Decision {
    let here = node(plan, &step.at).map(|node| &node.step);
    let (body, after) = match here {
        Some(plan::Step::Loop { body, after, .. } | plan::Step::While { body, after, .. }) => {
            (Some(plan.label(*body).id.clone()), target(plan, *after))
        }
        _ => (None, None),
    };
    let condition = |holds| match here {
        Some(plan::Step::While { condition, .. }) => Some(all(&[(condition, holds)])),
        _ => None,
    };
    match &step.what {
        StepKind::Turned { turn, item, condition: seen } => Decision {
            decision: leads(body.as_ref()),
            source: "loop".into(),
            text: match seen {
                Some(seen) => format!("turn {turn}: `{}` holds", seen.text).into(),
                None => format!("item {turn}").into(),
            },
            at: step.at.clone(),
            values: match (seen, item) {
                (Some(seen), _) => seen.values.clone(),
                (None, item) => item.iter().cloned().collect(),
            },
            not_taken: vec![NotTaken {
                target: after,
                needs: condition(false).unwrap_or_else(|| "no item is left".into()),
            }],
        },
        StepKind::CameBack { turns, condition: seen, to, .. } => {
            let turns = turns.unwrap_or(0);
            Decision {
                decision: leads(to.as_ref()),
                source: "loop".into(),
                text: match seen {
                    Some(seen) => {
                        format!("`{}` does not hold after {turns} turns", seen.text).into()
                    }
                    None => format!("all {turns} items are done").into(),
                },
                at: step.at.clone(),
                values: seen.iter().flat_map(|seen| seen.values.clone()).collect(),
                not_taken: vec![NotTaken {
                    target: body,
                    needs: condition(true).unwrap_or_else(|| "one more item".into()),
                }],
            }
        }
        _ => unreachable!("only these are turns of loops"),
    }
}

fn error(fault: &Fault) -> Vec<(Text, Value)> {
    vec![("error".into(), fault.to_value())]
}

fn retry(plan: &Plan, step: &Step, attempt: u32, of: u32, fault: &Fault) -> Decision {
    let handler = node(plan, &step.at).and_then(|node| node.handler);
    Decision {
        decision: format!("{} runs again", step.at).into(),
        source: "retry".into(),
        text: format!("further attempt {attempt} of {of}, after {fault}").into(),
        at: step.at.clone(),
        values: error(fault),
        not_taken: vec![NotTaken {
            target: handler.map(|handler| plan.label(handler).id.clone()),
            needs: "no attempt left, or an error that is not to be tried again".into(),
        }],
    }
}

fn handled(plan: &Plan, step: &Step, handler: &Text, fault: &Fault) -> Decision {
    let here = node(plan, &step.at);
    let mut not_taken = Vec::new();
    if let Some(retry) = here.and_then(|node| node.retry.as_ref()) {
        let words: Vec<&str> = retry.errors.iter().map(|code| &**code).collect();
        let needs = match words.is_empty() {
            true => format!("more than {} further attempts", retry.count),
            false => {
                format!("more than {} further attempts, one of {}", retry.count, words.join(", "))
            }
        };
        not_taken.push(NotTaken { target: Some(step.at.clone()), needs: needs.into() });
    }
    not_taken.push(NotTaken {
        target: here.and_then(|node| target(plan, node.next)),
        needs: format!("{} succeeds", step.at).into(),
    });
    Decision {
        decision: handler.clone(),
        source: "handler".into(),
        text: fault.to_string().into(),
        at: step.at.clone(),
        values: error(fault),
        not_taken,
    }
}

/// How branches ended.
fn join(plan: &Plan, before: &[Step], step: &Step, joined: &Joined) -> Decision {
    let branches = before.iter().find_map(|earlier| match &earlier.what {
        StepKind::Forked { branches, .. } => Some(branches),
        _ => None,
    });
    let label = |place: &u32| {
        let branch = branches.and_then(|branches| branches.get(*place as usize));
        branch.map_or_else(|| format!("branch {place}").into(), |branch| branch.label.clone())
    };
    let labels = |places: &[u32]| Value::list(places.iter().map(|place| label(place).into()));
    let next = node(plan, &step.at).and_then(|node| target(plan, node.next));
    let given_up = joined.cancelled.iter().map(|place| NotTaken {
        target: Some(label(place)),
        needs: match joined.outcome {
            Ok(_) => format!("to succeed before {} others did", joined.needed).into(),
            Err(_) => "fewer failures of other branches".into(),
        },
    });
    let failed = joined.outcome.as_ref().err().map(|_| NotTaken {
        target: next.clone(),
        needs: format!("{} branches succeed", joined.needed).into(),
    });
    Decision {
        decision: match &joined.outcome {
            Ok(_) => leads(next.as_ref()),
            Err(fault) => format!("{} fails with {}", step.at, fault.kind.word()).into(),
        },
        source: "join".into(),
        text: joined.to_string().into(),
        at: step.at.clone(),
        values: vec![
            ("succeeded".into(), labels(&joined.succeeded)),
            ("failed".into(), labels(&joined.failed)),
            ("given_up".into(), labels(&joined.cancelled)),
        ],
        not_taken: failed.into_iter().chain(given_up).collect(),
    }
}

/// What a model wants before it goes on.
fn wishes<'a>(step: &Step, answered: &'a Answered) -> Option<&'a [Value]> {
    let answer = answered.answer.as_ref().ok().filter(|_| answered.to.as_ref() == Some(&step.at));
    let wants = answer?.get("wants")?.as_list()?;
    (answered.by == By::World && !wants.is_empty()).then_some(wants)
}

/// A model wanted tools.
fn wished(plan: &Plan, step: &Step, answered: &Answered, wants: &[Value]) -> Decision {
    let name = |wish: &Value| wish.get("name").and_then(Value::as_text).cloned();
    let names: Vec<Text> = wants.iter().filter_map(name).collect();
    let next = node(plan, &step.at).and_then(|node| target(plan, node.next));
    Decision {
        decision: format!("calls {}", names.join(", ")).into(),
        source: "model".into(),
        text: format!("{} is answered with what the model wants", answered.call).into(),
        at: step.at.clone(),
        values: vec![("wants".into(), Value::list(wants.iter().cloned()))],
        not_taken: vec![NotTaken { target: next, needs: "an answer that wants nothing".into() }],
    }
}

fn asked(before: &[Step]) -> Option<&Request> {
    before.iter().find_map(|step| match &step.what {
        StepKind::Requested { request, .. } => Some(request),
        _ => None,
    })
}

/// Nobody answered in time.
fn expiry(plan: &Plan, before: &[Step], step: &Step, answered: &Answered) -> Decision {
    let next = node(plan, &step.at).and_then(|node| target(plan, node.next));
    let question = match asked(before) {
        Some(Request::Question(question)) => Some(question),
        _ => None,
    };
    let until = question.and_then(|question| question.expires);
    let until = until.map(|until| until.to_string()).unwrap_or_default();
    let prompt = question.map_or("", |question| &*question.prompt);
    Decision {
        decision: match &answered.answer {
            Ok(_) => leads(answered.to.as_ref()),
            Err(fault) => format!("{} fails with {}", step.at, fault.kind.word()).into(),
        },
        source: "expiry".into(),
        text: format!("nobody answered `{prompt}` in time").into(),
        at: step.at.clone(),
        values: answered.wrote.clone(),
        not_taken: vec![NotTaken {
            target: next,
            needs: format!("an answer before {until}").into(),
        }],
    }
}

fn help(fault: &Fault) -> Text {
    let row = FAULTS.iter().find(|(word, ..)| *word == fault.kind.word());
    row.map_or("another outcome", |(.., help)| help).into()
}

/// What a call would do, and with what.
fn wanted(before: &[Step], call: &Text) -> (Text, Vec<(Text, Value)>) {
    match asked(before) {
        Some(Request::Tool(tool)) => {
            let args = Value::from(tool.args.clone());
            (format!("{}.{}", tool.server, tool.tool).into(), vec![("args".into(), args)])
        }
        Some(Request::Model(model)) => (format!("model {}", model.model).into(), Vec::new()),
        _ => (call.clone(), Vec::new()),
    }
}

/// A policy or a person said whether a call may leave, or that somebody must.
fn ruled(before: &[Step], step: &Step, approval: &Approval) -> Decision {
    let (target, mut values) = wanted(before, &approval.call);
    let known = [("outcome", Some(&approval.outcome)), ("actor", approval.actor.as_ref())];
    let known = known.into_iter().chain([("policy", approval.policy.as_ref())]);
    values.extend(known.filter_map(|(name, text)| Some((name.into(), text?.clone().into()))));
    let needs = match approval.source() {
        "person" => "another answer",
        "expiry" => "an answer in time",
        _ => "another decision of the policy",
    };
    let instead = match (approval.denies(), &*approval.outcome) {
        (false, "ask") => format!("{target} at once"),
        (false, _) => format!("a denial of {target}"),
        (true, _) => target.to_string(),
    };
    let text = match &approval.reason {
        Some(reason) => reason.clone(),
        None => approval.outcome.clone(),
    };
    Decision {
        decision: approval.words().into(),
        source: approval.source().into(),
        text,
        at: step.at.clone(),
        values,
        not_taken: vec![NotTaken { target: Some(instead.into()), needs: needs.into() }],
    }
}

/// A decider did not allow a call.
fn refused(before: &[Step], step: &Step, call: &Text, fault: &Fault) -> Decision {
    let (target, values) = wanted(before, call);
    Decision {
        decision: format!("{call} may not leave").into(),
        source: fault.kind.word().into(),
        text: fault.message.clone(),
        at: step.at.clone(),
        values,
        not_taken: vec![NotTaken { target: Some(target), needs: help(fault) }],
    }
}

/// The run ended before its end.
fn ended(status: Status, failure: &Failure) -> Decision {
    let fault = &failure.fault;
    let at = failure.at.clone().unwrap_or_else(|| "".into());
    let needs = match (status, fault.kind.is_fatal()) {
        (Status::Failed, false) => {
            format!("a `Retry` or an `Err` at {at}, or at what called its label").into()
        }
        _ => help(fault),
    };
    Decision {
        decision: status.word().into(),
        source: fault.kind.word().into(),
        text: fault.message.clone(),
        at,
        values: error(fault),
        not_taken: vec![NotTaken { target: None, needs }],
    }
}
