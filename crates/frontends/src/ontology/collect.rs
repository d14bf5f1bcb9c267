//! From the tree to a [`Spec`]: which nodes, edges and schemas there are, before anything of
//! them is checked. What is no object, has no type or no id is reported here.

use std::collections::BTreeMap;

use diagnostics::{Anchor, Diagnostic, codes, nearest};
use value::{At, Pointer};

use super::Ontology;
use super::fields::{self, EDGES, NodeDef};
use super::shape::{LATER, list};
use super::spec::{Line, Place, Schema, Spec, Thing, with_article};
use crate::yaml::{Node, Tree};

/// Collects a spec; nothing where the document is no map.
pub(super) fn collect<'t>(
    tree: &'t Tree,
    ontology: Ontology,
    findings: &mut Vec<Diagnostic>,
) -> Option<Spec<'t>> {
    if tree.as_map().is_none() {
        let at = Anchor::Located(tree.span, Pointer::root());
        let message = format!(
            "a spec must be a map with `name`, `entities`, `processes` and `edges`, not {}",
            tree.kind()
        );
        findings.push(Diagnostic::new(&codes::SPEC_WRONG_KIND, at, message));
        return None;
    }
    let mut collector = Collector { tree, ontology, findings, nameless: 0 };
    let entities = collector.things("entities");
    let processes = collector.things("processes");
    let edges = collector.edges();
    let (schemas, lacks_schemas) = collector.schemas();
    let nameless = collector.nameless;
    let things = entities.into_iter().chain(processes).collect();
    let mut spec = Spec::new(tree, things, edges, schemas);
    (spec.nameless, spec.lacks_schemas) = (nameless, lacks_schemas);
    duplicates(&spec, findings);
    Some(spec)
}

struct Collector<'f, 't> {
    tree: &'t Tree,
    ontology: Ontology,
    findings: &'f mut Vec<Diagnostic>,
    nameless: usize,
}

impl<'t> Collector<'_, 't> {
    /// The objects of a list, with their places; nothing where there is no such list.
    fn objects(&mut self, name: &'static str) -> Option<Vec<(Place, &'t Tree)>> {
        let value = self.tree.get(name).filter(|value| !value.is_null())?;
        let Some(items) = value.as_list() else {
            let at = Anchor::Located(value.span, Pointer::root().child(name));
            let message = format!("`{name}` must be a list, not {}", value.kind());
            self.findings.push(Diagnostic::new(&codes::SPEC_WRONG_KIND, at, message));
            return None;
        };
        let mut objects = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let place = Place { list: name, index };
            if item.as_map().is_some() {
                objects.push((place, item));
                continue;
            }
            self.nameless += 1;
            let at = Anchor::Located(item.span, place.pointer());
            let message = format!("an item of `{name}` must be an object, not {}", item.kind());
            self.findings.push(Diagnostic::new(&codes::SPEC_WRONG_KIND, at, message));
        }
        Some(objects)
    }

    fn things(&mut self, list: &'static str) -> Vec<Thing<'t>> {
        let Some(objects) = self.objects(list) else {
            // Everything that is named may have been in it.
            self.nameless = usize::MAX;
            return Vec::new();
        };
        let mut things = Vec::with_capacity(objects.len());
        for (place, tree) in objects {
            let id = tree.get("id").and_then(Tree::as_text).map_or("", |id| id);
            if id.is_empty() {
                self.nameless = self.nameless.saturating_add(1);
            }
            let def = self.node_type(place, tree, id);
            things.push(Thing { id, def, place, tree });
        }
        things
    }

    fn node_type(&mut self, place: Place, tree: &'t Tree, id: &str) -> Option<&'static NodeDef> {
        let is_entity = place.list == "entities";
        let value = tree.get("type")?;
        // An empty word is one that is missing.
        let word = value.as_text().filter(|word| !word.trim().is_empty())?;
        let at = || Anchor::Located(value.span, place.pointer().child("type"));
        let found = fields::node(word);
        let fits = |def: &&NodeDef| def.is.is_entity() == is_entity;
        if let Some(def) = found.filter(fits) {
            if def.later && self.ontology == Ontology::V1 {
                let message =
                    format!("`{id}` is {}, which this ontology does not have", with_article(word));
                let found = Diagnostic::new(&codes::UNKNOWN_TYPE, at(), message);
                self.findings.push(found.help(LATER));
            }
            return Some(def);
        }
        let kind = if is_entity { "entity" } else { "process" };
        let name = if id.is_empty() { kind.to_string() } else { format!("`{id}`") };
        let message = format!("the type of {name} is `{word}`, which is no type of {kind}");
        let diagnostic = Diagnostic::new(&codes::UNKNOWN_TYPE, at(), message);
        let known = || {
            let all = fields::nodes().filter(fits);
            all.filter(|def| !def.later || self.ontology == Ontology::V02).map(|def| def.word)
        };
        let diagnostic = match (found, nearest(word, known())) {
            (Some(_), _) => {
                let other = if is_entity { "processes" } else { "entities" };
                diagnostic.help(format!("put it under `{other}:`"))
            }
            (None, Some(near)) => diagnostic.meant(near, at()),
            (None, None) => diagnostic.help(format!("the types are {}", list(known()))),
        };
        self.findings.push(diagnostic);
        None
    }

    fn edges(&mut self) -> Vec<Line<'t>> {
        let nameless = self.nameless;
        let objects = self.objects("edges").unwrap_or_default();
        self.nameless = nameless;
        let mut edges = Vec::with_capacity(objects.len());
        for (place, tree) in objects {
            let text = |name| tree.get(name).and_then(Tree::as_text).map_or("", |text| &**text);
            let is_word =
                |value: &&Tree| value.as_text().is_some_and(|word| !word.trim().is_empty());
            let word = tree.get("type").filter(is_word);
            let def = fields::edge(text("type"));
            if let Some(value) = word
                && def.is_none_or(|def| def.later && self.ontology == Ontology::V1)
            {
                self.unknown_edge(place, value, text("type"), def.is_some());
            }
            edges.push(Line { def, from: text("from"), to: text("to"), place, tree });
        }
        edges
    }

    fn unknown_edge(&mut self, place: Place, value: &Tree, word: &str, is_later: bool) {
        let at = Anchor::Located(value.span, place.pointer().child("type"));
        let message = format!("`{word}` is no type of edge");
        let found = Diagnostic::new(&codes::UNKNOWN_TYPE, at.clone(), message);
        let known = || EDGES.iter().filter(|def| !def.later).map(|def| def.word);
        self.findings.push(match nearest(word, known()) {
            _ if is_later => found.help(LATER),
            Some(near) => found.meant(near, at),
            None => found.help(format!("the types are {}", list(known()))),
        });
    }

    fn schemas(&mut self) -> (Vec<Schema<'t>>, bool) {
        let nameless = self.nameless;
        let is_given = self.tree.get("schemas").is_some_and(|value| !value.is_null());
        let objects = self.objects("schemas");
        self.nameless = nameless;
        let lacks = is_given && objects.is_none();
        let schema = |(place, tree): (Place, &'t Tree)| {
            let name = tree.get("name").and_then(Tree::as_text).map_or("", |name| name);
            Schema { name, place, tree }
        };
        (objects.into_iter().flatten().map(schema).collect(), lacks)
    }
}

/// Ids that are used twice, among entities and processes together; names of schemas too.
fn duplicates(spec: &Spec<'_>, findings: &mut Vec<Diagnostic>) {
    let mut twice = |name: &str, key: &str, place: Place, tree: &Tree, first: (Place, &Tree)| {
        let at = place.member(tree, key);
        let what = if key == "id" { "two nodes have the id" } else { "two schemas have the name" };
        let found = Diagnostic::new(&codes::SPEC_DUPLICATE_ID, at, format!("{what} `{name}`"));
        let found = found.label(first.0.member(first.1, key), "the first one");
        findings.push(found.help("give one of them another name; the first one was used"));
    };
    for (index, thing) in spec.things.iter().enumerate() {
        if let Some(first) = spec.find(thing.id).filter(|first| *first != index) {
            let first = &spec.things[first];
            twice(thing.id, "id", thing.place, thing.tree, (first.place, first.tree));
        }
    }
    for schema in &spec.schemas {
        if let Some(first) = spec.schema(schema.name).filter(|first| first.place != schema.place) {
            twice(schema.name, "name", schema.place, schema.tree, (first.place, first.tree));
        }
    }
    // A field given twice is one that nobody can read.
    for schema in &spec.schemas {
        let fields = schema.tree.get("fields").and_then(Tree::as_list).unwrap_or_default();
        let mut seen: BTreeMap<&str, (usize, &Tree)> = BTreeMap::new();
        for (index, field) in fields.iter().enumerate() {
            let Some(value) = field.get("name") else { continue };
            let Node::Text(name) = &value.node else { continue };
            let at = At::Root;
            let at = at.member("schemas");
            let at = at.item(schema.place.index);
            let at = at.member("fields");
            let pointer = |index| at.item(index).member("name").pointer();
            match seen.get(&**name) {
                None => drop(seen.insert(name, (index, value))),
                Some((first, tree)) => {
                    let anchor = Anchor::Located(value.span, pointer(index));
                    let message = format!("schema `{}` has two fields `{name}`", schema.name);
                    findings.push(
                        Diagnostic::new(&codes::DUPLICATE_FIELD, anchor, message)
                            .label(Anchor::Located(tree.span, pointer(*first)), "the first one")
                            .help("give one of them another name"),
                    );
                }
            }
        }
    }
}
