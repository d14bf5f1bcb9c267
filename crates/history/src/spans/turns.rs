//! Which calls of models, and which tools between them, are one turn of an agent.

use std::collections::BTreeMap;

use value::Text;

use super::call::{Asked, Call, Chat};
use crate::EventId;

/// The turns of a run.
pub(super) struct Turns {
    /// The turn that each call is part of.
    pub(super) of_call: Vec<Option<usize>>,
    /// The calls of each turn, in order. INVARIANT: none is empty, the first asks a model.
    pub(super) calls: Vec<Vec<usize>>,
    /// The turns of each node.
    at_node: BTreeMap<Option<Text>, Vec<usize>>,
}

impl Turns {
    /// A node that asks a model begins a turn. It goes on while the answers want tools, and where
    /// a call that failed is tried again. What has no node has no turns either: others who write
    /// histories do not say where one begins.
    pub(super) fn of(calls: &[Call]) -> Turns {
        let of_call = Vec::with_capacity(calls.len());
        let mut turns = Turns { of_call, calls: Vec::new(), at_node: BTreeMap::new() };
        let wanted = wanted(calls);
        let mut by_answer: BTreeMap<EventId, usize> = BTreeMap::new();
        for (number, call) in calls.iter().enumerate() {
            let turn = match &call.asked {
                Asked::Model(chat) if call.at.is_some() => {
                    let goes_on = turns.continued(calls, &wanted, call, chat);
                    Some(goes_on.unwrap_or(turns.calls.len()))
                }
                Asked::Tool { requested_by: Some(answer) } => {
                    let asker = by_answer.get(answer).copied();
                    let asker = asker.filter(|asker| calls[*asker].at == call.at);
                    asker.and_then(|asker| turns.of_call[asker])
                }
                _ => None,
            };
            if let Asked::Model(chat) = &call.asked {
                by_answer.extend(chat.answer.map(|answer| (answer, number)));
            }
            if let Some(turn) = turn {
                if turn == turns.calls.len() {
                    turns.calls.push(Vec::new());
                    turns.at_node.entry(call.at.clone()).or_default().push(turn);
                }
                turns.calls[turn].push(number);
            }
            turns.of_call.push(turn);
        }
        turns
    }

    /// The turn that a call of a model goes on with. Several branches may be at one node at the
    /// same time, so that what the call was given counts more than what is newest.
    fn continued(
        &self,
        calls: &[Call],
        wanted: &BTreeMap<EventId, u64>,
        call: &Call,
        chat: &Chat,
    ) -> Option<usize> {
        let here = self.at_node.get(&call.at).map_or(&[][..], Vec::as_slice);
        let newest = here.iter().rev().take(CANDIDATES_MAX);
        let candidates = newest.filter_map(|turn| {
            let (last, said) = last_chat(calls, &self.calls[*turn])?;
            goes_on(last, said, wanted, call, chat).then_some((*turn, said))
        });
        let candidates: Vec<(usize, &Chat)> = candidates.collect();
        let is_given =
            |said: &Chat| said.output.as_ref().is_some_and(|output| chat.inputs.contains(output));
        let given = candidates.iter().find(|(_, said)| is_given(said));
        given.or(candidates.first()).map(|(turn, _)| *turn)
    }
}

/// More branches than this are hardly at one node at the same time.
const CANDIDATES_MAX: usize = 64;

/// The last call of a model in a turn.
pub(super) fn last_chat<'a>(calls: &'a [Call], members: &[usize]) -> Option<(&'a Call, &'a Chat)> {
    members.iter().rev().find_map(|number| match &calls[*number].asked {
        Asked::Model(chat) => Some((&calls[*number], &**chat)),
        _ => None,
    })
}

/// For each answer that wants tools, the place of the last tool it wants. What another node does
/// because of an answer is no part of the turn.
pub(super) fn wanted(calls: &[Call]) -> BTreeMap<EventId, u64> {
    let mut nodes: BTreeMap<EventId, &Option<Text>> = BTreeMap::new();
    let mut wanted = BTreeMap::new();
    for call in calls {
        match &call.asked {
            Asked::Model(chat) => nodes.extend(chat.answer.map(|answer| (answer, &call.at))),
            Asked::Tool { requested_by: Some(answer) } if nodes.get(answer) == Some(&&call.at) => {
                wanted.insert(*answer, call.place.seq);
            }
            _ => {}
        }
    }
    wanted
}

/// Whether a call follows from the last one of a turn.
fn goes_on(
    last: &Call,
    said: &Chat,
    wanted: &BTreeMap<EventId, u64>,
    call: &Call,
    chat: &Chat,
) -> bool {
    let is_same = said.correlation.is_some() && said.correlation == chat.correlation;
    let wants_tools = said.answer.and_then(|answer| wanted.get(&answer));
    let has_tools = wants_tools.is_some_and(|tool| *tool < call.place.seq);
    let attempt = said.attempt.unwrap_or(1).checked_add(1);
    let is_again = last.has_failed() && chat.attempt.is_some() && chat.attempt == attempt;
    is_same || has_tools || is_again
}
