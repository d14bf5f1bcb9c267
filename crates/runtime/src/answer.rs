//! What becomes of an answer.

use functions::shown;
use history::Timestamp;
use value::{Text, Value};

use crate::call::{Answer, ModelAnswer, Question, Request};
use crate::change::{Change, Spent, Taken, What};
use crate::money::Money;
use crate::open::{Waiting, Why};
use crate::plan::{Plan, PlanNode, Step};
use crate::record::{Recorder, TOKENS_MAX};
use crate::run::Run;
use crate::{Fault, FaultKind, approval, blocks, fits, talk, transact};

/// The change that an answer makes. `given` says that it stands in for one that never came.
pub(crate) fn answered(
    plan: &Plan,
    run: &Run,
    waiting: &Waiting,
    answer: &Answer,
    ts: Timestamp,
    given: bool,
) -> Change {
    let pending = &waiting.pending;
    let here = plan.node(waiting.node);
    let mut recorder = Recorder::new(run, Some(&pending.at)).at_time(ts);
    let mut message = None;
    let event = match (answer, &pending.request) {
        (Answer::Model(answer), _) => {
            let (said, response) = recorder.model_answer(pending, answer);
            message = Some(said);
            response
        }
        (Answer::Failed(fault), Request::Model(_)) => recorder.model_failure(pending, fault),
        (Answer::Failed(fault), _) => recorder.tool_result(pending, Err(fault)),
        (Answer::Value(value), _) => recorder.tool_result(pending, Ok(value)),
        (Answer::Person(value, actor), Request::Question(question)) => {
            recorder.question_answer(&question.id, value, actor.as_ref())
        }
        (Answer::Person(..) | Answer::Due, _) => recorder.timer_fired(&pending.name),
    };
    if given {
        recorder.substitution(pending.intent, event);
    }
    let decided = approval::decided(run, waiting, answer, ts, &mut recorder);
    let taken = decided.unwrap_or_else(|| match waiting.why {
        Why::Answer | Why::Approval { .. } => {
            let taken = take(plan, here, waiting, answer);
            match (answer, &pending.request, message) {
                (Answer::Model(answer), Request::Model(call), Some(message)) if !given => {
                    let own = run.fiber(waiting.fiber);
                    let goes_on =
                        talk::goes_on(own, pending, call, answer, misfit(&taken), message);
                    goes_on.unwrap_or(taken)
                }
                (Answer::Failed(fault), Request::Model(_), _) => {
                    match talk::in_vain(run.fiber(waiting.fiber), fault) {
                        Some(fault) => Taken::Failed(fault, Spent::default()),
                        None => taken,
                    }
                }
                _ => taken,
            }
        }
        Why::Retry => Taken::Again,
        Why::Expiry(question) => expired(run, here, question),
        Why::Fetch | Why::Act => blocks::taken(waiting, answer),
        Why::Use(index) => talk::used(index, answer),
    });
    let what = What::Answered { call: pending.id, ts, taken: Box::new(taken) };
    Change { events: recorder.events, what }
}

/// Why an answer is not of the shape that was asked for.
fn misfit(taken: &Taken) -> Option<&Fault> {
    match taken {
        Taken::Failed(fault, _) if fault.kind == FaultKind::Schema => Some(fault),
        _ => None,
    }
}

fn pending_question(waiting: &Waiting) -> Option<&Question> {
    match &waiting.pending.request {
        Request::Question(question) => Some(question),
        _ => None,
    }
}

/// What a node does with an answer.
fn take(plan: &Plan, here: &PlanNode, waiting: &Waiting, answer: &Answer) -> Taken {
    let to = here.next;
    let question = pending_question(waiting);
    let wrote = |slot: Option<u32>, value: &Value, output: bool| Taken::Wrote {
        writes: slot.map(|slot| (slot, value.clone())).into_iter().collect(),
        output: output.then(|| value.clone()),
        to,
        spent: Spent::default(),
    };
    match (answer, &here.step) {
        (Answer::Failed(fault), _) => Taken::Failed(fault.clone(), Spent::default()),
        (Answer::Model(answer), Step::Model(step)) => match &step.output {
            None => {
                let text = Value::Text(answer.text.clone());
                let writes = step.out.map(|slot| (slot, text.clone())).into_iter().collect();
                Taken::Wrote { writes, output: Some(text), to, spent: spent(answer) }
            }
            Some((schema, fields, whole)) => match plan.schemas.answer(*schema, &answer.text) {
                Ok(object) => {
                    let names = plan.schemas.schema(*schema).fields.iter().zip(fields);
                    let mut writes: Vec<(u32, Value)> = names
                        .filter_map(|(field, slot)| Some((*slot, object.get(&field.name)?.clone())))
                        .collect();
                    let object = Value::from(object);
                    writes.push((*whole, object.clone()));
                    writes.extend(step.out.map(|slot| (slot, object.clone())));
                    Taken::Wrote { writes, output: Some(object), to, spent: spent(answer) }
                }
                Err(fault) => Taken::Failed(fault, spent(answer)),
            },
        },
        (Answer::Value(value), Step::Tool(step)) => wrote(step.out, value, true),
        (Answer::Value(value), Step::Effect(step)) => wrote(step.out, value, true),
        (Answer::Value(_), Step::Transact(step)) => {
            let (writes, spent) = (transact::writes(step, waiting), Spent::default());
            Taken::Wrote { writes, output: None, to, spent }
        }
        (Answer::Value(value), Step::ReadStore { out, .. }) => wrote(*out, value, false),
        (Answer::Value(value), Step::Keep(step)) => wrote(step.out, value, false),
        (Answer::Person(value, _), Step::Ask(step)) => {
            let value = question.map_or_else(|| value.clone(), |question| settled(question, value));
            wrote(step.out, &value, false)
        }
        (Answer::Value(value), _) => wrote(None, value, false),
        (Answer::Due, _) => wrote(None, &Value::Null, false),
        (Answer::Model(_) | Answer::Person(..), _) => {
            let message = "an answer came that nobody asked for";
            Taken::Failed(Fault::new(FaultKind::Failed, message), Spent::default())
        }
    }
}

pub(crate) fn spent(answer: &ModelAnswer) -> Spent {
    Spent {
        prompt_tokens: answer.prompt_tokens.min(TOKENS_MAX),
        completion_tokens: answer.completion_tokens.min(TOKENS_MAX),
        cost: answer.cost.as_deref().and_then(Money::parse).unwrap_or_default(),
    }
}

/// Nobody answered a question in time.
fn expired(run: &Run, here: &PlanNode, question: u32) -> Taken {
    let Step::Ask(step) = &here.step else { return Taken::Again };
    let asked = run.open.get(question).and_then(pending_question);
    if let Some(default) = asked.and_then(|question| question.default.clone()) {
        let writes = step.out.map(|slot| (slot, default)).into_iter().collect();
        return Taken::Wrote { writes, output: None, to: here.next, spent: Spent::default() };
    }
    match step.expired {
        Some(to) => Taken::Wrote { writes: Vec::new(), output: None, to, spent: Spent::default() },
        None => {
            let prompt = asked.map_or("", |question| &*question.prompt);
            let message = format!("nobody answered `{prompt}` in time");
            Taken::Failed(Fault::new(FaultKind::Expired, message), Spent::default())
        }
    }
}

/// An answer as it is kept: one of the options is written in lower case and without the space
/// around it, whoever chose it.
fn settled(question: &Question, answer: &Value) -> Value {
    match (answer, question.options.is_empty()) {
        (Value::Text(text), false) => Value::text(text.trim().to_lowercase()),
        _ => answer.clone(),
    }
}

/// Why an answer cannot be taken, in words for whoever gave it.
pub(crate) fn refused(question: &Question, answer: &Value) -> Option<String> {
    if !question.options.is_empty() {
        let is_one = question.options.iter().any(|option| match (option, answer) {
            (Value::Text(option), Value::Text(answer)) => {
                option.trim().to_lowercase() == answer.trim().to_lowercase()
            }
            (option, answer) => option == answer,
        });
        if !is_one {
            let options: Vec<Text> = question.options.iter().map(shown).collect();
            return Some(format!("the answer must be one of: {}", options.join(", ")));
        }
    }
    fits::misfit(question.schema.as_ref()?, answer)
}
