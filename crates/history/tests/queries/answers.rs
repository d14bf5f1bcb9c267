//! What queries say about one small history, whole.

use expect_test::{Expect, expect};
use history::query::{
    At, Found, Item, Order, Page, QueryError, RunFilter, Search, Subject, ancestry, calls, lineage,
    policies, resources, run, runs, search,
};
use history::{Event, Place, Stream, Timestamp};
use value::json;

use crate::shelf::Shelf;

/// An agent with a run, a fork of it and a subagent; a clock that ticks once a minute.
fn office() -> Shelf {
    let mut shelf = Shelf::default();
    shelf.tell(
        "agent:a",
        r#"
        {"kind": "agent_created", "name": "clerk"}
        {"kind": "policy_proposed", "policy_ref": "p1", "notes": "first"}
        {"kind": "policy_decided", "policy_ref": "p1", "decision": "approved", "actor": "eve"}
        {"kind": "policy_activated", "policy_ref": "p1", "actor": "eve"}
        reg: {"kind": "resource_registered", "resource": {"id": "vol", "kind": "docker_volume", "name": "data", "capabilities": ["snapshot", "restore"]}}
        "#,
    );
    shelf.tell(
        "r1",
        r#"
        start: {"kind": "run_started", "reason": "user", "graph": "g1"}
        hello: {"kind": "message_created", "message": {"id": "m1", "role": "user", "content": [{"type": "text", "text": "Tidy up\nplease"}]}}
        {"kind": "resource_attached", "resource_ref": "vol", "mode": "rw", "mount": "/data"}
        ask: {"kind": "model_request", "model": "small", "params": {}, "input_refs": [{"event_id": "@hello"}], "correlation_id": "k"}
        say: {"kind": "model_response", "request_id": "@ask", "output_ref": "m2"}
        call: {"kind": "tool_call", "server": "runtime", "tool": "exec", "call_id": "c1", "args": {"cmd": "ls"}, "requested_by": {"event_id": "@say"}}
        may: {"kind": "approval_requested", "call": {"event_id": "@call"}, "policy_digest": "p1"}
        {"kind": "approval_decided", "request": {"event_id": "@may"}, "outcome": "user_approve", "actor": "eve"}
        go: {"kind": "effect_started", "call": {"event_id": "@call"}, "attempt": 1, "idem_key": "k1"}
        "#,
    );
    shelf.tell(
        "store",
        r#"{"kind": "resource_liveness_probe", "resource_ref": "vol", "status": "alive"}"#,
    );
    shelf.tell(
        "r1",
        r#"
        lost: {"kind": "tool_result", "call_id": "c1", "status": "error", "result": {}}
        again: {"kind": "tool_result", "call_id": "c1", "status": "ok", "result": {"rc": 0}}
        {"kind": "substitution", "original_event": {"event_id": "@lost"}, "replacement_event": {"event_id": "@again"}}
        rm: {"kind": "tool_call", "server": "runtime", "tool": "rm", "call_id": "c2", "args": {}, "requested_by": {"event_id": "@say"}}
        {"kind": "approval_decided", "call": {"event_id": "@rm"}, "outcome": "policy_deny_continue", "policy_digest": "p1"}
        send: {"kind": "tool_call", "server": "mail", "tool": "send", "call_id": "c3", "args": {}, "requested_by": {"event_id": "@say"}}
        {"kind": "effect_started", "call": {"event_id": "@send"}, "attempt": 1, "idem_key": "k3"}
        {"kind": "subagent_spawned", "subagent": {"id": "b"}, "child_run": "r-b"}
        {"kind": "summary_created", "summary_ref": "s", "sources": ["m2", {"event_id": "@again"}]}
        asked: {"kind": "question_asked", "question_id": "q1", "prompt": "Go on?"}
        "#,
    );
    shelf.tell(
        "agent:a",
        r#"
        {"kind": "snapshot_created", "resource_ref": "vol", "snapshot_ref": "snap", "outcome": "ok", "snapshot": {"method": "tar", "external_ref": {"kind": "s3", "id": "x"}}}
        {"kind": "restore_attempted", "snapshot_ref": "snap", "outcome": "ok", "new_resource_ref": "vol2"}
        {"kind": "policy_activated", "policy_ref": "p2", "actor": "eve"}
        "#,
    );
    shelf.fork("r2", "r1@8").tell(
        "r2",
        r#"
        {"kind": "run_started", "reason": "fork", "from": {"run_id": "r1", "seq": 8, "event_id": "@go"}}
        {"kind": "agent_forked", "from_branch": "main", "to_branch": "try", "at_event": {"event_id": "@go"}, "volume_plan": [{"resource": "vol", "mode": "keep", "kept_by": "main"}]}
        {"kind": "interruption", "reason": "crash", "affects": [{"event_id": "@call"}]}
        {"kind": "resource_detached", "resource_ref": "vol"}
        {"kind": "run_finished", "exit": "error"}
        "#,
    );
    shelf.tell(
        "r-b",
        r#"
        {"kind": "run_started", "reason": "subagent", "agent_id": "b"}
        {"kind": "run_paused", "agent_id": "b"}
        "#,
    );
    shelf
}

fn at(words: &str) -> At {
    match Place::parse(words) {
        Some(place) => At { place: Some(place), time: None },
        None => At { place: None, time: Timestamp::parse(words) },
    }
}

/// The lines for people, each with the JSON below it.
fn check<T: Item>(shelf: &Shelf, found: &Found<T>, expected: Expect) {
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
    check(
        &shelf,
        &found,
        expect![[r#"
            r1@7 approval_decided user_approve by eve
                {"place":"r1@7","seq":7,"event_id":"@r1@7","kind":"approval_decided","ts":"2026-01-01T00:12:00.000000Z","at":null,"summary":"user_approve by eve","event":{"actor":"eve","agent_id":"a","kind":"approval_decided","outcome":"user_approve","request":{"event_id":"@may"},"run_id":"r1","ts":"2026-01-01T00:12:00.000000Z","event_id":"@r1@7"}}
            r1@8 effect_started 776c6c4b5a89, attempt 1
                {"place":"r1@8","seq":8,"event_id":"@go","kind":"effect_started","ts":"2026-01-01T00:13:00.000000Z","at":null,"summary":"776c6c4b5a89, attempt 1","event":{"agent_id":"a","attempt":1,"call":{"event_id":"@call"},"idem_key":"k1","kind":"effect_started","run_id":"r1","ts":"2026-01-01T00:13:00.000000Z","event_id":"@go"}}
            r2@9 run_started fork from r1@8
                {"place":"r2@9","seq":9,"event_id":"@r2@9","kind":"run_started","ts":"2026-01-01T00:28:00.000000Z","at":null,"summary":"fork from r1@8","event":{"agent_id":"a","from":{"event_id":"@go","run_id":"r1","seq":8},"kind":"run_started","reason":"fork","run_id":"r2","ts":"2026-01-01T00:28:00.000000Z","event_id":"@r2@9"}}
            ...
        "#]],
    );
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
    check(
        &shelf,
        &found,
        expect![[r#"
        r1@5 runtime.exec c1 ok 180000 ms
            {"place":"r1@5","event_id":"@call","ts":"2026-01-01T00:10:00.000000Z","server":"runtime","tool":"exec","call_id":"c1","requested_by":"@say","status":"ok","approval":{"requested":"r1@6","decided":"r1@7","outcome":"user_approve","actor":"eve","reason":null,"policy_digest":"p1"},"attempts":[{"place":"r1@8","attempt":1,"ts":"2026-01-01T00:13:00.000000Z","idem_key":"k1"}],"interrupted":null,"result":{"place":"r1@10","event_id":"@again","status":"ok","ts":"2026-01-01T00:16:00.000000Z"},"duration_ms":180000,"substituted_by":"@again"}
        r1@12 runtime.rm c2 denied
            {"place":"r1@12","event_id":"@rm","ts":"2026-01-01T00:18:00.000000Z","server":"runtime","tool":"rm","call_id":"c2","requested_by":"@say","status":"denied","approval":{"requested":null,"decided":"r1@13","outcome":"policy_deny_continue","actor":null,"reason":null,"policy_digest":"p1"},"attempts":[],"interrupted":null,"result":null,"duration_ms":null,"substituted_by":null}
        r1@14 mail.send c3 in_doubt
            {"place":"r1@14","event_id":"@send","ts":"2026-01-01T00:20:00.000000Z","server":"mail","tool":"send","call_id":"c3","requested_by":"@say","status":"in_doubt","approval":null,"attempts":[{"place":"r1@15","attempt":1,"ts":"2026-01-01T00:21:00.000000Z","idem_key":"k3"}],"interrupted":null,"result":null,"duration_ms":null,"substituted_by":null}
    "#]],
    );
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
        expect![[r#"
        r1@17 Summary:s from Message:m2
            {"node":"Summary:s","source":"Message:m2","place":"r1@17","event_id":"@r1@17","path":["Summary:s","Message:m2"]}
        r1@17 Summary:s from ToolResult:@again
            {"node":"Summary:s","source":"ToolResult:@again","place":"r1@17","event_id":"@r1@17","path":["Summary:s","ToolResult:@again"]}
        r1@4 Message:m2 from Message:m1
            {"node":"Message:m2","source":"Message:m1","place":"r1@4","event_id":"@say","path":["Summary:s","Message:m2","Message:m1"]}
        r1@10 ToolResult:@again from ToolCall:@call
            {"node":"ToolResult:@again","source":"ToolCall:@call","place":"r1@10","event_id":"@again","path":["Summary:s","ToolResult:@again","ToolCall:@call"]}
        r1@11 ToolResult:@again from ToolResult:@lost
            {"node":"ToolResult:@again","source":"ToolResult:@lost","place":"r1@11","event_id":"@r1@11","path":["Summary:s","ToolResult:@again","ToolResult:@lost"]}
    "#]],
    );
    // By the beginning of an event's id, and by a resource that was restored.
    let again = shelf.id("again").to_string();
    let by_event = lineage(&shelf, &again[..12], &At::default(), 10).unwrap();
    check(
        &shelf,
        &by_event,
        expect![[r#"
        r1@10 ToolResult:@again from ToolCall:@call
            {"node":"ToolResult:@again","source":"ToolCall:@call","place":"r1@10","event_id":"@again","path":["ToolResult:@again","ToolCall:@call"]}
        r1@11 ToolResult:@again from ToolResult:@lost
            {"node":"ToolResult:@again","source":"ToolResult:@lost","place":"r1@11","event_id":"@r1@11","path":["ToolResult:@again","ToolResult:@lost"]}
    "#]],
    );
    check(
        &shelf,
        &lineage(&shelf, "Resource:vol2", &At::default(), 1).unwrap(),
        expect![[r#"
        agent:a@6 Resource:vol2 from ResourceSnapshot:snap
            {"node":"Resource:vol2","source":"ResourceSnapshot:snap","place":"agent:a@6","event_id":"@agent:a@6","path":["Resource:vol2","ResourceSnapshot:snap"]}
        ...
    "#]],
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
        expect![[r#"
        r@0 Summary:s1 from Summary:s2
            {"node":"Summary:s1","source":"Summary:s2","place":"r@0","event_id":"@r@0","path":["Summary:s1","Summary:s2"]}
    "#]],
    );
}

#[test]
fn resources_are_told_as_they_were_at_a_place() {
    let shelf = office();
    let of = |subject: Subject, at: &At| resources(&shelf, &subject, at, 10).unwrap();
    check(
        &shelf,
        &of(Subject::Run("r1".into()), &at("r1@1")),
        expect![[r#"
        vol docker_volume of Agent:a
            {"resource":"vol","place":"agent:a@4","kind":"docker_volume","name":"data","capabilities":["snapshot","restore"],"imperative":null,"metadata":null,"owner":{"node":"Agent:a","session_id":null,"place":"agent:a@4","since":"2026-01-01T00:04:00.000000Z"},"part_of":[],"parts":[],"attached":[],"liveness":null,"handles":[],"snapshots":[],"restored_from":null,"plans":[]}
    "#]],
    );
    check(
        &shelf,
        &of(Subject::Run("r1".into()), &at("r1@18")),
        expect![[r#"
        vol docker_volume of Agent:a in Run:r1 rw /data alive
            {"resource":"vol","place":"agent:a@4","kind":"docker_volume","name":"data","capabilities":["snapshot","restore"],"imperative":null,"metadata":null,"owner":{"node":"Agent:a","session_id":null,"place":"agent:a@4","since":"2026-01-01T00:04:00.000000Z"},"part_of":[],"parts":[],"attached":[{"to":"Run:r1","mode":"rw","mount":"/data","place":"r1@2","since":"2026-01-01T00:07:00.000000Z"}],"liveness":{"status":"alive","place":"store@0","since":"2026-01-01T00:14:00.000000Z"},"handles":[],"snapshots":[],"restored_from":null,"plans":[]}
    "#]],
    );
    check(
        &shelf,
        &of(Subject::Run("r2".into()), &At::default()),
        expect![[r#"
        vol docker_volume of Agent:a in Run:r1 rw /data alive 1 snapshot
            {"resource":"vol","place":"agent:a@4","kind":"docker_volume","name":"data","capabilities":["snapshot","restore"],"imperative":null,"metadata":null,"owner":{"node":"Agent:a","session_id":null,"place":"agent:a@4","since":"2026-01-01T00:04:00.000000Z"},"part_of":[],"parts":[],"attached":[{"to":"Run:r1","mode":"rw","mount":"/data","place":"r1@2","since":"2026-01-01T00:07:00.000000Z"}],"liveness":{"status":"alive","place":"store@0","since":"2026-01-01T00:14:00.000000Z"},"handles":[],"snapshots":[{"snapshot":"snap","method":"tar","external_ref":{"id":"x","kind":"s3"},"place":"agent:a@5","since":"2026-01-01T00:25:00.000000Z"}],"restored_from":null,"plans":[{"branch":"a/try","mode":"keep","kept_by":"main","snapshot_ref":null,"place":"r2@10","since":"2026-01-01T00:29:00.000000Z"}]}
        vol2
            {"resource":"vol2","place":"agent:a@6","kind":null,"name":null,"capabilities":[],"imperative":null,"metadata":null,"owner":null,"part_of":[],"parts":[],"attached":[],"liveness":null,"handles":[],"snapshots":[],"restored_from":"snap","plans":[]}
    "#]],
    );
}

#[test]
fn resources_are_told_as_they_were_at_a_time() {
    let shelf = office();
    let line = |subject: &str, at: &At| {
        let subject = Subject::find(&shelf, subject).unwrap();
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
    // How a run began, and two words about its end.
    assert_eq!(read(&|| drop(runs(&shelf, &RunFilter::default(), 10).unwrap())), 6);
}

#[test]
fn policies_are_told_in_order_with_what_they_are() {
    let shelf = office();
    let of = |subject: Subject, at: &At| policies(&shelf, &subject, at, 10).unwrap();
    check(
        &shelf,
        &of(Subject::Agent("a".into()), &At::default()),
        expect![[r#"
        agent:a@1 policy_proposed p1 (now superseded)
            {"place":"agent:a@1","event_id":"@agent:a@1","kind":"policy_proposed","ts":"2026-01-01T00:01:00.000000Z","since":"2026-01-01T00:01:00.000000Z","policy":"p1","agent":"a","decision":null,"actor":null,"note":"first","status":"superseded"}
        agent:a@2 policy_decided p1 approved (now superseded)
            {"place":"agent:a@2","event_id":"@agent:a@2","kind":"policy_decided","ts":"2026-01-01T00:02:00.000000Z","since":"2026-01-01T00:02:00.000000Z","policy":"p1","agent":"a","decision":"approved","actor":"eve","note":null,"status":"superseded"}
        agent:a@3 policy_activated p1 (now superseded)
            {"place":"agent:a@3","event_id":"@agent:a@3","kind":"policy_activated","ts":"2026-01-01T00:03:00.000000Z","since":"2026-01-01T00:03:00.000000Z","policy":"p1","agent":"a","decision":null,"actor":"eve","note":null,"status":"superseded"}
        agent:a@7 policy_activated p2 (now active)
            {"place":"agent:a@7","event_id":"@agent:a@7","kind":"policy_activated","ts":"2026-01-01T00:27:00.000000Z","since":"2026-01-01T00:27:00.000000Z","policy":"p2","agent":"a","decision":null,"actor":"eve","note":null,"status":"active"}
    "#]],
    );
    check(
        &shelf,
        &of(Subject::Run("r1".into()), &at("r1@18")),
        expect![[r#"
        agent:a@1 policy_proposed p1 (now active)
            {"place":"agent:a@1","event_id":"@agent:a@1","kind":"policy_proposed","ts":"2026-01-01T00:01:00.000000Z","since":"2026-01-01T00:01:00.000000Z","policy":"p1","agent":"a","decision":null,"actor":null,"note":"first","status":"active"}
        agent:a@2 policy_decided p1 approved (now active)
            {"place":"agent:a@2","event_id":"@agent:a@2","kind":"policy_decided","ts":"2026-01-01T00:02:00.000000Z","since":"2026-01-01T00:02:00.000000Z","policy":"p1","agent":"a","decision":"approved","actor":"eve","note":null,"status":"active"}
        agent:a@3 policy_activated p1 (now active)
            {"place":"agent:a@3","event_id":"@agent:a@3","kind":"policy_activated","ts":"2026-01-01T00:03:00.000000Z","since":"2026-01-01T00:03:00.000000Z","policy":"p1","agent":"a","decision":null,"actor":"eve","note":null,"status":"active"}
    "#]],
    );
    check(&shelf, &of(Subject::Thing("p2".into()), &at("2026-01-01T00:20:00Z")), expect![[""]]);
}

#[test]
fn relatives_are_forks_and_subagents() {
    let shelf = office();
    let of = |words: &str| {
        let subject = Subject::find(&shelf, words).unwrap();
        ancestry(&shelf, &subject, &At::default(), 10).unwrap()
    };
    check(
        &shelf,
        &of("r1"),
        expect![[r#"
        child run r2 agent a at r1@8
            {"relation":"child","depth":1,"run":"r2","agent":"a","forked_at":"r1@8","place":"r2@9","ts":"2026-01-01T00:28:00.000000Z"}
        spawned run r-b agent b
            {"relation":"spawned","depth":1,"run":"r-b","agent":"b","forked_at":null,"place":"r1@16","ts":"2026-01-01T00:22:00.000000Z"}
    "#]],
    );
    check(
        &shelf,
        &of("r2"),
        expect![[r#"
        parent run r1 agent a at r1@8
            {"relation":"parent","depth":1,"run":"r1","agent":"a","forked_at":"r1@8","place":"r2@9","ts":"2026-01-01T00:28:00.000000Z"}
    "#]],
    );
    check(
        &shelf,
        &of("r-b"),
        expect![[r#"
        spawned_by run r1 agent a
            {"relation":"spawned_by","depth":1,"run":"r1","agent":"a","forked_at":null,"place":"r1@16","ts":"2026-01-01T00:22:00.000000Z"}
    "#]],
    );
    check(
        &shelf,
        &of("agent:a"),
        expect![[r#"
        child run r2 agent a at r1@8
            {"relation":"child","depth":1,"run":"r2","agent":"a","forked_at":"r1@8","place":"r2@9","ts":"2026-01-01T00:28:00.000000Z"}
        spawned run r-b agent b
            {"relation":"spawned","depth":1,"run":"r-b","agent":"b","forked_at":null,"place":"r1@16","ts":"2026-01-01T00:22:00.000000Z"}
    "#]],
    );
}

#[test]
fn runs_are_listed_the_newest_first() {
    let shelf = office();
    check(
        &shelf,
        &runs(&shelf, &RunFilter::default(), 10).unwrap(),
        expect![[r#"
        r-b paused b 2026-01-01T00:33:00.000000Z 2 events
            {"run":"r-b","status":"paused","agent":"b","graph":null,"started":"2026-01-01T00:33:00.000000Z","ended":null,"events":2,"parent":null,"place":"r-b@0"}
        r2 failed a 2026-01-01T00:28:00.000000Z 14 events from r1@8
            {"run":"r2","status":"failed","agent":"a","graph":null,"started":"2026-01-01T00:28:00.000000Z","ended":"2026-01-01T00:32:00.000000Z","events":14,"parent":"r1@8","place":"r2@9"}
        r1 waiting a 2026-01-01T00:05:00.000000Z 19 events
            {"run":"r1","status":"waiting","agent":"a","graph":"g1","started":"2026-01-01T00:05:00.000000Z","ended":null,"events":19,"parent":null,"place":"r1@0"}
    "#]],
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
    assert_eq!(places(tool("exec"), &now), "r1@5");
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
    check(
        &shelf,
        &search(&shelf, &tool("rm"), &now).unwrap(),
        expect![[r#"
            r1@12 tool_call runtime.rm c2 {}
                {"place":"r1@12","seq":12,"event_id":"@rm","kind":"tool_call","ts":"2026-01-01T00:18:00.000000Z","at":null,"summary":"runtime.rm c2 {}","event":{"agent_id":"a","args":{},"call_id":"c2","kind":"tool_call","requested_by":{"event_id":"@say"},"run_id":"r1","server":"runtime","tool":"rm","ts":"2026-01-01T00:18:00.000000Z","event_id":"@rm"}}
        "#]],
    );
}
