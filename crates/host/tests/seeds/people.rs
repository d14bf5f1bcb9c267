//! People who answer at once, while their run is driven.

use host::{People, Reply, Rules};
use runtime::{Fault, FaultKind, Pending, Question, Ruling, Run};
use value::{Text, Value};

use crate::ground::Happening;
use crate::process::Process;

impl Rules for Process<'_, '_> {
    fn rule(&self, policy: &Text, _: &Run, call: &Pending) -> Ruling {
        self.ground.happens(Happening::Ruled);
        self.ground.seen().desk.ruling(&call.name, policy)
    }
}

impl People for Process<'_, '_> {
    fn ask(&self, question: &Question, _: Reply) -> Option<Result<Value, Fault>> {
        let mut unrest = self.ground.unrest();
        let at_once = unrest.at_once;
        if self.is_dead() || !unrest.strikes(at_once) {
            return None;
        }
        let cannot = unrest.random.one_in(6);
        drop(unrest);
        if cannot {
            return Some(Err(Fault::new(FaultKind::Input, "nobody can answer this")));
        }
        let open = self.ground.seen().open_questions();
        let (_, reply) = open.into_iter().find(|(open, _)| *open == question.id)?;
        self.ground.happens(Happening::AnsweredAtOnce);
        reply.map(Ok)
    }
}
