//! The one client for everything that is spoken over HTTP.
//!
//! It asks for addresses itself, judges every one, and connects to those and no others. It follows
//! redirects itself and judges each target anew, takes nothing from the environment, unpacks
//! nothing, and gives up what is too long or takes too long.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, HeaderValue};
use reqwest::{Certificate, Method, Response, StatusCode, Url, redirect::Policy};

use super::allowed::Allowed;
use super::error::{HttpError, Why, host};
use super::guard::{self, Refused};
use super::redirect;
use super::resolve::{Astray, Judging, Resolve, SystemResolve, judged};

/// The header that lets a server see that it has had a request before.
pub(crate) const IDEMPOTENCY_KEY: &str = "idempotency-key";

const AGENT: &str = concat!("quipu/", env!("CARGO_PKG_VERSION"));

/// How many hosts are remembered with their connections. A tool has one, and those that it is
/// redirected to.
const HOSTS_MAX: usize = 32;

/// What a request may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// Until there is a connection.
    pub connect: Duration,
    /// Until there is a whole answer, with all redirects.
    pub total: Duration,
    /// How long an answer may be.
    pub bytes_max: usize,
    /// How many redirects are followed.
    pub redirects_max: usize,
}

impl Default for HttpLimits {
    fn default() -> HttpLimits {
        HttpLimits {
            connect: Duration::from_secs(10),
            total: Duration::from_secs(30),
            bytes_max: 8 << 20,
            redirects_max: 5,
        }
    }
}

/// A request. A header whose value is sensitive ([`HeaderValue::set_sensitive`]) is a credential:
/// it goes to no other host.
#[derive(Clone)]
pub struct Outgoing {
    /// What is wanted.
    pub method: Method,
    /// Of whom.
    pub url: Url,
    /// What is said about it.
    pub headers: HeaderMap,
    /// What is sent along.
    pub body: Option<Vec<u8>>,
    /// Whether the body has a secret, so that it goes to no other host either.
    pub is_body_secret: bool,
}

/// Only what may be shown: a URL, a header and a body may all hold secrets.
impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, host(&self.url))
    }
}

impl Outgoing {
    /// One without headers and body.
    pub fn new(method: Method, url: Url) -> Outgoing {
        let headers = HeaderMap::new();
        Outgoing { method, url, headers, body: None, is_body_secret: false }
    }
}

/// An answer, whatever its status.
#[derive(Clone, Debug)]
pub struct Incoming {
    /// How it went.
    pub status: StatusCode,
    /// What is said about it.
    pub headers: HeaderMap,
    /// What came along.
    pub body: Vec<u8>,
}

/// Speaks HTTP, to those that may be spoken to.
#[derive(Clone)]
pub struct Client {
    allowed: Arc<Allowed>,
    /// Nobody else is spoken to, where it is given.
    only: Option<Arc<Allowed>>,
    limits: HttpLimits,
    resolve: Arc<dyn Resolve>,
    trusted: Vec<Certificate>,
    connected: Arc<Mutex<BTreeMap<Origin, reqwest::Client>>>,
}

/// Each host has a client of its own, so that each name is judged with the port that it is for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Origin {
    is_secure: bool,
    host: String,
    port: u16,
    /// Whether connections are used again. A server may close one just when a request goes out,
    /// and then nobody knows whether it arrived: no harm to what only reads.
    is_kept: bool,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("allowed", &self.allowed)
            .field("limits", &self.limits)
            .field("resolve", &self.resolve)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// One that speaks to public addresses and those that are listed.
    pub fn new(allowed: Allowed, limits: HttpLimits) -> Client {
        Client {
            allowed: Arc::new(allowed),
            only: None,
            limits,
            resolve: Arc::new(SystemResolve),
            trusted: Vec::new(),
            connected: Arc::default(),
        }
    }

    /// The same that speaks to nobody but those that are listed, also where it is redirected.
    #[must_use]
    pub fn only(mut self, listed: Allowed) -> Client {
        self.only = Some(Arc::new(listed));
        self
    }

    /// The same with another way to find addresses.
    #[must_use]
    pub fn with_resolve(mut self, resolve: Arc<dyn Resolve>) -> Client {
        self.resolve = resolve;
        self.connected = Arc::default();
        self
    }

    /// The same that also trusts a certificate.
    #[must_use]
    pub fn with_trusted(mut self, certificate: Certificate) -> Client {
        self.trusted.push(certificate);
        self.connected = Arc::default();
        self
    }

    /// What it may take.
    pub fn limits(&self) -> HttpLimits {
        self.limits
    }

    /// Judges what a URL says by itself. Nobody is asked for anything.
    pub fn check(&self, url: &Url) -> Result<(), Refused> {
        guard::listed(url, self.only.as_deref())?;
        guard::target(url, &self.allowed).map(|_| ())
    }

    /// The addresses that a request to a URL would go to. Nobody is connected to.
    pub async fn judge(&self, url: &str) -> Result<Vec<IpAddr>, HttpError> {
        let url = guard::parse(url).map_err(HttpError::before)?;
        let target = guard::target(&url, &self.allowed).map_err(HttpError::before)?;
        if let Some(address) = target.address {
            return Ok(vec![address]);
        }
        let resolving = self.resolve.resolve(&target.host);
        let found = judged(resolving, &target, &self.allowed).await;
        found.map_err(|astray| {
            HttpError::before(match astray {
                Astray::Refused(refused) => Why::Refused(refused),
                other => Why::Unresolved { host: host(&url), why: other.to_string() },
            })
        })
    }

    /// Sends a request and takes the answer, within the limits.
    pub async fn send(&self, request: Outgoing) -> Result<Incoming, HttpError> {
        self.send_within(request, self.limits.total).await
    }

    /// The same with less time, or more.
    pub async fn send_within(
        &self,
        request: Outgoing,
        total: Duration,
    ) -> Result<Incoming, HttpError> {
        let answered = tokio::time::timeout(total, self.follow(request)).await;
        answered.unwrap_or_else(|_| Err(HttpError::after(Why::TimedOut { after: total })))
    }

    /// A client for a library that wants one of its own: it goes to judged addresses of the host of
    /// this URL, resolves no other name, follows no redirects, and has no limit of time and length.
    /// An address in place of a name is not resolved, and so not judged again: the library must stay
    /// with the URL that it is given.
    pub fn for_library(&self, url: &Url) -> Result<reqwest::Client, HttpError> {
        self.connected(url, true)
    }

    async fn follow(&self, first: Outgoing) -> Result<Incoming, HttpError> {
        let mut request = first;
        let mut from: Option<Url> = None;
        for _ in 0..=self.limits.redirects_max {
            let sent = self.send_one(&request).await;
            let response = match &from {
                None => sent?,
                Some(from) => sent.map_err(|error| redirected(error, from))?,
            };
            let next = redirect::next(&request, response.status(), response.headers());
            match next.map_err(HttpError::after)? {
                None => return self.take(response, &request.url).await,
                Some(next) => from = Some(std::mem::replace(&mut request, next).url),
            }
        }
        let why = format!("once more, after {} redirects", self.limits.redirects_max);
        let host = host(&from.unwrap_or(request.url));
        Err(HttpError::after(Why::Redirect { host, why }))
    }

    async fn send_one(&self, request: &Outgoing) -> Result<Response, HttpError> {
        let is_kept = request.method.is_safe();
        let client = self.connected(&request.url, is_kept)?;
        let mut headers = request.headers.clone();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let mut builder = client.request(request.method.clone(), request.url.clone());
        builder = builder.headers(headers);
        if let Some(body) = &request.body {
            builder = builder.body(body.clone());
        }
        builder.send().await.map_err(|error| HttpError::of(&error, &request.url))
    }

    /// The client for a host.
    fn connected(&self, url: &Url, is_kept: bool) -> Result<reqwest::Client, HttpError> {
        guard::listed(url, self.only.as_deref()).map_err(HttpError::before)?;
        let target = guard::target(url, &self.allowed).map_err(HttpError::before)?;
        let (is_secure, host) = (url.scheme() == "https", target.host.clone());
        let origin = Origin { is_secure, host, port: target.port, is_kept };
        let mut connected = self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = connected.get(&origin) {
            return Ok(client.clone());
        }
        super::use_ring();
        let judging = Judging {
            resolve: Arc::clone(&self.resolve),
            allowed: Arc::clone(&self.allowed),
            target,
        };
        let builder = reqwest::Client::builder()
            .user_agent(AGENT)
            .dns_resolver(judging)
            .no_proxy()
            .redirect(Policy::none())
            .referer(false)
            .retry(reqwest::retry::never())
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd()
            .connect_timeout(self.limits.connect.min(self.limits.total / 2))
            .pool_max_idle_per_host(if is_kept { usize::MAX } else { 0 });
        // Reading the certificates of the system takes long enough to save where nobody asks.
        let builder = match is_secure {
            true => builder.tls_certs_merge(self.trusted.iter().cloned()),
            false => builder.tls_certs_only([]),
        };
        let client = builder.build().map_err(|error| HttpError::of(&error, url))?;
        if connected.len() >= HOSTS_MAX {
            connected.clear();
        }
        connected.insert(origin, client.clone());
        Ok(client)
    }

    async fn take(&self, response: Response, url: &Url) -> Result<Incoming, HttpError> {
        let bytes_max = self.limits.bytes_max;
        let too_long = || HttpError::after(Why::TooLong { host: host(url), bytes_max });
        let (status, headers) = (response.status(), response.headers().clone());
        let is_plain =
            |encoding: &HeaderValue| encoding.as_bytes().eq_ignore_ascii_case(b"identity");
        if !headers.get_all(CONTENT_ENCODING).iter().all(is_plain) {
            return Err(HttpError::after(Why::Compressed { host: host(url) }));
        }
        let announced = response.content_length().unwrap_or(0);
        if usize::try_from(announced).is_ok_and(|length| length > bytes_max) {
            return Err(too_long());
        }
        let mut response = response;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| lost(&error, url))? {
            if chunk.len() > bytes_max - body.len() {
                return Err(too_long());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Incoming { status, headers, body })
    }
}

/// After a redirect the first host has had the request, whatever becomes of the next.
fn redirected(error: HttpError, from: &Url) -> HttpError {
    HttpError::after(match error.why {
        Why::Refused(refused) => Why::RedirectRefused { host: host(from), refused },
        other => other,
    })
}

/// The rest of an answer did not come.
fn lost(error: &reqwest::Error, url: &Url) -> HttpError {
    HttpError { has_left: true, ..HttpError::of(error, url) }
}
