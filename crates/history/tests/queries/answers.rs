//! What queries say about one small history, whole.

use expect_test::{ExpectFile, expect_file};
use history::query::{
    At, Found, Item, Order, Page, QueryError, RunFilter, Search, Subject, ancestry, calls, lineage,
    policies, resources, run, runs, search,
};
use history::{Event, Place, Stream, Timestamp};
use value::json;

use crate::shelf::{Shelf, at};

/// An agent with a run, a fork of it and a subagent; a clock that ticks once a minute.
fn office() -> Shelf {
    Shelf::read(include_str!("histories/office.txt"))
}

/// The lines for people, each with the JSON below it.
fn check<T: Item>(shelf: &Shelf, found: &Found<T>, expected: ExpectFile) {
    let mut text = String::new();
    for item in &found.items {
        text += &format!("{}\n    {}\n", item.line(), json::compact(&item.value()));
    }
    if found.truncated {
        text += "...\n";
    }
    expected.assert_eq(&shelf.named(&text));
}

fn page(order: Order, from: Option<u64>, limit: usize) -> Page {
    Page { order, from, limit }
}

#[test]
fn a_fork_has_the_events_of_its_parent_and_its_own() {
    let shelf = office();
    let found =
        run(&shelf, &"r2".into(), &At::default(), &page(Order::Oldest, Some(7), 3)).unwrap();
    check(&shelf, &found, expect_file!["answers/run.txt"]);
    let newest = |from, limit| {
        let page = page(Order::Newest, from, limit);
        let found = run(&shelf, &"r2".into(), &At::default(), &page).unwrap();
        let places: Vec<_> = found.items.iter().map(|told| told.place.to_string()).collect();
        (places.join(" "), found.truncated)
    };
    assert_eq!(newest(None, 2), ("r2@13 r2@12".to_string(), true));
    assert_eq!(newest(Some(9), 3), ("r2@9 r1@8 r1@7".to_string(), true));
    assert_eq!(newest(Some(1), 3), ("r1@1 r1@0".to_string(), false));
}

#[test]
fn nothing_is_told_that_came_later() {
    let shelf = office();
    let all = page(Order::Oldest, None, 100);
    let count = |at: &At| run(&shelf, &"r1".into(), at, &all).unwrap().items.len();
    assert_eq!(count(&at("r1@3")), 4);
    assert_eq!(count(&at("2026-01-01T00:06:00Z")), 2);
    let unknown = run(&shelf, &"r1".into(), &at("r1@99"), &all);
    assert_eq!(unknown, Err(QueryError::Unknown("r1@99".to_string())));
}

#[test]
fn calls_are_told_with_what_became_of_them() {
    let shelf = office();
    let found = calls(&shelf, &"r1".into(), &At::default(), 10).unwrap();
    check(&shelf, &found, expect_file!["answers/calls.txt"]);
}

#[test]
fn a_call_is_as_it_was_known_to_be() {
    let shelf = office();
    let status = |run: &str, at: &At| {
        let found = calls(&shelf, &run.into(), at, 10).unwrap();
        let status: Vec<_> = found.items.iter().map(|call| call.status().to_string()).collect();
        status.join(" ")
    };
    assert_eq!(status("r1", &at("r1@4")), "");
    assert_eq!(status("r1", &at("r1@6")), "open");
    assert_eq!(status("r1", &at("r1@8")), "in_doubt");
    assert_eq!(status("r1", &at("r1@9")), "error");
    assert_eq!(status("r1", &at("r1@11")), "ok");
    assert_eq!(status("r1", &At::default()), "ok denied in_doubt");
    assert_eq!(status("r2", &At::default()), "interrupted");
}

#[test]
fn a_chain_of_sources_is_told_with_the_events_that_say_so() {
    let shelf = office();
    check(
        &shelf,
        &lineage(&shelf, "s", &At::default(), 10).unwrap(),
        expect_file!["answers/lineage_of_a_summary.txt"],
    );
    // By the beginning of an event's id, and by a resource that was restored.
    let again = shelf.id("again").to_string();
    let by_event = lineage(&shelf, &again[..12], &At::default(), 10).unwrap();
    check(&shelf, &by_event, expect_file!["answers/lineage_of_an_event.txt"]);
    check(
        &shelf,
        &lineage(&shelf, "Resource:vol2", &At::default(), 1).unwrap(),
        expect_file!["answers/lineage_of_a_resource.txt"],
    );
    let before = lineage(&shelf, "vol2", &at("r1@18"), 10);
    assert_eq!(before, Err(QueryError::Unknown("vol2".to_string())));
}

#[test]
fn sources_in_a_circle_come_to_an_end() {
    let mut shelf = Shelf::default();
    shelf.tell(
        "r",
        r#"
        {"kind": "summary_created", "summary_ref": "s1", "sources": ["Summary:s2"]}
        {"kind": "summary_created", "summary_ref": "s2", "sources": ["Summary:s1", "Summary:s2"]}
        "#,
    );
    check(
        &shelf,
        &lineage(&shelf, "s1", &At::default(), 10).unwrap(),
        expect_file!["answers/lineage_in_a_circle.txt"],
    );
}

#[test]
fn resources_are_told_as_they_were_at_a_place() {
    let shelf = office();
    let of = |subject: Subject, at: &At| resources(&shelf, &subject, at, 10).unwrap();
    check(
        &shelf,
        &of(Subject::Run("r1".into()), &at("r1@1")),
        expect_file!["answers/resources_early.txt"],
    );
    check(
        &shelf,
        &of(Subject::Run("r1".into()), &at("r1@18")),
        expect_file!["answers/resources_late.txt"],
    );
    check(
        &shelf,
        &of(Subject::Run("r2".into()), &At::default()),
        expect_file!["answers/resources_of_a_fork.txt"],
    );
}

#[test]
fn resources_are_told_as_they_were_at_a_time() {
    let shelf = office();
    let line = |subject: &str, at: &At| {
        let subject = Subject::find(&shelf, subject).unwrap().unwrap();
        let found = resources(&shelf, &subject, at, 10).unwrap();
        found.items.iter().map(Item::line).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(line("a", &at("2026-01-01T00:03:30Z")), "");
    assert_eq!(line("a", &at("2026-01-01T00:05:00Z")), "vol docker_volume of Agent:a");
    assert_eq!(
        line("vol", &at("2026-01-01T00:15:00Z")),
        "vol docker_volume of Agent:a in Run:r1 rw /data alive"
    );
    assert_eq!(line("vol2", &At::default()), "vol2");
    let nobodys = resources(&shelf, &Subject::Thing("vol3".into()), &At::default(), 10);
    assert_eq!(nobodys, Err(QueryError::Unknown("vol3".to_string())));
}

#[test]
fn few_events_are_read_of_a_long_run() {
    let mut shelf = office();
    let stream = Stream::run("r1");
    for count in 0..5_000 {
        let ts = Timestamp::from_micros(1_800_000_000_000_000 + count);
        let text = format!(r#"{{"kind": "time_observed", "run_id": "r1", "ts": "{ts}"}}"#);
        shelf.add(&stream, Event::read(&text).unwrap());
    }
    let read = |ask: &dyn Fn()| {
        shelf.handed_out.set(0);
        ask();
        shelf.handed_out.get()
    };
    let subject = Subject::Run("r1".into());
    assert_eq!(read(&|| drop(resources(&shelf, &subject, &at("r1@4000"), 10).unwrap())), 7);
    assert_eq!(read(&|| drop(policies(&shelf, &subject, &at("r1@4000"), 10).unwrap())), 6);
    // How a run began, one word about its end, and what it asked.
    assert_eq!(read(&|| drop(runs(&shelf, &RunFilter::default(), 10).unwrap())), 6);
}

#[test]
fn policies_are_told_in_order_with_what_they_are() {
    let shelf = office();
    let of = |subject: Subject, at: &At| policies(&shelf, &subject, at, 10).unwrap();
    check(
        &shelf,
        &of(Subject::Agent("a".into()), &At::default()),
        expect_file!["answers/policies_of_an_agent.txt"],
    );
    check(
        &shelf,
        &of(Subject::Run("r1".into()), &at("r1@18")),
        expect_file!["answers/policies_of_a_run.txt"],
    );
    let early = of(Subject::Thing("p2".into()), &at("2026-01-01T00:20:00Z"));
    assert_eq!((early.items, early.truncated), (Vec::new(), false));
}

#[test]
fn relatives_are_forks_and_subagents() {
    let shelf = office();
    let of = |words: &str| {
        let subject = Subject::find(&shelf, words).unwrap().unwrap();
        ancestry(&shelf, &subject, &At::default(), 10).unwrap()
    };
    check(&shelf, &of("r1"), expect_file!["answers/ancestry_of_a_run.txt"]);
    check(&shelf, &of("r2"), expect_file!["answers/ancestry_of_a_fork.txt"]);
    check(&shelf, &of("r-b"), expect_file!["answers/ancestry_of_a_subagent.txt"]);
    check(&shelf, &of("agent:a"), expect_file!["answers/ancestry_of_an_agent.txt"]);
}

#[test]
fn runs_are_listed_the_newest_first() {
    let shelf = office();
    check(
        &shelf,
        &runs(&shelf, &RunFilter::default(), 10).unwrap(),
        expect_file!["answers/runs.txt"],
    );
    let ids = |filter: RunFilter, limit| {
        let found = runs(&shelf, &filter, limit).unwrap();
        let ids: Vec<_> = found.items.iter().map(|run| run.run.to_string()).collect();
        (ids.join(" "), found.truncated)
    };
    let filter = RunFilter::default;
    assert_eq!(ids(filter(), 1), ("r-b".to_string(), true));
    assert_eq!(ids(RunFilter { agent: Some("a".into()), ..filter() }, 9).0, "r2 r1");
    assert_eq!(ids(RunFilter { status: Some("waiting".into()), ..filter() }, 9).0, "r1");
    assert_eq!(ids(RunFilter { text: Some("-b".into()), ..filter() }, 9).0, "r-b");
    let noon = Timestamp::parse("2026-01-01T00:20:00Z");
    assert_eq!(ids(RunFilter { since: noon, ..filter() }, 9).0, "r-b r2");
    assert_eq!(ids(RunFilter { until: noon, ..filter() }, 9).0, "r1");
}

#[test]
fn events_are_found_by_what_they_say() {
    let shelf = office();
    let places = |search_for: Search, at: &At| {
        let found = search(&shelf, &search_for, at).unwrap();
        let places: Vec<_> = found.items.iter().map(|told| told.place.to_string()).collect();
        places.join(" ") + if found.truncated { " ..." } else { "" }
    };
    let any = Search::default;
    let now = At::default();
    let text = |text: &str| Search { text: Some(text.into()), ..any() };
    assert_eq!(places(text("TIDY UP"), &now), "r1@1");
    assert_eq!(places(text("no such thing"), &now), "");
    let kinds = |kinds: &[&str]| Search {
        kinds: kinds.iter().map(|kind| (*kind).into()).collect(),
        ..any()
    };
    assert_eq!(places(kinds(&["tool_call", "run_paused"]), &now), "r-b@1 r1@5 r1@12 r1@14");
    let tool = |tool: &str| Search { tool: Some(tool.into()), ..any() };
    assert_eq!(places(tool("exec"), &now), "r1@5 r1@9 r1@10");
    assert_eq!(places(tool("mail.send"), &now), "r1@14");
    let status = |status: &str| Search { status: Some(status.into()), ..any() };
    assert_eq!(places(status("ok"), &now), "agent:a@5 agent:a@6 r1@10");
    assert_eq!(places(status("error"), &now), "r1@9 r2@13");
    let time = |minute: &str| Timestamp::parse(&format!("2026-01-01T00:{minute}:00Z"));
    let span = Search { since: time("04"), until: time("07"), ..any() };
    assert_eq!(places(span, &now), "agent:a@4 r1@0 r1@1");
    assert_eq!(places(Search { run: Some("r2".into()), ..tool("exec") }, &now), "r1@5");
    assert_eq!(places(tool("exec"), &at("r1@4")), "");

    let three = Search { limit: 3, order: Order::Newest, run: Some("r2".into()), ..any() };
    assert_eq!(places(three.clone(), &now), "r2@13 r2@12 r2@11 ...");
    let next = Search { after: Place::parse("r2@11"), ..three.clone() };
    assert_eq!(places(next, &now), "r2@10 r2@9 r1@8 ...");
    assert_eq!(places(Search { after: Place::parse("r1@0"), ..three }, &now), "");
    let rest = Search { after: Place::parse("r1@12"), ..kinds(&["tool_call"]) };
    assert_eq!(places(rest, &now), "r1@14");
    check(&shelf, &search(&shelf, &tool("rm"), &now).unwrap(), expect_file!["answers/search.txt"]);
}
