use super::{Act, Feeds, Source};
use crate::read::read;

/// The edges of a program, one on each line: `from -> to: (pattern)`.
fn feeds(text: &str) -> String {
    let (program, findings) = read(text);
    assert!(findings.is_empty(), "{findings:?}");
    let name = |rule: u32| program.rules[rule as usize].name.to_string();
    let lines = Feeds::of(&program).edges.into_iter().map(|edge| {
        let from = match edge.from {
            Source::Outside => "outside".to_owned(),
            Source::Initial(at) => program.facts[at as usize].name.to_string(),
            Source::Rule(rule) => name(rule),
        };
        let arrow = if edge.act == Act::Asserts { "->" } else { "-x" };
        let not = if edge.absent { "not " } else { "" };
        format!("{from} {arrow} {}: {not}{}\n", name(edge.to), edge.patterns.join(" "))
    });
    lines.collect()
}

#[test]
fn constants_that_exclude_each_other_are_no_edge() {
    let text = "(deffacts start (phase a))
        (defrule one ?p <- (phase a) => (retract ?p) (assert (phase b)))
        (defrule two ?p <- (phase b) => (retract ?p) (assert (phase c)))
        (defrule any (phase ?) => (printout t done))
        (defrule others (phase ~b) => (printout t done))";
    assert_eq!(
        feeds(text),
        "start -> one: (phase a)\n\
         one -x one: (phase a)\n\
         one -> two: (phase b)\n\
         two -x two: (phase b)\n\
         start -> any: (phase ?)\n\
         one -> any: (phase ?)\n\
         one -x any: (phase ?)\n\
         two -> any: (phase ?)\n\
         two -x any: (phase ?)\n\
         start -> others: (phase ~b)\n\
         one -x others: (phase ~b)\n\
         two -> others: (phase ~b)\n"
    );
}

#[test]
fn a_change_keeps_what_it_does_not_name() {
    let text = "(deftemplate job (slot kind) (slot state (default new)))
        (defrule begin ?j <- (job (kind big) (state new)) => (modify ?j (state running)))
        (defrule watch (job (kind big) (state running)) => (printout t x))
        (defrule small (job (kind small) (state running)) => (printout t x))
        (defrule copy ?j <- (job (kind big)) => (duplicate ?j (kind small)))
        (defrule fresh (go) => (assert (job (kind small))))";
    assert_eq!(
        feeds(text),
        "outside -> begin: (job (kind big) (state new))\n\
         begin -x begin: (job (kind big) (state new))\n\
         begin -> watch: (job (kind big) (state running))\n\
         copy -> small: (job (kind small) (state running))\n\
         outside -> copy: (job (kind big))\n\
         begin -> copy: (job (kind big))\n\
         outside -> fresh: (go)\n"
    );
}

#[test]
fn what_must_not_be_there_is_marked() {
    let text = "(defrule deny (request ?r) (not (granted ?r)) => (assert (denied ?r)))
        (defrule grant (asked ?r) => (assert (granted ?r)))
        (defrule undo ?g <- (granted ?r) (stop) => (retract ?g))
        (defrule all (forall (denied ?r) (told ?r)) (not (not (stop))) (exists (asked ?)) =>)";
    assert_eq!(
        feeds(text),
        "outside -> deny: (request ?)\n\
         grant -> deny: not (granted ?)\n\
         undo -x deny: not (granted ?)\n\
         outside -> grant: (asked ?)\n\
         outside -> undo: (stop)\n\
         grant -> undo: (granted ?)\n\
         undo -x undo: (granted ?)\n\
         outside -> all: (told ?) (stop) (asked ?)\n\
         deny -> all: not (denied ?)\n"
    );
}

#[test]
fn lists_are_compared_from_both_ends_and_by_their_length() {
    let text = "(defrule say (go ?x&red|green) => (assert (path ?x 1 end)))
        (defrule blue (path blue $?) =>)
        (defrule red (path red $?) =>)
        (defrule last (path $? end) =>)
        (defrule other (path $? start) =>)
        (defrule two (path ? ?) =>)
        (defrule three (path ? 1 ?) =>)
        (defrule long (path $? ? ? ? ?) =>)";
    let fed: Vec<String> = (feeds(text).lines())
        .filter_map(|line| line.strip_prefix("say -> "))
        .map(|line| line.split(':').next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(fed, ["red", "last", "three"]);
}

#[test]
fn functions_assert_for_whoever_calls_them() {
    let text = "(deffunction note (?what) (assert (noted ?what)))
        (deffunction twice (?what) (note ?what) (note ?what))
        (defrule a (go) => (twice 1) (bind ?x 2) (assert (bound ?x here)))
        (defrule b (noted 7) =>)
        (defrule c (bound ? ? ?) =>)
        (defrule d (clear) => (retract *))";
    assert_eq!(
        feeds(text),
        "outside -> a: (go)\n\
         d -x a: (go)\n\
         a -> b: (noted 7)\n\
         d -x b: (noted 7)\n\
         a -> c: (bound ? ? ?)\n\
         d -x c: (bound ? ? ?)\n\
         outside -> d: (clear)\n\
         d -x d: (clear)\n"
    );
}

#[test]
fn a_program_with_too_many_edges_is_cut() {
    let rules: String =
        (0..200).map(|at| format!("(defrule r{at} (x ?y) => (assert (x (+ ?y {at}))))")).collect();
    let (program, _) = read(&rules);
    let feeds = Feeds::of(&program);
    assert!(feeds.is_cut);
    assert!(feeds.edges.len() <= super::EDGES_MAX);
}

/// Of which template a fact is, only the run knows: then all that have the slots are possible.
#[test]
fn facts_that_only_a_run_knows_can_be_of_any_template_with_the_slots() {
    let text = "(deftemplate job (slot state)) (deftemplate page (slot state))
        (deftemplate note (slot text))
        (deffunction finish (?what) (modify ?what (state done)))
        (defrule a (go ?which) => (finish ?which))
        (defrule b ?n <- (go ?) (note) => (bind ?n (assert (go 1))) (duplicate ?n (state open)))
        (defrule job (job (state done)) =>)
        (defrule page (page (state open)) =>)
        (defrule note (note (text done)) =>)";
    let fed: Vec<String> = feeds(text).lines().map(str::to_owned).collect();
    assert!(fed.contains(&"a -> job: (job (state done))".to_owned()), "{fed:?}");
    assert!(fed.contains(&"b -> page: (page (state open))".to_owned()), "{fed:?}");
    assert!(!fed.iter().any(|line| line.starts_with("a -> page") || line.starts_with("b -> job")));
    assert!(
        !fed.iter().any(|line| line.ends_with("note: (note (text done))") && line.starts_with('a'))
    );
}
