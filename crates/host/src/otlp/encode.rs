//! Spans as OTLP's JSON writes them: ids as hexadecimal digits, 64-bit numbers as text.

use history::Timestamp;
use history::spans::{Attribute, CONVENTIONS, Note, Span, SpanKind, SpanLink, SpanStatus, Trace};
use value::{Value, json};

/// A whole trace as one `ExportTraceServiceRequest`.
pub fn document(trace: &Trace) -> Value {
    around(Value::list(trace.spans.iter().map(|one| span(trace, one))))
}

/// A trace as requests of about so many spans and bytes, with how many spans each has.
pub(super) fn requests(trace: &Trace, spans_max: usize, bytes_max: usize) -> Vec<(usize, String)> {
    let mut requests = Vec::new();
    let mut spans = Vec::new();
    let mut bytes = 0;
    let mut full = |spans: &mut Vec<Value>| {
        let count = spans.len();
        if count > 0 {
            requests.push((count, json::compact(&around(Value::list(spans.drain(..))))));
        }
    };
    for one in &trace.spans {
        let one = span(trace, one);
        let length = json::compact(&one).len();
        if spans.len() >= spans_max || bytes + length > bytes_max {
            full(&mut spans);
            bytes = 0;
        }
        bytes += length;
        spans.push(one);
    }
    full(&mut spans);
    requests
}

/// Spans with who they come from.
fn around(spans: Value) -> Value {
    let version = Value::text(env!("CARGO_PKG_VERSION"));
    let schema = Value::text(format!("https://opentelemetry.io/schemas/{CONVENTIONS}"));
    let resource =
        attributes(&[("service.name", "quipu".into()), ("service.version", version.clone())]);
    let scope = Value::map([("name", "quipu".into()), ("version", version)]);
    let scoped = Value::map([("scope", scope), ("spans", spans), ("schemaUrl", schema.clone())]);
    let told = Value::map([
        ("resource", Value::map([("attributes", resource)])),
        ("scopeSpans", Value::list([scoped])),
        ("schemaUrl", schema),
    ]);
    Value::map([("resourceSpans", Value::list([told]))])
}

fn span(trace: &Trace, span: &Span) -> Value {
    let mut members = vec![
        ("traceId", Value::text(trace.id.to_string())),
        ("spanId", Value::text(span.id.to_string())),
    ];
    members.extend(span.parent.map(|parent| ("parentSpanId", Value::text(parent.to_string()))));
    // The numbers of `SpanKind` and `StatusCode` in the protocol.
    let kind = match span.kind {
        SpanKind::Internal => 1,
        SpanKind::Client => 3,
    };
    let status = match &span.status {
        SpanStatus::Unset => Value::map([("code", Value::Int(0))]),
        SpanStatus::Error(None) => Value::map([("code", Value::Int(2))]),
        SpanStatus::Error(Some(message)) => {
            Value::map([("code", Value::Int(2)), ("message", Value::Text(message.clone()))])
        }
    };
    members.extend([
        ("name", Value::text(span.name.as_str())),
        ("kind", Value::Int(kind)),
        ("startTimeUnixNano", nanos(span.start)),
        ("endTimeUnixNano", nanos(span.end)),
        ("attributes", attributes(&span.attributes)),
        ("events", Value::list(span.notes.iter().map(note))),
        ("droppedEventsCount", Value::count(span.notes_dropped)),
        ("links", Value::list(span.links.iter().map(link))),
        ("status", status),
    ]);
    Value::map(members)
}

fn note(note: &Note) -> Value {
    Value::map([
        ("timeUnixNano", nanos(note.at)),
        ("name", note.name.into()),
        ("attributes", attributes(&note.attributes)),
    ])
}

fn link(link: &SpanLink) -> Value {
    Value::map([
        ("traceId", Value::text(link.trace.to_string())),
        ("spanId", Value::text(link.span.to_string())),
        ("attributes", attributes(&link.attributes)),
    ])
}

fn attributes(attributes: &[Attribute]) -> Value {
    let pairs = attributes.iter();
    Value::list(
        pairs.map(|(name, value)| Value::map([("key", (*name).into()), ("value", any(value))])),
    )
}

/// A value of any kind.
fn any(value: &Value) -> Value {
    let (kind, value) = match value {
        Value::Null => return Value::map::<&str>([]),
        Value::Bool(_) => ("boolValue", value.clone()),
        Value::Int(number) => ("intValue", number.to_string().into()),
        Value::Float(_) => ("doubleValue", value.clone()),
        Value::Text(_) => ("stringValue", value.clone()),
        Value::List(items) => {
            ("arrayValue", Value::map([("values", Value::list(items.iter().map(any)))]))
        }
        Value::Map(members) => {
            let pair = |(name, value): (&value::Text, &Value)| {
                Value::map([("key", Value::Text(name.clone())), ("value", any(value))])
            };
            ("kvlistValue", Value::map([("values", Value::list(members.iter().map(pair)))]))
        }
    };
    Value::map([(kind, value)])
}

/// Nanoseconds since 1970, and none before.
fn nanos(moment: Timestamp) -> Value {
    let micros = u64::try_from(moment.micros()).unwrap_or(0);
    (u128::from(micros) * 1000).to_string().into()
}
