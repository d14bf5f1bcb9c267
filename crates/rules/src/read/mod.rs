//! The text of rules as a program, and everything that is wrong with it.
//!
//! Constructs are read one after the other, as CLIPS loads them: what one uses must stand before
//! it. After a finding reading goes on, so that one pass finds all of them.
//!
//! ```
//! let (program, findings) = rules::read::read("(defrule hot (temp ?t&:(> ?t 30)) => (assert (fan on)))");
//! assert!(findings.is_empty());
//! assert_eq!(&*program.rules[0].name, "hot");
//! ```

mod ahead;
mod attributes;
mod calls;
mod constructs;
mod expr;
pub(crate) mod facts;
mod findings;
pub(crate) mod fold;
mod forms;
mod left_out;
mod limits;
mod patterns;
mod room;
mod rooms;
pub(crate) mod rules;
mod scope;
mod slots;
mod templates;
mod terms;

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::{Code, Diagnostic, Span, codes};
use value::Text;

use crate::field::Field;
use crate::program::{FunctionId, GlobalId, NewFact, Program, Template, TemplateId};
use crate::syntax::tree::{Node, Top, lists};
use ahead::Ahead;
use findings::at;
use scope::Scope;

/// A text of constructs as a program. It may be run only if no finding is an error.
pub fn read(text: &str) -> (Program, Vec<Diagnostic>) {
    read_with(Vec::new(), text)
}

/// The same for a text that need not define these templates, and may not: those of a state, see
/// [`crate::state`].
pub fn read_with(templates: Vec<Template>, text: &str) -> (Program, Vec<Diagnostic>) {
    let mut reader = Reader::of(Program { templates, ..Program::default() });
    let tops = lists(text, &mut reader.findings);
    reader.ahead = Ahead::of(&tops);
    for top in &tops {
        reader.top(top);
    }
    reader.settle_globals();
    reader.findings.sort_by_key(|found| found.at.span().start);
    (reader.program, reader.findings)
}

/// One fact for a program that was read before: `(name 1 2)`, constants only. An ordered fact of
/// a new name adds its template, so this comes before the program is compiled.
pub fn read_fact(program: &mut Program, text: &str) -> Result<NewFact, Vec<Diagnostic>> {
    let words = text.trim();
    if !words.is_empty() && !words.contains(['(', ')', '"']) {
        let all = Span::new(0, text.len());
        let found = at(&codes::RULES_OUTSIDE, all, "a fact stands in parentheses");
        const SHOWN_MAX: usize = 60;
        let is_shown = words.len() <= SHOWN_MAX && !words.contains(char::is_control);
        let words = if is_shown { words } else { "name value ..." };
        return Err(vec![found.help(format!("write `({words})`"))]);
    }
    let mut reader = Reader::of(std::mem::take(program));
    let tops = lists(text, &mut reader.findings);
    let fact = match tops.as_slice() {
        [top] if reader.findings.is_empty() => {
            let fact = reader.fact(&mut Scope::constant(OUTSIDE), &top.node);
            if reader.findings.is_empty() {
                reader.only_constants(fact.as_ref());
            }
            fact
        }
        _ => None,
    };
    if fact.is_none() && reader.findings.is_empty() {
        let all = Span::new(0, text.len());
        let found = at(&codes::RULES_MALFORMED, all, "this is not one fact");
        reader.findings.push(found.help("write `(name value ...)` or `(name (slot value) ...)`"));
    }
    *program = reader.program;
    match fact {
        Some(fact) if !diagnostics::any_error(&reader.findings) => Ok(fact),
        _ => Err(reader.findings),
    }
}

/// Where a fact stands that is given from outside: in it nothing is computed.
const OUTSIDE: &str = "a fact from outside";

/// What has been read so far.
struct Reader {
    program: Program,
    findings: Vec<Diagnostic>,
    templates: BTreeMap<Text, Known>,
    globals: BTreeMap<Text, GlobalId>,
    functions: BTreeMap<Text, FunctionId>,
    /// What each global is at first, where that is known already.
    values: Vec<Option<Field>>,
    /// Names of rules, of lists of facts, and of the slots of templates.
    rules: BTreeSet<Text>,
    lists: BTreeSet<Text>,
    slots: BTreeMap<(TemplateId, Text), u32>,
    /// Templates with slots that could not be read.
    unread: BTreeSet<TemplateId>,
    /// Globals that initial facts use before they are defined, and where.
    undefined: BTreeMap<GlobalId, Span>,
    /// What is defined in the whole text.
    ahead: Ahead,
}

/// A template that is known, and whether anything depends on it.
struct Known {
    id: TemplateId,
    is_used: bool,
}

impl Reader {
    fn of(program: Program) -> Reader {
        let ids = |count: usize| 0..u32::try_from(count).unwrap_or(u32::MAX);
        let templates = (program.templates.iter().zip(ids(program.templates.len())))
            .map(|(template, id)| {
                (template.name.clone(), Known { id: TemplateId(id), is_used: true })
            })
            .collect();
        let globals = (program.globals.iter().zip(ids(program.globals.len())))
            .map(|(global, id)| (global.name.clone(), GlobalId(id)))
            .collect();
        let functions = (program.functions.iter().zip(ids(program.functions.len())))
            .map(|(function, id)| (function.name.clone(), FunctionId(id)))
            .collect();
        let values = vec![None; program.globals.len()];
        let rules = program.rules.iter().map(|rule| rule.name.clone()).collect();
        let lists = program.facts.iter().map(|list| list.name.clone()).collect();
        let slots = (program.templates.iter().zip(ids(program.templates.len())))
            .flat_map(|(template, id)| {
                let slots = template.slots.iter().zip(0..);
                slots.map(move |(slot, place)| ((TemplateId(id), slot.name.clone()), place))
            })
            .collect();
        Reader {
            program,
            findings: Vec::new(),
            templates,
            globals,
            functions,
            values,
            rules,
            lists,
            slots,
            unread: BTreeSet::new(),
            undefined: BTreeMap::new(),
            ahead: Ahead::default(),
        }
    }

    fn top(&mut self, top: &Top) {
        let before = self.findings.len();
        self.construct(&top.node);
        if top.is_cut {
            // That it does not end is the cause; the rest of it is not there.
            self.findings.truncate(before);
        }
    }

    fn construct(&mut self, node: &Node) {
        const KNOWN: &[&str] = &["deftemplate", "deffacts", "defglobal", "deffunction", "defrule"];
        let nodes = node.list().unwrap_or_default();
        let Some(head) = nodes.first() else {
            return self.malformed(node.span, "this list is empty", "delete it");
        };
        match head.symbol() {
            Some("deftemplate") => self.template(nodes),
            Some("deffacts") => self.initial_facts(nodes),
            Some("defglobal") => self.define_globals(nodes),
            Some("deffunction") => self.function(node, nodes),
            Some("defrule") => self.rule(node, nodes),
            Some(
                word @ ("defmodule" | "defclass" | "definstances" | "defgeneric" | "defmethod"
                | "defmessage-handler"),
            ) => {
                // There is one module, and saying so again changes nothing.
                if word == "defmodule" && nodes.get(1).and_then(Node::symbol) == Some("MAIN") {
                    return;
                }
                let message = format!("`{word}` is not supported");
                let help = match word {
                    "defmodule" => "leave it out: all constructs are in one module",
                    "defclass" | "definstances" | "defmessage-handler" => {
                        "there are no objects: write a `deftemplate`"
                    }
                    _ => "write a `deffunction`",
                };
                self.findings.push(at(&codes::RULES_NOT_SUPPORTED, head.span, message).help(help));
            }
            Some(word) if self.is_callable(word) => {
                let message = format!("`{word}` is called outside of any construct");
                let help = match (word, nodes.get(1).and_then(ahead::written)) {
                    ("assert", Some(fact)) => format!("write `(deffacts name {fact})`"),
                    ("assert", None) => "write `(deffacts name ...)`".to_owned(),
                    _ if left_out::left_out(word).is_some() => {
                        "delete it: `quipu rules` resets and runs".to_owned()
                    }
                    _ => "put it into the actions of a rule: `(defrule name => ...)`".to_owned(),
                };
                let found = at(&codes::RULES_UNKNOWN_CONSTRUCT, head.span, message);
                self.findings.push(found.help(help));
            }
            Some(word) => {
                let message = format!("`{word}` is no construct");
                let found = at(&codes::RULES_UNKNOWN_CONSTRUCT, head.span, message);
                self.findings.push(match diagnostics::nearest(word, KNOWN.iter().copied()) {
                    Some(near) => found.meant(near, head.at()),
                    None => found.help(format!("begin with one of {}", findings::choice(KNOWN))),
                });
            }
            None if head.is_reported() => {}
            None => {
                let help = format!("begin with one of {}", findings::choice(KNOWN));
                let found = at(&codes::RULES_UNKNOWN_CONSTRUCT, head.span, "this is no construct");
                self.findings.push(found.help(help));
            }
        }
    }

    /// The name of a construct, and what stands behind it and its comment.
    fn header<'n, 't>(&mut self, nodes: &'n [Node<'t>]) -> Option<(&'t str, Span, &'n [Node<'t>])> {
        let keyword = nodes.first()?;
        let what = keyword.symbol().unwrap_or_default();
        let Some(name) = nodes.get(1).and_then(|node| Some((node.symbol()?, node.span))) else {
            let span = nodes.get(1).map_or(keyword.span, |node| node.span);
            if !nodes.get(1).is_some_and(Node::is_reported) {
                let help = format!("write a symbol behind it: `({what} name ...`");
                self.findings.push(
                    at(&codes::RULES_NAME_MISSING, span, format!("`{what}` needs a name"))
                        .help(help),
                );
            }
            return None;
        };
        let rest = match nodes.get(2).and_then(Node::atom) {
            Some(crate::syntax::token::Atom::Text(_)) => &nodes[3..],
            _ => &nodes[2..],
        };
        Some((self.own_name(name.0, name.1)?, name.1, rest))
    }

    /// A name without its module, which must be the only one there is.
    fn own_name<'t>(&mut self, name: &'t str, span: Span) -> Option<&'t str> {
        match name.split_once("::") {
            None => Some(name),
            Some(("MAIN", own)) if !own.is_empty() => Some(own),
            Some((module, own)) => {
                let message = format!("there is no module `{module}`");
                let found = at(&codes::RULES_NOT_SUPPORTED, span, message);
                self.findings.push(
                    found.help(format!("all constructs are in one module: write `{own}` alone")),
                );
                None
            }
        }
    }

    /// The name that was probably meant. A text in which everything is wrong gets no more of these
    /// after a while: each looks at all names.
    fn near<'a>(
        &self,
        name: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Option<&'a str> {
        const FINDINGS_MAX: usize = 50;
        let is_early = self.findings.len() < FINDINGS_MAX;
        is_early.then(|| diagnostics::nearest(name, candidates)).flatten()
    }

    fn malformed(&mut self, span: Span, message: impl std::fmt::Display, help: &str) {
        self.findings.push(at(&codes::RULES_MALFORMED, span, message).help(help));
    }

    /// Reports a thing that was said already.
    fn twice(&mut self, span: Span, first: Option<Span>, what: &str) {
        let found = at(&codes::RULES_TWICE, span, format!("{what} is given twice"));
        let found = match first {
            Some(first) => found.label(diagnostics::Anchor::Span(first), "it is given here"),
            None => found,
        };
        self.findings.push(found.help("delete one of them"));
    }

    /// Says that a definition takes the place of an earlier one.
    fn replaced(&mut self, code: &'static Code, what: &str, span: Span, earlier: Span) {
        let found = at(code, span, format!("this replaces the {what} of the same name"));
        let earlier = diagnostics::Anchor::Span(earlier);
        self.findings.push(
            found
                .label(earlier, "which is defined here")
                .help("give one of them another name, or delete the earlier one"),
        );
    }
}

/// Whether a word begins a construct.
fn is_construct(word: &str) -> bool {
    crate::syntax::tree::CONSTRUCTS.iter().any(|known| known.strip_prefix('(') == Some(word))
}
