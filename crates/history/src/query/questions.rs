//! Which questions a run has asked people, and which of them are open.

use value::Text;

use super::reading::{Events, read_lineage};
use crate::archive::Archive;
use crate::kinds::words::Exit;
use crate::kinds::{Kind, QuestionAsked, What};
use crate::{EventId, Lineage, Timestamp};

/// A question that was asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The event that asked it.
    pub id: EventId,
    /// When.
    pub ts: Timestamp,
    /// What was asked.
    pub question: QuestionAsked,
    /// Somebody can still answer it: nobody has, its time was not noticed to be over, and it was
    /// not given up.
    pub is_open: bool,
    at: Option<Text>,
    timer: Option<Text>,
}

/// What says that a question is asked, or that it is not open any more.
const KINDS: &[Kind] = &[
    Kind::QuestionAsked,
    Kind::QuestionAnswered,
    Kind::Interruption,
    Kind::TimerSet,
    Kind::TimerFired,
    Kind::RunFinished,
    Kind::RunCancelled,
];

/// The questions of a lineage, in the order in which they were asked.
pub fn questions<A: Archive + ?Sized>(
    archive: &A,
    lineage: &Lineage,
) -> Result<Vec<Asked>, A::Error> {
    let mut events = Events::default();
    read_lineage(archive, lineage, KINDS, &mut events)?;
    let mut all: Vec<Asked> = Vec::new();
    let own = lineage.until().checked_sub(1).and_then(|last| lineage.owner(last));
    for seen in events.seen {
        let Some(fact) = seen.fact else { continue };
        let mut close = |is_meant: &dyn Fn(&Asked) -> bool| {
            all.iter_mut().filter(|asked| is_meant(asked)).for_each(|asked| asked.is_open = false);
        };
        match fact.what {
            What::QuestionAsked(question) => all.push(Asked {
                id: seen.id,
                ts: fact.common.ts,
                // A fork asks again whether a call may be made.
                is_open: question.call.is_none() || own.is_none_or(|own| seen.place.stream == *own),
                question,
                at: fact.common.at,
                timer: None,
            }),
            What::QuestionAnswered(answer) => {
                close(&|asked| asked.question.question_id == answer.question_id);
            }
            What::Interruption(given_up) => {
                close(&|asked| given_up.affects.iter().any(|one| one.event_id == asked.id));
            }
            // The timer of a question is set right behind it, where it was asked.
            What::TimerSet(timer) => {
                if let Some(asked) = all.last_mut()
                    && asked.timer.is_none()
                    && asked.at == fact.common.at
                    && asked.question.expires.is_some()
                    && asked.question.expires == timer.due
                {
                    asked.timer = Some(timer.timer);
                }
            }
            What::TimerFired(timer) => close(&|asked| asked.timer.as_ref() == Some(&timer.timer)),
            // Whoever handed a run off may come back to it.
            What::RunFinished(end) if end.exit == Some(Exit::HandedOff) => {}
            // A fork may go on from the end of another run: then it has asked nothing yet.
            What::RunFinished(_) | What::RunCancelled(_) => close(&|_| true),
            _ => {}
        }
    }
    Ok(all)
}
