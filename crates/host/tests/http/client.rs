//! What the client does for a request, and what a server can do to it: names that change,
//! redirects, answers that are too long, too slow, compressed or broken.

use std::io::Read;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use expect_test::{Expect, expect};
use host::http::{Allowed, Client, HttpError, HttpLimits, Incoming, Outgoing, Resolve};
use reqwest::header::HeaderValue;
use reqwest::{Method, Url};

use crate::names::{Names, Rebinding};
use crate::scratch::folded;
use crate::servers::{Server, answer, redirect, send};
use crate::tls;

/// Where a secret may not turn up.
const CANARY: &str = "canary-4711";

fn client(allow: &[&str], resolve: Arc<dyn Resolve>) -> Client {
    limited(allow, resolve, HttpLimits::default())
}

fn limited(allow: &[&str], resolve: Arc<dyn Resolve>, limits: HttpLimits) -> Client {
    Client::new(Allowed::parse(allow.iter().copied()).unwrap(), limits).with_resolve(resolve)
}

fn request(method: Method, url: &str) -> Outgoing {
    Outgoing::new(method, Url::parse(url).unwrap())
}

/// A write with credentials in three places.
fn write_with_credentials(url: &str) -> Outgoing {
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

fn sent(client: &Client, request: Outgoing) -> Result<Incoming, HttpError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(client.send(request))
}

fn body(answer: Result<Incoming, HttpError>) -> String {
    String::from_utf8(answer.unwrap().body).unwrap()
}

fn check(answer: Result<Incoming, HttpError>, port: u16, expected: Expect) {
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
fn redirects_are_judged_like_every_url() {
    let victim = Server::saying(answer("200 OK", &[], "inside"));
    let port = victim.port();
    for (location, expected) in [
        (
            format!("http://127.0.0.1:{port}/"),
            expect![[r#"
                may have happened: `api.example` redirects to what may not be spoken to: 127.0.0.1 is a
                  loopback address; if it is meant, list `127.0.0.1:PORT` under `allow`"#]],
        ),
        (
            format!("//2130706433:{port}/"),
            expect![[r#"
                may have happened: `api.example` redirects to what may not be spoken to: 127.0.0.1 is a
                  loopback address; if it is meant, list `127.0.0.1:PORT` under `allow`"#]],
        ),
        (
            format!("http://inside.example:{port}/"),
            expect![[r#"
                may have happened: `api.example` redirects to what may not be spoken to:
                  `inside.example` is 127.0.0.1, a loopback address; if it is meant, list
                  `inside.example:PORT` under `allow`"#]],
        ),
        (
            "http://169.254.169.254/latest/meta-data/".to_owned(),
            expect![[r#"
                may have happened: `api.example` redirects to what may not be spoken to:
                  169.254.169.254 is a metadata address, which hands out credentials; if it is meant,
                  list `169.254.169.254` under `allow`"#]],
        ),
        (
            "http://metadata.google.internal/".to_owned(),
            expect![[r#"
                may have happened: `api.example` redirects to what may not be spoken to:
                  `metadata.google.internal` is the name of a metadata service, which hands out
                  credentials; only where it and its address are listed under `allow` it is spoken to"#]],
        ),
        (
            "file:///etc/passwd".to_owned(),
            expect![[r#"
                may have happened: `api.example` redirects to what may not be spoken to: `file` is no
                  scheme for this: a URL begins with `https://` or `http://`"#]],
        ),
        (
            format!("http://api.example@127.0.0.1:{port}/"),
            expect![[r#"
                may have happened: `api.example` redirects to what may not be spoken to: the URL has a
                  name or a password before its host; credentials belong into a header"#]],
        ),
        (
            "http://public.example:25/".to_owned(),
            expect![[r#"
                may have happened: `api.example` redirects to what may not be spoken to: port 25 of
                  `public.example` is not for HTTP; if it is, list `public.example:25` under `allow`"#]],
        ),
        (
            "http://[".to_owned(),
            expect!["may have happened: `api.example` redirects to what is no URL"],
        ),
    ] {
        let server = Server::saying(redirect("302 Found", &location));
        let names = Names::on_loopback(&["api.example", "inside.example", "public.example"]);
        let client = client(&["api.example"], names);
        let url = format!("http://api.example:{}/", server.port());
        let answer = sent(&client, write_with_credentials(&url)).map_err(|mut error| {
            // The port of this server is another one each time.
            if let host::http::Why::RedirectRefused { host, .. }
            | host::http::Why::Redirect { host, .. } = &mut error.why
            {
                *host = host.split(':').next().unwrap().to_owned();
            }
            error
        });
        check(answer, port, expected);
    }
    assert_eq!(victim.lines(), [""; 0]);
}

/// Each status for each method, to the same host.
#[test]
fn what_a_redirect_does_to_a_method() {
    let server = Server::start(|request, to| match request.line().split_once("/to/") {
        Some((_, status)) => send(to, &redirect(&format!("{status} x"), "/there")),
        None => send(to, &answer("200 OK", &[], "arrived")),
    });
    let client = client(&["api.example"], Names::on_loopback(&["api.example"]));
    for (status, method, expected) in [
        (301, Method::GET, "GET"),
        (301, Method::POST, "GET"),
        (301, Method::PUT, "PUT body"),
        (302, Method::POST, "GET"),
        (302, Method::DELETE, "DELETE body"),
        (303, Method::POST, "GET"),
        (303, Method::PUT, "GET"),
        (303, Method::HEAD, "HEAD"),
        (307, Method::POST, "POST body"),
        (308, Method::PATCH, "PATCH body"),
    ] {
        let url = format!("http://api.example:{}/to/{status}", server.port());
        let mut request = write_with_credentials(&url);
        request.method = method.clone();
        if method.is_safe() {
            request.body = None;
        }
        sent(&client, request).unwrap();
        let arrived = &server.received()[1];
        let found = format!("{} {}", arrived.line().trim_end_matches(" /there"), arrived.body);
        assert_eq!(found.trim_end(), expected, "{method} after {status}");
        assert_eq!(arrived.header("authorization"), Some(CANARY), "the host is the same");
        let is_dropped = expected == "GET" && method != Method::GET;
        let key = arrived.header("idempotency-key");
        assert_eq!(key.is_none(), is_dropped, "{method} after {status}");
    }
}

#[test]
fn no_credentials_go_to_another_host() {
    let other = Server::saying(answer("200 OK", &[], "arrived"));
    for to in ["other.example", "API.example", "api.example."] {
        let location = format!("http://{to}:{}/there", other.port());
        let server = Server::saying(redirect("307 x", &location));
        let names = Names::on_loopback(&["api.example", "other.example"]);
        let client = client(&["api.example", "other.example"], names);
        let url = format!("http://api.example:{}/", server.port());
        let mut with_cookie = write_with_credentials(&url);
        with_cookie.headers.insert("cookie", HeaderValue::from_static(CANARY));
        assert_eq!(body(sent(&client, with_cookie)), "arrived");
        let (first, arrived) = (server.received().remove(0), other.received().remove(0));
        assert_eq!(first.whole().matches(CANARY).count(), 3);
        assert_eq!(arrived.whole().matches(CANARY).count(), 0, "{}", arrived.whole());
        assert_eq!((arrived.line(), &*arrived.body), ("POST /there", "body"));
        assert_eq!(arrived.header("content-type"), Some("text/plain"));
        assert_eq!(arrived.header("x-plain"), None, "it may say who is asking");
        assert_eq!(arrived.header("idempotency-key"), None);
        assert_eq!(arrived.header("referer"), None);

        let mut secret = write_with_credentials(&url);
        secret.body = Some(CANARY.into());
        secret.is_body_secret = true;
        check(
            sent(&client, secret),
            server.port(),
            expect![[r#"
                may have happened: `api.example:PORT` redirects to another host, and the body has a
                  secret"#]],
        );
        assert_eq!(other.lines(), [""; 0]);
    }
}

#[test]
fn redirects_end() {
    let server = Server::saying(redirect("302 Found", "/again"));
    let client = client(&["api.example"], Names::on_loopback(&["api.example"]));
    check(
        sent(&client, request(Method::GET, &format!("http://api.example:{}/", server.port()))),
        server.port(),
        expect!["may have happened: `api.example:PORT` redirects once more, after 5 redirects"],
    );
    assert_eq!(server.lines().len(), 6);
}

#[test]
fn https_is_spoken_and_never_left_for_http() {
    let open = Server::saying(answer("200 OK", &[], "arrived"));
    let location = format!("http://open.example:{}/", open.port());
    let server = tls::start(move |request, to| match request.line() {
        "GET /" => send(to, &answer("200 OK", &[], "secure")),
        _ => send(to, &redirect("302 Found", &location)),
    });
    let names = Names::on_loopback(&["secure.example", "open.example", "wrong.example"]);
    let distrusting = client(&["127.0.0.1"], names);
    let trusting = distrusting.clone().with_trusted(tls::authority());
    let url = format!("https://secure.example:{}/", server.port());
    assert_eq!(body(sent(&trusting, request(Method::GET, &url))), "secure");
    check(
        sent(&trusting, request(Method::GET, &format!("{url}away"))),
        server.port(),
        expect![[r#"
            may have happened: `secure.example:PORT` redirects from https to http, which is never
              followed"#]],
    );
    assert_eq!(open.lines(), [""; 0]);
    check(
        sent(&distrusting, request(Method::GET, &url)),
        server.port(),
        expect![[r#"
            has not happened: `secure.example:PORT` cannot be reached: invalid peer certificate:
              UnknownIssuer"#]],
    );
    check(
        sent(&trusting, request(Method::GET, &url.replace("secure", "wrong"))),
        server.port(),
        expect![[r#"
            has not happened: `wrong.example:PORT` cannot be reached: invalid peer certificate:
              certificate not valid for name "wrong.example"; certificate is only valid for
              DnsName("secure.example")"#]],
    );
}

fn hostile(answer: impl Into<Vec<u8>>, limits: HttpLimits, expected: Expect) {
    let answer = answer.into();
    misbehaving(move |to| send(to, &answer), limits, expected);
}

fn misbehaving(
    answer: impl Fn(&mut dyn std::io::Write) + Send + Sync + 'static,
    limits: HttpLimits,
    expected: Expect,
) {
    let server = Server::start(move |_, to| answer(to));
    let client = limited(&["127.0.0.1"], Names::on_loopback(&["api.example"]), limits);
    let url = format!("http://api.example:{}/?key={CANARY}", server.port());
    check(sent(&client, write_with_credentials(&url)), server.port(), expected);
    assert_eq!(server.lines().len(), 1, "a request is sent once");
}

#[test]
fn an_answer_has_an_end_or_is_given_up() {
    let limits = HttpLimits { bytes_max: 1000, ..HttpLimits::default() };
    let long = "x".repeat(1001);
    hostile(
        answer("200 OK", &[], &long),
        limits,
        expect!["may have happened: the answer of `api.example:PORT` is longer than 1000 bytes"],
    );
    hostile(
        format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{long}"),
        limits,
        expect!["may have happened: the answer of `api.example:PORT` is longer than 1000 bytes"],
    );
    hostile(
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n",
        limits,
        expect!["may have happened: the answer of `api.example:PORT` is longer than 1000 bytes"],
    );
    let endless = |to: &mut dyn std::io::Write| {
        send(to, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        while to.write_all(b"5\r\nhello\r\n").is_ok() {}
    };
    misbehaving(
        endless,
        limits,
        expect!["may have happened: the answer of `api.example:PORT` is longer than 1000 bytes"],
    );
    let exact = Server::saying(answer("200 OK", &[], &"x".repeat(1000)));
    let client = limited(&["127.0.0.1"], Names::on_loopback(&["api.example"]), limits);
    let url = format!("http://api.example:{}/", exact.port());
    assert_eq!(body(sent(&client, request(Method::GET, &url))).len(), 1000);
}

#[test]
fn an_answer_comes_in_time_or_is_given_up() {
    let limits = HttpLimits { total: Duration::from_secs(2), ..HttpLimits::default() };
    let drip = |to: &mut dyn std::io::Write| {
        send(to, b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        while to.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    misbehaving(drip, limits, expect!["may have happened: there was no whole answer within 2s"]);
    let drip_of_headers = |to: &mut dyn std::io::Write| {
        send(to, b"HTTP/1.1 200 OK\r\n");
        while to.write_all(b"X-A: b\r\n").is_ok() {
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    misbehaving(
        drip_of_headers,
        limits,
        expect!["may have happened: there was no whole answer within 2s"],
    );
}

#[test]
fn nothing_is_unpacked() {
    // Ten bytes of a gzip that would be as long as one likes.
    let bomb = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\x03";
    hostile(
        *bomb,
        HttpLimits::default(),
        expect![[r#"
            may have happened: the answer of `api.example:PORT` is compressed, which was not asked
              for"#]],
    );
}

#[test]
fn a_broken_answer_is_a_lost_one() {
    for (bytes, expected) in [
        (
            "",
            expect![[r#"
                may have happened: the answer of `api.example:PORT` was lost: connection closed before
                  message completed"#]],
        ),
        (
            "HTTP/1.1 20",
            expect![[r#"
                may have happened: the answer of `api.example:PORT` was lost: connection closed before
                  message completed"#]],
        ),
        (
            "SSH-2.0-OpenSSH\r\n\r\n",
            expect![[r#"
                may have happened: the answer of `api.example:PORT` was lost: invalid HTTP version
                  parsed"#]],
        ),
        (
            "HTTP/1.1 200 OK\r\nA B\x01: c\r\n\r\n",
            expect![
                "may have happened: the answer of `api.example:PORT` was lost: invalid HTTP header parsed"
            ],
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
            expect![[r#"
                may have happened: the answer of `api.example:PORT` was lost: invalid content-length
                  parsed"#]],
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf",
            expect![[r#"
                may have happened: the answer of `api.example:PORT` was lost: end of file before
                  message length reached"#]],
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            expect![[r#"
                may have happened: the answer of `api.example:PORT` was lost: Invalid chunk size line:
                  missing size digit"#]],
        ),
    ] {
        hostile(bytes, HttpLimits::default(), expected);
    }
    let many: String = (0..10_000).map(|n| format!("X-{n}: {n}\r\n")).collect();
    hostile(
        format!("HTTP/1.1 200 OK\r\n{many}\r\n"),
        HttpLimits::default(),
        expect![
            "may have happened: the answer of `api.example:PORT` was lost: message head is too large"
        ],
    );
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
