//! Whatever a program says, it is run without a panic, within its limits, and to the same end each
//! time; a fork of its memory goes on as the memory does; and facts come from where `feeds` says.

use std::sync::Arc;

use proptest::prelude::*;
use rules::feeds::{Act, Feeds, Source};
use rules::read::read;
use rules::{Limits, Memory, Origin, Rulebook, Stop};

const LIMITS: Limits = Limits { firings: 40, facts: 12, matches: 2_000, steps: 20_000 };

const TEMPLATES: &str = "(deftemplate t (slot a) (multislot m)) (defglobal ?*g* = 1)
    (deffunction twice ($?all) (create$ ?all ?all))
    (deffunction deep (?x) (deep (+ ?x 1)))
    (deffacts start (n 1) (n 2) (l a b c) (t (a 1) (m x y)))\n";

/// How a rule begins.
const FIRST: &[&str] = &["?f <- (n ?x)", "?f <- (n ?x&:(< ?x 9))", "(logical ?f <- (n ?x))"];

/// What can follow in a rule; most of it is legal there.
const CONDITIONS: &[&str] = &[
    "(n ?y)",
    "(n ?y&~?x)",
    "(n ?y&:(> ?y ?x))",
    "(n =(+ ?x 1))",
    "(l $? ?y $?)",
    "(l $?before ?y $?after)",
    "(l $? a|b $?)",
    "?g <- (t (a ?z) (m $?m))",
    "(t (m $? ?x $?))",
    "(not (n 5))",
    "(not (n ?w&:(> ?w ?x)))",
    "(not (and (n ?v) (l $? ?v $?)))",
    "(exists (l $?) (n ?))",
    "(forall (n ?v) (t (a ?v)))",
    "(or (n 1) (l))",
    "(test (< ?x 5))",
];

const ACTIONS: &[&str] = &[
    "(assert (n (+ ?x 1)))",
    "(assert (n ?x) (l ?x ?x))",
    "(assert (l (twice ?x a b)))",
    "(assert (t (a ?x) (m (twice ?x ?x))))",
    "(bind ?l (twice ?x a)) (assert (l ?l ?l))",
    "(retract ?f)",
    "(retract ?f ?f)",
    "(retract *)",
    "(modify ?f (a 1))",
    "(assert (t (a ?f)))",
    "(bind ?f (assert (t (a ?x)))) (modify ?f (a 7) (m ?x)) (duplicate ?f (a 8))",
    "(bind ?*g* (+ ?*g* 1))",
    "(bind ?*g* (create$ ?*g* ?*g*))",
    "(bind ?s (str-cat ?x abc)) (loop-for-count 30 (bind ?s (str-cat ?s ?s)))",
    "(printout t ?x \" \" ?f ?*g* crlf)",
    "(format t \"%s %.900e%n\" abc ?x)",
    "(format ?x (str-cat \"%\" ?x \"s\") ?x)",
    "(deep ?x)",
    "(halt)",
    "(return)",
    "(div 1 0)",
    "(assert (n (/ ?x 0)))",
    "(nth$ 99999999999 (create$ a))",
    "(assert (n (* ?x 9223372036854775807)))",
    "(assert (n (** ?x 400)))",
    "(sort > ?x 3 1 2)",
    "(sort deep ?x 3)",
];

fn action() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(ACTIONS).prop_map(str::to_owned);
    leaf.prop_recursive(3, 12, 3, |inner| {
        let several = prop::collection::vec(inner, 1..3).prop_map(|actions| actions.join(" "));
        let frame = prop::sample::select(&[
            "(if (> ?x 1) then {} else (bind ?x 0))",
            "(while (< ?x 9) do {})",
            "(loop-for-count (?i 1 5) {})",
            "(loop-for-count (?i -9223372036854775808 9223372036854775807) {})",
            "(progn$ (?e (twice a ?x)) {})",
            "(switch ?x (case 1 then {}) (default (bind ?x 1)))",
            "(bind ?x 1) {}",
        ] as &[&str]);
        (frame, several).prop_map(|(frame, inner)| frame.replacen("{}", &inner, 1))
    })
}

fn rule() -> impl Strategy<Value = String> {
    (
        prop::option::of(-3..3),
        prop::sample::select(FIRST),
        prop::collection::vec(prop::sample::select(CONDITIONS), 0..4),
        prop::collection::vec(action(), 0..4),
    )
        .prop_map(|(salience, first, conditions, actions)| {
            let declared = salience.map(|salience| format!("(declare (salience {salience}))"));
            let declared = declared.unwrap_or_default();
            let (when, then) = (conditions.join(" "), actions.join(" "));
            format!("{declared} {first} {when} => {then}")
        })
}

fn program() -> impl Strategy<Value = String> {
    prop::collection::vec(rule(), 1..5).prop_map(|rules| {
        let rules = (1..).zip(rules).map(|(at, rule)| format!("(defrule r{at} {rule})\n"));
        TEMPLATES.to_owned() + &rules.collect::<String>()
    })
}

/// What can be seen of a memory.
fn seen(memory: &Memory) -> (Vec<String>, Vec<u32>) {
    let facts = memory.facts().map(|fact| format!("{} {:?}", fact.index, fact.fields)).collect();
    (facts, memory.agenda().map(|activated| activated.rule).collect())
}

fn run(memory: &mut Memory) -> (Stop, Vec<u32>) {
    let mut fired = Vec::new();
    let stop = memory.run(|rule| fired.push(rule));
    assert!(fired.len() as u64 <= LIMITS.firings, "{} fired", fired.len());
    assert!(memory.fact_count() <= LIMITS.facts, "{} facts", memory.fact_count());
    (stop, fired)
}

/// Each fact that completed the next rule comes from a source that feeds the rule.
fn is_fed(memory: &Memory, feeds: &Feeds) {
    let Some(next) = memory.agenda().next() else { return };
    for fact in next.facts.iter().flatten().filter_map(|id| memory.fact(*id)) {
        let is_source = |source: Source| match (source, fact.origin) {
            (Source::Rule(rule), Origin::Rule(by)) => rule == *by,
            (source, Origin::Initial) => matches!(source, Source::Initial(_)),
            _ => false,
        };
        let is_edge = feeds.edges.iter().any(|edge| {
            let brings = edge.act == Act::Asserts && !edge.absent;
            brings && edge.to == next.rule && is_source(edge.from)
        });
        assert!(is_edge, "rule {} got {:?} from {:?}", next.rule, fact.fields, fact.origin);
    }
}

/// Reads a text and does with it what can be done.
fn check(text: &str) {
    let (program, findings) = read(text);
    if diagnostics::any_error(&findings) {
        return;
    }
    let Ok(book) = Rulebook::new(program) else { return };
    let book = Arc::new(book);
    let mut memory = Memory::new(Arc::clone(&book), LIMITS);
    let mut again = Memory::new(Arc::clone(&book), LIMITS);
    for _ in 0..3 {
        if memory.fire(&mut |_| {}).is_some() {
            break;
        }
    }
    // What was printed before is told by the memory alone.
    memory.take_printed();
    let mut fork = memory.fork();
    let before = memory.fork();
    assert_eq!(seen(&fork), seen(&memory));
    let ends = (run(&mut memory), seen(&memory));
    assert_eq!(seen(&fork), seen(&before), "the fork saw the run");
    assert_eq!((run(&mut fork), seen(&fork)), ends);
    assert_eq!(fork.take_printed(), memory.take_printed());
    assert!(fork.diff(&memory).is_empty());
    assert_eq!(before.diff(&memory).added.len(), memory.diff(&before).removed.len());

    for _ in 0..3 {
        if again.fire(&mut |_| {}).is_some() {
            break;
        }
    }
    assert_eq!((run(&mut again), seen(&again)), ends);

    let feeds = Feeds::of(book.program());
    let mut fed = Memory::new(Arc::clone(&book), LIMITS);
    for _ in 0..LIMITS.firings {
        is_fed(&fed, &feeds);
        if fed.fire(&mut |_| {}).is_some() {
            break;
        }
    }

    memory.explain_next(text);
    for rule in 0..book.program().rules.len() {
        let _ = memory.why_not(rule, text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn programs_end_within_their_limits(text in program()) {
        check(&text);
    }

    /// The same with parts that are missing, doubled, or somewhere else.
    #[test]
    fn broken_programs_do_no_more(
        text in program(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3), 1..4),
    ) {
        let mut words: Vec<String> = text
            .replace('(', " ( ")
            .replace(')', " ) ")
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        for (from, to, how) in cuts {
            let (from, to) = (from.index(words.len()), to.index(words.len()));
            match how {
                0 => words.swap(from, to),
                1 => words.insert(to, words[from].clone()),
                _ if words.len() > 1 => drop(words.remove(from)),
                _ => {}
            }
        }
        check(&words.join(" "));
    }
}
