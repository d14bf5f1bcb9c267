//! AINL from a seed.

use crate::Random;

/// A program of about so many lines that strict mode finds nothing wrong with: labels that
/// compute, branch, call each other, loop and return.
pub fn program(seed: u64, lines: usize) -> String {
    const PER_LABEL: usize = 12;
    let mut random = Random::new(seed);
    let count = (lines / PER_LABEL).max(1);
    let mut text = String::with_capacity(lines * 32);
    for at in 0..count {
        let (a, b) = (random.between(0, 99), random.between(1, 99));
        let next = if at + 1 < count { format!("->L{}", at + 2) } else { "->L_end".to_string() };
        text.push_str(&format!(
            "L{label}:\n  R core.ADD {a} {b} ->sum\n  Set total_{at} sum  # kept for later\n  \
             X twice mul total_{at} 2\n  R core.CONCAT \"part \" twice ->text\n  \
             X is_large gt twice {b}\n  Call L_check ->checked\n  \
             R core.RANGE 3 ->items\n  Filt large items n >= 1\n  X size len text\n  \
             If is_large {next} {next}\n",
            label = at + 1
        ));
        if at % 10 == 9 {
            text.push('\n');
        }
    }
    text.push_str("L_end:\n  J text\nL_check:\n  R core.MAX sum twice ->most\n  J most\n");
    text
}
