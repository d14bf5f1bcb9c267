//! What holds for every history. They come from seeds, so a failing case is one number.

use std::collections::{BTreeMap, BTreeSet};

use history::kinds::{Blob, Common, SummaryCreated, What, records::Ref};
use history::plan::Live;
use history::projection::{EDGES, Edge, EdgeKind, NodeKind, Projection, Seen, View};
use history::query::{
    At, Found, Item, Order, Page, RunFilter, Search, Subject, ancestry, calls, lineage, policies,
    resources, run, runs, search,
};
use history::{Archive, Place, Stream, Timestamp};
use proptest::prelude::*;
use sim::Random;
use sim::history::{Piece, histories};
use value::Value;

use crate::projection::keeps_to_its_row;
use crate::shelf::Shelf;

/// The first events of a history, as many as are asked for.
pub(crate) fn shelf(pieces: &[Piece], count: usize) -> Shelf {
    let mut shelf = Shelf::default();
    let mut left = count;
    for piece in pieces {
        if left == 0 {
            break;
        }
        if let Some(parent) = &piece.fork_of {
            shelf.fork(piece.stream.run_id().unwrap(), &parent.to_string());
        }
        piece.blobs.iter().for_each(|blob| shelf.keep(blob));
        for event in piece.events.iter().take(left) {
            shelf.add(&piece.stream, event.clone());
        }
        left = left.saturating_sub(piece.events.len());
    }
    shelf
}

/// The place of every event, in the order of the history.
fn places(pieces: &[Piece]) -> Vec<Place> {
    let mut next: BTreeMap<&Stream, u64> = BTreeMap::new();
    let mut places = Vec::new();
    for piece in pieces {
        let first = piece.fork_of.as_ref().map_or(0, |parent| parent.seq + 1);
        let next = next.entry(&piece.stream).or_insert(first);
        for _ in &piece.events {
            places.push(Place::new(piece.stream.clone(), *next));
            *next += 1;
        }
    }
    places
}

pub(crate) fn streams(shelf: &Shelf) -> Vec<Stream> {
    shelf.streams(None, usize::MAX).unwrap().into_iter().map(|info| info.stream).collect()
}

/// A stream's events, many of which speak of another time than that at which they happened.
fn blurred(shelf: &Shelf, stream: &Stream, random: &mut Random) -> Vec<Seen> {
    let mut all = shelf.seen(&stream.to_string());
    for common in all.iter_mut().filter_map(|seen| Some(&mut seen.fact.as_mut()?.common)) {
        if random.one_in(2) {
            let away = random.below(200_000_000) as i64 - 100_000_000;
            common.valid_at = Some(Timestamp::from_micros(common.ts.micros() + away));
        }
    }
    all
}

/// Everything that a view shows, without when it came to be known.
fn shown(view: View<'_>) -> String {
    let edges = view.edges().map(|row| format!("{:?} {:?} {:?}\n", row.what, row.valid, row.said));
    let nodes = view.nodes().map(|row| format!("{:?} {:?} {:?}\n", row.what, row.valid, row.said));
    edges.chain(nodes).collect()
}

pub(crate) fn cases() -> ProptestConfig {
    let slow = std::env::var_os("QUIPU_SLOW").is_some();
    ProptestConfig { cases: if slow { 300 } else { 8 }, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn what_was_believed_at_a_number_is_what_the_events_up_to_it_say(seed: u64, cut: u64) {
        let shelf = shelf(&histories(seed, 300), usize::MAX);
        let mut random = Random::new(seed);
        for stream in streams(&shelf) {
            let all = blurred(&shelf, &stream, &mut random);
            let mut one_by_one = Projection::default();
            all.iter().for_each(|seen| one_by_one.apply(seen));
            let whole = Projection::rebuild(&all);
            prop_assert!(one_by_one == whole);
            let end = cut as usize % all.len();
            let then = Projection::rebuild(&all[..=end]);
            prop_assert_eq!(shown(whole.as_of(all[end].place.seq)), shown(then.now()));
        }
    }

    #[test]
    fn every_edge_keeps_to_its_row(seed: u64) {
        let shelf = shelf(&histories(seed, 300), usize::MAX);
        for stream in streams(&shelf) {
            let all = shelf.seen(&stream.to_string());
            let kinds: BTreeMap<_, _> = all.iter().map(|seen| (seen.id, seen.kind)).collect();
            for row in Projection::rebuild(&all).edges() {
                keeps_to_its_row(kinds[&row.said.event], row);
            }
        }
    }

    #[test]
    fn what_a_fork_plans_for_is_what_is_attached(seed: u64) {
        let shelf = shelf(&histories(seed, 300), usize::MAX);
        for info in shelf.streams(None, usize::MAX).unwrap() {
            let (mut live, mut projection) = (Live::default(), Projection::default());
            for seen in shelf.seen(&info.stream.to_string()) {
                projection.apply(&seen);
                let Some(fact) = &seen.fact else { continue };
                live.apply(fact);
                if Live::KINDS.contains(&seen.kind) {
                    agree(&live, &projection, info.parent.is_some());
                }
            }
        }
    }

    #[test]
    fn of_every_moment_one_thing_is_believed(seed: u64) {
        let shelf = shelf(&histories(seed, 300), usize::MAX);
        let mut random = Random::new(seed);
        for stream in streams(&shelf) {
            let all = blurred(&shelf, &stream, &mut random);
            let projection = Projection::rebuild(&all);
            for seen in all.iter().step_by(7).filter_map(|seen| seen.fact.as_ref()) {
                let view = projection.valid_at(seen.common.ts);
                let mut believed = BTreeSet::new();
                for row in view.nodes() {
                    let side = format!("{} {:?}", row.what.node, row.what.aspect);
                    prop_assert!(believed.insert(side), "{:?}", row.what);
                    let status = row.what.attrs.get("status").and_then(Value::as_text);
                    if row.what.node.kind == NodeKind::Policy && status.is_some_and(|status| **status == *"active") {
                        prop_assert!(believed.insert("the active policy".to_string()), "{stream}");
                    }
                }
                for row in view.edges() {
                    let Edge { kind, from, to, order, attrs } = &row.what;
                    let one = match kind {
                        EdgeKind::OwnsResource => format!("the owner of {to}"),
                        EdgeKind::AppendedToHistory => format!("{from} {:?}", attrs),
                        _ => format!("{from} {} {to} {order}", kind.name()),
                    };
                    prop_assert!(believed.insert(one), "{:?}", row.what);
                }
            }
        }
    }

    #[test]
    fn an_answer_as_of_a_place_is_what_was_answered_there(seed: u64, cut: u64) {
        let pieces = histories(seed, 250);
        let places = places(&pieces);
        let now = shelf(&pieces, usize::MAX);
        let runs: Vec<_> = (0..places.len()).filter(|at| places[*at].stream.run_id().is_some()).collect();
        let count = runs[cut as usize % runs.len()];
        let place = &places[count];
        let then = shelf(&pieces, count + 1);
        let run_id = place.stream.run_id().unwrap();
        let subject = Subject::Run(run_id.clone());
        let at = At { place: Some(place.clone()), time: None };
        let first = At::default();
        let all = Page { order: Order::Oldest, from: None, limit: 1000 };
        prop_assert_eq!(run(&now, run_id, &at, &all), run(&then, run_id, &first, &all));
        prop_assert_eq!(calls(&now, run_id, &at, 1000), calls(&then, run_id, &first, 1000));
        prop_assert_eq!(resources(&now, &subject, &at, 1000), resources(&then, &subject, &first, 1000));
        prop_assert_eq!(policies(&now, &subject, &at, 1000), policies(&then, &subject, &first, 1000));
        let wanted = Search { run: Some(run_id.clone()), status: Some("ok".into()), ..Search::default() };
        prop_assert_eq!(search(&now, &wanted, &at), search(&then, &wanted, &first));
    }

    #[test]
    fn pages_of_a_search_are_the_whole_search(seed: u64, limit in 1usize..40, newest: bool) {
        let shelf = shelf(&histories(seed, 200), usize::MAX);
        let order = if newest { Order::Newest } else { Order::Oldest };
        let at = At::default();
        let text = Some("a".into());
        let whole = Search { order, text, limit: 10_000, ..Search::default() };
        let expected = search(&shelf, &whole, &at).unwrap().items;
        let mut page = Search { limit, ..whole };
        let mut paged = Vec::new();
        loop {
            let found = search(&shelf, &page, &at).unwrap();
            page.after = found.items.last().map(|told| told.place.clone());
            paged.extend(found.items);
            if !found.truncated {
                break;
            }
        }
        prop_assert_eq!(paged, expected);
    }

    #[test]
    fn whatever_is_asked_there_is_an_answer_within_its_limit(seed: u64, limit in 0usize..5) {
        fn check<T: Item>(found: &Found<T>, limit: usize) {
            assert!(found.items.len() <= limit);
            found.items.iter().for_each(|item| assert!(!item.line().is_empty() && !item.line().contains('\n')));
        }
        let shelf = shelf(&histories(seed, 150), usize::MAX);
        let time = Timestamp::from_micros(1_767_225_600_000_000 + (seed % 200_000_000) as i64);
        let at = At { place: None, time: Some(time) };
        check(&runs(&shelf, &RunFilter::default(), limit).unwrap(), limit);
        check(&search(&shelf, &Search { limit, ..Search::default() }, &at).unwrap(), limit);
        for stream in streams(&shelf) {
            let subject = Subject::find(&shelf, &stream.to_string()).unwrap();
            if let Some(subject) = subject {
                check(&resources(&shelf, &subject, &at, limit).unwrap(), limit);
                check(&policies(&shelf, &subject, &at, limit).unwrap(), limit);
                check(&ancestry(&shelf, &subject, &at, limit).unwrap(), limit);
            }
            if let Some(run_id) = stream.run_id() {
                let page = Page { order: Order::Newest, from: None, limit };
                check(&run(&shelf, run_id, &at, &page).unwrap(), limit);
                check(&calls(&shelf, run_id, &at, limit).unwrap(), limit);
            }
            for seen in shelf.seen(&stream.to_string()).iter().step_by(29) {
                check(&lineage(&shelf, &seen.id.to_string(), &At::default(), limit).unwrap(), limit);
            }
        }
    }
}

/// Two folds of the same events say the same. What a fork's parent has attached is not always the
/// fork's.
fn agree(live: &Live, projection: &Projection, is_fork: bool) {
    let holds = |kind| {
        let rows = projection.now().edges().filter(move |row| row.what.kind == kind);
        rows.filter(|row| row.valid.to.is_none())
    };
    let mode = |edge: &Edge| edge.attrs.get("mode").and_then(Value::as_text).cloned().unwrap();
    let attached: BTreeMap<_, _> = holds(EdgeKind::AttachedTo)
        .map(|row| (row.what.from.id.clone(), mode(&row.what)))
        .collect();
    let wholes: BTreeMap<_, _> = holds(EdgeKind::HasSubresource)
        .map(|row| (row.what.to.id.clone(), row.what.from.id.clone()))
        .collect();
    let usable = live.usable();
    for (id, mode) in &usable {
        // A part goes with the whole, unless it was attached by itself.
        let alike = attached.get(*id).map(|mode| &**mode).or_else(|| {
            let whole = wholes.get(*id)?;
            usable.get(whole).map(|mode| mode.word())
        });
        assert_eq!(alike, Some(mode.word()), "{id}");
    }
    for (id, mode) in attached.iter().filter(|_| !is_fork) {
        assert_eq!(usable.get(id).map(|mode| mode.word()), Some(&**mode), "{id}");
    }
}

#[test]
fn generated_histories_have_every_kind_of_edge() {
    let mut made = BTreeMap::new();
    for seed in 0..20 {
        let shelf = shelf(&histories(seed, 600), usize::MAX);
        for stream in streams(&shelf) {
            let all = shelf.seen(&stream.to_string());
            let kinds: BTreeMap<_, _> = all.iter().map(|seen| (seen.id, seen.kind)).collect();
            for row in Projection::rebuild(&all).edges() {
                let by: &mut BTreeSet<_> = made.entry(row.what.kind).or_default();
                by.insert(kinds[&row.said.event]);
            }
        }
    }
    let missing: Vec<_> = EDGES.iter().filter(|row| !made.contains_key(&row.kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn sources_behind_a_hash_are_looked_up() {
    let sources =
        (0..200).map(|count| Ref::Node(format!("a-rather-long-message-id-{count}").into()));
    let summary =
        SummaryCreated { summary_ref: "s".into(), sources: Some(sources.collect()), text: None };
    let common = Common {
        run_id: Some("r".into()),
        agent_id: Some("a".into()),
        ..Common::at(Timestamp::from_micros(0))
    };
    let sealed = common.seal(&summary);
    let bytes: Vec<_> = sealed.blobs.iter().map(Blob::bytes).collect();
    assert_eq!(bytes.len(), 1, "the list is large enough to stand aside");
    let mut shelf = Shelf::default();
    shelf.add(&Stream::run("r"), sealed.event.clone());
    let without = Seen::new(Place::parse("r@0").unwrap(), &sealed.event, |_| None);
    let What::SummaryCreated(read) = without.fact.unwrap().what else { panic!("a summary") };
    assert_eq!((&*read.summary_ref, read.sources), ("s", None));
    sealed.blobs.iter().for_each(|blob| shelf.keep(blob));
    let found = lineage(&shelf, "s", &At::default(), 1000).unwrap();
    assert_eq!((found.items.len(), found.truncated), (200, false));
}
