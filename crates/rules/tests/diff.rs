//! What changed between two memories.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use rules::program::TemplateId;
use rules::read::read;
use rules::{FactRef, Field, Limits, Memory, Rulebook};

fn memory(text: &str) -> Memory {
    let (program, findings) = read(text);
    assert!(!diagnostics::any_error(&findings), "{findings:?}");
    let book = Rulebook::new(program).expect("the rules are right");
    Memory::new(Arc::new(book), Limits::default())
}

fn shown(memory: &Memory, fact: FactRef) -> String {
    let template = &memory.rulebook().program().templates[fact.template.0 as usize];
    let fields: Vec<String> = fact.fields.iter().map(ToString::to_string).collect();
    format!("{} {}", template.name, fields.join(" "))
}

/// What was removed and what was added.
fn diff(earlier: &Memory, later: &Memory) -> (Vec<String>, Vec<String>) {
    let diff = earlier.diff(later);
    assert_eq!(diff.is_empty(), diff.removed.is_empty() && diff.added.is_empty());
    (
        diff.removed.into_iter().map(|fact| shown(earlier, fact)).collect(),
        diff.added.into_iter().map(|fact| shown(later, fact)).collect(),
    )
}

#[test]
fn a_run_is_compared_with_the_point_before_it() {
    let mut run = memory(
        "(deffacts start (job 1) (job 2) (left 0))
         (defrule do ?j <- (job ?n) ?l <- (left ?x) => (retract ?j ?l) (assert (left (+ ?x ?n))))
         (defrule all (not (job ?)) => (assert (done)))",
    );
    let before = run.fork();
    run.run(|_| {});
    let (removed, added) = diff(&before, &run);
    assert_eq!(removed, ["job (1)", "job (2)", "left (0)"]);
    assert_eq!(added, ["left (3)", "done ()"]);
    assert_eq!(diff(&run, &before), (added, removed));
    assert!(run.diff(&run).is_empty());
}

#[test]
fn a_fact_that_came_back_is_no_difference() {
    let mut later = memory("(deffacts start (a 1) (b 2))");
    let before = later.fork();
    let fact = later.facts().next().expect("there are two");
    let (template, fields) = (fact.template, fact.fields.to_vec());
    assert!(later.retract(fact.id));
    later.assert(template, fields, None);
    assert_eq!(later.facts().last().map(|fact| fact.index), Some(3));
    assert!(before.diff(&later).is_empty());
}

#[test]
fn templates_of_different_programs_are_the_same_by_name() {
    let one = memory("(deftemplate a (slot x)) (deffacts f (a (x 1)) (b 1) (only-one))");
    let two = memory("(deffacts f (other) (b 1) (a 1)) (deftemplate c)");
    let (removed, added) = diff(&one, &two);
    assert_eq!(removed, ["a 1", "only-one ()"]);
    assert_eq!(added, ["other ()", "a (1)"]);
}

#[derive(Clone, Debug)]
enum Change {
    Assert(i64),
    Retract(usize),
    Fork,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_diff_is_what_two_sets_do_not_share(
        changes in prop::collection::vec(
            (
                any::<usize>(),
                prop_oneof![
                    6 => (0_i64..300).prop_map(Change::Assert),
                    4 => any::<usize>().prop_map(Change::Retract),
                    1 => Just(Change::Fork),
                ],
            ),
            1..150,
        )
    ) {
        let mut memories = vec![memory("(deffacts f (n -1))")];
        for number in 300..500 {
            memories[0].assert(TemplateId(0), vec![Field::many([Field::Int(number)])], None);
        }
        for (which, change) in changes {
            let which = which % memories.len();
            let memory = &mut memories[which];
            match change {
                Change::Assert(number) => {
                    memory.assert(TemplateId(0), vec![Field::many([Field::Int(number)])], None);
                }
                Change::Retract(nth) => {
                    let nth = nth % memory.fact_count().max(1);
                    let id = memory.facts().nth(nth).map(|fact| fact.id);
                    id.map(|id| memory.retract(id));
                }
                Change::Fork if memories.len() < 4 => {
                    let fork = memories[which].fork();
                    memories.push(fork);
                }
                Change::Fork => {}
            }
        }
        let facts = |memory: &Memory| -> BTreeSet<String> {
            memory.facts().map(|fact| shown(memory, fact)).collect()
        };
        for one in &memories {
            for two in &memories {
                let (removed, added) = diff(one, two);
                let (ones, twos) = (facts(one), facts(two));
                prop_assert_eq!(removed.len(), ones.difference(&twos).count());
                prop_assert_eq!(added.len(), twos.difference(&ones).count());
                prop_assert!(removed.iter().all(|fact| !twos.contains(fact)));
                prop_assert!(added.iter().all(|fact| !ones.contains(fact)));
            }
        }
    }
}
