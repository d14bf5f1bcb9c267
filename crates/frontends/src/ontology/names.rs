//! Names that must be the name of something: a node of the right type, a schema, a template, a
//! file.

use std::collections::BTreeSet;
use std::fmt::Display;

use diagnostics::{Anchor, Code, Diagnostic, Label, codes};
use value::At;

use super::fields::{Field, NodeType, Wanted};
use super::shape::{Checker, list};
use super::spec::{spoken, with_article};
use crate::yaml::Tree;

/// A name where it is used.
pub(super) struct Use<'a, 't> {
    pub(super) at: &'a At<'a>,
    pub(super) value: &'t Tree,
    pub(super) field: &'a Field,
    pub(super) of: &'a dyn Display,
}

impl Use<'_, '_> {
    pub(super) fn anchor(&self) -> Anchor {
        Anchor::Located(self.value.span, self.at.pointer())
    }
}

impl<'t> Checker<'_, 't> {
    pub(super) fn node_name(&mut self, used: &Use<'_, 't>, name: &'t str, wanted: &Wanted) {
        let Use { field, of, .. } = used;
        let what = format_args!("`{}` of {of}", field.name);
        self.resolve(used.anchor(), name, wanted, &what);
    }

    /// Checks that a name is that of a fitting node; says whether it is.
    pub(super) fn resolve(
        &mut self,
        at: Anchor,
        name: &'t str,
        wanted: &Wanted,
        what: &dyn Display,
    ) -> bool {
        let message = match self.spec.thing(name).map(|_| self.spec.type_of(name)) {
            // A node whose type is unknown may be anything.
            Some(None) => return true,
            Some(Some(def)) if (wanted.fits)(def.is) => return true,
            Some(Some(def)) => {
                let is = with_article(def.word);
                format!("{what} must be {}, but `{name}` is {is}", wanted.what)
            }
            None if self.forgives(name) || self.is_reported(wanted.code, name, &at) => return true,
            None => format!("{what} is `{name}`, which does not exist"),
        };
        let found = Diagnostic::new(wanted.code, at.clone(), message);
        let ids = || self.spec.ids(wanted.fits);
        let near = self.near(name, ids());
        self.meant.extend(near);
        let found = match near {
            Some(near) => found.meant(near, at),
            None => {
                let known: Vec<&str> = ids().take(13).collect();
                match known.len() {
                    0 => found.help(format!("there is no {} here", bare(wanted.what))),
                    13 => found,
                    _ => found.help(format!("it can be {}", list(known.into_iter()))),
                }
            }
        };
        self.report(found);
        false
    }

    /// Whether an unknown name was reported before under the same rule: it is one mistake. The
    /// first finding shows where else the name is used.
    pub(super) fn is_reported(&mut self, code: &'static Code, name: &'t str, at: &Anchor) -> bool {
        const SHOWN_MAX: usize = 3;
        if let Some(first) = self.unknown.get(&(code.id, name)) {
            let first = &mut self.findings[*first];
            if first.labels.len() < SHOWN_MAX {
                first.labels.push(Label { at: at.clone(), message: "here too".to_string() });
            }
            return true;
        }
        self.unknown.insert((code.id, name), self.findings.len());
        false
    }

    /// Whether a name probably means a node whose id is missing: then that is the one cause.
    pub(super) fn forgives(&mut self, name: &'t str) -> bool {
        forgives(&mut self.forgiven, self.spec.nameless, name)
    }

    /// The same for schemas without a name.
    pub(super) fn forgives_schema(&mut self, name: &'t str) -> bool {
        forgives(&mut self.forgiven_schemas, self.spec.nameless_schemas, name)
    }

    pub(super) fn schema_name(&mut self, used: &Use<'_, 't>, name: &'t str, code: &'static Code) {
        if self.spec.schema(name).is_some() || self.spec.lacks_schemas {
            return;
        }
        let (at, Use { field, of, .. }) = (used.anchor(), used);
        if self.forgives_schema(name) || self.is_reported(code, name, &at) {
            return;
        }
        let message = format!("`{}` of {of} is `{name}`, which is no schema", field.name);
        let found = Diagnostic::new(code, at.clone(), message);
        let known =
            || self.spec.schemas.iter().map(|schema| schema.name).filter(|name| !name.is_empty());
        let found = match self.near(name, known()) {
            Some(near) => found.meant(near, at),
            None => {
                let count = known().count();
                match count {
                    0 => found.help("add it under `schemas:`"),
                    1 => found.help(format!("the only schema is {}", list(known()))),
                    2..=12 => found.help(format!("the schemas are {}", list(known()))),
                    _ => found.help(format!("none of the {count} schemas is like it")),
                }
            }
        };
        self.report(found);
    }

    /// The template of a spawn: an agent, another spec, or the spec itself.
    pub(super) fn template(&mut self, used: &Use<'_, 't>, name: &'t str) {
        if name == "self" || is_file(name) {
            return self.file(used, name);
        }
        let wanted = Wanted {
            what: "an agent, the path of a spec, or `self`",
            fits: |is| is == NodeType::Agent,
            code: &codes::RULE_6,
        };
        self.node_name(used, name, &wanted);
    }

    /// Another spec: a relative path beneath the folder of this one.
    pub(super) fn file(&mut self, used: &Use<'_, 't>, name: &str) {
        if name == "self" || is_file(name) && is_beneath(name) {
            return;
        }
        let Use { field, of, .. } = used;
        let message = if is_file(name) {
            format!("`{}` of {of} leads out of the folder of this spec", field.name)
        } else {
            format!("`{}` of {of} is `{name}`, which is no file of a spec", field.name)
        };
        let found = Diagnostic::new(&codes::BAD_SUB_SPEC, used.anchor(), message);
        self.report(found.help("write a relative path such as `agents/writer.yaml`, or `self`"));
    }
}

/// Forgives as many names as there are things without one.
fn forgives<'t>(forgiven: &mut BTreeSet<&'t str>, most: usize, name: &'t str) -> bool {
    forgiven.contains(name) || (forgiven.len() < most && forgiven.insert(name))
}

/// `an agent or a tool` as `agent or tool`.
fn bare(what: &str) -> String {
    spoken(&what.replace("an ", "").replace("a ", ""))
}

/// Whether text looks like the path of a spec.
pub(super) fn is_file(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.ends_with(".yaml") || lower.ends_with(".yml") || lower.ends_with(".json")
}

/// Whether a path stays beneath the folder it begins in.
pub(super) fn is_beneath(path: &str) -> bool {
    let is_rooted = path.starts_with(['/', '\\']) || path.contains(':');
    !is_rooted && !path.split(['/', '\\']).any(|part| part == "..")
}
