//! The flow of an agent: processes in the order of a run, and beside each what it uses.

use std::collections::BTreeMap;

use value::Value;

use crate::declarations;
use crate::model::Graph;

use super::super::text::clean;
use super::View;
use super::cast::{self, Cast};
use super::picture::{Kind, Line, Link, Node, Picture, Tie};
use super::story::{Call, Deed, How, Process, Story, To, Way};

/// So many lines to a handler can be followed; the rest is listed.
const HANDLED_MAX: usize = 4;

/// The picture of a graph.
pub(super) fn picture(graph: &Graph) -> Picture {
    let story = Story::of(graph);
    let mut picture = Picture::new(graph, View::Flow);
    let mut places = BTreeMap::new();
    let start = story.entry.map(|_| picture.add(Node::new(Kind::Start, "", "")));
    let mut tops = vec![0; story.processes.len()];
    let mut bodies = vec![0; story.processes.len()];
    for at in &story.order {
        let process = &story.processes[*at];
        let join = process.join.as_ref().map(|words| {
            let mut node = Node::new(Kind::Join, process.id, "join");
            node.about.push(words.clone());
            picture.add(node)
        });
        bodies[*at] = picture.add(body(process));
        tops[*at] = join.unwrap_or(bodies[*at]);
        if let Some(join) = join {
            picture.links.push(Link::new(join, bodies[*at], Tie::Flow));
        }
        places.insert(process.id, bodies[*at]);
    }
    if let (Some(start), Some(entry)) = (start, story.entry) {
        picture.links.push(Link::new(start, tops[entry], Tie::Flow));
    }
    let mut flow = Flow {
        graph,
        joined: joined(&story),
        cast: Cast::new(graph, true),
        missing: BTreeMap::new(),
        places,
        tops,
        picture,
    };
    for at in &story.order {
        flow.uses(bodies[*at], &story.processes[*at]);
        flow.ways(bodies[*at], &story.processes[*at]);
    }
    flow.relations();
    flow.policies();
    flow.handlers();
    flow.picture
}

/// The node of a process.
pub(super) fn body(process: &Process<'_>) -> Node {
    let mut node = match process.declared {
        Some(declared) => cast::described(process.kind, process.id, declared),
        None => Node::new(process.kind, process.id, process.id),
    };
    let word = process.declared.and_then(|declared| declared.get("type")).and_then(Value::as_text);
    if let Some(word) = word.filter(|word| process.kind == Kind::Step && ***word != *"step") {
        node.lines.push(Line::Words(clean(word)));
    }
    for deed in &process.deeds {
        match deed {
            Deed::Logic([]) => {
                node.lines.push(Line::Words("logic".to_string()));
            }
            Deed::Logic(writes) => {
                let names: Vec<_> = writes.iter().map(|name| &**name).collect();
                let names = clean(&names.join(", "));
                node.lines.push(Line::Words(format!("logic -> {names}")));
            }
            Deed::Other(words) => node.lines.push(Line::Words(words.clone())),
            Deed::Call(_) => {}
        }
    }
    node
}

/// Which processes a way leads to that is not the last piece of a fork.
fn joined(story: &Story<'_>) -> Vec<bool> {
    let mut joined = vec![false; story.processes.len()];
    for way in story.processes.iter().flat_map(|process| &process.ways) {
        if let (To::Process(to), true) = (way.to, way.how != How::Joined) {
            joined[to] = true;
        }
    }
    joined
}

struct Flow<'a> {
    graph: &'a Graph,
    joined: Vec<bool>,
    cast: Cast<'a>,
    missing: BTreeMap<&'a str, usize>,
    places: BTreeMap<&'a str, usize>,
    tops: Vec<usize>,
    picture: Picture,
}

impl<'a> Flow<'a> {
    fn uses(&mut self, body: usize, process: &Process<'a>) {
        let first = self.picture.links.len();
        for deed in &process.deeds {
            let Deed::Call(call) = deed else { continue };
            for target in &call.targets {
                let entity = self.cast.entity(&mut self.picture, call.of, target);
                self.picture.links.push(used(body, entity, call));
            }
        }
        let Some(declared) = process.declared else { return };
        let given = match process.kind {
            Kind::Protocol => cast::named(declared, "participants"),
            Kind::Spawn => cast::named(declared, "template"),
            _ => Vec::new(),
        };
        for (id, role) in given {
            let Some(entity) = self.cast.find(&mut self.picture, id) else { continue };
            let is_known = |link: &Link| link.from == body && link.to == entity;
            if !self.picture.links[first..].iter().any(is_known) {
                let role = clean(role.unwrap_or_default());
                self.picture.links.push(Link::saying(body, entity, Tie::Invoke, role));
            }
        }
    }

    fn ways(&mut self, body: usize, process: &Process<'a>) {
        let mut fork = None;
        let mut links: Vec<Option<Link>> = Vec::new();
        let mut drawn: BTreeMap<(To<'a>, usize, Tie), usize> = BTreeMap::new();
        for way in &process.ways {
            let from = match way.how {
                How::Joined if !self.is_needed(way) => continue,
                How::Branch => *fork.get_or_insert_with(|| {
                    let bar = self.picture.add(Node::new(Kind::Fork, process.id, "fork"));
                    links.push(Some(Link::new(body, bar, Tie::Flow)));
                    bar
                }),
                _ => body,
            };
            let mut link = Link { from, ..link(process, way) };
            // Two ways to one place are one line that says both; of a gate only if nothing else is
            // asked between them, since its order counts.
            let kind = if link.kind == Tie::Branch { Tie::Flow } else { link.kind };
            let before = drawn.insert((way.to, from, kind), links.len());
            let before =
                before.filter(|before| process.kind != Kind::Gate || before + 1 == links.len());
            match before.and_then(|before| links[before].take()) {
                Some(before) => link = merged(before, link),
                None => link.to = self.node(process, way.to),
            }
            links.push(Some(link));
        }
        self.picture.links.extend(links.into_iter().flatten());
    }

    /// The end of a fork needs a line only where no branch leads there.
    fn is_needed(&self, way: &Way<'_>) -> bool {
        matches!(way.to, To::Process(to) if !self.joined[to])
    }

    fn node(&mut self, process: &Process<'a>, to: To<'a>) -> usize {
        match to {
            To::Process(to) => self.tops[to],
            To::End => self.picture.add(Node::new(Kind::End, process.id, "end")),
            To::Failure => self.picture.add(Node::new(Kind::Failure, process.id, "fail")),
            To::Missing(id) => *self.missing.entry(id).or_insert_with(|| {
                let mut node = Node::new(Kind::Missing, id, id);
                node.lines.push(Line::Words("does not exist".to_string()));
                self.picture.add(node)
            }),
        }
    }

    /// What no label expresses and a process takes part in.
    fn relations(&mut self) {
        for relation in cast::relations(self.graph) {
            let at = |id: &str| self.places.get(id).copied();
            let (from, to) = match (at(relation.from), at(relation.to)) {
                (Some(from), Some(to)) => (Some(from), Some(to)),
                (Some(from), None) => (Some(from), self.cast.find(&mut self.picture, relation.to)),
                (None, Some(to)) => (self.cast.find(&mut self.picture, relation.from), Some(to)),
                (None, None) => continue,
            };
            if let (Some(from), Some(to)) = (from, to) {
                let mut link = Link::saying(from, to, relation.kind, relation.label);
                link.carries.0 = clean(relation.data.unwrap_or_default());
                self.picture.links.push(link);
            }
        }
    }

    fn policies(&mut self) {
        for (id, declared) in self.graph.declarations.of(declarations::Kind::Policies).iter() {
            let node = self.cast.guard(&mut self.picture, Kind::Policy, id);
            let targets = cast::named(declared, "targets");
            let mut others = Vec::new();
            for (target, _) in targets {
                match self.places.get(target) {
                    Some(process) => {
                        self.picture.links.push(Link::new(node, *process, Tie::Governs));
                    }
                    None => others.push(clean(target)),
                }
            }
            self.stand_alone_if_unlinked(node, &others);
        }
    }

    /// A handler that leads somewhere is part of the flow; one that does not stands beside.
    fn handlers(&mut self) {
        let mut linked: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for relation in cast::relations(self.graph) {
            linked.entry(relation.from).or_default().push(relation.to);
        }
        for (id, declared) in self.graph.declarations.of(declarations::Kind::Handlers).iter() {
            let node = self.cast.guard(&mut self.picture, Kind::Handler, id);
            let mut ways: Vec<(&str, usize)> = Vec::new();
            let named = declarations::RECOVERIES.into_iter().flat_map(|member| {
                cast::named(declared, member).into_iter().map(move |(id, _)| (member, id))
            });
            let linked = linked.get(&**id).into_iter().flatten();
            for (word, to) in named.chain(linked.map(|to| ("", *to))) {
                if let Some(to) = self.places.get(to)
                    && ways.iter().all(|way| way.1 != *to)
                {
                    ways.push((word, *to));
                }
            }
            let scope = cast::named(declared, "scope");
            let covered: Vec<usize> =
                scope.iter().filter_map(|(id, _)| self.places.get(id).copied()).collect();
            if ways.is_empty() {
                for process in &covered {
                    self.picture.links.push(Link::new(node, *process, Tie::Governs));
                }
                self.stand_alone_if_unlinked(node, &[]);
                continue;
            }
            self.picture.nodes[node].beside = false;
            for process in covered.iter().take(HANDLED_MAX) {
                self.picture.links.push(Link::new(*process, node, Tie::Error));
            }
            if covered.len() > HANDLED_MAX {
                let more = format!("and for {} more", covered.len() - HANDLED_MAX);
                self.picture.nodes[node].lines.push(Line::Words(more));
            }
            for (word, to) in ways {
                let word = word.replace('_', " ");
                let label = if word == "on error" { String::new() } else { word };
                self.picture.links.push(Link::saying(node, to, Tie::Error, label));
            }
        }
    }

    fn stand_alone_if_unlinked(&mut self, node: usize, others: &[String]) {
        if !others.is_empty() {
            self.picture.nodes[node].lines.push(Line::Words(format!("on: {}", others.join(", "))));
        }
        let is_linked = self.picture.links.last().is_some_and(|link| link.from == node);
        self.picture.nodes[node].beside = is_linked;
    }
}

/// The link of a use.
pub(super) fn used(user: usize, entity: usize, call: &Call<'_>) -> Link {
    let kind = match (call.of, call.reads) {
        (declarations::Kind::Stores, true) => Tie::Read,
        (declarations::Kind::Stores, false) => Tie::Write,
        (declarations::Kind::Channels, true) => Tie::Subscribe,
        (declarations::Kind::Channels, false) => Tie::Publish,
        _ => Tie::Invoke,
    };
    let (from, to) = if kind.is_inward() { (entity, user) } else { (user, entity) };
    let schema = |name: Option<&str>| clean(name.unwrap_or_default());
    let mut link = Link::new(from, to, kind);
    link.carries = (schema(call.takes), schema(call.gives));
    link.note = call.retry.clone().unwrap_or_default();
    if call.targets.len() > 1 {
        link.source = "one of them".to_string();
    }
    link
}

/// The link of a way, still without its ends.
fn link(process: &Process<'_>, way: &Way<'_>) -> Link {
    let kind = match way.how {
        _ if way.is_back => Tie::Loop,
        How::When | How::Otherwise if process.kind == Kind::Gate => Tie::Branch,
        How::When => Tie::Branch,
        How::Next | How::Otherwise | How::Branch | How::Joined => Tie::Flow,
        How::Error => Tie::Error,
        How::Call => Tie::Call,
    };
    // Beside a step, the way that nothing decides needs no words.
    let is_plain = way.how == How::Otherwise && process.kind != Kind::Gate;
    let label = match way.how {
        How::Error => String::new(),
        _ if is_plain => String::new(),
        _ => way.clause.clone(),
    };
    let note = if is_same(&way.label, &label) { String::new() } else { way.label.clone() };
    let source = if is_plain { String::new() } else { way.source.clone() };
    Link { label, note, source, ..Link::new(0, 0, kind) }
}

/// Whether two texts differ only in how they are written.
fn is_same(a: &str, b: &str) -> bool {
    let bare = |text: &str| {
        let text = text.replace("==", "=");
        text.chars().filter(|letter| !" \"'".contains(*letter)).collect::<String>()
    };
    bare(a) == bare(b)
}

/// Makes one line of two to the same place.
fn merged(first: Link, second: Link) -> Link {
    if first.label.is_empty() || second.label.is_empty() {
        let kind = if first.kind == Tie::Branch { Tie::Flow } else { first.kind };
        return Link::new(first.from, first.to, kind);
    }
    let label = format!("{} or {}", first.label, second.label);
    let mut notes = vec![first.note.clone(), second.note];
    notes.dedup();
    notes.retain(|note| !note.is_empty());
    let is_one = first.source == second.source;
    let source =
        if is_one { second.source } else { format!("{}, {}", first.source, second.source) };
    Link { label, note: notes.join(" / "), source, ..first }
}
