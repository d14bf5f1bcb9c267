//! Names that are read and written nowhere, and are nearly the name of something that is.

use std::collections::BTreeSet;

use diagnostics::{Diagnostic, codes, nearest};
use graph::ops::SlotKind;

use crate::calls::{Call, Calls};
use crate::flow::{Flow, NodeId};
use crate::names::{NameId, Names, has_condition};
use crate::paths::{about_gate, at_node, at_slot};

/// Comparing more names than these takes longer than a reader would thank us for.
const READ_MAX: usize = 200;
const WRITTEN_MAX: usize = 2_000;

/// One finding for each name, where it is read first. Says which names they were.
pub(crate) fn check(
    flow: &Flow<'_>,
    names: &Names<'_>,
    calls: &Calls<'_>,
    findings: &mut Vec<Diagnostic>,
) -> BTreeSet<NameId> {
    let mut seen = vec![false; names.len()];
    // A gate that asks for what nothing writes was told so, with what was meant.
    let mut is_told = vec![false; names.len()];
    for (at, _) in flow.nodes().filter(|(_, node)| node.clause().is_some()) {
        names.reads(at).iter().for_each(|name| is_told[*name as usize] = true);
    }
    let mut suspects: Vec<(NodeId, NameId)> = Vec::new();
    for (at, node) in flow.nodes() {
        if calls.of(at) != Some(Call::Logic) && !has_condition(node) {
            continue;
        }
        for name in names.reads(at).iter().chain(names.needs(at)) {
            if std::mem::replace(&mut seen[*name as usize], true) {
                continue;
            }
            let is_given = names.is_written(*name)
                || names.is_declared(*name)
                || names.is_reserved(*name)
                || !names.carriers(*name).is_empty();
            if !is_given {
                suspects.push((at, *name));
            }
        }
    }
    let mut found = BTreeSet::new();
    if suspects.is_empty() {
        return found;
    }
    let written = (0..names.len() as NameId).filter(|name| names.is_written(*name));
    let written: Vec<&str> = written.map(|name| names.text(name)).take(WRITTEN_MAX).collect();
    for (at, name) in suspects.into_iter().take(READ_MAX) {
        let read = names.text(name);
        let near = written.iter().copied().filter(|other| is_slip(read, other));
        let Some(meant) = nearest(read, near) else { continue };
        found.insert(name);
        if is_told[name as usize] {
            continue;
        }
        let kind =
            if has_condition(flow.node(at)) { SlotKind::Condition } else { SlotKind::FirstValue };
        let message = format!("`{read}` is read in `{}`, but nothing writes it", flow.label_id(at));
        let mut finding = Diagnostic::new(&codes::MISSPELT_NAME, at_slot(flow, at, kind), message)
            .help(format!("did you mean `{meant}`?"))
            .about(read);
        let writer = names.find(meant).and_then(|meant| names.writers(meant).first());
        if let Some(writer) = writer {
            finding = finding.label(at_node(flow, *writer), format!("`{meant}` is written here"));
        }
        findings.push(about_gate(finding, flow.gate(flow.label_of(at))));
    }
    found
}

/// Whether two names differ by a slip of the pen: `qualty_score` and `quality_score`, but not
/// `min_score` and `max_score`, nor `task` and `tasks`.
fn is_slip(read: &str, written: &str) -> bool {
    if !is_near(read.as_bytes(), written.as_bytes()) {
        return false;
    }
    let (mut a, mut b) = (read.to_lowercase(), written.to_lowercase());
    if a == b {
        return a.len() >= 3;
    }
    let without = |text: &str| text.replace('_', "");
    if without(&a) == without(&b) {
        return a.len() >= 5;
    }
    // Words that both have say nothing: only what differs is compared.
    let (first, second): (Vec<&str>, Vec<&str>) = (a.split('_').collect(), b.split('_').collect());
    if first.len() == second.len() {
        let mut differing = first.iter().zip(&second).filter(|(one, other)| one != other);
        let only = differing.next().map(|(one, other)| (one.to_string(), other.to_string()));
        if differing.next().is_some() {
            return false;
        }
        if let Some((one, other)) = only {
            (a, b) = (one, other);
        }
    }
    let length = a.chars().count().min(b.chars().count());
    let is_number_apart = a
        .chars()
        .filter(|letter| !letter.is_ascii_digit())
        .eq(b.chars().filter(|letter| !letter.is_ascii_digit()));
    if length < 5
        || a.starts_with(&b)
        || b.starts_with(&a)
        || a.ends_with(&b)
        || b.ends_with(&a)
        || is_number_apart
    {
        return false;
    }
    // One letter for another makes other words, such as `price` and `prize`.
    let is_other_word = a.chars().count() == b.chars().count()
        && a.chars().zip(b.chars()).filter(|(one, other)| one != other).count() == 1;
    if length < 9 && is_other_word || has_other_ending(&a, &b) {
        return false;
    }
    distance(&a, &b) <= if length >= 9 { 2 } else { 1 }
}

/// Whether two words are forms of one: `generator` and `generated`.
fn has_other_ending(a: &str, b: &str) -> bool {
    const ENDINGS: [&str; 16] = [
        "", "s", "es", "ed", "d", "er", "r", "or", "ing", "ion", "ions", "ies", "y", "ize", "ive",
        "al",
    ];
    const STEM_MIN: usize = 4;
    let same = a.bytes().zip(b.bytes()).take_while(|(one, other)| one == other).count();
    (STEM_MIN..=same).any(|stem| {
        let ending = |word: &str| word.get(stem..).is_some_and(|end| ENDINGS.contains(&end));
        ending(a) && ending(b)
    })
}

/// Whether two names are the same but for a few letters in one place. Most pairs are not, and
/// this says so at once.
fn is_near(a: &[u8], b: &[u8]) -> bool {
    const APART_MAX: usize = 5;
    let is_same = |(one, other): &(&u8, &u8)| one.eq_ignore_ascii_case(other);
    let head = a.iter().zip(b).take_while(is_same).count();
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(is_same).count();
    head + tail + APART_MAX >= a.len().max(b.len())
}

/// Edits between two words, counting at most three; neighbours that changed places are one edit.
fn distance(a: &str, b: &str) -> usize {
    let (mut a, mut b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    while a.last().is_some() && a.last() == b.last() {
        a.pop();
        b.pop();
    }
    let same = a.iter().zip(&b).take_while(|(one, other)| one == other).count();
    let (a, b) = (&a[same..], &b[same..]);
    match (a, b) {
        _ if a.len().abs_diff(b.len()) > 2 || a.len().max(b.len()) > 4 => 3,
        ([first, second], [third, fourth]) if first == fourth && second == third => 1,
        _ => {
            let mut last: Vec<usize> = (0..=b.len()).collect();
            for (i, one) in a.iter().enumerate() {
                let mut row = vec![i + 1];
                for (j, other) in b.iter().enumerate() {
                    row.push(
                        (last[j + 1] + 1).min(row[j] + 1).min(last[j] + usize::from(one != other)),
                    );
                }
                last = row;
            }
            last[b.len()]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_told_from_other_names() {
        for (read, written) in [
            ("qualty_score", "quality_score"),
            ("quality_scroe", "quality_score"),
            ("feedbck", "feedback"),
            ("qualityscore", "quality_score"),
            ("recomendation_list", "recommendation_list"),
            ("Answer", "answer"),
        ] {
            assert!(is_slip(read, written), "{read} {written}");
        }
        for (read, written) in [
            ("min_score", "max_score"),
            ("task", "tasks"),
            ("result", "results"),
            ("plan_a", "plan_b"),
            ("agent_1_answer", "agent_2_answer"),
            ("answer1", "answer2"),
            ("item", "items_count"),
            ("score", "score_count"),
            ("input", "output"),
            ("pro_argument", "con_argument"),
            ("query", "quest"),
        ] {
            assert!(!is_slip(read, written), "{read} {written}");
        }
    }
}
