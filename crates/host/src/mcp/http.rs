//! A server behind an address: streamable HTTP.
//!
//! What the library would read without a bound is read here within [`Limits`]. No redirect is
//! followed: whoever may answer is written in `quipu.toml`, and its credentials go nowhere else.

use std::borrow::Cow;
use std::collections::HashMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::common::http_header::{HEADER_LAST_EVENT_ID, HEADER_SESSION_ID};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};

use super::limits::Limits;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// How long it may take until somebody answers the telephone at all.
const CONNECTING_MAX: Duration = Duration::from_secs(10);

/// How often a stream that broke is taken up again, and after which time first. Then a server that
/// was killed is known to be gone, and the call that waits for it fails.
const RECONNECTS_MAX: usize = 2;
const RECONNECTING: Duration = Duration::from_millis(100);

/// How much of an answer that is an error is shown, in bytes.
const SHOWN_MAX: usize = 300;

type Headers = HashMap<HeaderName, HeaderValue>;
type HttpError = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// The way to a server.
pub(super) fn transport(
    url: &str,
    headers: Headers,
    limits: Arc<Limits>,
) -> Result<StreamableHttpClientTransport<Bounded>, reqwest::Error> {
    crate::http::use_ring();
    // Not the client of `crate::http`: a server elsewhere may only be reached by the proxy that the
    // environment names, which that one never asks.
    let mut builder = Client::builder();
    if is_here(url) {
        // Whatever the environment says of proxies: this machine is reached without one.
        builder = builder.no_proxy();
    }
    let client = builder
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(CONNECTING_MAX)
        // A connection that is kept may have been closed by a server that was started again.
        .pool_max_idle_per_host(0)
        .build()?;
    let mut reconnecting = ExponentialBackoff::default();
    reconnecting.max_times = Some(RECONNECTS_MAX);
    reconnecting.base_duration = RECONNECTING;
    let mut config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(headers)
        // A new session may be with somebody else: what it offers is looked at first.
        .reinit_on_expired_session(false);
    config.retry_config = Arc::new(reconnecting);
    Ok(StreamableHttpClientTransport::with_client(Bounded { client, limits }, config))
}

/// Whether an address is on this machine.
fn is_here(url: &str) -> bool {
    let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let host = host.unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Asks over HTTP, and reads no more than may be said.
#[derive(Clone)]
pub(super) struct Bounded {
    client: Client,
    limits: Arc<Limits>,
}

impl Bounded {
    fn request(
        &self,
        builder: RequestBuilder,
        session: Option<&str>,
        headers: Headers,
    ) -> RequestBuilder {
        let session = session.map(|session| (HEADER_SESSION_ID, session));
        let builder =
            session.into_iter().fold(builder, |builder, (name, value)| builder.header(name, value));
        headers.into_iter().fold(builder, |builder, (name, value)| builder.header(name, value))
    }

    fn events(&self, response: Response) -> Events {
        let pieces = Pieces {
            from: response.bytes_stream().boxed(),
            length: 0,
            limits: Arc::clone(&self.limits),
            was_empty: false,
        };
        SseStream::from_bytes_stream(pieces).boxed()
    }

    /// All of an answer, within limits.
    async fn body(&self, mut response: Response) -> Result<Vec<u8>, HttpError> {
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await? {
            self.limits.length(body.len() + piece.len()).map_err(|exceeded| {
                StreamableHttpError::UnexpectedServerResponse(exceeded.to_string().into())
            })?;
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    /// An answer that is no success, in words.
    async fn refused(&self, response: Response) -> HttpError {
        let status = response.status();
        if status.is_redirection() {
            return unexpected(format!(
                "it answers {status}, which would lead elsewhere; write the address that counts"
            ));
        }
        let body = self.body(response).await.unwrap_or_default();
        let body = String::from_utf8_lossy(&body[..body.len().min(SHOWN_MAX)]).into_owned();
        unexpected(format!("it answers {status}: {}", body.trim()))
    }
}

fn unexpected(what: String) -> HttpError {
    StreamableHttpError::UnexpectedServerResponse(Cow::Owned(what))
}

fn is(response: &Response, kind: &str) -> bool {
    let given = response.headers().get(CONTENT_TYPE);
    given.is_some_and(|given| given.as_bytes().starts_with(kind.as_bytes()))
}

impl StreamableHttpClient for Bounded {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let wants_answer = matches!(message, JsonRpcMessage::Request(_));
        let request = self.client.post(&*uri).header(ACCEPT, format!("{EVENTS}, {JSON}"));
        let request = self.request(request, session.as_deref(), headers).json(&message);
        let response = request.send().await?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && session.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        let given = response.headers().get(HEADER_SESSION_ID);
        let given = given.and_then(|id| id.to_str().ok()).map(str::to_owned);
        if status.is_success() && is(&response, EVENTS) {
            return Ok(StreamableHttpPostResponse::Sse(self.events(response), given));
        }
        if !is(&response, JSON) {
            return match status.is_success() && !wants_answer {
                true => Ok(StreamableHttpPostResponse::Accepted),
                false => Err(self.refused(response).await),
            };
        }
        let body = self.body(response).await?;
        match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            // A refusal may be said in the words of the protocol.
            Ok(message @ JsonRpcMessage::Error(_)) => {
                Ok(StreamableHttpPostResponse::Json(message, given))
            }
            Ok(message) if status.is_success() => {
                Ok(StreamableHttpPostResponse::Json(message, given))
            }
            _ if status.is_success() && !wants_answer => Ok(StreamableHttpPostResponse::Accepted),
            _ => {
                let body = String::from_utf8_lossy(&body[..body.len().min(SHOWN_MAX)]).into_owned();
                Err(unexpected(format!("it answers {status}: {}", body.trim())))
            }
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<(), HttpError> {
        let request = self.request(self.client.delete(&*uri), Some(&session), headers);
        // Not every server can; then the session ends when it has been quiet for long.
        request.send().await?;
        Ok(())
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<Events, HttpError> {
        let mut request = self.client.get(&*uri).header(ACCEPT, EVENTS);
        if let Some(last) = last {
            request = request.header(HEADER_LAST_EVENT_ID, last);
        }
        let response = self.request(request, session.as_deref(), headers).send().await?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(StreamableHttpError::ServerDoesNotSupportSse),
            status if status.is_success() && is(&response, EVENTS) => Ok(self.events(response)),
            _ => Err(self.refused(response).await),
        }
    }
}

/// The pieces of a stream of events, within limits.
struct Pieces<S> {
    from: S,
    limits: Arc<Limits>,
    /// How long the event is so far.
    length: usize,
    /// Whether the last line is empty so far: one more end of line ends the event.
    was_empty: bool,
}

impl<S, B> Stream for Pieces<S>
where
    S: Stream<Item = Result<B, reqwest::Error>> + Unpin,
    B: AsRef<[u8]> + Unpin,
{
    type Item = Result<B, std::io::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = match ready!(self.from.poll_next_unpin(context)) {
            Some(Ok(piece)) => piece,
            Some(Err(error)) => return Poll::Ready(Some(Err(std::io::Error::other(error)))),
            None => return Poll::Ready(None),
        };
        let seen = self.see(piece.as_ref()).map(|()| piece);
        Poll::Ready(Some(seen.map_err(std::io::Error::other)))
    }
}

impl<S> Pieces<S> {
    fn see(&mut self, bytes: &[u8]) -> Result<(), super::limits::Exceeded> {
        for byte in bytes {
            self.length += 1;
            match byte {
                b'\n' if self.was_empty => self.length = 0,
                b'\n' => self.was_empty = true,
                b'\r' => {}
                _ => self.was_empty = false,
            }
        }
        self.limits.length(self.length)
    }
}
