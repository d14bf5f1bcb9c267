//! Nodes and edges with two times.

use std::collections::BTreeSet;

use expect_test::expect;
use history::kinds::Kind;
use history::projection::{
    Aspect, By, EDGES, Edge, EdgeKind, NodeKind, NodeRef, Projection, Row, View,
};
use history::{Event, Place, Stream, Timestamp};

use crate::shelf::Shelf;

/// A history in which every kind of edge begins, and ends where it can.
fn everything() -> Shelf {
    Shelf::read(include_str!("histories/everything.txt"))
}

#[test]
fn every_kind_of_edge_is_made_and_keeps_to_its_row() {
    let mut begun = BTreeSet::new();
    let mut ended = BTreeSet::new();
    let mut projection = Projection::default();
    for seen in everything().seen("fork") {
        let before: Vec<_> = projection.edges().to_vec();
        projection.apply(&seen);
        for row in &projection.edges()[before.len()..] {
            if row.said.place == seen.place {
                keeps_to_its_row(seen.kind, row);
                begun.insert((row.what.kind, seen.kind));
            }
        }
        let ends = |(row, old): (&Row<Edge>, &Row<Edge>)| row.known.to != old.known.to;
        let changed = projection.edges().iter().zip(&before).filter(|pair| ends(*pair));
        ended.extend(changed.map(|(row, _)| (row.what.kind, seen.kind)));
    }
    for row in EDGES {
        if let By::Kinds(kinds) = row.begun_by {
            let found = begun.iter().filter(|(edge, _)| *edge == row.kind).map(|(_, kind)| *kind);
            assert_eq!(
                found.collect::<BTreeSet<_>>(),
                kinds.iter().copied().collect(),
                "{}",
                row.name
            );
        }
        let found = ended.iter().filter(|(edge, _)| *edge == row.kind).map(|(_, kind)| *kind);
        let listed = row.ended_by.iter().copied().collect::<BTreeSet<_>>();
        assert_eq!(found.collect::<BTreeSet<_>>(), listed, "{} ends", row.name);
    }
    assert!(begun.contains(&(EdgeKind::RunHasEvent, Kind::Unknown)));
}

/// Whether an edge that an event of this kind began is one that the table allows.
pub(crate) fn keeps_to_its_row(kind: Kind, edge: &Row<Edge>) {
    let row = edge.what.kind.row();
    assert_eq!(row.kind, edge.what.kind);
    assert!(row.begun_by.includes(kind), "{} by {}", row.name, kind.name());
    assert!(row.from.contains(&edge.what.from.kind), "{} from {}", row.name, edge.what.from);
    assert!(row.to.contains(&edge.what.to.kind), "{} to {}", row.name, edge.what.to);
    for name in edge.what.attrs.keys() {
        assert!(row.attrs.contains(&&**name), "{} has `{name}`", row.name);
    }
}

/// The edges that a view shows, but for those that every event has.
fn drawn(shelf: &Shelf, view: View<'_>) -> String {
    let edges = view.edges().filter(|row| row.what.kind != EdgeKind::RunHasEvent);
    let line = |row: &Row<Edge>| {
        let Edge { kind, from, to, attrs, .. } = &row.what;
        let attrs = if attrs.is_empty() {
            String::new()
        } else {
            format!(" {}", value::json::compact(&attrs.clone().into()))
        };
        format!("{from} {} {to}{attrs}\n", kind.name())
    };
    shelf.named(&edges.map(line).collect::<String>())
}

#[test]
fn a_history_as_a_graph() {
    let shelf = everything();
    let projection = Projection::rebuild(&shelf.seen("fork"));
    expect![[r#"
        Agent:a AGENT_HAS_RUN Run:r
        Event:@hello EVENT_PRODUCES Message:m1
        Event:@ask EVENT_CONSUMES Message:m1
        Event:@ask EVENT_CONSUMES Resource:res://x
        Event:@say EVENT_PRODUCES Message:m2
        Event:@say EVENT_PRODUCES Generation:@ask
        Message:m2 DERIVED_FROM Message:m1
        Message:m2 DERIVED_FROM Resource:res://x
        Generation:@ask CALLS_TOOL ToolCall:@call
        Event:@may EVENT_CONSUMES ToolCall:@call
        Event:@r@8 EVENT_CONSUMES ToolCall:@call
        Event:@r@9 EVENT_CONSUMES ToolCall:@call
        Event:@r@10 INTERRUPTS Event:@call {"reason":"crash"}
        Event:@done EVENT_PRODUCES ToolResult:@done
        Event:@done EVENT_CONSUMES ToolCall:@call
        ToolCall:@call RETURNS_RESULT ToolResult:@done {"status":"error"}
        ToolResult:@done DERIVED_FROM ToolCall:@call
        Event:@better EVENT_PRODUCES ToolResult:@better
        Event:@better EVENT_CONSUMES ToolCall:@call
        ToolCall:@call RETURNS_RESULT ToolResult:@better {"status":"ok"}
        ToolResult:@better DERIVED_FROM ToolCall:@call
        Event:@better SUBSTITUTES Event:@done
        ToolResult:@better DERIVED_FROM ToolResult:@done
        Event:@hello CALLS_TOOL ToolCall:@other
        Event:@sum EVENT_PRODUCES Summary:sum1
        Summary:sum1 SUMMARIZES Message:m1
        Summary:sum1 DERIVED_FROM Message:m1
        Summary:sum1 SUMMARIZES Event:@start
        Summary:sum1 DERIVED_FROM Event:@start
        Summary:sum1 SUMMARIZES Run:r
        Summary:sum1 DERIVED_FROM Run:r
        Run:r APPENDED_TO_HISTORY Message:m1 {"list":"main","pos":0}
        Run:r APPENDED_TO_HISTORY Message:m2 {"list":"main","pos":1}
        Run:r APPENDED_TO_HISTORY Message:m3 {"list":"main","pos":0}
        Run:r APPENDED_TO_HISTORY Message:m4 {"list":"main","pos":0}
        Run:r APPENDED_TO_HISTORY Message:m3 {"list":"main","pos":1}
        Event:@r@18 EVENT_PRODUCES ViewSnapshot:v1
        Agent:a OWNS_RESOURCE Resource:box
        Agent:a OWNS_RESOURCE Resource:vol
        Run:r OWNS_RESOURCE Resource:vol
        Agent:a OWNS_RESOURCE Resource:vol
        Resource:box HAS_SUBRESOURCE Resource:vol
        Resource:vol ATTACHED_TO Run:r {"mode":"ro","mount":"/v"}
        Run:r MOUNTS_RESOURCE Resource:vol {"mode":"ro","mount":"/v"}
        Event:@r@25 EVENT_CONSUMES Resource:box
        Event:@snap EVENT_CONSUMES Resource:vol
        Event:@snap EVENT_PRODUCES ResourceSnapshot:s1
        ResourceSnapshot:s1 SNAPSHOT_OF Resource:vol
        ResourceSnapshot:s1 DERIVED_FROM Resource:vol
        Event:@r@27 EVENT_CONSUMES Resource:vol
        ResourceSnapshot:s1 RESTORES_TO Resource:vol2
        Resource:vol2 DERIVED_FROM ResourceSnapshot:s1
        Resource:vol ATTACHED_TO Run:r {"mode":"rw","mount":"/w"}
        Run:r MOUNTS_RESOURCE Resource:vol {"mode":"rw","mount":"/w"}
        Event:@r@31 MCP_RESOURCE_UPDATED Resource:res://x {"uri":"res://x","server":"s","etag":"1"}
        Event:@r@32 EVENT_CONSUMES Resource:res://x
        Event:@r@33 PROPOSES_POLICY Policy:p1
        Event:@r@34 ACTIVATES_POLICY Policy:p1
        Subagent:sub SPAWNED_FROM Agent:a {"child_run":"r-sub"}
        Agent:a AGENT_HAS_RUN Run:fork
        Branch:a/try FORKED_FROM Event:@at
        Branch:a/try FORKED_FROM Run:r
        Run:fork APPENDED_TO_HISTORY Message:m5 {"list":"main","pos":2}
        Branch:a/main DERIVED_FROM Branch:a/try
    "#]]
    .assert_eq(&drawn(&shelf, projection.now()));
}

#[test]
fn what_was_believed_at_an_event_is_what_the_events_up_to_it_say() {
    let shelf = everything();
    let all = shelf.seen("fork");
    let projection = Projection::rebuild(&all);
    for (seq, _) in all.iter().enumerate() {
        let then = Projection::rebuild(&all[..=seq]);
        let seq = seq as u64;
        // How far it was true is believed, too: a later row has another end.
        let edges = |view: View<'_>| {
            view.edges()
                .map(|row| (row.what.clone(), row.valid, row.said.clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(edges(projection.as_of(seq)), edges(then.now()), "{seq}");
        let nodes = |view: View<'_>| {
            view.nodes()
                .map(|row| (row.what.clone(), row.valid, row.said.clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(nodes(projection.as_of(seq)), nodes(then.now()), "{seq}");
    }
}

#[test]
fn a_late_activation_supersedes_for_its_own_time_only() {
    let mut shelf = Shelf::default();
    shelf.tell(
        "agent:a",
        r#"
        {"kind": "policy_activated", "policy_ref": "p1", "valid_at": "2026-01-01T01:00:00.000000Z"}
        {"kind": "policy_activated", "policy_ref": "p3", "valid_at": "2026-01-01T03:00:00.000000Z"}
        {"kind": "policy_activated", "policy_ref": "p2", "valid_at": "2026-01-01T02:00:00.000000Z"}
        "#,
    );
    let projection = Projection::rebuild(&shelf.seen("agent:a"));
    let status = |view: View<'_>, policy: &str, hour: &str| {
        let moment = Timestamp::parse(&format!("2026-01-01T{hour}:30:00Z")).unwrap();
        let policy = NodeRef::new(NodeKind::Policy, policy);
        let attrs = view.valid_at(moment).node(&policy);
        attrs.and_then(|attrs| attrs.get("status")?.as_text().map(|text| text.to_string()))
    };
    let table = |view: View<'_>| {
        ["01", "02", "03"].map(|hour| {
            ["p1", "p2", "p3"]
                .map(|policy| status(view, policy, hour).unwrap_or("-".into()))
                .join(" ")
        })
    };
    assert_eq!(table(projection.as_of(1)), ["active - -", "active - -", "superseded - active"]);
    assert_eq!(
        table(projection.now()),
        ["active - -", "superseded active -", "superseded superseded active"]
    );
}

#[test]
fn ten_thousand_probes_cost_two_rows_each() {
    let mut projection = Projection::default();
    let mut shelf = Shelf::default();
    // Half of them come late, between what is known already.
    for count in 0..10_000_i64 {
        let minute = if count % 2 == 0 { count } else { 10_000 - count };
        let text = format!(
            r#"{{"kind": "resource_liveness_probe", "ts": "{}", "resource_ref": "vol", "status": "alive"}}"#,
            Timestamp::from_micros(minute * 60_000_000)
        );
        shelf.add(&Stream::Store, Event::read(&text).unwrap());
    }
    for seen in shelf.seen("store") {
        projection.apply(&seen);
    }
    let vol = NodeRef::new(NodeKind::Resource, "vol");
    let believed = projection.now().about(&vol, Aspect::Liveness).count();
    let rows = projection.nodes().iter().filter(|row| row.what.aspect == Aspect::Liveness).count();
    assert_eq!((believed, rows), (10_000, 19_999));
}

#[test]
fn an_event_that_cannot_be_read_counts_as_itself_only() {
    let mut shelf = Shelf::default();
    shelf.tell("r", r#"{"kind": "tool_call", "server": "s"}"#);
    let projection = Projection::rebuild(&shelf.seen("r"));
    let edges: Vec<_> = projection.edges().iter().map(|row| row.what.kind).collect();
    assert_eq!(edges, [EdgeKind::RunHasEvent]);
    assert_eq!(projection.edges()[0].said.place, Place::parse("r@0").unwrap());
}
