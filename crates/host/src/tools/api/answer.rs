//! From what a server answers to the value of a call, or to its failure.

use std::time::{Duration, Instant};

use diagnostics::plain;
use graph::{Again, Touches};
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Method, StatusCode};
use runtime::{Fault, FaultKind, Happened};
use value::{Map, Text, Value, json};

use super::Wanted;
use crate::adapter::Contract;
use crate::http::{Client, HttpError, Incoming, Outgoing, Why, retry_after};
use crate::secrets::Revealed;
use crate::tools::detailed;

/// How much of an answer goes into the message of a failure, in characters.
const SHOWN_MAX: usize = 200;

/// How much of it goes into its details.
const KEPT_MAX: usize = 4_000;

/// The headers of an answer that mean something to whoever asked.
const HEADERS: &[&str] =
    &["content-type", "etag", "last-modified", "link", "location", "retry-after"];

/// How often a request is sent again that was sent back for later.
const AGAIN_MAX: u32 = 3;

/// Puts into words what became of a call.
pub(crate) struct Report<'a> {
    pub(crate) id: &'a Text,
    pub(crate) method: &'a Method,
    /// The URL, without secrets.
    pub(crate) shown: String,
    pub(crate) contract: Contract,
    pub(crate) wanted: Wanted,
    pub(crate) time_max: Duration,
}

impl Report<'_> {
    /// Sends a request, again where it is sent back for later, and reads the answer.
    pub(crate) async fn exchange(
        &self,
        client: &Client,
        request: Outgoing,
        revealed: &Revealed,
    ) -> Result<Value, Fault> {
        let began = Instant::now();
        let mut again = 0;
        loop {
            let left = self.time_max.saturating_sub(began.elapsed());
            let answer = client.send_within(request.clone(), left).await;
            let answer = answer.map_err(|error| self.unanswered(&error))?;
            let left = self.time_max.saturating_sub(began.elapsed());
            match later(&answer, self.contract.again) {
                Some(wait) if again < AGAIN_MAX && wait < left => {
                    again += 1;
                    tokio::time::sleep(wait).await;
                }
                _ => return self.read(answer, revealed),
            }
        }
    }

    /// A call that cannot be made.
    pub(crate) fn not_sent(&self, why: String) -> Fault {
        let message = format!("`{}` was not called: {why}", self.id);
        detailed(FaultKind::Tool, message, self.details()).with_happened(Happened::No)
    }

    /// A request without an answer.
    fn unanswered(&self, error: &HttpError) -> Fault {
        let id = self.id;
        let (kind, message) = match &error.why {
            Why::TimedOut { .. } => {
                let message = format!("`{id}` took longer than {:?}", self.time_max);
                (FaultKind::Timeout, message)
            }
            Why::Refused(refused) => (FaultKind::Tool, format!("`{id}` was not called: {refused}")),
            why => (FaultKind::Tool, format!("`{id}` failed: {why}")),
        };
        let happened = match self.contract.touches {
            Touches::Write => error.happened(),
            _ => Happened::No,
        };
        detailed(kind, message, self.details()).with_happened(happened)
    }

    /// What an answer means.
    fn read(&self, answer: Incoming, revealed: &Revealed) -> Result<Value, Fault> {
        let Incoming { status, headers, body } = answer;
        let body = self.body(&headers, body, revealed)?;
        match self.wanted {
            Wanted::WholeIfFine if !status.is_success() => {
                Err(self.failed(status, &headers, revealed.hide_in(body)))
            }
            Wanted::Whole | Wanted::WholeIfFine => Ok(Value::map([
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
                let (id, kind) = (self.id, plain(&kind));
                let message =
                    format!("the answer of `{id}` is no text: {length} bytes of `{kind}`");
                let fault = detailed(FaultKind::Tool, message, self.details());
                return Err(fault.with_happened(self.contract.lost()));
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
        let id = self.id;
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
            408 | 502 | 504 => fault.with_happened(self.contract.lost()),
            // It is being done for an earlier attempt, or was.
            409 => fault.reported().with_happened(self.contract.lost()),
            400..=499 => fault.reported().with_happened(Happened::No),
            _ => fault.reported().with_happened(self.contract.lost()),
        }
    }

    fn details(&self) -> [(&'static str, Value); 2] {
        let request = format!("{} {}", self.method, self.shown);
        [("tool", Value::Text(self.id.clone())), ("request", Value::text(request))]
    }
}

/// How long to wait before a request is sent again, where the server says so and it may be. One
/// that came too often (429) was sent back, and has not happened; one that met a server out of
/// service (503) may have, so that it is sent again only if it can be.
fn later(answer: &Incoming, again: Again) -> Option<Duration> {
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
