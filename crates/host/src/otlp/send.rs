//! Sends spans, and waits no longer than it may.

use std::time::Duration;

use diagnostics::plain;
use history::spans::Trace;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Response, StatusCode};
use tokio::time::Instant;
use value::{Value, json};

use super::collector::Collector;
use super::encode::requests;
use crate::http::{Allowed, Client, HttpLimits, retry_after};

/// So much is sent at once: collectors take more, but none takes everything.
const SPANS_MAX: usize = 512;
const BYTES_MAX: usize = 1 << 20;

/// A collector that answers more than this is none.
const ANSWER_MAX: usize = 1 << 16;

/// As much of an answer as anybody wants to read.
const SHOWN_MAX: usize = 200;

/// How often the same is sent to a collector that is busy, and to one that hangs up; and how long
/// it is waited between, where the collector says nothing.
const BUSY_MAX: u32 = 5;
const BROKEN_MAX: u32 = 2;
const BACKOFF: Duration = Duration::from_millis(500);

/// What became of the spans.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sent {
    /// How many were sent.
    pub spans: usize,
    /// How many the collector did not want.
    pub rejected: usize,
    /// What it says about that.
    pub said: Option<String>,
}

/// Why spans could not be sent, or not all of them. None of these says what a header holds.
#[derive(Debug, thiserror::Error)]
pub enum NotSent {
    /// Nobody is there, or they hang up.
    #[error("`{collector}` cannot be reached")]
    Unreachable {
        /// Who.
        collector: String,
        /// Why.
        #[source]
        source: reqwest::Error,
    },
    /// It takes too long.
    #[error("`{0}` does not answer in time")]
    TooLate(String),
    /// It wants something else.
    #[error("`{collector}` answers {status}{said}")]
    Refused {
        /// Who.
        collector: String,
        /// With what.
        status: StatusCode,
        /// What it says about that, behind a colon, or what to do about it.
        said: String,
    },
    /// Nothing can be sent at all here.
    #[error("spans cannot be sent")]
    Here(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Sends all spans of a trace, within so much time. Whoever sends them again does no harm: they
/// have the same ids.
pub fn send(collector: &Collector, trace: &Trace, patience: Duration) -> Result<Sent, NotSent> {
    let here = |error: std::io::Error| NotSent::Here(error.into());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(here)?;
    let sent = runtime.block_on(all(collector, trace, patience));
    // A name that is still being looked up must not hold anybody up.
    runtime.shutdown_background();
    sent
}

async fn all(collector: &Collector, trace: &Trace, patience: Duration) -> Result<Sent, NotSent> {
    let until = Instant::now() + patience;
    // Keys go to whom the operator named, and to nobody whom that one or a variable names.
    let client = Client::new(Allowed::host_of(&collector.url), HttpLimits::default());
    let client = client.for_library(&collector.url);
    let client = client.map_err(|error| NotSent::Here(error.into()))?;
    let mut sent = Sent::default();
    for (count, body) in requests(trace, SPANS_MAX, BYTES_MAX) {
        let work = Batch { collector, client: &client, body, until };
        let answer = tokio::time::timeout_at(until, work.delivered()).await;
        let answer = answer.map_err(|_| NotSent::TooLate(collector.to_string()))??;
        sent.spans += count;
        sent.rejected += answer.rejected;
        sent.said = answer.said.or(sent.said);
    }
    Ok(sent)
}

/// A part of a trace on its way.
struct Batch<'a> {
    collector: &'a Collector,
    client: &'a reqwest::Client,
    body: String,
    until: Instant,
}

impl Batch<'_> {
    async fn delivered(&self) -> Result<Sent, NotSent> {
        let mut attempt = 1;
        loop {
            let failed = match self.attempt().await {
                Ok(sent) => return Ok(sent),
                Err(failed) => failed,
            };
            let wait = failed.wait.unwrap_or(BACKOFF * 2u32.pow(attempt - 1));
            let is_in_time = Instant::now() + wait < self.until;
            if attempt >= failed.attempts_max || !is_in_time {
                return Err(failed.why);
            }
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    async fn attempt(&self) -> Result<Sent, Failed> {
        let request = self
            .client
            .post(self.collector.url.clone())
            .headers(self.collector.headers.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(self.body.clone());
        let response = request.send().await.map_err(|error| {
            // Where nobody listens, nobody will in a moment.
            let is_final = error.is_connect() || error.is_builder();
            let attempts_max = if is_final { 1 } else { BROKEN_MAX };
            let (collector, source) = (self.collector.to_string(), error.without_url());
            Failed { why: NotSent::Unreachable { collector, source }, wait: None, attempts_max }
        })?;
        let status = response.status();
        let wait = retry_after(response.headers());
        let answer = beginning(response).await;
        if status.is_success() {
            let sent = partial(&answer);
            let said = sent.said.map(|said| self.collector.revealed.hide(&said));
            return Ok(Sent { said, ..sent });
        }
        let said = match status.is_redirection() {
            true => ": it wants the spans to go elsewhere; name that address instead".to_owned(),
            false => self.collector.revealed.hide(&told(&answer)),
        };
        // Those that the protocol says may be tried again.
        let is_busy = matches!(status.as_u16(), 429 | 502 | 503 | 504);
        let attempts_max = if is_busy { BUSY_MAX } else { 1 };
        let why = NotSent::Refused { collector: self.collector.to_string(), status, said };
        Err(Failed { why, wait, attempts_max })
    }
}

/// An attempt that came to nothing.
struct Failed {
    why: NotSent,
    /// How long the collector wants us to wait.
    wait: Option<Duration>,
    /// How often this may be tried.
    attempts_max: u32,
}

/// As much of an answer as counts. What breaks off says what it said until then: the status has
/// come already.
async fn beginning(mut response: Response) -> Vec<u8> {
    let mut answer = Vec::new();
    while answer.len() < ANSWER_MAX
        && let Ok(Some(chunk)) = response.chunk().await
    {
        answer.extend_from_slice(&chunk[..chunk.len().min(ANSWER_MAX - answer.len())]);
    }
    answer
}

/// What a collector that took the request says of spans that it did not take.
fn partial(answer: &[u8]) -> Sent {
    let read = std::str::from_utf8(answer).ok().and_then(|text| json::parse(text).ok());
    let partial = read.as_ref().and_then(|answer| answer.get("partialSuccess"));
    let rejected = match partial.and_then(|partial| partial.get("rejectedSpans")) {
        Some(Value::Int(count)) => usize::try_from(*count).unwrap_or(0),
        Some(Value::Text(count)) => count.parse().unwrap_or(0),
        _ => 0,
    };
    let said = partial.and_then(|partial| partial.get("errorMessage")?.as_text());
    let said = said.filter(|said| !said.is_empty()).map(|said| shown(said));
    Sent { spans: 0, rejected, said }
}

/// What a refusal says, behind a colon.
fn told(answer: &[u8]) -> String {
    let text = String::from_utf8_lossy(answer);
    let read = json::parse(&text).ok();
    let message = read.as_ref().and_then(|answer| answer.get("message")?.as_text());
    let said = shown(message.map_or(&*text, |message| message).trim());
    if said.is_empty() { said } else { format!(": {said}") }
}

fn shown(text: &str) -> String {
    plain(&text.chars().take(SHOWN_MAX).collect::<String>()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_may_take_only_a_part() {
        let sent = |rejected, said: Option<&str>| Sent {
            spans: 0,
            rejected,
            said: said.map(str::to_owned),
        };
        for (answer, expected) in [
            ("{}", sent(0, None)),
            ("", sent(0, None)),
            ("\u{0}", sent(0, None)),
            (r#"{"partialSuccess":{}}"#, sent(0, None)),
            (r#"{"partialSuccess":{"rejectedSpans":"2"}}"#, sent(2, None)),
            (
                r#"{"partialSuccess":{"rejectedSpans":3,"errorMessage":"full"}}"#,
                sent(3, Some("full")),
            ),
            (r#"{"partialSuccess":{"rejectedSpans":-1}}"#, sent(0, None)),
            (r#"{"partialSuccess":7}"#, sent(0, None)),
        ] {
            assert_eq!(partial(answer.as_bytes()), expected, "{answer}");
        }
    }
}
