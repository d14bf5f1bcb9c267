//! The server.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use axum::routing::{get, post};
use futures_util::stream;
use serde_json::{Value as Json, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::script::{Act, Failing, Said};
use crate::{Protocol, Seen, anthropic, gemini, openai, packed};

/// How long a server hangs at most: tests that wait longer have failed.
const HANG: Duration = Duration::from_secs(120);

/// A model on loopback. It ends when it is dropped.
pub struct Model {
    address: SocketAddr,
    desk: Arc<Desk>,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

type Rule = Box<dyn Fn(&Seen) -> Act + Send + Sync>;

struct Desk {
    rule: Rule,
    key: Option<String>,
    streams: bool,
    seen: Mutex<Vec<Seen>>,
    left: AtomicUsize,
}

/// Waits with somebody who may leave.
struct Waiting(Arc<Desk>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.left.fetch_add(1, Ordering::Relaxed);
    }
}

impl Model {
    /// One that does what a rule says of each request.
    pub fn start(rule: impl Fn(&Seen) -> Act + Send + Sync + 'static) -> Model {
        Model::on(
            0,
            Desk {
                rule: Box::new(rule),
                key: None,
                streams: true,
                seen: Mutex::default(),
                left: AtomicUsize::new(0),
            },
        )
    }

    /// The same, which refuses requests without this key, and echoes the wrong one.
    pub fn with_key(key: &str, rule: impl Fn(&Seen) -> Act + Send + Sync + 'static) -> Model {
        let key = Some(key.to_owned());
        Model::on(
            0,
            Desk {
                rule: Box::new(rule),
                key,
                streams: true,
                seen: Mutex::default(),
                left: AtomicUsize::new(0),
            },
        )
    }

    /// One that cannot send answers as they come, and sends all of them at once.
    pub fn without_streams(acts: impl IntoIterator<Item = Act>) -> Model {
        let rule = in_order(acts);
        Model::on(
            0,
            Desk {
                rule,
                key: None,
                streams: false,
                seen: Mutex::default(),
                left: AtomicUsize::new(0),
            },
        )
    }

    /// One that does these things in their order. What comes after them is refused.
    pub fn script(acts: impl IntoIterator<Item = Act>) -> Model {
        Model::scripted_on(0, acts)
    }

    /// The same on a port; 0 is any.
    pub fn scripted_on(port: u16, acts: impl IntoIterator<Item = Act>) -> Model {
        let rule = in_order(acts);
        Model::on(
            port,
            Desk {
                rule,
                key: None,
                streams: true,
                seen: Mutex::default(),
                left: AtomicUsize::new(0),
            },
        )
    }

    fn on(port: u16, desk: Desk) -> Model {
        let desk = Arc::new(desk);
        let (end, ended) = oneshot::channel();
        let (tell, told) = mpsc::channel();
        let router = router(Arc::clone(&desk));
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("there is room for a thread").block_on(async move {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
                let listener = listener.expect("the port is free");
                let address = listener.local_addr().expect("it is bound");
                let _ = tell.send(address);
                tokio::select! {
                    served = axum::serve(listener, router) => served.expect("it serves until it ends"),
                    _ = ended => {}
                }
            });
        });
        let address = told.recv().expect("it says where it is");
        Model { address, desk, end: Some(end), thread: Some(thread) }
    }

    /// Where it is: the base address for Anthropic's and Gemini's protocols.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The base address for OpenAI's protocol.
    pub fn openai(&self) -> String {
        format!("{}/v1", self.url())
    }

    /// The base address for a protocol.
    pub fn base(&self, protocol: Protocol) -> String {
        if protocol == Protocol::OpenAi { self.openai() } else { self.url() }
    }

    /// Everything that it was asked.
    pub fn seen(&self) -> Vec<Seen> {
        self.desk.lock().clone()
    }

    /// How many left while it let them wait.
    pub fn left(&self) -> usize {
        self.desk.left.load(Ordering::Relaxed)
    }

    /// Everything that real providers would have complained about.
    pub fn complaints(&self) -> Vec<String> {
        self.seen().into_iter().filter_map(|seen| seen.complaint).collect()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // What went wrong there was seen by whoever asked.
            let _ = thread.join();
        }
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Vec<Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn in_order(acts: impl IntoIterator<Item = Act>) -> Rule {
    let acts: Mutex<VecDeque<Act>> = Mutex::new(acts.into_iter().collect());
    Box::new(move |_| {
        let next = acts.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        next.unwrap_or_else(|| Act::status(400, "the script is over"))
    })
}

fn router(desk: Arc<Desk>) -> Router {
    let models = || async { axum::Json(json!({"data": [], "models": []})) };
    Router::new()
        .route("/v1/chat/completions", post(chat))
        .route("/v1/messages", post(messages))
        .route("/v1beta/models/{call}", post(generate))
        .route("/v1/models", get(models))
        .route("/v1beta/models", get(models))
        .with_state(desk)
}

async fn chat(desk: State<Arc<Desk>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    answer(desk.0, Protocol::OpenAi, uri, headers, body).await
}

async fn messages(desk: State<Arc<Desk>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    answer(desk.0, Protocol::Anthropic, uri, headers, body).await
}

async fn generate(
    desk: State<Arc<Desk>>,
    _: Path<String>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    answer(desk.0, Protocol::Gemini, uri, headers, body).await
}

async fn answer(
    desk: Arc<Desk>,
    protocol: Protocol,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let seen = look(&desk, protocol, &uri, &headers, &body);
    desk.lock().push(seen.clone());
    let given = key_of(protocol, &seen.headers);
    if let Some(key) = desk.key.as_ref().filter(|key| given.as_ref() != Some(key)) {
        let shown = given.unwrap_or_default();
        let _ = key;
        return refusal(401, json!({"error": {"message": format!("wrong key: {shown}")}}), &[]);
    }
    if let Some(complaint) = &seen.complaint {
        let message = format!("malformed request: {complaint}");
        return refusal(400, json!({"error": {"message": message}}), &[]);
    }
    let is_stream = seen.is_stream && desk.streams;
    match (desk.rule)(&seen) {
        Act::Say(said) => say(protocol, *said, is_stream, seen.nth),
        Act::Fail(Failing::Hangs) => {
            // Dropped with this future as soon as the connection is.
            let _waiting = Waiting(desk);
            tokio::time::sleep(HANG).await;
            refusal(500, json!({}), &[])
        }
        Act::Fail(failing) => fail(protocol, failing, is_stream, seen.nth),
    }
}

fn look(desk: &Desk, protocol: Protocol, uri: &Uri, headers: &HeaderMap, body: &Bytes) -> Seen {
    let headers: BTreeMap<String, String> = headers
        .iter()
        .map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect();
    let body: Json = serde_json::from_slice(body).unwrap_or_default();
    let path = uri.to_string();
    let complaint = match protocol {
        Protocol::OpenAi => openai::complaint(&body),
        Protocol::Anthropic => anthropic::complaint(&headers, &body),
        Protocol::Gemini => gemini::complaint(&path, &body),
    };
    let is_stream = match protocol {
        Protocol::Gemini => path.contains(":streamGenerateContent"),
        _ => body.get("stream") == Some(&Json::Bool(true)),
    };
    let nth = desk.lock().len() + 1;
    Seen { nth, protocol, path, headers, body, is_stream, complaint: complaint.err() }
}

fn key_of(protocol: Protocol, headers: &BTreeMap<String, String>) -> Option<String> {
    match protocol {
        Protocol::OpenAi => {
            headers.get("authorization").map(|it| it.trim_start_matches("Bearer ").to_owned())
        }
        Protocol::Anthropic => headers.get("x-api-key").cloned(),
        Protocol::Gemini => headers.get("x-goog-api-key").cloned(),
    }
}

fn frames(protocol: Protocol, said: &Said, nth: usize) -> Vec<String> {
    match protocol {
        Protocol::OpenAi => openai::frames(said, nth),
        Protocol::Anthropic => anthropic::frames(said, nth),
        Protocol::Gemini => gemini::frames(said, nth),
    }
}

fn whole(protocol: Protocol, said: &Said, nth: usize) -> Json {
    match protocol {
        Protocol::OpenAi => openai::whole(said, nth),
        Protocol::Anthropic => anthropic::whole(said, nth),
        Protocol::Gemini => gemini::whole(said, nth),
    }
}

fn say(protocol: Protocol, said: Said, is_stream: bool, nth: usize) -> Response {
    let pieces = match is_stream {
        true => frames(protocol, &said, nth),
        false => vec![whole(protocol, &said, nth).to_string()],
    };
    let pause = said.pause;
    let pieces = stream::unfold(pieces.into_iter(), move |mut left| async move {
        let piece = left.next()?;
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        Some((Ok::<_, Infallible>(piece), left))
    });
    response(200, kind(is_stream), &[], Body::from_stream(pieces))
}

fn kind(is_stream: bool) -> &'static str {
    if is_stream { "text/event-stream" } else { "application/json" }
}

fn fail(protocol: Protocol, failing: Failing, is_stream: bool, nth: usize) -> Response {
    match failing {
        Failing::Status(status, body, headers) => refusal(status, body, &headers),
        Failing::Garbage(kind, body) => response(200, &kind, &[], Body::from(body)),
        Failing::Dropped(said) => {
            let text = match is_stream {
                true => frames(protocol, &said, nth).concat(),
                false => whole(protocol, &said, nth).to_string(),
            };
            let half: String = text.chars().take(text.chars().count() / 2).collect();
            let broken = std::io::Error::other("broken off");
            // Flushed before it breaks, so that the half arrives.
            let pieces = stream::unfold((Some(half), Some(broken)), |(half, broken)| async move {
                match (half, broken) {
                    (Some(half), broken) => Some((Ok(half), (None, broken))),
                    (None, Some(broken)) => {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        Some((Err(broken), (None, None)))
                    }
                    (None, None) => None,
                }
            });
            response(200, kind(is_stream), &[], Body::from_stream(pieces))
        }
        Failing::Hangs => unreachable!("it never gets so far"),
        Failing::Endless => {
            let frame = match protocol {
                Protocol::OpenAi => openai::frame("x".repeat(65536).as_str()),
                Protocol::Anthropic => anthropic::frame("x".repeat(65536).as_str()),
                Protocol::Gemini => gemini::frame("x".repeat(65536).as_str()),
            };
            endless(200, kind(is_stream), frame)
        }
        Failing::EndlessLine => endless(200, kind(is_stream), "x".repeat(65536)),
        Failing::EndlessError(status) => endless(status, "application/json", "x".repeat(65536)),
        Failing::Packed => {
            let packed = [("content-encoding".to_owned(), "gzip".to_owned())];
            response(200, kind(is_stream), &packed, Body::from(packed::gibibyte()))
        }
    }
}

fn endless(status: u16, kind: &str, piece: String) -> Response {
    let pieces = stream::repeat_with(move || Ok::<_, Infallible>(piece.clone()));
    response(status, kind, &[], Body::from_stream(pieces))
}

fn refusal(status: u16, body: Json, headers: &[(String, String)]) -> Response {
    response(status, "application/json", headers, Body::from(body.to_string()))
}

fn response(status: u16, kind: &str, headers: &[(String, String)], body: Body) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut builder = Response::builder().status(status).header("content-type", kind);
    for (name, value) in headers {
        builder = builder.header(name, value);
    }
    builder.body(body).expect("the headers of tests are right")
}
