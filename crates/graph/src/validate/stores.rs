//! Stores whose provider does not take what their `config` says.

use diagnostics::{Anchor, Diagnostic, codes, nearest};
use value::{Pointer, Value};

use super::slots::one_of;
use crate::declarations::Kind;
use crate::model::Graph;
use crate::protocols::{PROTOCOLS, chooses, misfits, protocol};

/// Looks at every store that says which protocol or provider it wants. The config of any other
/// store is its author's business.
pub(super) fn declared(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    let place = Pointer::root().child("declarations").child(Kind::Stores.word());
    let wanted = graph.declarations.of(Kind::Stores).iter().filter(|(_, store)| chooses(store));
    for (name, store) in wanted {
        let place = place.child(&**name);
        let before = findings.len();
        for (member, words) in [
            ("provider", PROTOCOLS.iter().map(|def| def.provider).collect::<Vec<_>>()),
            ("protocol", PROTOCOLS.iter().map(|def| def.word).collect()),
        ] {
            choice(name, store, member, &words, &place, findings);
        }
        // What else is wrong hangs on the choice.
        if findings.len() == before {
            config(name, store, &place, findings);
        }
    }
}

/// A word that chooses, and is none of those there are.
fn choice(
    name: &str,
    store: &Value,
    member: &str,
    words: &[&str],
    place: &Pointer,
    findings: &mut Vec<Diagnostic>,
) {
    let in_config = store.get("config").and_then(|config| config.get(member));
    let (value, at) = match (in_config, store.get(member)) {
        (Some(value), _) => (value, place.child("config").child(member)),
        (None, Some(value)) => (value, place.child(member)),
        (None, None) => return,
    };
    let word = value.as_text().map_or("", |word| word);
    if words.contains(&word) {
        return;
    }
    let what = if word.is_empty() { value.kind().to_owned() } else { format!("`{word}`") };
    let message = format!("store `{name}` wants the {member} {what}, which there is not");
    let found = Diagnostic::new(&codes::STORE_CONFIG, Anchor::value(at), message);
    findings.push(match nearest(word, words.iter().copied()) {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None => found.help(format!("write {}", one_of(words))),
    });
}

fn config(name: &str, store: &Value, place: &Pointer, findings: &mut Vec<Diagnostic>) {
    let Some(def) = protocol(store).map(|protocol| protocol.def()) else { return };
    let at = place.child("config");
    // A protocol beside the config, as a `StoreSpec` has it, must agree with the provider too.
    if let Some(beside) = store.get("protocol").filter(|word| **word != Value::from(def.word)) {
        let message = format!(
            "store `{name}`: `{}` speaks `{}`, not `{}`",
            def.provider,
            def.word,
            beside.as_text().map_or("", |word| word)
        );
        let at = Anchor::value(place.child("protocol"));
        let found = Diagnostic::new(&codes::STORE_CONFIG, at, message);
        findings.push(found.help("leave one of the two away"));
    }
    let Some(given) = store.get("config").and_then(Value::as_map) else { return };
    for misfit in misfits(given, &def.schema()) {
        let at = Anchor::value(at.child(misfit.member.as_str()));
        let message =
            format!("`{}` does not take the config of `{name}`: {}", def.provider, misfit.message);
        findings.push(Diagnostic::new(&codes::STORE_CONFIG, at, message).help(misfit.help));
    }
}
