//! A collector on loopback that takes nothing but what the protocol allows, and puts together the
//! spans that it got.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use value::{Value, json};

/// What came in.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) headers: HeaderMap,
    pub(super) body: String,
}

/// What it answers: to the first request the first, and `200` when all are used up.
pub(super) type Answers = Vec<(u16, Vec<(&'static str, String)>, &'static str)>;

/// A collector.
pub(super) struct Collector {
    pub(super) url: String,
    requests: Arc<Mutex<Vec<Request>>>,
    _runtime: tokio::runtime::Runtime,
}

#[derive(Clone)]
struct Kept {
    requests: Arc<Mutex<Vec<Request>>>,
    answers: Arc<Mutex<Answers>>,
}

impl Collector {
    pub(super) fn start() -> Collector {
        Collector::answering(Vec::new())
    }

    pub(super) fn answering(answers: Answers) -> Collector {
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let kept = Kept { requests: requests.clone(), answers: Arc::new(Mutex::new(answers)) };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let app = Router::new().route("/v1/traces", post(take)).with_state(kept);
        runtime.spawn(async move { axum::serve(listener, app).await });
        Collector { url, requests, _runtime: runtime }
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// All spans that came in, one by one.
    pub(super) fn spans(&self) -> Vec<Received> {
        self.requests().iter().flat_map(|request| read(&request.body)).collect()
    }

    /// The only trace that came in, which must be whole.
    pub(super) fn tree(&self) -> Tree {
        Tree::of(self.spans())
    }
}

async fn take(State(kept): State<Kept>, headers: HeaderMap, body: String) -> Response {
    kept.requests.lock().unwrap().push(Request { headers: headers.clone(), body });
    if headers.get("content-type").is_none_or(|kind| kind != "application/json") {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    let mut answers = kept.answers.lock().unwrap();
    if answers.is_empty() {
        return (StatusCode::OK, "{}").into_response();
    }
    let (status, headers, body) = answers.remove(0);
    let mut response = (StatusCode::from_u16(status).unwrap(), body).into_response();
    for (name, value) in headers {
        response.headers_mut().insert(name, value.parse().unwrap());
    }
    response
}

/// A span as it came in.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Received {
    pub(super) trace: String,
    pub(super) id: String,
    pub(super) parent: Option<String>,
    pub(super) name: String,
    pub(super) kind: i64,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) attributes: BTreeMap<String, Value>,
    pub(super) events: Vec<String>,
    pub(super) links: Vec<(String, String)>,
    pub(super) status: i64,
}

/// Reads a request as strictly as the protocol is written.
pub(super) fn read(body: &str) -> Vec<Received> {
    let request = json::parse(body).unwrap();
    only(&request, &["resourceSpans"]);
    let mut spans = Vec::new();
    for resource in items(&request, "resourceSpans") {
        only(resource, &["resource", "scopeSpans", "schemaUrl"]);
        let told = pairs(resource.get("resource").unwrap());
        assert_eq!(told["service.name"], "quipu".into());
        for scope in items(resource, "scopeSpans") {
            only(scope, &["scope", "spans", "schemaUrl"]);
            assert!(!items(scope, "spans").is_empty(), "a request without spans");
            spans.extend(items(scope, "spans").iter().map(span));
        }
    }
    spans
}

fn span(span: &Value) -> Received {
    only(
        span,
        &[
            "traceId",
            "spanId",
            "parentSpanId",
            "name",
            "kind",
            "startTimeUnixNano",
            "endTimeUnixNano",
            "attributes",
            "events",
            "droppedEventsCount",
            "links",
            "status",
        ],
    );
    let status = span.get("status").unwrap();
    only(status, &["code", "message"]);
    let link = |link: &Value| {
        only(link, &["traceId", "spanId", "attributes"]);
        pairs(link);
        (hexadecimal(link, "traceId", 32), hexadecimal(link, "spanId", 16))
    };
    let (start, end) = (nanos(span, "startTimeUnixNano"), nanos(span, "endTimeUnixNano"));
    let event = |event: &Value| {
        only(event, &["timeUnixNano", "name", "attributes"]);
        pairs(event);
        let at = nanos(event, "timeUnixNano");
        assert!(start <= at && at <= end, "an event outside of its span");
        text(event, "name")
    };
    Received {
        trace: hexadecimal(span, "traceId", 32),
        id: hexadecimal(span, "spanId", 16),
        parent: span.get("parentSpanId").map(|_| hexadecimal(span, "parentSpanId", 16)),
        name: text(span, "name"),
        kind: number(span, "kind", 1..=5),
        start,
        end,
        attributes: pairs(span),
        events: items(span, "events").iter().map(event).collect(),
        links: items(span, "links").iter().map(link).collect(),
        status: number(status, "code", 0..=2),
    }
}

/// Nothing that the protocol does not know.
fn only(value: &Value, known: &[&str]) {
    for name in value.as_map().unwrap().keys() {
        assert!(known.contains(&&**name), "`{name}` is not in the protocol");
    }
}

fn items<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).unwrap().as_list().unwrap()
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).unwrap().as_text().unwrap().to_string()
}

fn number(value: &Value, name: &str, range: std::ops::RangeInclusive<i64>) -> i64 {
    match value.get(name) {
        Some(Value::Int(number)) if range.contains(number) => *number,
        other => panic!("{name} is {other:?}"),
    }
}

fn hexadecimal(value: &Value, name: &str, digits: usize) -> String {
    let id = text(value, name);
    let is_digit = |letter: char| letter.is_ascii_digit() || ('a'..='f').contains(&letter);
    assert!(id.len() == digits && id.chars().all(is_digit), "{name} is {id}");
    assert!(id.chars().any(|digit| digit != '0'), "{name} is nothing");
    id
}

/// Times are numbers of 64 bits, and so texts.
fn nanos(value: &Value, name: &str) -> u64 {
    let digits = text(value, name);
    assert!(digits.bytes().all(|byte| byte.is_ascii_digit()), "{name} is {digits}");
    digits.parse().unwrap()
}

fn pairs(value: &Value) -> BTreeMap<String, Value> {
    let mut pairs = BTreeMap::new();
    for pair in items(value, "attributes") {
        only(pair, &["key", "value"]);
        let value = any(pair.get("value").unwrap());
        assert!(pairs.insert(text(pair, "key"), value).is_none(), "a key twice: {pair:?}");
    }
    pairs
}

fn any(value: &Value) -> Value {
    let members = value.as_map().unwrap();
    assert_eq!(members.len(), 1, "{value:?}");
    let (kind, value) = members.first().unwrap();
    match (&**kind, value) {
        ("stringValue", Value::Text(_)) | ("boolValue", Value::Bool(_)) => value.clone(),
        ("doubleValue", Value::Float(_) | Value::Int(_)) => value.clone(),
        ("intValue", Value::Text(digits)) => Value::Int(digits.parse().unwrap()),
        ("arrayValue", list) => Value::list(items(list, "values").iter().map(any)),
        other => panic!("{other:?} is not in the protocol"),
    }
}

/// The spans of one trace, as a viewer shows them.
#[derive(Debug, PartialEq)]
pub(super) struct Tree {
    pub(super) spans: Vec<Received>,
}

impl Tree {
    pub(super) fn of(spans: Vec<Received>) -> Tree {
        let mut known: BTreeMap<&str, &Received> = BTreeMap::new();
        for span in &spans {
            assert_eq!(span.trace, spans[0].trace, "one run is one trace");
            assert!(known.insert(&span.id, span).is_none(), "an id twice: {}", span.id);
        }
        for span in &spans {
            assert!(span.start <= span.end, "{span:?}");
            if let Some(parent) = &span.parent {
                let parent = known.get(&**parent).expect("the parent is there");
                assert!(parent.start <= span.start && span.end <= parent.end, "{span:?}");
            }
        }
        let roots = spans.iter().filter(|span| span.parent.is_none()).count();
        assert_eq!(roots, 1, "a whole trace has one root");
        Tree { spans }
    }

    pub(super) fn root(&self) -> &Received {
        self.spans.iter().find(|span| span.parent.is_none()).unwrap()
    }

    pub(super) fn find(&self, name: &str) -> &Received {
        let found = self.spans.iter().find(|span| span.name == name);
        found.unwrap_or_else(|| panic!("no {name} in {}", self.outline()))
    }

    /// Every span on a line, below what it is part of.
    pub(super) fn outline(&self) -> String {
        let mut lines = String::new();
        let mut waiting = vec![(self.root(), 0)];
        while let Some((span, depth)) = waiting.pop() {
            let error = span.attributes.get("error.type").and_then(Value::as_text);
            let error = error.map_or_else(String::new, |error| format!(" error {error}"));
            assert_eq!(span.status == 2, !error.is_empty(), "{span:?}");
            let events: String = span.events.iter().map(|name| format!(" ({name})")).collect();
            let open = if span.attributes.contains_key("quipu.open") { " open" } else { "" };
            lines.push_str(&"  ".repeat(depth));
            lines.push_str(&format!("{}{events}{error}{open}\n", span.name));
            let parts =
                self.spans.iter().rev().filter(|part| part.parent.as_ref() == Some(&span.id));
            waiting.extend(parts.map(|part| (part, depth + 1)));
        }
        lines
    }
}
