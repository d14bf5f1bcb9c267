//! Questions to people who are asked here. Their answers come as those of other calls do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use runtime::{Answer, CallId, Fault, Question};
use value::{Text, Value};

use super::{Came, DriveError, Driver};
use crate::questions::first_answer;

/// Somebody who may be asked.
pub trait People {
    /// Asks a question. What is answered at once is given back; any other answer is given to the
    /// reply. Whoever drops that leaves the question open.
    fn ask(&self, question: &Question, reply: Reply) -> Option<Result<Value, Fault>>;

    /// Who answers, where that is known.
    fn name(&self) -> Option<Text> {
        None
    }

    /// Takes a question back whose reply was kept.
    fn withdraw(&self, _question: &Question, _why: Withdrawn) {}
}

/// Why a question is taken back.
#[derive(Clone, Debug, PartialEq)]
pub enum Withdrawn {
    /// Somebody else said this.
    Answered(Value),
    /// Its time is over.
    Expired,
    /// Nobody waits for its answer any more.
    Unneeded,
    /// The run is not driven any further here.
    Stopped,
}

/// Where an answer goes that takes its time.
pub struct Reply {
    call: CallId,
    actor: Option<Text>,
    answers: Sender<Came>,
    is_kept: Arc<AtomicBool>,
}

impl Reply {
    /// Answers.
    pub fn give(self, value: Value) {
        // A run that is gone needs no answer.
        let answer = Answer::Person(value, self.actor.clone());
        let _ = self.answers.send((self.call, answer));
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        // Whoever sees this sees the answer too, if one was given.
        self.is_kept.store(false, Ordering::Release);
    }
}

/// A question that somebody thinks about.
pub(super) struct Thinking {
    question: Question,
    is_kept: Arc<AtomicBool>,
}

impl Driver<'_> {
    /// Asks the people who are here. Nobody may be.
    pub(super) fn ask(&mut self, call: CallId, question: Question) {
        let is_kept = Arc::new(AtomicBool::new(true));
        let actor = self.world.people.name();
        let answers = self.answers.0.clone();
        let reply = Reply { call, actor: actor.clone(), answers, is_kept: is_kept.clone() };
        match self.world.people.ask(&question, reply) {
            Some(Ok(value)) => self.at_once.push_back((call, Answer::Person(value, actor))),
            Some(Err(fault)) => self.at_once.push_back((call, Answer::Failed(fault))),
            None if is_kept.load(Ordering::Acquire) => {
                self.thinking.insert(call, Thinking { question, is_kept });
            }
            None => {}
        }
    }

    /// Whether somebody here thinks about a question.
    pub(super) fn somebody_thinks(&self) -> bool {
        self.thinking.values().any(|one| one.is_kept.load(Ordering::Acquire))
    }

    /// Takes questions back whose answers nobody waits for any more.
    pub(super) fn withdraw(&mut self) -> Result<(), DriveError> {
        let is_open = |call: &CallId| self.run.pending_call(*call).is_some();
        let gone = self.thinking.extract_if(.., |call, _| !is_open(call));
        let gone: Vec<Thinking> = gone.map(|(_, thinking)| thinking).collect();
        for Thinking { question, .. } in gone {
            let now = (self.world.clock)();
            let why = match first_answer(self.world.store, &self.stream, &question.id)? {
                Some((answer, _)) => Withdrawn::Answered(answer),
                None if question.expires.is_some_and(|expires| now >= expires) => {
                    Withdrawn::Expired
                }
                None => Withdrawn::Unneeded,
            };
            self.world.people.withdraw(&question, why);
        }
        Ok(())
    }

    /// Takes all questions back: the driver ends.
    pub(super) fn withdraw_all(&mut self) {
        for thinking in std::mem::take(&mut self.thinking).into_values() {
            self.world.people.withdraw(&thinking.question, Withdrawn::Stopped);
        }
    }
}
