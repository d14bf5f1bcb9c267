//! Tests that stand by themselves are put to the condition before them, so that they cost no
//! join. A test after a negated condition is asked once the condition is known to hold; a group
//! of one condition and a test is a negated condition with a test.

use super::test::Test;
use super::variables::Spec;

/// Puts tests to the conditions before them.
pub(super) fn fold_tests(specs: Vec<Spec>) -> Vec<Spec> {
    let mut kept: Vec<Spec> = Vec::with_capacity(specs.len());
    for mut spec in specs {
        let before = kept.len().checked_sub(2).map(|at| kept[at].marks.end);
        match kept.last_mut() {
            Some(last)
                if spec.marks.is_test
                    && spec.marks.begin <= last.marks.end
                    && last.marks.begin <= last.marks.end =>
            {
                let test = std::mem::take(&mut spec.test);
                let opened_by_last = before.is_none_or(|end| end < spec.marks.begin);
                if spec.marks.begin == spec.marks.end || !opened_by_last {
                    add(last, test);
                } else {
                    close(last, test, spec.marks.end, before);
                }
                last.marks.end = spec.marks.end;
            }
            _ => kept.push(spec),
        }
    }
    kept
}

fn add(spec: &mut Spec, test: Vec<Test>) {
    if spec.marks.negated { spec.after.extend(test) } else { spec.test.extend(test) }
}

/// The test closes the group that the condition opened.
fn close(spec: &mut Spec, test: Vec<Test>, end: u32, before: Option<u32>) {
    let begin = before.map_or(end, |before| before.max(end));
    let group_test = std::mem::take(&mut spec.group_test);
    match (spec.marks.negated, spec.marks.exists, spec.marks.opens_exists) {
        (false, _, opens_exists) => {
            spec.marks.begin = begin;
            spec.marks.opens_exists = false;
            spec.marks.exists = opens_exists;
            spec.marks.negated = true;
            spec.test.extend(group_test);
            spec.test.extend(test);
        }
        (true, true, true) if before.is_none() => {
            spec.marks.begin = begin;
            spec.marks.opens_exists = false;
            spec.after.extend(group_test);
            spec.after.extend(test);
        }
        _ => {
            spec.group_test = group_test;
            spec.after.extend(test);
        }
    }
}
