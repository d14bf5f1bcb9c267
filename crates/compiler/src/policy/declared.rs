//! What a program says it has and needs.

use diagnostics::{Anchor, Diagnostic, codes};
use graph::Graph;
use graph::policy::{About, List, Rulebook, declared};
use value::{Pointer, Text};

pub(super) fn check(graph: &Graph, book: &Rulebook, findings: &mut Vec<Diagnostic>) {
    let all = declared(graph);
    for rule in &book.rules {
        let About::Capabilities(globs) = &rule.about else { continue };
        for glob in globs {
            let mut fitting = all.iter().filter(|(name, _)| glob.matches(name)).peekable();
            match rule.list {
                List::Require if fitting.peek().is_none() => {
                    let message =
                        format!("`{glob}` is not declared, as wanted by {}", book.named(rule));
                    let at = at(&["capabilities".into()]);
                    findings.push(
                        Diagnostic::new(&codes::NOT_DECLARED, at, message)
                            .help(format!("declare `{glob}` under `capabilities`")),
                    );
                }
                List::Deny => findings.extend(fitting.map(|(name, place)| {
                    let message =
                        format!("`{name}` is declared: forbidden by {}", book.named(rule));
                    let place: Vec<Text> =
                        std::iter::once("capabilities".into()).chain(place.clone()).collect();
                    Diagnostic::new(&codes::FORBIDDEN, at(&place), message)
                        .help("take it out, or have the rule changed")
                })),
                _ => {}
            }
        }
    }
}

fn at(steps: &[Text]) -> Anchor {
    Anchor::key(steps.iter().fold(Pointer::root(), |at, step| at.child(step)))
}
