//! A sample of what `cargo run -p quipu-sim --example clips` holds against CLIPS.

use std::cell::RefCell;
use std::io::Write as _;
use std::path::Path;
use std::sync::OnceLock;

use sim::rules::{Case, Clips, Opinion, Verdict, case, check, quipu};

/// How many programs; more where tests may take longer.
fn programs() -> u64 {
    if std::env::var_os("QUIPU_SLOW").is_some() { 400 } else { 100 }
}

/// CLIPS, where it can be had. It is tried once for all tests, and what a test that passes prints
/// with `eprintln` is seen by nobody.
fn clips() -> Option<Clips> {
    static INSTALLED: OnceLock<Result<(), String>> = OnceLock::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clips");
    let installed = INSTALLED.get_or_init(|| {
        let installed = Clips::install(&folder).map(|_| ());
        if let Err(why) = &installed {
            let told = writeln!(std::io::stderr(), "skipped: CLIPS cannot be installed: {why}");
            told.expect("somebody reads what is skipped");
        }
        installed
    });
    installed.as_ref().ok().and_then(|()| Clips::install(&folder).ok())
}

#[test]
fn rules_do_what_they_do_in_clips() {
    let Some(mut clips) = clips() else { return };
    let mut equal = 0;
    let mut differences = String::new();
    for seed in 0..programs() {
        let (verdict, difference) = check(&mut clips, quipu, &case(seed));
        equal += u64::from(verdict == Verdict::Equal);
        if let Some(difference) = difference {
            differences.push_str(&format!("--- seed {seed}\n{difference}\n"));
        }
    }
    assert!(differences.is_empty(), "\n{differences}");
    assert!(equal > programs() * 9 / 10, "only {equal} programs were run by both");
}

/// The comparison itself: an engine that takes rules in another order is found out, and what is
/// shown of it is small.
#[test]
fn an_engine_with_another_order_is_found_out() {
    let (Some(mut clips), Some(other)) = (clips(), clips()) else { return };
    let other = RefCell::new(other);
    let backwards = |case: &Case| {
        let mut case = case.clone();
        case.constructs.reverse();
        other.borrow_mut().ask(&case)
    };
    let texts = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
    let case = Case {
        constructs: texts(&[
            "(defrule r1 (a ?x) (not (b ?x)) => (assert (c ?x)))",
            "(defrule r2 (a ?x) (not (and (b ?x) (c ?x))) => (assert (d ?x)))",
            "(defrule r3 (d ?x&~p) (a ?x) =>)",
        ]),
        asserts: texts(&["(a p)", "(b p)", "(a q)"]),
        limit: 40,
    };
    let (verdict, difference) = check(&mut clips, backwards, &case);
    assert_eq!(verdict, Verdict::Different);
    let difference = difference.unwrap();
    assert_eq!(difference.matches("(defrule").count(), 2, "{difference}");
    assert_eq!(difference.matches("--assert").count(), 1, "{difference}");
    assert!(difference.contains("fired"), "{difference}");
}

/// Without anything installed: programs run to their end or limit, and do something.
#[test]
fn most_programs_run_and_fire_something() {
    let fired = (0..100).filter(|seed| match quipu(&case(*seed)) {
        Opinion::Ran(answer) => !answer.fired.is_empty(),
        _ => false,
    });
    assert!(fired.count() > 70);
}
