//! Where a server can send a request to, and what goes along.

use expect_test::expect;
use reqwest::Method;
use reqwest::header::HeaderValue;

use crate::client::{CANARY, body, check, client, request, sent, write_with_credentials};
use crate::names::Names;
use crate::servers::{Server, answer, redirect, send};
use crate::tls;

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
