//! From JSON to a draft. A member that cannot be understood is reported and kept as written
//! among the unknown ones, so that printing loses nothing and reading again reports it again.

use std::sync::Arc;

use diagnostics::{Anchor, Diagnostic, Source, codes, nearest};
use graph::draft::{Draft, DraftEdge, DraftLabel, DraftNode};
use graph::ops::Port;
use graph::{Effect, Endpoint, Kind, Tier, ToKind};
use value::{At, Map, Text, Value};

use crate::{Reading, json};

/// Reads a document.
pub fn read(source: &Source) -> Reading {
    let mut findings = Vec::new();
    let draft = json::read(source, &mut findings).and_then(|value| {
        let mut reader = Reader { findings: &mut findings };
        reader.document(value)
    });
    Reading { draft, findings }
}

struct Reader<'f> {
    findings: &'f mut Vec<Diagnostic>,
}

/// What a member turned out to be.
enum Member<T> {
    Is(T),
    /// Null counts as not there.
    Absent,
    /// Reported; to be kept as written.
    Odd,
}

impl<T> Member<T> {
    /// The value, or nothing after `keep` was told to keep what was written.
    fn or_keep(self, keep: impl FnOnce()) -> Option<T> {
        match self {
            Member::Is(value) => Some(value),
            Member::Absent => None,
            Member::Odd => {
                keep();
                None
            }
        }
    }
}

impl Reader<'_> {
    fn document(&mut self, value: Value) -> Option<Draft> {
        let at = At::Root;
        let Value::Map(map) = &value else {
            self.wrong_kind(&at, "an object with `labels`", &value);
            return None;
        };
        let mut draft = Draft::default();
        if map.get("labels").is_none_or(|labels| *labels == Value::Null) {
            let at = Anchor::value(at.member("labels").pointer());
            let found = Diagnostic::new(&codes::MISSING_MEMBER, at, "the document has no `labels`");
            self.findings.push(match nearest("labels", map.keys().map(|key| &**key)) {
                Some(near) => found.help(format!("`{near}` is not read; write `labels`")),
                None => found.help("a graph document has its nodes and edges under `labels`"),
            });
        }
        for (name, value) in map.iter() {
            let at = at.member(name);
            let mut keep = || {
                draft.extra.insert(name.clone(), value.clone());
            };
            match &**name {
                "ir_version" => draft.ir_version = self.text(&at, value).or_keep(keep),
                "graph_schema_version" => self.version(&at, value, keep),
                "labels" => {
                    let labels = self.map(&at, value).or_keep(keep);
                    let mut odd = Map::default();
                    for (id, label) in labels.iter().flat_map(|labels| labels.iter()) {
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
                "graph_semantic_checksum" | "errors" | "warnings" | "diagnostics" => {}
                _ => keep(),
            }
        }
        Some(draft)
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
        for (name, value) in map.iter() {
            let at = at.member(name);
            let extra = &mut label.extra;
            let mut keep = || extra.keep(name.clone(), value.clone());
            match &**name {
                "nodes" => {
                    let nodes = self.list(&at, value).or_keep(keep).unwrap_or_default();
                    label.nodes = self.objects(&at, nodes, Reader::node);
                    label.unread = nodes.len() - label.nodes.len();
                }
                "edges" => {
                    let edges = self.list(&at, value).or_keep(keep).unwrap_or_default();
                    label.edges = self.objects(&at, edges, Reader::edge);
                }
                "entry" => label.entry = self.text(&at, value).or_keep(keep),
                "exits" => {
                    let before = self.findings.len();
                    let exits = self.list(&at, value).or_keep(&mut keep);
                    label.exits = exits.map(|exits| self.objects(&at, exits, Reader::exit));
                    // Exits that are not understood are not checked either.
                    if self.findings.len() > before {
                        label.exits = None;
                        keep();
                    }
                }
                "emit_edges" => label.emit_targets = emit_targets(value),
                "legacy" => label.steps = steps(value),
                // Computed again, always.
                "id_hash" | "effect_summary" => {}
                _ => keep(),
            }
        }
        Some(label)
    }

    fn objects<T>(
        &mut self,
        at: &At<'_>,
        items: &[Value],
        each: fn(&mut Self, &At<'_>, u32, &Map) -> T,
    ) -> Vec<T> {
        let mut read = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let at = at.item(index);
            match item {
                Value::Map(map) => {
                    read.push(each(self, &at, u32::try_from(index).unwrap_or(u32::MAX), map));
                }
                other => self.wrong_kind(&at, "an object", other),
            }
        }
        read
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
                "hash" => {}
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

    fn exit(&mut self, at: &At<'_>, _: u32, map: &Map) -> (Text, Option<Text>) {
        let mut text = |name: &'static str| {
            let value = map.get(name)?;
            self.text(&at.member(name), value).or_keep(|| {})
        };
        let (node, var) = (text("node"), text("var"));
        if node.is_none() {
            let at = Anchor::value(at.member("node").pointer());
            self.findings.push(Diagnostic::new(
                &codes::MISSING_MEMBER,
                at,
                "an exit has no `node`",
            ));
        }
        (node.unwrap_or_else(|| "".into()), var)
    }

    /// Takes the endpoints out of `services.core.eps`; the rest stays as written.
    fn services(&mut self, at: &At<'_>, value: &Value, endpoints: &mut Vec<Endpoint>) -> Value {
        let Some(Value::Map(core)) = value.get("core") else { return value.clone() };
        let Some(eps) = core.get("eps") else { return value.clone() };
        let (core_at, eps_name) = (at.member("core"), "eps");
        let at = core_at.member(eps_name);
        let Member::Is(paths) = self.map(&at, eps) else { return value.clone() };
        for (path, methods) in paths.iter() {
            let at = at.member(path);
            let Member::Is(methods) = self.map(&at, methods) else { continue };
            for (method, endpoint) in methods.iter() {
                let at = at.member(method);
                let Member::Is(members) = self.map(&at, endpoint) else { continue };
                let label = match members.get("label_id") {
                    Some(label) => self.text(&at.member("label_id"), label).or_keep(|| {}),
                    None => None,
                };
                endpoints.push(Endpoint {
                    path: path.clone(),
                    method: method.clone(),
                    label,
                    members,
                });
            }
        }
        let mut services = value.as_map().cloned().unwrap_or_default();
        let mut core = (**core).clone();
        core.insert(eps_name.into(), Value::from(Map::default()));
        services.insert("core".into(), core.into());
        services.into()
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

    fn text(&mut self, at: &At<'_>, value: &Value) -> Member<Text> {
        match value {
            Value::Text(text) => Member::Is(text.clone()),
            other => self.other(at, "text", other),
        }
    }

    fn map(&mut self, at: &At<'_>, value: &Value) -> Member<Arc<Map>> {
        match value {
            Value::Map(map) => Member::Is(map.clone()),
            other => self.other(at, "an object", other),
        }
    }

    fn list<'v>(&mut self, at: &At<'_>, value: &'v Value) -> Member<&'v [Value]> {
        match value {
            Value::List(items) => Member::Is(items),
            other => self.other(at, "a list", other),
        }
    }

    fn texts(&mut self, at: &At<'_>, value: &Value) -> Member<Vec<Text>> {
        let items = match self.list(at, value) {
            Member::Is(items) => items,
            Member::Absent => return Member::Absent,
            Member::Odd => return Member::Odd,
        };
        match items.iter().position(|item| item.as_text().is_none()) {
            None => Member::Is(items.iter().filter_map(Value::as_text).cloned().collect()),
            Some(odd) => {
                self.wrong_kind(&at.item(odd), "text", &items[odd]);
                Member::Odd
            }
        }
    }

    fn line(&mut self, at: &At<'_>, value: &Value) -> Member<i64> {
        match value {
            Value::Int(line) => Member::Is(*line),
            other => self.other(at, "a whole number", other),
        }
    }

    fn word<T>(
        &mut self,
        at: &At<'_>,
        value: &Value,
        find: impl Fn(&str) -> Option<T>,
        words: &[&'static str],
    ) -> Member<T> {
        let text = match self.text(at, value) {
            Member::Is(text) => text,
            Member::Absent => return Member::Absent,
            Member::Odd => return Member::Odd,
        };
        if let Some(found) = find(&text) {
            return Member::Is(found);
        }
        let anchor = Anchor::value(at.pointer());
        let member =
            anchor.pointer().and_then(|pointer| pointer.tokens().last()).unwrap_or_default();
        let message = format!("`{text}` is no `{member}`");
        let found = Diagnostic::new(&codes::NOT_ALLOWED, anchor.clone(), message);
        self.findings.push(match nearest(&text, words.iter().copied()) {
            Some(near) => found.help(format!("did you mean `{near}`?")).fix(
                format!("write `{near}`"),
                anchor,
                format!("\"{near}\""),
            ),
            None => found.help(format!("it is one of {}", words.join(", "))),
        });
        Member::Odd
    }

    fn other<T>(&mut self, at: &At<'_>, expected: &str, found: &Value) -> Member<T> {
        if *found == Value::Null {
            return Member::Absent;
        }
        self.wrong_kind(at, expected, found);
        Member::Odd
    }

    fn wrong_kind(&mut self, at: &At<'_>, expected: &str, found: &Value) {
        let what = match at {
            At::Root => "the document".to_string(),
            At::Member(_, name) => format!("`{name}`"),
            At::Item(At::Member(_, "nodes"), _) => "a node".to_string(),
            At::Item(At::Member(_, "edges"), _) => "an edge".to_string(),
            At::Item(At::Member(_, "exits"), _) => "an exit".to_string(),
            At::Item(..) => "an item".to_string(),
        };
        let message = format!("{what} must be {expected}, not {}", found.kind());
        self.findings.push(Diagnostic::new(
            &codes::WRONG_KIND,
            Anchor::value(at.pointer()),
            message,
        ));
    }
}

/// The platforms that `emit_edges` name, in their order.
fn emit_targets(edges: &Value) -> Vec<Text> {
    let mut targets: Vec<Text> = Vec::new();
    for edge in edges.as_list().unwrap_or_default() {
        if let Some(Value::Text(target)) = edge.get("target")
            && !targets.contains(target)
        {
            targets.push(target.clone());
        }
    }
    targets
}

fn steps(legacy: &Value) -> Option<Arc<Vec<Value>>> {
    match legacy.get("steps") {
        Some(Value::List(steps)) => Some(steps.clone()),
        _ => None,
    }
}
