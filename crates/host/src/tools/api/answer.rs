//! From what a server answers to the value of a call, or to its failure.

use std::time::Duration;

use diagnostics::plain;
use graph::{Again, Touches};
use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use runtime::{Fault, FaultKind, Happened};
use value::{Map, Text, Value, json};

use super::{Binding, Wanted};
use crate::http::{HttpError, Incoming, Why, retry_after};
use crate::secrets::Revealed;
use crate::tools::detailed;

/// How much of an answer goes into the message of a failure, in characters.
const SHOWN_MAX: usize = 200;

/// How much of it goes into its details.
const KEPT_MAX: usize = 4_000;

/// The headers of an answer that mean something to whoever asked.
const HEADERS: &[&str] =
    &["content-type", "etag", "last-modified", "link", "location", "retry-after"];

/// Puts into words what became of a call.
pub(super) struct Report<'a> {
    pub(super) binding: &'a Binding,
    /// The URL, without secrets.
    pub(super) shown: String,
    pub(super) time_max: Duration,
}

impl Report<'_> {
    /// A call that cannot be made.
    pub(super) fn not_sent(&self, why: String) -> Fault {
        let message = format!("`{}` was not called: {why}", self.binding.id);
        detailed(FaultKind::Tool, message, self.details()).with_happened(Happened::No)
    }

    /// A request without an answer.
    pub(super) fn unanswered(&self, error: &HttpError) -> Fault {
        let Binding { id, .. } = self.binding;
        let (kind, message) = match &error.why {
            Why::TimedOut { .. } => {
                let message = format!("`{id}` took longer than {:?}", self.time_max);
                (FaultKind::Timeout, message)
            }
            Why::Refused(refused) => (FaultKind::Tool, format!("`{id}` was not called: {refused}")),
            why => (FaultKind::Tool, format!("`{id}` failed: {why}")),
        };
        let happened = match self.binding.contract.touches {
            Touches::Write => error.happened(),
            _ => Happened::No,
        };
        detailed(kind, message, self.details()).with_happened(happened)
    }

    /// What an answer means.
    pub(super) fn read(&self, answer: Incoming, revealed: &Revealed) -> Result<Value, Fault> {
        let Incoming { status, headers, body } = answer;
        let body = self.body(&headers, body, revealed)?;
        match self.binding.wanted {
            Wanted::Whole => Ok(Value::map([
                ("status", Value::Int(status.as_u16().into())),
                ("headers", kept(&headers)),
                ("body", body),
            ])),
            Wanted::Body if status.is_success() => Ok(body),
            Wanted::Body => Err(self.failed(status, &headers, revealed.hide_in(body))),
        }
    }

    /// JSON where it says so and is it, otherwise text; nothing is null.
    fn body(
        &self,
        headers: &HeaderMap,
        body: Vec<u8>,
        revealed: &Revealed,
    ) -> Result<Value, Fault> {
        let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
        let length = body.len();
        let text = match String::from_utf8(body) {
            Ok(text) => text,
            // Each of its bytes is the letter of the same number.
            Err(latin) if charset(kind).is_some_and(is_latin) => {
                latin.as_bytes().iter().map(|byte| char::from(*byte)).collect()
            }
            Err(_) => {
                let kind: String = revealed.hide(kind).chars().take(SHOWN_MAX).collect();
                let (id, kind) = (&self.binding.id, plain(&kind));
                let message =
                    format!("the answer of `{id}` is no text: {length} bytes of `{kind}`");
                let fault = detailed(FaultKind::Tool, message, self.details());
                return Err(fault.with_happened(self.binding.contract.lost()));
            }
        };
        if text.is_empty() {
            return Ok(Value::Null);
        }
        let read = is_json(kind).then(|| json::parse(&text).ok()).flatten();
        Ok(read.unwrap_or_else(|| Value::text(text)))
    }

    /// The server says itself that it failed.
    ///
    /// INVARIANT: the body has no secrets, so that cutting it leaves no half of one.
    fn failed(&self, status: StatusCode, headers: &HeaderMap, body: Value) -> Fault {
        let id = &self.binding.id;
        let text = match body {
            Value::Null => "".into(),
            Value::Text(text) => text,
            other => Text::from(json::compact(&other)),
        };
        let start = text.trim().chars().take(SHOWN_MAX).collect::<String>();
        let said = if start.is_empty() { String::new() } else { format!(": {}", plain(&start)) };
        let message = format!("`{id}` answered {status}{said}");
        let mut fault = detailed(FaultKind::Tool, message, self.details())
            .with_detail("status", Value::Int(status.as_u16().into()))
            .with_detail("body", Value::text(text.chars().take(KEPT_MAX).collect::<String>()));
        if let Some(after) = headers.get(RETRY_AFTER).and_then(|after| after.to_str().ok()) {
            fault = fault.with_detail("retry_after", Value::text(after));
        }
        match status.as_u16() {
            // Somebody between gave up waiting: what the server itself did, nobody knows.
            408 | 502 | 504 => fault.with_happened(self.binding.contract.lost()),
            // It is being done for an earlier attempt, or was.
            409 => fault.reported().with_happened(self.binding.contract.lost()),
            400..=499 => fault.reported().with_happened(Happened::No),
            _ => fault.reported().with_happened(self.binding.contract.lost()),
        }
    }

    fn details(&self) -> [(&'static str, Value); 2] {
        let request = format!("{} {}", self.binding.method, self.shown);
        [("tool", Value::Text(self.binding.id.clone())), ("request", Value::text(request))]
    }
}

/// How long to wait before a request is sent again, where the server says so and it may be. One
/// that came too often (429) was sent back, and has not happened; one that met a server out of
/// service (503) may have, so that it is sent again only if it can be.
pub(super) fn later(answer: &Incoming, again: Again) -> Option<Duration> {
    let may_be = match answer.status {
        StatusCode::TOO_MANY_REQUESTS => true,
        StatusCode::SERVICE_UNAVAILABLE => again != Again::ByAsking,
        _ => false,
    };
    retry_after(&answer.headers).filter(|_| may_be)
}

fn kept(headers: &HeaderMap) -> Value {
    let found = HEADERS.iter().filter_map(|name| {
        let value = headers.get(*name)?.to_str().ok()?;
        Some((Text::from(*name), Value::text(value)))
    });
    found.collect::<Map>().into()
}

/// `application/json` and whatever is written in JSON, such as `application/problem+json`.
fn is_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind.ends_with("/json") || kind.ends_with("+json")
}

fn charset(kind: &str) -> Option<&str> {
    let parameters = kind.split(';').skip(1).filter_map(|one| one.split_once('='));
    let mut charsets = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    charsets.next().map(|(_, charset)| charset.trim().trim_matches('"'))
}

fn is_latin(charset: &str) -> bool {
    ["iso-8859-1", "latin1"].iter().any(|latin| charset.eq_ignore_ascii_case(latin))
}
