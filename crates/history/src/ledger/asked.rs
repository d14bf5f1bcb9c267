//! What waits for something: a model, a person, a moment.

use std::collections::BTreeSet;

use value::Text;

use super::Violation;
use super::course::Course;
use super::layers::Layers;
use crate::EventId;
use crate::kinds::{Fact, What};

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Asked {
    /// The last attempt that was answered of each request to a model; 0 before the first.
    requests: Layers<Text, i64>,
    /// Whether each question to a person was answered.
    questions: Layers<Text, bool>,
    /// The timers that are set.
    timers: BTreeSet<Text>,
}

impl Asked {
    pub(super) fn check(&self, what: &What, course: &Course, found: &mut Vec<Violation>) {
        match what {
            What::ModelResponse(response) => {
                let request_id = response.request_id.clone();
                let is_event = || EventId::parse(&request_id).is_some_and(|id| course.has(id));
                match self.requests.get(&request_id) {
                    None if is_event() => {}
                    None => found.push(Violation::ResponseWithoutRequest { request_id }),
                    Some(answered) if response.attempt.unwrap_or(1) <= *answered => {
                        found.push(Violation::SecondResponse { request_id, attempt: *answered });
                    }
                    Some(_) => {}
                }
            }
            What::QuestionAnswered(event) => {
                let question_id = event.question_id.clone();
                match self.questions.get(&question_id) {
                    None => found.push(Violation::AnswerWithoutQuestion { question_id }),
                    Some(true) => found.push(Violation::SecondAnswer { question_id }),
                    Some(false) => {}
                }
            }
            What::TimerFired(event) if !self.timers.contains(&event.timer) => {
                found.push(Violation::TimerNotSet { timer: event.timer.clone() });
            }
            _ => {}
        }
    }

    pub(super) fn apply(&mut self, id: EventId, fact: &Fact) {
        match &fact.what {
            // Spec 5 gives a request no id; its event's does, or what its chain has in common.
            What::ModelRequest(request) => match &request.request_id {
                Some(request_id) => self.requests.insert(request_id.clone(), 0),
                None => {
                    self.requests.insert(id.to_string().into(), 0);
                    if let Some(chain) = &fact.common.correlation_id {
                        self.requests.insert(chain.clone(), 0);
                    }
                }
            },
            What::ModelResponse(response) => {
                if let Some(answered) = self.requests.get(&response.request_id) {
                    let answered = (*answered).max(response.attempt.unwrap_or(1));
                    self.requests.insert(response.request_id.clone(), answered);
                }
            }
            What::QuestionAsked(event) => self.questions.insert(event.question_id.clone(), false),
            What::QuestionAnswered(event) => self.questions.insert(event.question_id.clone(), true),
            What::TimerSet(event) => _ = self.timers.insert(event.timer.clone()),
            What::TimerFired(event) => _ = self.timers.remove(&event.timer),
            _ => {}
        }
    }
}
