//! Answers that are too long, too slow, compressed or broken.

use std::io::Write;
use std::time::Duration;

use expect_test::{Expect, expect};
use host::http::HttpLimits;
use reqwest::Method;

use crate::client::{CANARY, body, check, limited, request, sent, write_with_credentials};
use crate::names::Names;
use crate::servers::{Server, answer, send};

fn hostile(answer: impl Into<Vec<u8>>, limits: HttpLimits, expected: Expect) {
    let answer = answer.into();
    misbehaving(move |to| send(to, &answer), limits, expected);
}

fn misbehaving(
    answer: impl Fn(&mut dyn Write) + Send + Sync + 'static,
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
    let endless = |to: &mut dyn Write| {
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
    let drip = |to: &mut dyn Write| {
        send(to, b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        while to.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    misbehaving(drip, limits, expect!["may have happened: there was no whole answer within 2s"]);
    let drip_of_headers = |to: &mut dyn Write| {
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
