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
            lines.push_str(format!(" error {kind} {message}").trim_end());
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
const LOOP: &str = include_str!("histories/spans-loop.txt");

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
        include_str!("histories/spans-attempts.txt"),
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
        include_str!("histories/spans-approvals.txt"),
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
        include_str!("histories/spans-interrupted.txt"),
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
        include_str!("histories/spans-moments.txt"),
        "r",
        expect![[r#"
            invoke_workflow a 0-6 open grows
              wait 1-2
              question b/n1 3-5 expired=true
              question b/n1 6-6 open grows
        "#]],
    );
}

const FORK: &str = include_str!("histories/spans-fork.txt");

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
        include_str!("histories/spans-others.txt"),
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
        include_str!("histories/spans-clocks.txt"),
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
