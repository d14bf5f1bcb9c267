//! What rules about a graph say of one call of a run.

use graph::Touches;
use graph::policy::{Rulebook, Subject, Verdict};
use runtime::{PATIENCE_MS, Ruled};
use value::{Map, Value};

use super::Within;

pub(super) fn decide(book: &Rulebook, call: &Map, within: Within<'_>) -> (Ruled, Option<String>) {
    let text = |name: &str| call.get(name).and_then(Value::as_text).map_or("", |text| &**text);
    let touches = Touches::find(text("touches"));
    // Whatever is unknown may change something.
    let touches = touches.unwrap_or(Touches::Write);
    let subject = Subject::call(within.label, text("server"), text("tool"), touches);
    match book.decide(&subject, within.leads) {
        Verdict::Fine => (Ruled::Allow, None),
        Verdict::Denied(rule) => {
            let outcome = if rule.aborts { Ruled::DenyAbort } else { Ruled::DenyContinue };
            (outcome, Some(book.named(rule)))
        }
        Verdict::NotAllowed => {
            let reason = format!("no `allow` rule of {} allows it", book.file);
            (Ruled::DenyContinue, Some(reason))
        }
        Verdict::Ask(rule) => {
            let seconds = rule.expires_s.map(i64::unsigned_abs);
            let expires_ms = seconds.map_or(PATIENCE_MS, |seconds| seconds.saturating_mul(1_000));
            let capability = rule.capability.clone();
            (Ruled::Ask { capability, expires_ms }, Some(book.named(rule)))
        }
    }
}
