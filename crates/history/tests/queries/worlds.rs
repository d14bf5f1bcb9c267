//! Smaller histories, each for one thing that queries must get right.

use history::query::{
    At, Item, Order, QueryError, RunFilter, Search, Subject, ancestry, calls, lineage, policies,
    resources, runs, search,
};
use history::{Place, Timestamp};

use crate::shelf::{Shelf, at};

fn lines<T: Item>(found: &history::query::Found<T>) -> Vec<String> {
    found.items.iter().map(Item::line).collect()
}

#[test]
fn ancestors_and_descendants_are_followed_to_the_end() {
    let mut shelf = Shelf::default();
    let started = r#"{"kind": "run_started"}"#;
    shelf.tell("r", &format!("{started}\n{started}\n{started}"));
    shelf.fork("f1", "r@0").tell("f1", started).tell("f1", started);
    shelf.fork("f2", "r@2").tell("f2", started);
    shelf.fork("f11", "f1@2").tell("f11", started);
    let of =
        |run: &str, at: &At| lines(&ancestry(&shelf, &Subject::Run(run.into()), at, 10).unwrap());
    assert_eq!(
        of("r", &At::default()),
        [
            "child run f1 agent a at r@0",
            "child run f2 agent a at r@2",
            "child run f11 agent a at f1@2",
        ]
    );
    assert_eq!(
        of("r", &at("r@1")),
        ["child run f1 agent a at r@0", "child run f11 agent a at f1@2"]
    );
    assert_eq!(of("r", &at("2026-01-01T00:04:00Z")), ["child run f1 agent a at r@0"]);
    let up = ["parent run f1 agent a at f1@2", "parent run r agent a at r@0"];
    assert_eq!(of("f11", &At::default()), up);
    let unknown = ancestry(&shelf, &Subject::Run("x".into()), &At::default(), 10);
    assert_eq!(unknown, Err(QueryError::Unknown("x".to_string())));
}

#[test]
fn agents_that_start_each_other_come_to_an_end() {
    let mut shelf = Shelf::default();
    shelf
        .tell("agent:a", r#"{"kind": "subagent_spawned", "subagent": {"id": "b"}}"#)
        .tell("agent:b", r#"{"kind": "subagent_spawned", "subagent": {"id": "c"}}"#)
        .tell("agent:c", r#"{"kind": "subagent_spawned", "subagent": {"id": "a"}}"#);
    let found = ancestry(&shelf, &Subject::Agent("b".into()), &At::default(), 10).unwrap();
    assert_eq!(
        lines(&found),
        [
            "spawned_by agent a",
            "spawned_by agent c",
            "spawned_by agent b",
            "spawned agent c",
            "spawned agent a",
            "spawned agent b",
        ]
    );
}

#[test]
fn a_resource_moves_from_owner_to_owner() {
    let shelf = Shelf::read(include_str!("histories/owners.txt"));
    let owner = |place: &str, time: &str| {
        let at = At { place: Place::parse(place), time: Timestamp::parse(time) };
        let found = resources(&shelf, &Subject::Thing("box".into()), &at, 10).unwrap();
        let one = found.items.first().unwrap();
        let owner = one.owner.as_ref().map(|owner| owner.node.clone()).unwrap_or_default();
        format!("{owner} {} {}", one.handles.len(), one.parts.len())
    };
    assert_eq!(owner("agent:a@0", ""), "Run:r 0 0");
    assert_eq!(owner("agent:a@2", ""), "Run:r 1 1");
    assert_eq!(owner("agent:a@3", ""), "Agent:b 1 1");
    assert_eq!(owner("agent:a@4", ""), "Agent:b 0 1");
    // Only later it became known that somebody else had it for half a minute.
    assert_eq!(owner("agent:a@4", "2026-01-01T00:02:45Z"), "Run:r 1 1");
    assert_eq!(owner("agent:a@5", "2026-01-01T00:02:45Z"), "Agent:c 1 1");
    assert_eq!(owner("agent:a@5", ""), "Agent:b 0 1");
}

#[test]
fn ids_that_runs_share_by_chance_are_not_mixed_up() {
    let shelf = Shelf::read(include_str!("histories/shared_ids.txt"));
    // Nothing says where the summary is, so that all runs are told together.
    let found = lineage(&shelf, "Summary:s", &At::default(), 10).unwrap();
    let text = shelf.named(&lines(&found).join("\n"));
    assert_eq!(
        text,
        "r1@3 Summary:s from ToolResult:@done\nr1@2 ToolResult:@done from ToolCall:@r1"
    );
    let status = |run: &str| {
        calls(&shelf, &run.into(), &At::default(), 1).unwrap().items[0].status().to_string()
    };
    assert_eq!((status("r1"), status("r2")), ("ok".to_string(), "open".to_string()));
}

#[test]
fn the_beginning_of_several_events_is_no_name() {
    let mut shelf = Shelf::default();
    for count in 0..2000 {
        let ts = Timestamp::from_micros(count);
        shelf.tell("r", &format!(r#"{{"kind": "x.count", "ts": "{ts}"}}"#));
    }
    let mut ids: Vec<_> = shelf.seen("r").iter().map(|seen| seen.id.to_string()).collect();
    ids.sort();
    let common = |pair: &[String]| {
        pair[0].bytes().zip(pair[1].bytes()).take_while(|(one, other)| one == other).count()
    };
    let longest = ids.windows(2).max_by_key(|pair| common(pair)).unwrap();
    let prefix = longest[0][..common(longest)].to_string();
    let events = longest.iter().map(|id| history::EventId::parse(id).unwrap()).collect();
    let found = lineage(&shelf, &prefix, &At::default(), 10);
    assert_eq!(found, Err(QueryError::Ambiguous { prefix, events }));
    assert_eq!(
        lineage(&shelf, "12", &At::default(), 10),
        Err(QueryError::Unknown("12".to_string()))
    );
    assert!(lineage(&shelf, &longest[0], &At::default(), 10).unwrap().items.is_empty());
}

#[test]
fn kinds_of_others_are_found_by_name() {
    let mut shelf = Shelf::default();
    shelf.tell(
        "r",
        r#"
        {"kind": "x.one", "status": "ok"}
        {"kind": "x.two", "status": "ok"}
        "#,
    );
    let by_kind = Search { kinds: vec!["x.two".into()], ..Search::default() };
    assert_eq!(lines(&search(&shelf, &by_kind, &At::default()).unwrap()), ["r@1 x.two status: ok"]);
    let unknown = Search { kinds: vec!["x.three".into()], ..Search::default() };
    let nothing = search(&shelf, &unknown, &At::default()).unwrap().value();
    assert_eq!(value::json::compact(&nothing), r#"{"items":[],"truncated":false}"#);
    let by_status = Search { status: Some("ok".into()), order: Order::Newest, ..Search::default() };
    let found = search(&shelf, &by_status, &At::default()).unwrap();
    assert_eq!(lines(&found), ["r@1 x.two status: ok", "r@0 x.one status: ok"]);
}

#[test]
fn a_policy_that_is_proposed_again_stays_in_force() {
    let mut shelf = Shelf::default();
    shelf.tell(
        "agent:a",
        r#"
        {"kind": "policy_proposed", "policy_ref": "p"}
        {"kind": "policy_activated", "policy_ref": "p"}
        {"kind": "policy_proposed", "policy_ref": "p"}
        {"kind": "policy_proposed", "policy_ref": "q"}
        {"kind": "policy_decided", "policy_ref": "q", "decision": "withdrawn"}
        "#,
    );
    let found = policies(&shelf, &Subject::Agent("a".into()), &At::default(), 10).unwrap();
    assert_eq!(
        lines(&found),
        [
            "agent:a@0 policy_proposed p (now active)",
            "agent:a@1 policy_activated p (now active)",
            "agent:a@2 policy_proposed p (now active)",
            "agent:a@3 policy_proposed q (now withdrawn)",
            "agent:a@4 policy_decided q withdrawn (now withdrawn)",
        ]
    );
}

#[test]
fn a_call_that_lacks_what_it_must_have_is_told_as_far_as_it_is_known() {
    let mut shelf = Shelf::default();
    shelf.tell(
        "r",
        r#"
        {"kind": "run_started"}
        {"kind": "tool_call", "call_id": "c1", "tool": "exec", "args": 7}
        {"kind": "tool_result", "call_id": "c1", "result": null}
        "#,
    );
    let found = calls(&shelf, &"r".into(), &At::default(), 10).unwrap();
    assert_eq!(lines(&found), ["r@1 ?.exec c1 unknown 1 min 0 s"]);
}

#[test]
fn the_first_decision_about_a_call_is_the_one_that_is_told() {
    let shelf = Shelf::read(include_str!("histories/decisions.txt"));
    let found = calls(&shelf, &"r".into(), &At::default(), 10).unwrap();
    assert_eq!(
        lines(&found),
        [
            "r@1 shop.refund c1 denied (user_deny_continue by ann)",
            "r@5 shop.refund c2 in_doubt (user_deny_abort) ran unallowed",
            "r@9 shop.refund c3 expired (expired by ann)",
            "r@12 shop.refund c4 undecided (evaluator_error)",
            "r@14 shop.refund c5 undecided (sure)",
            "r@16 shop.refund c6 ok 2 min 0 s (waits for approval) ran unallowed",
            "r@19 shop.refund c7 open (user_approve by ann)",
        ]
    );
    let later: Vec<_> = found.items.iter().filter_map(|call| call.approval.as_ref()).collect();
    let later = later.iter().flat_map(|approval| &approval.later);
    let later: Vec<_> = later.map(|one| format!("{} {}", one.place, one.outcome.word())).collect();
    assert_eq!(later, ["r@4 user_approve"]);
}

#[test]
fn a_run_is_looked_at_from_its_own_history_only() {
    let mut shelf = Shelf::default();
    let call = |id: &str| {
        format!(r#"{{"kind": "tool_call", "server": "s", "tool": "t", "call_id": "{id}"}}"#)
    };
    shelf.tell("r1", &format!("{}\n{}\n{}", call("a"), call("b"), call("c")));
    shelf.fork("r2", "r1@1").tell("r2", &call("d")).tell("r3", &call("e"));
    let ids = |run: &str, place: &str| {
        let found = calls(&shelf, &run.into(), &at(place), 10)?;
        let ids: Vec<_> = found.items.iter().map(|call| call.call_id.to_string()).collect();
        Ok(ids.join(" "))
    };
    // What both share, by either name; and a fork's view of what it goes on from.
    assert_eq!(ids("r1", "r1@2"), Ok("a b c".to_string()));
    assert_eq!(ids("r2", "r1@1"), Ok("a b".to_string()));
    assert_eq!(ids("r2", "r2@1"), Ok("a b".to_string()));
    assert_eq!(ids("r1", "r2@2"), Ok("a b d".to_string()));
    for (run, place) in [("r2", "r1@2"), ("r3", "r1@0"), ("r1", "r3@0")] {
        let elsewhere =
            QueryError::Elsewhere { place: Place::parse(place).unwrap(), run: run.into() };
        assert_eq!(ids(run, place), Err(elsewhere.clone()));
        let subject = Subject::Run(run.into());
        assert_eq!(resources(&shelf, &subject, &at(place), 10), Err(elsewhere.clone()));
        let search_for = Search { run: Some(run.into()), ..Search::default() };
        assert_eq!(search(&shelf, &search_for, &at(place)), Err(elsewhere));
    }
    let unknown = QueryError::Unknown("r4".to_string());
    assert_eq!(ids("r4", "r1@0"), Err(unknown));
}

#[test]
fn the_results_of_a_tool_are_found_by_its_calls() {
    let mut shelf = Shelf::default();
    shelf.tell("r", r#"{"kind": "tool_call", "server": "s", "tool": "t", "call_id": "c"}"#);
    shelf.fork("f", "r@0").tell("f", r#"{"kind": "tool_result", "call_id": "c", "status": "ok"}"#);
    shelf.tell("other", r#"{"kind": "tool_result", "call_id": "c", "status": "ok"}"#);
    let places = |order| {
        let found = Search { tool: Some("s.t".into()), order, ..Search::default() };
        let found = search(&shelf, &found, &At::default()).unwrap();
        found.items.iter().map(|told| told.place.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(places(Order::Oldest), ["f@1", "r@0"]);
    assert_eq!(places(Order::Newest), ["f@1", "r@0"]);
}

#[test]
fn a_name_is_a_run_an_agent_or_a_thing_that_is_there() {
    let mut shelf = Shelf::default();
    shelf.tell(
        "abcd1",
        r#"
        {"kind": "run_started", "agent_id": "z"}
        {"kind": "resource_registered", "resource": {"id": "abcd"}}
        {"kind": "policy_proposed", "policy_ref": "p"}
        {"kind": "summary_created", "summary_ref": "abcd", "sources": ["m"]}
        "#,
    );
    let find = |words: &str| Subject::find(&shelf, words).unwrap();
    assert_eq!(find("abcd1"), Some(Subject::Run("abcd1".into())));
    assert_eq!(find("Run:abcd1"), Some(Subject::Run("abcd1".into())));
    assert_eq!(find("z"), Some(Subject::Agent("z".into())));
    assert_eq!(find("Agent:z"), Some(Subject::Agent("z".into())));
    assert_eq!(find("abcd"), Some(Subject::Thing("abcd".into())));
    assert_eq!(find("Resource:abcd"), Some(Subject::Thing("abcd".into())));
    assert_eq!(find("p"), Some(Subject::Thing("p".into())));
    assert_eq!(find("abc"), None);
    // An event that begins with the id of something else does not hide it.
    let event = (0..).map(|count| format!(r#"{{"kind":"x.n","n":{count},"run_id":"abcd1"}}"#));
    let mut event = event.map(|text| history::Event::read(&text).unwrap());
    let event = event.find(|event| event.id().to_string().starts_with("abcd")).unwrap();
    shelf.add(&history::Stream::run("abcd1"), event);
    let found = lineage(&shelf, "abcd", &At::default(), 10).unwrap();
    assert_eq!(lines(&found), ["abcd1@3 Summary:abcd from Message:m"]);
}

#[test]
fn a_run_waits_until_all_is_answered_that_was_asked() {
    let mut shelf = Shelf::default();
    let asked = |id: &str| format!(r#"{{"kind": "question_asked", "question_id": "{id}"}}"#);
    let answered = |id: &str| format!(r#"{{"kind": "question_answered", "question_id": "{id}"}}"#);
    shelf.tell("q", &[asked("q1"), asked("q2"), answered("q2")].join("\n"));
    shelf.fork("q-fork", "q@0").tell("q-fork", r#"{"kind": "run_started"}"#);
    shelf.fork("q-answered", "q@0").tell("q-answered", &answered("q1"));
    shelf.tell(
        "a",
        r#"
        call: {"kind": "tool_call", "call_id": "c"}
        {"kind": "approval_requested", "call": {"event_id": "@call"}}
        "#,
    );
    shelf.fork("a-decided", "a@1").tell(
        "a-decided",
        r#"{"kind": "approval_decided", "call": {"event_id": "@call"}, "outcome": "expired"}"#,
    );
    shelf.tell("h", r#"{"kind": "run_finished", "exit": "handed_off"}"#);
    shelf.fork("h-again", "h@0");
    shelf.tell("h-again", r#"{"kind": "run_finished", "exit": "handed_off"}"#);
    shelf.tell("h-again", r#"{"kind": "state_set", "values": {}}"#);
    let found = runs(&shelf, &RunFilter::default(), 20).unwrap();
    let mut status: Vec<_> =
        found.items.iter().map(|run| format!("{} {}", run.run, run.status)).collect();
    status.sort();
    assert_eq!(
        status,
        [
            "a waiting",
            "a-decided open",
            "h done",
            "h-again open",
            "q waiting",
            "q-answered open",
            "q-fork waiting",
        ]
    );
}

#[test]
fn a_resource_is_a_part_of_what_it_was_last_registered_with() {
    let mut shelf = Shelf::default();
    shelf.tell(
        "r",
        r#"
        {"kind": "resource_registered", "resource": {"id": "part"}, "part_of": "one"}
        {"kind": "resource_registered", "resource": {"id": "part"}, "part_of": "other"}
        {"kind": "resource_registered", "resource": {"id": "part"}}
        "#,
    );
    let wholes = |place: &str| {
        let found = resources(&shelf, &Subject::Thing("part".into()), &at(place), 10).unwrap();
        found.items[0].part_of.join(" ")
    };
    assert_eq!(
        (wholes("r@0"), wholes("r@1"), wholes("r@2")),
        ("one".into(), "other".into(), String::new())
    );
}

#[test]
fn a_fork_that_does_without_a_resource_takes_it_from_nobody() {
    let mut shelf = Shelf::default();
    shelf
        .tell(
            "agent:a",
            r#"
            {"kind": "resource_registered", "resource": {"id": "w", "kind": "file"}}
            {"kind": "resource_attached", "resource_ref": "w", "mode": "rw"}
            "#,
        )
        .tell(
            "f",
            &(r#"{"kind": "agent_forked", "from_branch": "r", "to_branch": "f", "volume_plan": "#
                .to_string()
                + r#"[{"resource": "w", "mode": "keep", "kept_by": "r"}]}"#
                + "\n"
                + r#"{"kind": "resource_detached", "resource_ref": "w"}"#),
        );
    let found = resources(&shelf, &Subject::Agent("a".into()), &At::default(), 10).unwrap();
    assert_eq!(lines(&found), ["w file of Agent:a in Agent:a rw"]);
}
