//! A decision as a policy writes it. Whatever is not exactly one is none.

use runtime::{PATIENCE_MS, Ruled};
use value::{Text, Value};

/// The members that a decision may have.
const MEMBERS: [&str; 4] = ["decision", "reason", "capability", "expires_s"];

/// The words that there are.
pub(super) const WORDS: [&str; 4] = ["allow", "deny_continue", "deny_abort", "ask"];

/// A person has no longer than this: a year.
const EXPIRES_MAX_S: i64 = 366 * 24 * 60 * 60;

/// So much of a reason is kept, in characters.
const REASON_MAX: usize = 2_000;

/// What a policy said, or why that is no decision.
pub(super) fn read(said: &Value) -> Result<(Ruled, Option<String>), String> {
    let Some(members) = said.as_map() else {
        return Err(format!("the policy gave {} in the place of a decision", said.kind()));
    };
    if let Some(unknown) = members.keys().find(|name| !MEMBERS.contains(&&***name)) {
        return Err(format!("the policy gave a decision with an unknown member `{unknown}`"));
    }
    let reason = match members.get("reason") {
        None | Some(Value::Null) => None,
        Some(Value::Text(reason)) => Some(reason.chars().take(REASON_MAX).collect()),
        Some(other) => return Err(format!("the policy gave {} as its reason", other.kind())),
    };
    let capability = match members.get("capability") {
        None | Some(Value::Null) => None,
        Some(Value::Text(name)) if !name.trim().is_empty() => Some(name.clone()),
        Some(_) => return Err("the policy gave a capability that is no name".to_owned()),
    };
    let expires_ms = match members.get("expires_s") {
        None | Some(Value::Null) => PATIENCE_MS,
        Some(Value::Int(seconds)) if (1..=EXPIRES_MAX_S).contains(seconds) => {
            seconds.unsigned_abs() * 1_000
        }
        Some(_) => {
            return Err(
                "the policy gave an `expires_s` that is no whole number of seconds from 1 \
                        to a year"
                    .to_owned(),
            );
        }
    };
    let word = members.get("decision").and_then(Value::as_text).map(|word| &**word);
    let ruled = match word {
        Some("allow") => Ruled::Allow,
        Some("deny_continue") => Ruled::DenyContinue,
        Some("deny_abort") => Ruled::DenyAbort,
        Some("ask") => Ruled::Ask { capability: capability.clone(), expires_ms },
        Some(other) => {
            let shown: String = other.chars().take(40).collect();
            return Err(format!(
                "the policy decided `{shown}`, which is none of {}",
                WORDS.join(", ")
            ));
        }
        None => return Err("the policy gave no `decision`".to_owned()),
    };
    if capability.is_some() && !matches!(ruled, Ruled::Ask { .. }) {
        return Err("the policy names a capability, and asks nobody".to_owned());
    }
    Ok((ruled, reason))
}

/// The word for a ruling, as tests expect it. What is broken denies.
pub(super) fn word(ruled: &Ruled) -> &'static str {
    match ruled {
        Ruled::Allow => "allow",
        Ruled::DenyContinue | Ruled::Broken => "deny_continue",
        Ruled::DenyAbort => "deny_abort",
        Ruled::Ask { .. } => "ask",
    }
}

/// Whether a text is one of the words.
pub(super) fn is_word(word: &Text) -> bool {
    WORDS.contains(&&**word)
}

/// Of two things that are said of a call the stricter one counts.
pub(crate) fn strictness(outcome: &Ruled) -> u8 {
    match outcome {
        Ruled::Allow => 0,
        Ruled::Ask { .. } => 1,
        Ruled::DenyContinue | Ruled::Broken => 2,
        Ruled::DenyAbort => 3,
    }
}
