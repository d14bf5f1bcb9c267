//! A sample of what `cargo run -p quipu-sim --example clips` holds against CLIPS.

use std::cell::RefCell;
use std::path::Path;

use sim::rules::{Case, Clips, Verdict, case, check};

/// The comparison itself: an engine that takes rules in another order is found out, and what is
/// shown of it is small.
#[test]
fn an_engine_with_another_order_is_found_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clips");
    let (Ok(mut clips), Ok(other)) = (Clips::install(&folder), Clips::install(&folder)) else {
        return eprintln!("skipped: CLIPS cannot be installed");
    };
    let other = RefCell::new(other);
    let backwards = |case: &Case| {
        let mut case = case.clone();
        let rules = case.constructs.iter().position(|text| text.starts_with("(defrule"));
        case.constructs[rules.unwrap_or(0)..].reverse();
        other.borrow_mut().ask(&case)
    };
    let mut checked = (0..50).map(|seed| check(&mut clips, backwards, &case(seed)));
    let (_, difference) = checked.find(|(verdict, _)| *verdict == Verdict::Different).unwrap();
    let difference = difference.unwrap();
    assert_eq!(difference.matches("(defrule").count(), 2, "{difference}");
    assert!(difference.contains("fired"), "{difference}");
}
