//! What the client does for a request, and which address it goes to.

use std::io::Read;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use expect_test::{Expect, expect};
use host::http::{Allowed, Client, HttpError, HttpLimits, Incoming, Outgoing, Resolve};
use reqwest::header::HeaderValue;
use reqwest::{Method, Url};

use crate::names::{Names, Rebinding};
use crate::scratch::folded;
use crate::servers::{Server, answer, send};

/// Where a secret may not turn up.
pub(crate) const CANARY: &str = "canary-4711";

pub(crate) fn client(allow: &[&str], resolve: Arc<dyn Resolve>) -> Client {
    limited(allow, resolve, HttpLimits::default())
}

pub(crate) fn limited(allow: &[&str], resolve: Arc<dyn Resolve>, limits: HttpLimits) -> Client {
    Client::new(Allowed::parse(allow.iter().copied()).unwrap(), limits).with_resolve(resolve)
}

pub(crate) fn request(method: Method, url: &str) -> Outgoing {
    Outgoing::new(method, Url::parse(url).unwrap())
}

/// A write with credentials in three places.
pub(crate) fn write_with_credentials(url: &str) -> Outgoing {
    let mut request = request(Method::POST, url);
    let mut secret = HeaderValue::from_static(CANARY);
    request.headers.insert("authorization", secret.clone());
    secret.set_sensitive(true);
    request.headers.insert("x-api-key", secret);
    request.headers.insert("idempotency-key", HeaderValue::from_static("key-1"));
    request.headers.insert("content-type", HeaderValue::from_static("text/plain"));
    request.headers.insert("x-plain", HeaderValue::from_static("plain"));
    request.body = Some(b"body".to_vec());
    request
}

pub(crate) fn sent(client: &Client, request: Outgoing) -> Result<Incoming, HttpError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(client.send(request))
}

pub(crate) fn body(answer: Result<Incoming, HttpError>) -> String {
    String::from_utf8(answer.unwrap().body).unwrap()
}

pub(crate) fn check(answer: Result<Incoming, HttpError>, port: u16, expected: Expect) {
    let error = answer.unwrap_err();
    let happened = if error.has_left { "may have happened" } else { "has not happened" };
    let shown = format!("{happened}: {error}").replace(&port.to_string(), "PORT");
    assert!(!format!("{shown} {error:?}").contains(CANARY), "{shown}");
    expected.assert_eq(&folded(&shown));
}

const FIRST: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
const SECOND: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 1);
const PUBLIC: Ipv4Addr = Ipv4Addr::new(93, 184, 216, 34);

#[test]
fn a_name_that_is_bound_anew_after_it_was_judged_reaches_nobody() {
    let victim = Server::saying(answer("200 OK", &[], "inside"));
    let names = Rebinding::start(&[&[PUBLIC], &[SECOND]]);
    let client = client(&[], Arc::clone(&names) as _);
    let url = format!("http://rebound.example:{}/", victim.port());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    assert_eq!(runtime.block_on(client.judge(&url)).unwrap(), [PUBLIC]);
    check(
        sent(&client, request(Method::GET, &url)),
        victim.port(),
        expect![[r#"
            has not happened: `rebound.example` is 127.0.0.1, a loopback address; if it is meant,
              list `rebound.example:PORT` under `allow`"#]],
    );
    assert_eq!(names.asked(), 2);
    assert_eq!(victim.lines(), [""; 0]);
}

#[test]
fn the_address_that_was_judged_is_the_one_that_is_spoken_to() {
    let victim = Server::saying(answer("200 OK", &[], "inside"));
    let port = victim.port();
    let good = Server::start_at(&format!("127.0.0.2:{port}"), |_, to| {
        send(to, &answer("200 OK", &[], "good"));
    });
    let names = Rebinding::start(&[&[FIRST], &[SECOND], &[FIRST, SECOND]]);
    let client = client(&["127.0.0.2"], Arc::clone(&names) as _);
    let url = format!("http://rebound.example:{port}/");
    let write = || request(Method::POST, &url);
    assert_eq!(body(sent(&client, write())), "good");
    assert_eq!(names.asked(), 1, "a second question could get another answer");
    for _ in 0..2 {
        check(
            sent(&client, write()),
            port,
            expect![[r#"
                has not happened: `rebound.example` is 127.0.0.1, a loopback address; if it is meant,
                  list `rebound.example:PORT` under `allow`"#]],
        );
    }
    assert_eq!((names.asked(), good.lines().len(), victim.lines().len()), (3, 1, 0));
}

#[test]
fn what_never_left_has_not_happened() {
    let client = client(&["127.0.0.1"], Names::on_loopback(&["api.example"]));
    let gone = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = gone.local_addr().unwrap().port();
    drop(gone);
    check(
        sent(&client, write_with_credentials(&format!("http://api.example:{port}/?k={CANARY}"))),
        port,
        expect![[r#"
            has not happened: `api.example:PORT` cannot be reached: Connection refused (os error
              111)"#]],
    );
    check(
        sent(&client, write_with_credentials(&format!("http://gone.example/?k={CANARY}"))),
        port,
        expect!["has not happened: `gone.example` cannot be found: no such name"],
    );
    check(
        sent(&client, write_with_credentials(&format!("http://10.0.0.1/?k={CANARY}"))),
        port,
        expect![[r#"
            has not happened: 10.0.0.1 is a private address; if it is meant, list `10.0.0.1:80`
              under `allow`"#]],
    );
}

#[test]
fn a_client_for_a_library_speaks_to_its_host_only() {
    let server = Server::saying(answer("200 OK", &[], "arrived"));
    let names = Names::on_loopback(&["api.example", "other.example"]);
    let client = client(&["api.example", "other.example"], names);
    let url = format!("http://api.example:{}/", server.port());
    let library = client.for_library(&Url::parse(&url).unwrap()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let status = |url: String| {
        let sent = library.get(url).send();
        runtime.block_on(sent).map(|answer| answer.status().as_u16()).map_err(|_| ())
    };
    assert_eq!(status(url.clone()), Ok(200));
    assert_eq!(status(url.replace("api", "other")), Err(()));
    assert!(client.for_library(&Url::parse("http://127.0.0.1/").unwrap()).is_err());
}

/// A server may close a connection just when a request goes out on it; whether a write arrived then,
/// nobody would know.
#[test]
fn a_connection_is_used_again_only_for_what_reads() {
    let (listener, connections) = (TcpListener::bind("127.0.0.1:0").unwrap(), Arc::default());
    let (port, count) = (listener.local_addr().unwrap().port(), Arc::clone(&connections));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            AtomicUsize::fetch_add(&count, 1, Ordering::SeqCst);
            std::thread::spawn(move || {
                let (mut stream, mut request) = (stream.unwrap(), [0; 4096]);
                while stream.read(&mut request).is_ok_and(|length| length > 0) {
                    send(&mut stream, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                }
            });
        }
    });
    let client = client(&["127.0.0.1"], Names::on_loopback(&["api.example"]));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let url = format!("http://api.example:{port}/");
    let after_three = |method: Method| {
        for _ in 0..3 {
            runtime.block_on(client.send(request(method.clone(), &url))).unwrap();
        }
        connections.load(Ordering::SeqCst)
    };
    assert_eq!(after_three(Method::GET), 1);
    assert_eq!(after_three(Method::POST), 4);
}
