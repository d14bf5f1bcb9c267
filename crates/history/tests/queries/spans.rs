//! A run as spans: what is part of what, how each ended, and what is told of it.

use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use history::spans::{Content, Span, SpanId, SpanStatus, Trace, names, spans};
use history::{Archive, Place, Stream};
use proptest::prelude::*;
use sim::history::histories;
use value::{Value, json};

use crate::shelf::Shelf;

fn trace(shelf: &Shelf, run: &str, content: Content) -> Trace {
    let stream = Stream::from_words(run);
    let last = shelf.stream(&stream).unwrap().unwrap().next - 1;
    spans(shelf, &Place::new(stream, last), content, u64::MAX).unwrap()
}

/// Every span on a line, below what it is part of, with the minutes from the first event on.
fn outline(trace: &Trace) -> String {
    let first = trace.spans[0].start.micros();
    let mut lines = String::new();
    let mut waiting = vec![(&trace.spans[0], 0)];
    while let Some((span, depth)) = waiting.pop() {
        let parts = trace.spans.iter().rev().filter(|part| part.parent == Some(span.id));
        waiting.extend(parts.map(|part| (part, depth + 1)));
        let minute = |micros: i64| (micros - first) / 60_000_000;
        let (start, end) = (minute(span.start.micros()), minute(span.end.micros()));
        lines.push_str(&format!("{}{} {start}-{end}", "  ".repeat(depth), span.name));
        for name in [names::ATTEMPT, names::APPROVAL_OUTCOME, names::EXPIRED, names::INHERITED] {
            if let Some(value) = span.attribute(name) {
                lines.push_str(&format!(" {}={}", &name[6..], json::compact(value)));
            }
        }
        for note in &span.notes {
            lines.push_str(&format!(" ({})", note.name));
        }
        if let SpanStatus::Error(message) = &span.status {
            let kind = span.attribute(names::ERROR_TYPE).unwrap().as_text().unwrap();
            let message = message.as_ref().map_or("", |message| message);
            lines.push_str(&format!(" error {kind} {message}").trim_end().to_string().as_str());
        }
        lines.push_str(if span.open { " open" } else { "" });
        lines.push_str(if span.may_grow { " grows" } else { "" });
        lines.push('\n');
    }
    lines
}

fn check(history: &str, run: &str, expected: Expect) {
    let shelf = Shelf::read(history);
    let trace = trace(&shelf, run, Content::Left);
    holds_together(&trace);
    expected.assert_eq(&outline(&trace));
}

/// What every viewer relies on.
fn holds_together(trace: &Trace) {
    let mut known: BTreeMap<SpanId, &Span> = BTreeMap::new();
    for (at, span) in trace.spans.iter().enumerate() {
        assert_eq!(span.parent.is_none(), at == 0, "only the whole run is part of nothing");
        assert!(span.start <= span.end, "{span:?}");
        if let Some(parent) = span.parent {
            let parent = known.get(&parent).expect("a parent comes before its parts");
            assert!(parent.start <= span.start && span.end <= parent.end, "{span:?} {parent:?}");
        }
        assert!(known.insert(span.id, span).is_none(), "an id is given once");
        let mut names: Vec<&str> = span.attributes.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|two| two[0] != two[1]), "an attribute twice: {names:?}");
        assert_eq!(span.attribute(names::OPEN).is_some(), span.open);
    }
}

/// An agent that asks, is wanted to look twice, and answers then.
const LOOP: &str = r#"== r
    {"kind": "run_started", "graph": "g"}
    m1: {"kind": "message_created", "at": "find/n1", "message": {"role": "user", "content": [{"type": "text", "text": "canary-ask"}]}}
    {"kind": "model_request", "at": "find/n1", "model": "gpt-4o", "params": {"temperature": 0}, "input_refs": [{"event_id": "@m1"}], "request_id": "q1", "correlation_id": "q1"}
    m2: {"kind": "message_created", "at": "find/n1", "message": {"role": "assistant", "content": [{"type": "reasoning", "text": "canary-thought"}, {"type": "tool_use", "id": "u1", "name": "search", "input": {"of": "canary-use"}}]}}
    a1: {"kind": "model_response", "at": "find/n1", "request_id": "q1", "output_ref": "@m2", "finish_reason": "tool_use", "attempt": 1, "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}, "cost": "0.25"}
    {"kind": "tool_call", "at": "find/n1", "server": "tool", "tool": "search", "call_id": "c2", "args": {"of": "canary-args"}, "requested_by": {"event_id": "@a1"}}
    {"kind": "tool_call", "at": "find/n1", "server": "tool", "tool": "read", "call_id": "c3", "args": {}, "requested_by": {"event_id": "@a1"}}
    {"kind": "tool_result", "at": "find/n1", "call_id": "c3", "status": "error", "result": {}, "error": {"code": "not_found", "message": "canary-error"}}
    {"kind": "tool_result", "at": "find/n1", "call_id": "c2", "status": "ok", "result": {"value": "canary-result"}}
    m3: {"kind": "message_created", "at": "find/n1", "message": {"role": "tool", "content": [{"type": "tool_result", "tool_call_id": "u1", "output": "canary-told"}]}}
    {"kind": "model_request", "at": "find/n1", "model": "gpt-4o", "params": {}, "input_refs": [{"event_id": "@m1"}, "@m2", {"event_id": "@m3"}], "request_id": "q4", "correlation_id": "q4"}
    m4: {"kind": "message_created", "at": "find/n1", "message": {"role": "assistant", "content": [{"type": "text", "text": "canary-answer"}]}}
    a2: {"kind": "model_response", "at": "find/n1", "request_id": "q4", "output_ref": "@m4", "finish_reason": "stop", "attempt": 1, "usage": {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27}}
    {"kind": "tool_call", "at": "send/n1", "server": "tool", "tool": "send", "call_id": "c5", "args": {}, "requested_by": {"event_id": "@a2"}}
    {"kind": "tool_result", "at": "send/n1", "call_id": "c5", "status": "ok", "result": {"value": 1}}
    {"kind": "question_asked", "at": "sure/n1", "question_id": "p1", "prompt": "canary-prompt"}
    {"kind": "question_answered", "at": "sure/n1", "question_id": "p1", "answer": "canary-yes", "actor": "canary-ada"}
    {"kind": "model_request", "at": "find/n1", "model": "gpt-4o", "params": {}, "input_refs": [], "request_id": "q6", "correlation_id": "q6"}
    {"kind": "model_response", "at": "find/n1", "request_id": "q6", "finish_reason": "error", "attempt": 1, "error": {"code": "canary of somebody", "message": "canary-model"}}
    {"kind": "run_finished", "exit": "error", "error": {"code": "model", "message": "canary-end"}}
"#;

#[test]
fn a_turn_is_what_an_agent_does_until_it_answers() {
    check(
        LOOP,
        "r",
        expect![[r#"
            invoke_workflow a 0-19 error model
              invoke_agent find/n1 2-12
                chat gpt-4o 2-4 attempt=1
                execute_tool search 5-8
                execute_tool read 6-7 error not_found
                chat gpt-4o 10-12 attempt=1
              execute_tool send 13-14
              question sure/n1 15-16
              invoke_agent find/n1 17-18 error _OTHER
                chat gpt-4o 17-18 attempt=1 error _OTHER
        "#]],
    );
}

#[test]
fn content_is_told_only_where_it_is_wanted() {
    let shelf = Shelf::read(LOOP);
    let left = format!("{:?}", trace(&shelf, "r", Content::Left));
    assert!(!left.contains("canary"), "{left}");
    let told = trace(&shelf, "r", Content::Told);
    let text = format!("{told:?}");
    for canary in [
        "ask", "thought", "use", "args", "result", "told", "answer", "prompt", "yes", "ada",
        "error", "model", "end",
    ] {
        assert!(text.contains(&format!("canary-{canary}")), "{canary}");
    }
    let second = told.spans.iter().filter(|span| span.name == "chat gpt-4o").nth(1).unwrap();
    let messages = second.attribute(names::INPUT_MESSAGES).unwrap().as_text().unwrap();
    let messages = json::parse(messages).unwrap();
    let roles = messages.as_list().unwrap().iter().map(|message| message.get("role").unwrap());
    assert_eq!(roles.collect::<Vec<_>>(), [&"user".into(), &"assistant".into(), &"tool".into()]);
    let output = second.attribute(names::OUTPUT_MESSAGES).unwrap().as_text().unwrap();
    expect![[r#"[{"role":"assistant","parts":[{"type":"text","content":"canary-answer"}],"finish_reason":"stop"}]"#]]
        .assert_eq(output);
}

#[test]
fn attributes_are_those_of_the_conventions() {
    let trace = trace(&Shelf::read(LOOP), "r", Content::Left);
    let shown = |name: &str| {
        let span = trace.spans.iter().find(|span| span.name == name).unwrap();
        let shown = span.attributes.iter().filter(|(name, _)| *name != names::EVENT);
        Value::map(shown.map(|(name, value)| (*name, value.clone())))
    };
    let all = ["invoke_workflow a", "invoke_agent find/n1", "chat gpt-4o", "execute_tool read"];
    let all = all.map(|name| format!("{name}: {}", json::pretty(&shown(name)))).join("\n");
    expect![[r#"
        invoke_workflow a: {
          "gen_ai.operation.name": "invoke_workflow",
          "gen_ai.workflow.name": "a",
          "quipu.seq": 0,
          "gen_ai.conversation.id": "r",
          "quipu.run": "r",
          "quipu.graph": "g",
          "quipu.exit": "error",
          "error.type": "model"
        }
        invoke_agent find/n1: {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.agent.name": "find/n1",
          "gen_ai.provider.name": "openai",
          "gen_ai.request.model": "gpt-4o",
          "gen_ai.conversation.id": "r",
          "quipu.run": "r",
          "quipu.at": "find/n1",
          "quipu.seq": 2
        }
        chat gpt-4o: {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "openai",
          "gen_ai.request.model": "gpt-4o",
          "gen_ai.request.temperature": 0.0,
          "gen_ai.usage.input_tokens": 10,
          "gen_ai.usage.output_tokens": 5,
          "gen_ai.response.finish_reasons": ["tool_use"],
          "quipu.attempt": 1,
          "quipu.cost": "0.25",
          "gen_ai.conversation.id": "r",
          "quipu.run": "r",
          "quipu.at": "find/n1",
          "quipu.seq": 2
        }
        execute_tool read: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "read",
          "gen_ai.tool.call.id": "c3",
          "gen_ai.tool.type": "function",
          "gen_ai.conversation.id": "r",
          "quipu.run": "r",
          "quipu.at": "find/n1",
          "quipu.seq": 6,
          "error.type": "not_found"
        }"#]]
    .assert_eq(&all);
}

#[test]
fn attempts_of_one_node_are_one_turn_and_branches_are_not() {
    check(
        r#"== r
        {"kind": "run_started", "graph": "g"}
        {"kind": "model_request", "at": "a/n1", "model": "m", "params": {}, "input_refs": [], "request_id": "q1"}
        {"kind": "model_request", "at": "a/n1", "model": "m", "params": {}, "input_refs": [], "request_id": "q2"}
        {"kind": "model_response", "at": "a/n1", "request_id": "q1", "attempt": 1, "error": {"code": "timeout", "message": ""}}
        {"kind": "timer_set", "at": "a/n1", "timer": "t3", "due": "2026-01-01T00:00:00.000000Z"}
        {"kind": "model_response", "at": "a/n1", "request_id": "q2", "attempt": 1, "finish_reason": "stop"}
        {"kind": "timer_fired", "at": "a/n1", "timer": "t3"}
        {"kind": "model_request", "at": "a/n1", "model": "m", "params": {}, "input_refs": [], "request_id": "q4"}
        {"kind": "model_response", "at": "a/n1", "request_id": "q4", "attempt": 2, "finish_reason": "stop"}
        {"kind": "model_request", "at": "a/n1", "model": "m", "params": {}, "input_refs": [], "request_id": "q5"}
        "#,
        "r",
        expect![[r#"
            invoke_workflow a 0-9 open grows
              invoke_agent a/n1 1-8
                chat m 1-3 attempt=1 error timeout
                chat m 7-8 attempt=2
              invoke_agent a/n1 2-5
                chat m 2-5 attempt=1
              wait 4-6
              invoke_agent a/n1 9-9 open grows
                chat m 9-9 open grows
        "#]],
    );
}

#[test]
fn approvals_are_part_of_the_call_that_they_are_about() {
    check(
        r#"== r
        {"kind": "run_started", "graph": "g"}
        c1: {"kind": "tool_call", "at": "a/n1", "server": "tool", "tool": "pay", "call_id": "c1", "args": {}}
        q1: {"kind": "approval_requested", "call": {"event_id": "@c1"}, "policy_digest": "sha256:aa"}
        {"kind": "approval_decided", "request": {"event_id": "@q1"}, "outcome": "user_approve", "actor": "ada"}
        {"kind": "effect_started", "call": {"event_id": "@c1"}, "attempt": 1, "idem_key": "k"}
        {"kind": "tool_result", "call_id": "c1", "status": "ok", "result": {}}
        c2: {"kind": "tool_call", "at": "a/n1", "server": "tool", "tool": "pay", "call_id": "c2", "args": {}}
        {"kind": "approval_decided", "call": {"event_id": "@c2"}, "outcome": "policy_deny_continue", "policy_digest": "sha256:aa"}
        c3: {"kind": "tool_call", "at": "a/n1", "server": "mail", "tool": "send", "call_id": "c3", "args": {}}
        {"kind": "approval_requested", "call": {"event_id": "@c3"}}
        "#,
        "r",
        expect![[r#"
            invoke_workflow a 0-9 open grows
              execute_tool pay 1-5 attempt=1 (attempt)
                approval pay 2-3 approval.outcome="user_approve"
              execute_tool pay 6-7 (approval) error denied
              execute_tool mail.send 8-9 open grows
                approval mail.send 9-9 open grows
        "#]],
    );
}

#[test]
fn what_was_interrupted_says_so() {
    check(
        r#"== r
        {"kind": "run_started", "graph": "g"}
        c1: {"kind": "tool_call", "at": "a/n1", "server": "tool", "tool": "once", "call_id": "c1", "args": {}}
        e1: {"kind": "effect_started", "call": {"event_id": "@c1"}, "attempt": 1, "idem_key": "k"}
        {"kind": "interruption", "reason": "crash", "affects": [{"event_id": "@e1"}]}
        c2: {"kind": "tool_call", "at": "b/n1", "server": "tool", "tool": "keyed", "call_id": "c2", "args": {}}
        {"kind": "effect_started", "call": {"event_id": "@c2"}, "attempt": 1, "idem_key": "l"}
        {"kind": "effect_started", "call": {"event_id": "@c2"}, "attempt": 2, "idem_key": "l"}
        {"kind": "tool_result", "call_id": "c2", "status": "timeout", "result": {}}
        {"kind": "run_paused", "reason": "asked for"}
        {"kind": "interruption", "reason": "shutdown", "affects": []}
        {"kind": "run_cancelled", "actor": "ada"}
        "#,
        "r",
        expect![[r#"
            invoke_workflow a 0-10 (run_paused) (interruption) error cancelled
              execute_tool once 1-3 attempt=1 (attempt) (interruption) error crash
              execute_tool keyed 4-7 attempt=2 (attempt) (attempt) error timeout
        "#]],
    );
}

#[test]
fn moments_are_told_where_they_are_waited_for() {
    check(
        r#"== r
        {"kind": "run_started", "graph": "g"}
        {"kind": "timer_set", "at": "a/n1", "timer": "t1", "due": "2026-01-01T00:00:01.000000Z"}
        {"kind": "timer_fired", "at": "a/n1", "timer": "t1"}
        {"kind": "question_asked", "at": "b/n1", "question_id": "p1", "prompt": "?", "expires": "2026-01-01T00:00:02.000000Z"}
        {"kind": "timer_set", "at": "b/n1", "timer": "t2", "due": "2026-01-01T00:00:02.000000Z"}
        {"kind": "timer_fired", "at": "b/n1", "timer": "t2"}
        {"kind": "question_asked", "at": "b/n1", "question_id": "p2", "prompt": "?"}
        "#,
        "r",
        expect![[r#"
            invoke_workflow a 0-6 open grows
              wait 1-2
              question b/n1 3-5 expired=true
              question b/n1 6-6 open grows
        "#]],
    );
}

const FORK: &str = r#"== r
    {"kind": "run_started", "graph": "g"}
    {"kind": "tool_call", "at": "a/n1", "server": "tool", "tool": "work", "call_id": "c1", "args": {}}
    {"kind": "tool_result", "call_id": "c1", "status": "ok", "result": {}}
    {"kind": "question_asked", "at": "b/n1", "question_id": "p2", "prompt": "?"}
    {"kind": "question_answered", "at": "b/n1", "question_id": "p2", "answer": "no"}
    {"kind": "run_finished", "exit": "success"}
== f from r@3
    {"kind": "run_started", "reason": "fork", "from": {"run_id": "r", "seq": 3, "event_id": "0000000000000000000000000000000000000000000000000000000000000000"}}
    {"kind": "question_answered", "at": "b/n1", "question_id": "p2", "answer": "yes"}
    {"kind": "run_finished", "exit": "success"}
"#;

#[test]
fn a_fork_has_its_own_events_and_links_to_its_parent() {
    check(
        FORK,
        "f",
        expect![[r#"
        invoke_workflow a 0-2
          question b/n1 0-1 inherited=true
    "#]],
    );
    let shelf = Shelf::read(FORK);
    let (parent, fork) = (trace(&shelf, "r", Content::Left), trace(&shelf, "f", Content::Left));
    assert_ne!(parent.id, fork.id);
    let link = &fork.spans[0].links[0];
    assert_eq!((link.trace, link.span), (parent.id, parent.spans[0].id));
    let asked = parent.spans.iter().find(|span| span.name == "question b/n1").unwrap();
    let link = &fork.spans[1].links[0];
    assert_eq!((link.trace, link.span), (parent.id, asked.id));
}

#[test]
fn events_of_others_have_spans_too() {
    check(
        r#"== r
        {"kind": "run_started", "reason": "user"}
        {"kind": "model_request", "model": "o4-mini", "params": {}, "input_refs": [], "request_id": "q1", "correlation_id": "t"}
        a1: {"kind": "model_response", "request_id": "q1"}
        {"kind": "tool_call", "server": "runtime", "tool": "exec", "call_id": "c1", "args": {}, "requested_by": {"event_id": "@a1"}}
        {"kind": "x.other", "call_id": "c1"}
        {"kind": "tool_result", "call_id": "c9", "status": "ok", "result": {}}
        "#,
        "r",
        expect![[r#"
            invoke_agent a 0-5 open grows
              chat o4-mini 1-2
              execute_tool runtime.exec 3-5 open grows
        "#]],
    );
}

#[test]
fn clocks_that_go_backwards_make_no_time_negative() {
    check(
        r#"== r
        {"kind": "run_started", "graph": "g", "ts": "2026-01-01T00:09:00.000000Z"}
        {"kind": "model_request", "at": "a/n1", "model": "m", "params": {}, "input_refs": [], "request_id": "q1", "ts": "2026-01-01T00:05:00.000000Z"}
        {"kind": "model_response", "at": "a/n1", "request_id": "q1", "ts": "2026-01-01T00:03:00.000000Z"}
        {"kind": "run_finished", "exit": "success", "ts": "2026-01-01T00:04:00.000000Z"}
        "#,
        "r",
        expect![[r#"
            invoke_workflow a 0-6
              invoke_agent a/n1 2-2
                chat m 2-2
        "#]],
    );
}

#[test]
fn a_run_that_goes_on_changes_nothing_that_was_settled() {
    let shelf = Shelf::read(LOOP);
    let whole = trace(&shelf, "r", Content::Told);
    let settled: BTreeMap<SpanId, &Span> = whole.spans.iter().map(|span| (span.id, span)).collect();
    for seq in 0..20 {
        let place = Place::parse(&format!("r@{seq}")).unwrap();
        let until = spans(&shelf, &place, Content::Told, u64::MAX).unwrap();
        assert_eq!(until.id, whole.id);
        for span in until.settled().spans {
            assert_eq!(settled.get(&span.id), Some(&&span), "at {seq}");
        }
    }
}

#[test]
fn a_run_that_is_too_long_is_not_read() {
    let shelf = Shelf::read(LOOP);
    let place = Place::parse("r@5").unwrap();
    let refused = spans(&shelf, &place, Content::Left, 5).unwrap_err();
    assert_eq!(refused.to_string(), "the run has more than 5 events");
    assert!(spans(&shelf, &place, Content::Left, 6).is_ok());
}

proptest! {
    #![proptest_config(crate::generated::cases())]

    /// Whatever happened, spans hold together, and the same events give the same spans.
    #[test]
    fn every_history_has_spans_that_hold_together(seed in 0u64..1_000_000) {
        let pieces = histories(seed, 300);
        let shelf = crate::generated::shelf(&pieces, usize::MAX);
        for stream in crate::generated::streams(&shelf) {
            let info = shelf.stream(&stream).unwrap().unwrap();
            let last = Place::new(stream, info.next - 1);
            if let Ok(trace) = spans(&shelf, &last, Content::Told, u64::MAX) {
                holds_together(&trace);
                let again = spans(&shelf, &last, Content::Told, u64::MAX).unwrap();
                prop_assert_eq!(trace, again);
            }
        }
    }
}
