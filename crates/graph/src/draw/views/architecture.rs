//! Who works with whom: every entity once, and processes merged into compact nodes.

use std::collections::{BTreeMap, BTreeSet};

use crate::declarations;
use crate::model::Graph;

use super::super::text::clean;
use super::View;
use super::cast::{self, Cast};
use super::flow::used;
use super::picture::{Kind, Line, Link, Node, Picture, Tie};
use super::story::{Deed, Process, Story, To};

/// So many processes are named in a compact node.
const NAMED_MAX: usize = 5;

/// The picture of a graph.
pub(super) fn picture(graph: &Graph) -> Picture {
    let story = Story::of(graph);
    let mut picture = Picture::new(graph, View::Architecture);
    let mut cast = Cast::new(graph, false);
    let mut uses: Vec<Vec<Link>> = Vec::with_capacity(story.processes.len());
    let related: BTreeSet<&str> =
        cast::relations(graph).flat_map(|relation| [relation.from, relation.to]).collect();
    let place = Placeholder(usize::MAX);
    for process in &story.processes {
        uses.push(process_uses(&mut picture, &mut cast, process, &place));
    }
    let groups = group(&story, &uses, &related);
    let nodes = compact(&mut picture, &story, &groups);
    for (at, links) in uses.into_iter().enumerate() {
        for mut link in links {
            place.fill(&mut link, nodes[at]);
            picture.links.push(link);
        }
    }
    for (at, process) in story.processes.iter().enumerate() {
        for way in &process.ways {
            let To::Process(to) = way.to else { continue };
            if nodes[at] != nodes[to] {
                let kind = if way.is_back { Tie::Loop } else { Tie::Flow };
                picture.links.push(Link::new(nodes[at], nodes[to], kind));
            }
        }
    }
    cast.all(&mut picture);
    members(graph, &mut picture, &mut cast);
    let places: BTreeMap<&str, usize> =
        story.processes.iter().zip(&nodes).map(|(process, node)| (process.id, *node)).collect();
    guards(graph, &mut picture, &mut cast, &places);
    relations(graph, &mut picture, &mut cast, &places);
    merge(&mut picture);
    picture
}

/// Stands for the compact node of a process until it is known.
struct Placeholder(usize);

impl Placeholder {
    fn fill(&self, link: &mut Link, node: usize) {
        for end in [&mut link.from, &mut link.to] {
            if *end == self.0 {
                *end = node;
            }
        }
    }
}

fn process_uses<'a>(
    picture: &mut Picture,
    cast: &mut Cast<'a>,
    process: &Process<'a>,
    place: &Placeholder,
) -> Vec<Link> {
    let mut links = Vec::new();
    for deed in &process.deeds {
        let Deed::Call(call) = deed else { continue };
        for target in &call.targets {
            let entity = cast.entity(picture, call.of, target);
            let link = used(place.0, entity, call);
            links.push(Link::new(link.from, link.to, link.kind));
        }
    }
    let Some(declared) = process.declared else { return links };
    for member in ["participants", "template"] {
        for (id, _) in cast::named(declared, member) {
            if let Some(entity) = cast.find(picture, id) {
                links.push(Link::new(place.0, entity, Tie::Invoke));
            }
        }
    }
    links
}

/// The group of each process: those that use the same belong together, and what uses nothing
/// belongs to what comes before it.
fn group(story: &Story<'_>, uses: &[Vec<Link>], related: &BTreeSet<&str>) -> Vec<usize> {
    let mut groups = vec![usize::MAX; story.processes.len()];
    let mut before = vec![usize::MAX; story.processes.len()];
    let mut known: BTreeMap<Vec<(usize, usize, Tie)>, usize> = BTreeMap::new();
    let mut count = 0;
    let mut fresh = || {
        count += 1;
        count - 1
    };
    for at in &story.order {
        let process = &story.processes[*at];
        let mut key: Vec<_> =
            uses[*at].iter().map(|link| (link.from, link.to, link.kind)).collect();
        key.sort_unstable();
        key.dedup();
        groups[*at] = if related.contains(process.id) {
            fresh()
        } else if !key.is_empty() {
            *known.entry(key).or_insert_with(&mut fresh)
        } else if before[*at] != usize::MAX {
            before[*at]
        } else {
            fresh()
        };
        for way in &process.ways {
            if let To::Process(to) = way.to
                && before[to] == usize::MAX
            {
                before[to] = groups[*at];
            }
        }
    }
    groups
}

/// Adds a node for each group; gives the node of each process.
fn compact(picture: &mut Picture, story: &Story<'_>, groups: &[usize]) -> Vec<usize> {
    let mut nodes = vec![0; groups.len()];
    let mut made: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for at in &story.order {
        let process = &story.processes[*at];
        let label = process.declared.and_then(|declared| declared.get("label"));
        let label = label.and_then(value::Value::as_text).map_or(process.id, |label| label);
        let (node, count) = made
            .entry(groups[*at])
            .or_insert_with(|| (picture.add(Node::new(process.kind, process.id, label)), 0));
        let node = &mut picture.nodes[*node];
        if *count > 0 {
            node.stands_for.push(clean(process.id));
        }
        if (1..NAMED_MAX).contains(count) {
            node.lines.push(Line::Words(clean(label)));
        }
        if *count > 0 {
            node.kind = Kind::Step;
        }
        *count += 1;
        nodes[*at] = made[&groups[*at]].0;
    }
    for (node, count) in made.into_values().filter(|(_, count)| *count > NAMED_MAX) {
        let more = format!("and {} more", count - NAMED_MAX);
        picture.nodes[node].lines.push(Line::Remark(more));
    }
    nodes
}

/// Who belongs to teams and conversations, and which tools agents have.
fn members<'a>(graph: &'a Graph, picture: &mut Picture, cast: &mut Cast<'a>) {
    let of = [
        (declarations::Kind::Agents, "tools", Tie::Invoke),
        (declarations::Kind::Teams, "members", Tie::Member),
        (declarations::Kind::Conversations, "participants", Tie::Member),
    ];
    for (kind, member, tie) in of {
        for (id, declared) in graph.declarations.of(kind).iter() {
            let owner = cast.entity(picture, kind, id);
            for (id, role) in cast::named(declared, member) {
                if let Some(entity) = cast.find(picture, id) {
                    let role = clean(role.unwrap_or_default());
                    picture.links.push(Link::saying(owner, entity, tie, role));
                }
            }
        }
    }
}

/// What holds for whom.
fn guards<'a>(
    graph: &'a Graph,
    picture: &mut Picture,
    cast: &mut Cast<'a>,
    places: &BTreeMap<&str, usize>,
) {
    for (id, declared) in graph.declarations.of(declarations::Kind::Policies).iter() {
        let node = cast.guard(picture, Kind::Policy, id);
        for (target, _) in cast::named(declared, "targets") {
            let to = places.get(target).copied().or_else(|| cast.find(picture, target));
            picture.links.extend(to.map(|to| Link::new(node, to, Tie::Governs)));
        }
    }
    for (id, declared) in graph.declarations.of(declarations::Kind::Handlers).iter() {
        let node = cast.guard(picture, Kind::Handler, id);
        let named = |member: &str| cast::named(declared, member).into_iter();
        let at = |id: &str| places.get(id).copied();
        let scope = named("scope").filter_map(|(id, _)| at(id));
        picture.links.extend(scope.map(|from| Link::new(from, node, Tie::Error)));
        let ways = named("on_error").chain(named("fallback")).filter_map(|(id, _)| at(id));
        picture.links.extend(ways.map(|to| Link::new(node, to, Tie::Error)));
    }
}

/// What no label expresses.
fn relations<'a>(
    graph: &'a Graph,
    picture: &mut Picture,
    cast: &mut Cast<'a>,
    places: &BTreeMap<&str, usize>,
) {
    let guard = |id: &str| {
        let is = |of| graph.declarations.of(of).contains_key(id);
        let policy = is(declarations::Kind::Policies).then_some(Kind::Policy);
        policy.or_else(|| is(declarations::Kind::Handlers).then_some(Kind::Handler))
    };
    for relation in cast::relations(graph) {
        let mut end = |id: &'a str| {
            let process = places.get(id).copied();
            let found = process.or_else(|| cast.find(picture, id));
            found.or_else(|| guard(id).map(|kind| cast.guard(picture, kind, id)))
        };
        if let (Some(from), Some(to)) = (end(relation.from), end(relation.to)) {
            // Control leaves a handler only after a failure.
            let kind = match (picture.nodes[from].kind, relation.kind) {
                (Kind::Handler, Tie::Flow) => Tie::Error,
                (_, kind) => kind,
            };
            picture.links.push(Link::saying(from, to, kind, relation.label));
        }
    }
}

/// Leaves each line once.
fn merge(picture: &mut Picture) {
    let mut seen: BTreeSet<(usize, usize, Tie, String)> = BTreeSet::new();
    picture.links.retain(|link| seen.insert((link.from, link.to, link.kind, link.label.clone())));
}
