//! Labels that no run can come to.

use diagnostics::{Diagnostic, codes};

use crate::flow::Flow;
use crate::paths::{about_gate, at_label};
use graph::components::Components;

/// One finding for each piece of the graph that hangs together and is not led to. Of labels that
/// a return names by mistake that is the finding.
///
/// In a graph with an entry, a label that nothing names and that leads nowhere has lost its edges
/// altogether: another check says so. In one without, endpoints and the clock are where runs
/// begin; where there are none of these either, any label may be run.
pub(crate) fn check(flow: &Flow<'_>, named: &[usize], findings: &mut Vec<Diagnostic>) {
    let entry = flow.graph.entry().filter(|entry| flow.find_label(entry).is_some());
    if entry.is_none() && (flow.graph.entry().is_some() || !flow.has_ways_in) {
        return;
    }
    let from = entry.map_or("an endpoint or a cron".to_string(), |entry| format!("`{entry}`"));
    let reached = {
        let mut reached = flow.is_reached.clone();
        let roots: Vec<_> = named.iter().filter_map(|at| flow.labels[*at].entry).collect();
        flow.mark_reached(&roots, &mut reached);
        reached
    };
    let is_lost = |at: usize| flow.labels[at].entry.is_some_and(|entry| !reached[entry as usize]);
    if !(0..flow.labels.len()).any(is_lost) {
        return;
    }
    let mut leads: Vec<Vec<u32>> = vec![Vec::new(); flow.labels.len()];
    let mut is_tied = vec![false; flow.labels.len()];
    for (at, _) in flow.nodes() {
        let from = flow.label_of(at);
        for to in flow.out(at).iter().map(|arc| flow.label_of(arc.to)).filter(|to| *to != from) {
            leads[from].push(to as u32);
            (is_tied[from], is_tied[to]) = (true, true);
        }
    }
    let takes_part = |at: u32| is_lost(at as usize);
    let next = |at: u32, way: usize| leads[at as usize].get(way).copied();
    let pieces = Components::new(flow.labels.len(), takes_part, next);
    let mut is_led_to = vec![false; pieces.members.len()];
    for (from, to) in
        leads.iter().enumerate().flat_map(|(from, all)| all.iter().map(move |to| (from, *to)))
    {
        if is_lost(from) && is_lost(to as usize) && pieces.of[from] != pieces.of[to as usize] {
            is_led_to[pieces.of[to as usize] as usize] = true;
        }
    }
    let mut heads: Vec<u32> = pieces
        .members
        .iter()
        .zip(is_led_to)
        .filter(|(members, is_led_to)| {
            let head = members[0] as usize;
            // Of a program that is included, nobody has to use everything.
            let is_own = !flow.labels[head].id.contains('/');
            !is_led_to && if entry.is_none() { is_own } else { is_tied[head] }
        })
        .map(|(members, _)| members[0])
        .collect();
    heads.sort_unstable();
    let mut is_counted = vec![false; flow.labels.len()];
    for head in heads {
        let mut others = 0;
        let mut stack = vec![head];
        is_counted[head as usize] = true;
        while let Some(at) = stack.pop() {
            for to in &leads[at as usize] {
                if is_lost(*to as usize) && !std::mem::replace(&mut is_counted[*to as usize], true)
                {
                    others += 1;
                    stack.push(*to);
                }
            }
        }
        let id = flow.labels[head as usize].id;
        let message = match others {
            0 => format!("no path from {from} leads to `{id}`"),
            1 => format!("no path from {from} leads to `{id}`, nor to the one behind it"),
            _ => format!("no path from {from} leads to `{id}`, nor to the {others} behind it"),
        };
        let found = Diagnostic::new(&codes::NEVER_RUNS, at_label(id), message).help(match entry {
            Some(_) => {
                "lead a way to it, or remove it; if it is another way in, give it a spec of its own"
            }
            None => "lead a way to it, or remove it",
        });
        findings.push(about_gate(found, flow.gate(head as usize)));
    }
}
