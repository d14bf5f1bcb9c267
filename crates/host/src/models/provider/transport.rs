//! Sends a question, and reads what comes back: never more than an answer can have.
//!
//! A server is not trusted with our memory. Whatever it sends is counted as it comes, before
//! anybody looks for an end in it, and nothing of it is unpacked.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Response};
use serde_json::Value as Json;

use super::answer::{BYTES_MAX, VALUES_MAX};
use super::ask::{Asked, headers, url};
use super::retry::{Trouble, refused, unreachable, unsent};
use crate::models::named::Target;

/// So much of what is no answer is read: enough to say what it is.
const ERROR_MAX: usize = 64 << 10;

/// How long a server may take to end after it said that nothing more comes. Only then can its
/// connection be used again.
const ENDING_MAX: Duration = Duration::from_millis(50);

/// How long a server may take to take up the phone.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// How long a connection that nobody uses is kept.
const IDLE_MAX: Duration = Duration::from_secs(90);

/// One client for everybody: it keeps connections by address.
pub(super) fn connect() -> Result<Client, String> {
    crate::http::use_ring();
    let builder = Client::builder()
        .connect_timeout(CONNECT_MAX)
        .pool_idle_timeout(IDLE_MAX)
        .tcp_nodelay(true)
        // A key must not follow whoever moves.
        .redirect(reqwest::redirect::Policy::none())
        // A little that is packed can be very much: nobody is told that we could unpack it.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .user_agent(concat!("quipu/", env!("CARGO_PKG_VERSION")));
    builder.build().map_err(|error| format!("no connection can be made: {error}"))
}

/// The whole answer, at once.
pub(super) async fn whole(client: &Client, target: &Target, asked: Asked) -> Result<Json, Trouble> {
    let response = send(client, target, asked).await?;
    let kind = content_type(response.headers());
    if !kind.starts_with("application/json") {
        let body = beginning(response).await;
        let kind = if kind.is_empty() { "no content type" } else { &kind };
        return Err(Trouble::garbage(&format!("it is {kind} and no JSON: {}", start(&body))));
    }
    if response.content_length().is_some_and(|length| length > BYTES_MAX as u64) {
        return Err(Trouble::too_large());
    }
    let mut pieces = Bounded::of(response);
    let mut body = Vec::new();
    while pieces.next(|piece| body.extend_from_slice(piece)).await? {}
    read(&body)
}

/// The answer as it comes.
pub(super) async fn frames(
    client: &Client,
    target: &Target,
    asked: Asked,
) -> Result<Frames, Trouble> {
    let response = send(client, target, asked).await?;
    Ok(Frames { pieces: Bounded::of(response), lines: Lines::default(), is_over: false })
}

async fn send(client: &Client, target: &Target, asked: Asked) -> Result<Response, Trouble> {
    let mut request = client.post(url(target, asked.mode)).header(CONTENT_TYPE, "application/json");
    for (name, value) in headers(target) {
        request = request.header(name, value);
    }
    let sent = request.body(asked.body).send().await;
    let response = sent.map_err(|error| match error.is_connect() {
        true => unreachable(target, &error),
        false => unsent(&error),
    })?;
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let headers = response.headers().clone();
    Err(refused(target, status.as_u16(), &beginning(response).await, &headers))
}

fn content_type(headers: &HeaderMap) -> String {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.unwrap_or_default().chars().take(100).collect()
}

/// How something that is no answer begins. If it breaks off, what came before is said.
async fn beginning(mut response: Response) -> String {
    let mut body = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        body.extend_from_slice(&piece[..piece.len().min(ERROR_MAX - body.len())]);
        if body.len() == ERROR_MAX {
            break;
        }
    }
    String::from_utf8_lossy(&body).into_owned()
}

/// JSON from outside: a value takes far more room in memory than the letter that says it.
pub(super) fn read(body: &[u8]) -> Result<Json, Trouble> {
    if values(body) > VALUES_MAX {
        return Err(Trouble::too_many());
    }
    let unreadable = |error| {
        let body = String::from_utf8_lossy(&body[..body.len().min(ERROR_MAX)]);
        Trouble::garbage(&format!("it is no JSON ({error}): {}", start(&body)))
    };
    serde_json::from_slice(body).map_err(unreadable)
}

/// About how many values a JSON text has: at most one for each comma and bracket outside of texts.
fn values(body: &[u8]) -> usize {
    let (mut count, mut in_text, mut is_escaped) = (1, false, false);
    for byte in body {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_text,
            b'"' => in_text = !in_text,
            b',' | b'[' | b'{' if !in_text => count += 1,
            _ => {}
        }
    }
    count
}

/// How a text begins, or that it does not.
fn start(body: &str) -> String {
    let text: String = body.trim().chars().take(super::retry::MESSAGE_MAX).collect();
    if text.is_empty() { "nothing at all".to_owned() } else { text }
}

/// A body of which only so much is taken.
struct Bounded {
    response: Response,
    taken: usize,
}

impl Bounded {
    fn of(response: Response) -> Bounded {
        Bounded { response, taken: 0 }
    }

    /// Hands on the next piece; false when there is none.
    async fn next(&mut self, take: impl FnOnce(&[u8])) -> Result<bool, Trouble> {
        let piece = self.response.chunk().await.map_err(|error| unsent(&error))?;
        let Some(piece) = piece else { return Ok(false) };
        self.taken += piece.len();
        if self.taken > BYTES_MAX {
            return Err(Trouble::too_large());
        }
        take(&piece);
        Ok(true)
    }
}

/// What a server sends piece by piece (server-sent events).
pub(super) struct Frames {
    pieces: Bounded,
    lines: Lines,
    is_over: bool,
}

impl Frames {
    /// The data of the next one; none when there are no more.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, Trouble> {
        loop {
            if let Some(data) = self.lines.frame() {
                return Ok(Some(data));
            }
            if self.is_over {
                return Ok(None);
            }
            if !self.pieces.next(|piece| self.lines.take(piece)).await? {
                self.is_over = true;
                // Some servers forget the line after the last one.
                self.lines.take(b"\n\n");
            }
        }
    }

    /// Everything was said: waits a moment for the end, for the sake of the connection.
    pub(super) async fn end(mut self) {
        let rest = async { while let Ok(true) = self.pieces.next(|_| {}).await {} };
        let _ = tokio::time::timeout(ENDING_MAX, rest).await;
    }
}

/// Lines, put together into frames. Its size is that of what came: whoever gives it bytes counts.
#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    /// Where the line begins that nobody has read.
    begin: usize,
    /// Up to where it has no end.
    seen: usize,
    data: Option<Vec<u8>>,
}

impl Lines {
    fn take(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.begin);
        self.seen -= self.begin;
        self.begin = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The data of the next frame that is whole.
    fn frame(&mut self) -> Option<Vec<u8>> {
        loop {
            let rest = &self.bytes[self.seen..];
            let Some(length) = rest.iter().position(|byte| *byte == b'\n') else {
                self.seen = self.bytes.len();
                return None;
            };
            let end = self.seen + length;
            let line = &self.bytes[self.begin..end];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            (self.begin, self.seen) = (end + 1, end + 1);
            if line.is_empty() {
                match self.data.take() {
                    Some(data) => return Some(data),
                    None => continue,
                }
            }
            // Anything else (`event:`, `id:`, comments) says nothing that the data does not.
            let Some(more) = line.strip_prefix(b"data:") else { continue };
            let more = more.strip_prefix(b" ").unwrap_or(more);
            match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(more);
                }
                None => self.data = Some(more.to_vec()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_found_however_they_are_cut() {
        let text =
            b": hello\r\nevent: x\r\ndata: {\"a\":\r\ndata:1}\r\n\r\n\n\nid: 3\ndata: [DONE]\n\n";
        for size in 1..text.len() {
            let mut lines = Lines::default();
            let mut found = Vec::new();
            for piece in text.chunks(size) {
                lines.take(piece);
                found.extend(std::iter::from_fn(|| lines.frame()));
            }
            assert_eq!(found, [b"{\"a\":\n1}".to_vec(), b"[DONE]".to_vec()], "in pieces of {size}");
        }
    }

    #[test]
    fn values_are_counted_outside_of_texts() {
        for (text, count) in [
            ("1", 1),
            (r#""a,b[{\",""#, 1),
            ("[1, 2, 3]", 4),
            (r#"{"a": [], "b": {"c\\": 1}}"#, 5),
            (r#"{"\\": ","}"#, 2),
        ] {
            assert_eq!(values(text.as_bytes()), count, "{text}");
        }
        let many = format!("[{}0]", "0,".repeat(VALUES_MAX));
        assert!(read(many.as_bytes()).is_err());
    }
}
