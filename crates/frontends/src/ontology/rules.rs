//! The rules of section 8 that no table can say.

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::{Anchor, Diagnostic, codes};
use value::{At, Pointer};

use super::Ontology;
use super::fields::{COMMON, NodeType, SCHEMA_FIELDS, TOP};
use super::shape::{Checker, list};
use super::spec::Thing;
use crate::yaml::Tree;

impl<'t> Checker<'_, 't> {
    /// Checks a whole spec.
    pub(super) fn check(&mut self) {
        let spec = self.spec;
        let scopes = spec
            .of_type(NodeType::ErrorHandler)
            .filter_map(|(_, handler)| handler.tree.get("scope"));
        let covered = scopes.filter_map(Tree::as_list).flatten().filter_map(Tree::as_text);
        self.covered = covered.map(|id| &**id).collect();
        let root = At::Root;
        self.object(&root, spec.tree, [TOP, &[]], &"the spec");
        for thing in &spec.things {
            self.thing(thing);
        }
        let edges = root.member("edges");
        for line in &spec.edges {
            self.line(&edges.item(line.place.index), line);
        }
        let schemas = root.member("schemas");
        for schema in &spec.schemas {
            let at = schemas.item(schema.place.index);
            match schema.name {
                "" => self.object(&at, schema.tree, [SCHEMA_FIELDS, &[]], &"a schema"),
                name => {
                    let of = format_args!("schema `{name}`");
                    self.object(&at, schema.tree, [SCHEMA_FIELDS, &[]], &of);
                }
            }
        }
        self.agents();
        self.entry();
        self.orphans();
    }

    fn thing(&mut self, thing: &Thing<'t>) {
        let root = At::Root;
        let list = root.member(thing.place.list);
        let at = list.item(thing.place.index);
        // Of a type that this ontology does not have, only that is said.
        let is_known = |later: bool| !later || self.ontology == Ontology::V02;
        let fields = match thing.def {
            Some(def) if is_known(def.later) => def.fields,
            _ => {
                self.members(&at, thing.tree, COMMON, &thing.shown());
                return;
            }
        };
        self.object(&at, thing.tree, [COMMON, fields], &thing.shown());
        match thing.def.map(|def| def.is) {
            Some(NodeType::Gate) => self.gate(thing),
            Some(NodeType::Spawn) => self.spawn(thing),
            Some(NodeType::Team) => self.team(thing),
            _ => {}
        }
    }

    /// Rule 3.
    fn gate(&mut self, gate: &Thing<'t>) {
        let Some(branches) = gate.tree.get("branches").and_then(Tree::as_list) else { return };
        if branches.len() >= 2 {
            return;
        }
        let Some((key, _)) = gate.tree.entry("branches") else { return };
        let at = Anchor::Located(key.span, gate.place.pointer().child("branches"));
        let count = if branches.is_empty() { "no branch" } else { "one branch" };
        let message = format!("{} has {count}", gate.shown());
        let found = Diagnostic::new(&codes::RULE_3, at, message);
        self.findings.push(
            about(gate, found)
                .help("list at least two branches here; branch edges only repeat them"),
        );
    }

    /// Rule 20.
    fn spawn(&mut self, spawn: &Thing<'t>) {
        let is_recursive = spawn.tree.get("recursive").and_then(Tree::as_bool) == Some(true)
            || spawn.text("template").is_some_and(|template| &**template == "self");
        if is_recursive && spawn.tree.get("max_depth").is_none_or(Tree::is_null) {
            let key = if spawn.tree.get("recursive").is_some() { "recursive" } else { "template" };
            let at = spawn.place.member(spawn.tree, key);
            let message = format!("{} makes itself again and has no `max_depth`", spawn.shown());
            let found = Diagnostic::new(&codes::RULE_20, at, message);
            self.report(found.help("say how deep it may go, for example `max_depth: 3`"));
        }
    }

    /// Rule 23.
    fn team(&mut self, team: &Thing<'t>) {
        let Some(manager) = team.text("manager") else { return };
        let Some(members) = team.tree.get("members").and_then(Tree::as_list) else { return };
        let members = || members.iter().filter_map(Tree::as_text).map(|member| &**member);
        if members().any(|member| member == &**manager) || self.forgiven.contains(&**manager) {
            return;
        }
        let at = team.place.member(team.tree, "manager");
        let message = format!("`manager` of {} is `{manager}`, who is no member", team.shown());
        let found = Diagnostic::new(&codes::RULE_23, at, message);
        self.report(match self.near(manager, members()) {
            Some(near) => found.help(format!("did you mean `{near}`?")),
            None => found.help(format!("its members are {}", list(members()))),
        });
    }

    /// Rule 1.
    fn agents(&mut self) {
        let spec = self.spec;
        // An entity whose type cannot be read may have been one.
        let may_be = |thing: &Thing<'_>| thing.is(NodeType::Agent) || thing.def.is_none();
        let entities = || spec.things.iter().filter(|thing| thing.place.list == "entities");
        let is_misplaced =
            |thing: &Thing<'_>| thing.text("type").is_some_and(|word| &**word == "agent");
        let Some(value) = spec.tree.get("entities").filter(|value| value.as_list().is_some())
        else {
            return;
        };
        if entities().any(may_be) || spec.things.iter().any(is_misplaced) {
            return;
        }
        let at = Anchor::Located(
            spec.tree.entry("entities").map_or(value.span, |(key, _)| key.span),
            Pointer::root().child("entities"),
        );
        let found = Diagnostic::new(&codes::RULE_1, at, "the spec has no agent");
        self.report(found.help("add an entity with `type: agent`, a `label` and a `model`"));
    }

    /// The gates with an inline branch or a default to a process, by the process.
    fn branched_to(&self) -> BTreeMap<&'t str, &'t str> {
        let mut gates = BTreeMap::new();
        for (_, gate) in self.spec.of_type(NodeType::Gate) {
            for target in gate.own_targets() {
                gates.entry(&**target).or_insert(gate.id);
            }
        }
        gates
    }

    /// The first agent that has this tool.
    fn given_to(&self, tool: &str) -> Option<&str> {
        let mut agents = self.spec.of_type(NodeType::Agent).map(|(_, agent)| agent);
        let has = |agent: &&Thing<'_>| {
            let tools = agent.tree.get("tools").and_then(|tools| tools.as_list());
            tools.into_iter().flatten().any(|one| one.as_text().is_some_and(|id| **id == *tool))
        };
        agents.find(has).map(|agent| agent.id)
    }

    /// Rule 18.
    fn orphans(&mut self) {
        let spec = self.spec;
        // Without a list of edges every node is alone, and that is one finding.
        if spec.tree.get("edges").is_none_or(|value| value.as_list().is_none()) {
            return;
        }
        // Where there is no edge at all, that is the one thing to say.
        if spec.edges.is_empty() && spec.things.len() > 1 {
            let key = spec.tree.entry("edges").map_or(spec.tree.span, |(key, _)| key.span);
            let at = Anchor::Located(key, Pointer::root().child("edges"));
            let found = Diagnostic::new(&codes::RULE_18, at, "no node has an edge");
            return self
                .report(found.help("connect them, for example `- {type: flow, from: a, to: b}`"));
        }
        let joined: BTreeSet<&str> =
            spec.edges.iter().flat_map(|line| [line.from, line.to]).collect();
        let branched_to = self.branched_to();
        for (index, thing) in spec.things.iter().enumerate() {
            // The second of two with one id is reported as such, and so is a name that was meant.
            if self.meant.contains(thing.id) {
                continue;
            }
            if thing.id.is_empty()
                || joined.contains(thing.id)
                || spec.find(thing.id) != Some(index)
            {
                continue;
            }
            let at = thing.place.member(thing.tree, "id");
            let message = format!("{} has no edge", thing.shown());
            let found = Diagnostic::new(&codes::RULE_18, at, message);
            self.report(match thing.place.list {
                "processes" => match branched_to.get(thing.id) {
                    Some(gate) => found.help(format!(
                        "only a branch of gate `{gate}` leads to it: add the edge \
                         `{{type: branch, from: {gate}, to: {}, condition: ...}}`",
                        thing.id
                    )),
                    None => found.help("add the edges that lead to it and from it, or remove it"),
                },
                _ => match self.given_to(thing.id) {
                    Some(agent) => found.help(format!(
                        "the agent `{agent}` has it in `tools` and may call it: then this rule, \
                         which counts edges only, asks for nothing more"
                    )),
                    None => found.help("add an edge to where it is used, or remove it"),
                },
            });
        }
    }
}

/// Says which gate a finding is about.
pub(super) fn about(gate: &Thing<'_>, mut found: Diagnostic) -> Diagnostic {
    found.gate = Some(gate.id.into());
    found
}
