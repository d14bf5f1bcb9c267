//! From JSON to a draft. A member that cannot be understood is reported and kept as written
//! among the unknown ones, so that printing loses nothing and reading again reports it again.

use std::collections::BTreeSet;
use std::sync::Arc;

use diagnostics::{Anchor, Diagnostic, Source, codes, nearest};
use graph::draft::{Draft, DraftEdge, DraftLabel, DraftNode};
use graph::ops::Port;
use graph::{Effect, Endpoint, Exit, Extra, Kind, Tier, ToKind};
use value::{At, Map, Text, Value};

use super::members::{Member, Reader};
use crate::{Origins, Reading, json};

/// Reads a document.
pub fn read(source: &Source) -> Reading {
    let (mut findings, mut carried) = (Vec::new(), Vec::new());
    let draft = json::read(source, &mut findings).and_then(|value| {
        let mut reader = Reader { findings: &mut findings, carried: Vec::new() };
        let draft = reader.document(value);
        carried = reader.carried;
        draft
    });
    Reading { draft, findings, carried, origins: Origins::default() }
}

impl Reader<'_> {
    fn document(&mut self, value: Value) -> Option<Draft> {
        let at = At::Root;
        let Value::Map(map) = &value else {
            self.wrong_kind(&at, "an object with `labels`", &value);
            return None;
        };
        let mut draft = Draft::default();
        let Some(Value::Map(labels)) = map.get("labels") else {
            self.no_labels(map);
            return None;
        };
        for (name, value) in map.iter() {
            let at = at.member(name);
            let mut keep = || {
                draft.extra.insert(name.clone(), value.clone());
            };
            match &**name {
                "ir_version" => draft.ir_version = self.text(&at, value).or_keep(keep),
                "graph_schema_version" => self.version(&at, value, keep),
                "labels" => {
                    let mut odd = Map::default();
                    for (id, label) in labels.iter() {
                        match self.label(&at.member(id), label) {
                            Some(label) => draft.labels.insert(id.clone(), label).map(drop),
                            None => odd.insert(id.clone(), label.clone()).map(drop),
                        };
                    }
                    if !odd.is_empty() {
                        draft.extra.insert(name.clone(), odd.into());
                    }
                }
                "services" => {
                    let services = self.services(&at, value, &mut draft.endpoints);
                    draft.extra.insert(name.clone(), services);
                }
                "crons" => {
                    draft.crons = self.list(&at, value).or_keep(keep).unwrap_or_default().to_vec();
                }
                "capabilities" => {
                    let map = self.map(&at, value).or_keep(keep);
                    draft.capabilities = map.map(|map| (*map).clone()).unwrap_or_default();
                }
                "runtime_policy" => {
                    let map = self.map(&at, value).or_keep(keep);
                    draft.runtime_policy = map.map(|map| (*map).clone()).unwrap_or_default();
                }
                "declarations" => {
                    if let Some(odd) = self.declarations(&at, value, &mut draft) {
                        draft.extra.insert(name.clone(), odd);
                    }
                }
                "required_emit_targets" => {
                    keep();
                    let minimal = value.get("minimal_emit").and_then(Value::as_list);
                    let words =
                        |list: &[Value]| list.iter().filter_map(Value::as_text).cloned().collect();
                    draft.emit_targets = minimal.map(words);
                }
                // Computed again, always.
                "graph_semantic_checksum" | "errors" | "warnings" => {}
                "diagnostics" => self.carried = value.as_list().unwrap_or_default().to_vec(),
                _ => keep(),
            }
        }
        Some(draft)
    }

    /// Without labels it is some other document.
    fn no_labels(&mut self, map: &Map) {
        let at = At::Root;
        let at = at.member("labels");
        match map.get("labels") {
            None | Some(Value::Null) => {
                let at = Anchor::value(at.pointer());
                let message = "the document has no `labels`";
                let found = Diagnostic::new(&codes::MISSING_MEMBER, at, message);
                self.findings.push(match nearest("labels", map.keys().map(|key| &**key)) {
                    Some(near) => found.help(format!("`{near}` is not read; write `labels`")),
                    None => found.help("a graph document has its nodes and edges under `labels`"),
                });
            }
            Some(other) => self.wrong_kind(&at, "an object", other),
        }
    }

    fn version(&mut self, at: &At<'_>, value: &Value, keep: impl FnOnce()) {
        let Member::Is(version) = self.text(at, value) else { return keep() };
        let core = version.split('+').next().unwrap_or_default();
        if core.split('.').next() != Some("1") {
            let message = format!("graph schema `{version}` is not supported");
            let at = Anchor::value(at.pointer());
            self.findings.push(
                Diagnostic::new(&codes::UNSUPPORTED_VERSION, at, message)
                    .help("write `1.0`: this version reads graph schema 1"),
            );
            keep();
        }
    }

    fn label(&mut self, at: &At<'_>, value: &Value) -> Option<DraftLabel> {
        let mut label = DraftLabel::default();
        let map = match value {
            Value::Map(map) => map,
            other => {
                self.wrong_kind(at, "an object with `nodes` and `edges`", other);
                return None;
            }
        };
        let mut legacy = None;
        for (name, value) in map.iter() {
            let at = at.member(name);
            let extra = &mut label.extra;
            let mut keep = || extra.keep(name.clone(), value.clone());
            match &**name {
                "nodes" => {
                    let nodes = self.list(&at, value).or_keep(keep).unwrap_or_default();
                    (label.nodes, label.odd_nodes) = self.objects(&at, nodes, Reader::node);
                }
                "edges" => {
                    let edges = self.list(&at, value).or_keep(keep).unwrap_or_default();
                    (label.edges, label.odd_edges) = self.objects(&at, edges, Reader::edge);
                }
                "entry" => label.entry = self.text(&at, value).or_keep(keep),
                "exits" => {
                    let before = self.findings.len();
                    let exits = self.list(&at, value).or_keep(&mut keep);
                    label.exits = exits.map(|exits| self.objects(&at, exits, Reader::exit).0);
                    // Exits that are not understood are not checked either.
                    if self.findings.len() > before {
                        label.exits = None;
                        keep();
                    }
                }
                "emit_edges" => label.emit_targets = emit_targets(value),
                "legacy" => legacy = Some(value),
                // Computed again, always.
                "id_hash" | "effect_summary" => {}
                _ => keep(),
            }
        }
        if let Some(legacy) = legacy {
            self.legacy(&at.member("legacy"), legacy, &mut label);
        }
        Some(label)
    }

    /// Steps count where there is nothing else; whatever else stands beside them is kept.
    fn legacy(&mut self, at: &At<'_>, legacy: &Value, label: &mut DraftLabel) {
        let before = self.findings.len();
        let has_nodes = !label.nodes.is_empty() || !label.odd_nodes.is_empty();
        let mut kept = match (self.map(at, legacy), label.extra.get("nodes")) {
            (Member::Is(members), None) => (*members).clone(),
            (Member::Absent, _) => return,
            _ => return label.extra.keep("legacy".into(), legacy.clone()),
        };
        let steps_at = at.member("steps");
        if !has_nodes
            && let Some(steps) = kept.get("steps")
            && let Member::Is(items) = self.list(&steps_at, steps)
        {
            self.objects(&steps_at, items, |_, _, _, _| ());
            label.steps = Some(Arc::new(items.to_vec()));
        }
        if self.findings.len() > before {
            label.steps = None;
            return label.extra.keep("legacy".into(), legacy.clone());
        }
        kept.remove("steps");
        if !kept.is_empty() {
            label.extra.keep("legacy".into(), kept.into());
        }
    }

    fn node(&mut self, at: &At<'_>, index: u32, map: &Map) -> DraftNode {
        let mut node = DraftNode { at: index, ..DraftNode::default() };
        for (name, value) in map {
            let at = at.member(name);
            let extra = &mut node.extra;
            let mut keep = || extra.keep(name.clone(), value.clone());
            match &**name {
                "id" => node.id = self.text(&at, value).or_keep(keep),
                "op" => node.op = self.text(&at, value).or_keep(keep),
                "data" => node.data = self.map(&at, value).or_keep(keep),
                "operands" => node.operands = self.map(&at, value).or_keep(keep),
                "effect" => {
                    node.effect =
                        self.word(&at, value, Effect::find, &["io", "pure", "meta"]).or_keep(keep)
                }
                // Specifications leave its words open: one that is not ours is kept, no more.
                "effect_tier" => match value.as_text().map(|word| Tier::find(word)) {
                    Some(Some(tier)) => node.tier = Some(tier),
                    _ => node.extra.keep(name.clone(), value.clone()),
                },
                "effect_kinds" => node.kinds = self.texts(&at, value).or_keep(keep),
                "reads" => node.reads = self.texts(&at, value).or_keep(keep),
                "writes" => node.writes = self.texts(&at, value).or_keep(keep),
                "memory_type" => node.memory_type = self.text(&at, value).or_keep(keep),
                "lineno" => node.lineno = self.line(&at, value).or_keep(keep),
                // Computed again, always.
                "hash" | "inexact" => {}
                _ => keep(),
            }
        }
        node
    }

    fn edge(&mut self, at: &At<'_>, index: u32, map: &Map) -> DraftEdge {
        let mut edge = DraftEdge { at: index, ..DraftEdge::default() };
        for (name, value) in map {
            let at = at.member(name);
            let extra = &mut edge.extra;
            let mut keep = || extra.keep(name.clone(), value.clone());
            match &**name {
                "from" => edge.from = self.text(&at, value).or_keep(keep),
                "to" => edge.to = self.text(&at, value).or_keep(keep),
                "to_kind" => {
                    let find = |word: &str| {
                        [ToKind::Node, ToKind::Label].into_iter().find(|kind| kind.word() == word)
                    };
                    edge.to_kind = self.word(&at, value, find, &["node", "label"]).or_keep(keep);
                }
                "port" => {
                    let words = Port::ALL.map(Port::word);
                    edge.port = self.word(&at, value, Port::find, &words).or_keep(keep);
                }
                "analysis_only" => match value {
                    Value::Bool(yes) => edge.analysis_only = *yes,
                    other => {
                        self.wrong_kind(&at, "true or false", other);
                        keep();
                    }
                },
                _ => keep(),
            }
        }
        edge
    }

    fn exit(&mut self, at: &At<'_>, _: u32, map: &Map) -> Exit {
        let mut exit = Exit { node: "".into(), var: None, extra: Extra::default() };
        for (name, value) in map {
            let at = at.member(name);
            match &**name {
                "node" => exit.node = self.text(&at, value).or_keep(|| {}).unwrap_or(exit.node),
                "var" => exit.var = self.text(&at, value).or_keep(|| {}),
                _ => exit.extra.keep(name.clone(), value.clone()),
            }
        }
        if map.get("node").is_none_or(|node| *node == Value::Null) {
            let at = Anchor::value(at.member("node").pointer());
            let message = "an exit has no `node`";
            self.findings.push(Diagnostic::new(&codes::MISSING_MEMBER, at, message));
        }
        exit
    }

    /// Takes the endpoints out of `services.core.eps`; the rest stays as written.
    fn services(&mut self, at: &At<'_>, value: &Value, endpoints: &mut Vec<Endpoint>) -> Value {
        let Some(Value::Map(core)) = value.get("core") else { return value.clone() };
        let Some(eps) = core.get("eps") else { return value.clone() };
        let core_at = at.member("core");
        let at = core_at.member("eps");
        let Member::Is(paths) = self.map(&at, eps) else { return value.clone() };
        let mut kept_paths = Map::default();
        for (path, methods) in paths.iter() {
            let at = at.member(path);
            let mut kept = Map::default();
            match self.map(&at, methods) {
                Member::Is(methods) => {
                    for (method, endpoint) in methods.iter() {
                        match self.endpoint(&at.member(method), path, method, endpoint) {
                            Some(endpoint) => endpoints.push(endpoint),
                            None => drop(kept.insert(method.clone(), endpoint.clone())),
                        }
                    }
                    if !kept.is_empty() || methods.is_empty() {
                        kept_paths.insert(path.clone(), kept.into());
                    }
                }
                _ => drop(kept_paths.insert(path.clone(), methods.clone())),
            }
        }
        let mut services = value.as_map().cloned().unwrap_or_default();
        let mut core = (**core).clone();
        core.insert("eps".into(), kept_paths.into());
        services.insert("core".into(), core.into());
        services.into()
    }

    fn endpoint(
        &mut self,
        at: &At<'_>,
        path: &Text,
        method: &Text,
        value: &Value,
    ) -> Option<Endpoint> {
        let Member::Is(members) = self.map(at, value) else { return None };
        let label = match members.get("label_id") {
            Some(label) => self.text(&at.member("label_id"), label).or_keep(|| {}),
            None => None,
        };
        Some(Endpoint { path: path.clone(), method: method.clone(), label, members })
    }

    /// Reads what it can; what it cannot comes back to be kept.
    fn declarations(&mut self, at: &At<'_>, value: &Value, draft: &mut Draft) -> Option<Value> {
        let kinds = match self.map(at, value) {
            Member::Is(kinds) => kinds,
            Member::Absent => return None,
            Member::Odd => return Some(value.clone()),
        };
        let mut odd = Map::default();
        for (word, declared) in kinds.iter() {
            let at = at.member(word);
            let Some(kind) = Kind::find(word) else {
                let message = format!("`{word}` is no kind of declaration");
                let found =
                    Diagnostic::new(&codes::NOT_ALLOWED, Anchor::key(at.pointer()), message);
                let words = Kind::ALL.map(Kind::word);
                self.findings.push(match nearest(word, words) {
                    Some(near) => found.help(format!("did you mean `{near}`?")),
                    None => found.help(format!("the kinds are {}", words.join(", "))),
                });
                odd.insert(word.clone(), declared.clone());
                continue;
            };
            match self.map(&at, declared) {
                Member::Is(map) => *draft.declarations.of_mut(kind) = (*map).clone(),
                Member::Absent => {}
                Member::Odd => {
                    odd.insert(word.clone(), declared.clone());
                }
            }
        }
        (!odd.is_empty()).then(|| odd.into())
    }
}

/// The platforms that `emit_edges` name, in their order.
fn emit_targets(edges: &Value) -> Vec<Text> {
    let mut seen = BTreeSet::new();
    let named =
        edges.as_list().unwrap_or_default().iter().filter_map(|edge| edge.get("target")?.as_text());
    named.filter(|target| seen.insert((*target).clone())).cloned().collect()
}
