//! Tools that are HTTP interfaces, as a run calls them.

use std::sync::atomic::{AtomicUsize, Ordering};

use expect_test::{Expect, expect};
use value::json;

use crate::scratch::{call, folded, shown};
use crate::servers::{Server, answer, json as json_answer, send};

/// What a server received for a call.
fn sent(lines: &str, args: &str) -> String {
    let server = Server::saying(json_answer("1"));
    let lines = lines.replace("PORT", &server.port().to_string());
    call(&lines, args).unwrap_or_else(|fault| panic!("{}", fault.message));
    let request = server.received().remove(0);
    let kept = |line: &&str| {
        let name = line.split(':').next().unwrap();
        !["accept-encoding", "user-agent", "host", "content-length"].contains(&name)
    };
    let head: Vec<&str> = request.head.lines().filter(kept).collect();
    folded(&format!("{}\n\n{}", head.join("\n"), request.body))
}

#[test]
fn arguments_fill_the_gaps_of_a_request() {
    expect![[r#"
        GET /search/a%2Fb?q=x%26y%3D1%20%7Bn%7D&n=3&flag=true HTTP/1.1
        accept: application/json
        x-for: run of a/b"#]]
    .assert_eq(&sent(
        r#"http = "GET http://api.example:PORT/search/{area}?q={query}&n={count}&flag={f.on}&o={o?}"
           headers = { Accept = "application/json", X-For = "run of {area}", X-Not = "{o?}" }"#,
        r#"{"area": "a/b", "query": "x&y=1 {n}", "count": 3, "f": {"on": true}, "n": 9}"#,
    ));
}

#[test]
fn json_keeps_the_type_of_what_fills_it() {
    expect![[r#"
        POST /items HTTP/1.1
        content-type: application/json
        idempotency-key: key-1
        accept: */*

        {"name":"for Ada \"A\"","count":2,"tags":["a","b"],"all":{"x":[null,1.5]},"null":null,
          "list":["fixed",true],"made":"2026-01-31","nested":{"deep":2,"q":"{ me { id } }"}}"#]]
    .assert_eq(&sent(
        r#"http = "POST http://api.example:PORT/items"
           [tools.t.body]
           name = "for {name}"
           count = "{count}"
           tags = "{tags}"
           all = "{all}"
           null = "{null}"
           list = ["fixed", true, "{missing?}"]
           made = 2026-01-31
           left_out = "{missing?}"
           nested = { deep = "{count}", q = "{ me { id } }" }"#,
        r#"{"name": "Ada \"A\"", "count": 2, "tags": ["a", "b"], "all": {"x": [null, 1.5]}, "null": null}"#,
    ));
}

#[test]
fn a_text_is_written_as_its_kind_wants_it() {
    let body = |kind: &str, body: &str| {
        let lines = format!(
            "http = 'PUT http://api.example:PORT/'\nheaders = {{ Content-Type = '{kind}' }}\n\
             body = '{body}'"
        );
        let all = sent(&lines, r#"{"a": "1&b=<2>", "l": [1]}"#);
        all.split_once("\n\n").unwrap().1.to_owned()
    };
    assert_eq!(body("text/plain", "a={a}, l={l}"), "a=1&b=<2>, l=[1]");
    assert_eq!(body("application/x-www-form-urlencoded", "a={a}&c=3"), "a=1%26b%3D%3C2%3E&c=3");
    assert_eq!(body("application/xml", "<a>{a}</a>"), "<a>1&amp;b=&lt;2&gt;</a>");
    assert_eq!(body("application/json", "{a}"), "\"1&b=<2>\"");
    assert_eq!(body("application/json", "{\"fixed\": {}}"), "{\"fixed\": {}}");
}

#[test]
fn the_body_is_the_answer() {
    let value = |bytes: Vec<u8>, lines: &str| {
        let server = Server::saying(bytes);
        let http = format!("http = 'GET http://api.example:{}/'\n{lines}", server.port());
        json::compact(&call(&http, "{}").unwrap_or_else(|fault| panic!("{}", fault.message)))
    };
    let typed = |kind: &str, body: &str| {
        value(answer("200 OK", &[&format!("Content-Type: {kind}")], body), "")
    };
    assert_eq!(typed("application/json", r#"{"a": [1, 2.5]}"#), r#"{"a":[1,2.5]}"#);
    assert_eq!(typed("Application/Problem+JSON; charset=utf-8", "[]"), "[]");
    assert_eq!(typed("application/json", "{no json"), r#""{no json""#);
    assert_eq!(typed("text/html", "[1]"), r#""[1]""#);
    assert_eq!(value(answer("204 No Content", &[], ""), ""), "null");
    let latin = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=ISO-8859-1\r\nContent-Length: 1\r\n\r\n\xfc";
    assert_eq!(value(latin.to_vec(), ""), "\"ü\"");
    let headers = ["Content-Type: application/json", "ETag: \"e\"", "Set-Cookie: a", "X-Y: z"];
    expect![[r#"{"status":404,"headers":{"content-type":"application/json","etag":"\"e\""},"body":{"no":1}}"#]]
        .assert_eq(&value(answer("404 Not Found", &headers, r#"{"no":1}"#), "answer = 'whole'"));
}

fn check(bytes: &[u8], lines: &str, expected: Expect) {
    let server = Server::saying(bytes);
    let lines = lines.replace("PORT", &server.port().to_string());
    let fault = call(&lines, "{}").unwrap_err();
    expected.assert_eq(&shown(&fault, server.port()));
}

const READ: &str = "http = 'GET http://api.example:PORT/x'";
const WRITE: &str = "http = 'POST http://api.example:PORT/x'";

#[test]
fn a_server_says_itself_that_it_failed() {
    let kind = "Content-Type: application/json";
    check(
        &answer("404 Not Found", &[kind], r#"{"error": "no such city"}"#),
        READ,
        expect![[r#"
            tool, has not happened
            `t` answered 404 Not Found: {"error":"no such city"}
            {"tool":"t","request":"GET http://api.example:PORT/x","status":404,
              "body":"{\"error\":\"no such city\"}","reported":true,"may_have_happened":false}"#]],
    );
    check(
        &answer("422 Unprocessable Entity", &[], "no such city"),
        WRITE,
        expect![[r#"
            tool, has not happened
            `t` answered 422 Unprocessable Entity: no such city
            {"tool":"t","request":"POST http://api.example:PORT/x","status":422,"body":"no such
              city","reported":true,"may_have_happened":false}"#]],
    );
    check(
        &answer("500 Internal Server Error", &[], ""),
        WRITE,
        expect![[r#"
            tool, may have happened, as the server says
            `t` answered 500 Internal Server Error
            {"tool":"t","request":"POST http://api.example:PORT/x","status":500,"body":"",
              "reported":true,"may_have_happened":true}"#]],
    );
    check(
        &answer("504 Gateway Timeout", &[], ""),
        WRITE,
        expect![[r#"
            tool, may have happened
            `t` answered 504 Gateway Timeout
            {"tool":"t","request":"POST http://api.example:PORT/x","status":504,"body":"",
              "may_have_happened":true}"#]],
    );
    check(
        &answer("304 Not Modified", &[], ""),
        READ,
        expect![[r#"
            tool, has not happened
            `t` answered 304 Not Modified
            {"tool":"t","request":"GET http://api.example:PORT/x","status":304,"body":"",
              "reported":true,"may_have_happened":false}"#]],
    );
}

#[test]
fn the_answer_of_a_write_can_be_lost() {
    check(
        b"",
        WRITE,
        expect![[r#"
            tool, may have happened
            `t` failed: the answer of `api.example:PORT` was lost: connection closed before message
              completed
            {"tool":"t","request":"POST http://api.example:PORT/x","may_have_happened":true}"#]],
    );
    check(
        b"",
        READ,
        expect![[r#"
            tool, has not happened
            `t` failed: the answer of `api.example:PORT` was lost: connection closed before message
              completed
            {"tool":"t","request":"GET http://api.example:PORT/x","may_have_happened":false}"#]],
    );
    check(
        &answer("200 OK", &[], &"x".repeat(11)),
        &format!("{WRITE}\nbytes_max = 10"),
        expect![[r#"
            tool, may have happened
            `t` failed: the answer of `api.example:PORT` is longer than 10 bytes
            {"tool":"t","request":"POST http://api.example:PORT/x","may_have_happened":true}"#]],
    );
    check(
        b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 2\r\n\r\n\xff\xfe",
        WRITE,
        expect![[r#"
            tool, may have happened
            the answer of `t` is no text: 2 bytes of `image/png`
            {"tool":"t","request":"POST http://api.example:PORT/x","may_have_happened":true}"#]],
    );
    let silent = Server::start(|_, _| {
        std::thread::park();
    });
    let lines = WRITE.replace("PORT", &silent.port().to_string());
    let fault = call(&format!("{lines}\ntimeout = '2s'"), "{}").unwrap_err();
    expect![[r#"
        timeout, may have happened
        `t` took longer than 2s
        {"tool":"t","request":"POST http://api.example:PORT/x","may_have_happened":true}"#]]
    .assert_eq(&shown(&fault, silent.port()));
}

#[test]
fn nothing_leaves_for_a_call_that_cannot_be_made() {
    let server = Server::saying(json_answer("1"));
    let port = server.port();
    for (lines, args, expected) in [
        (
            "http = 'GET http://api.example:PORT/{id}'",
            "{}",
            expect!["`t` was not called: the argument `id` is missing"],
        ),
        (
            "http = 'DELETE http://api.example:PORT/users/{id}'",
            r#"{"id": ""}"#,
            expect![[r#"
                `t` was not called: the argument `id` would make another path of the URL: it must not
                  be empty, `.` or `..`"#]],
        ),
        (
            "http = 'DELETE http://api.example:PORT/users/{id}'",
            r#"{"id": ".."}"#,
            expect![[r#"
                `t` was not called: the argument `id` would make another path of the URL: it must not
                  be empty, `.` or `..`"#]],
        ),
        (
            "http = 'GET http://api.example:PORT/?q={q}'",
            r#"{"q": ["a"]}"#,
            expect![[r#"
                `t` was not called: the argument `q` must be text, a number or a boolean here, but is a
                  list"#]],
        ),
        (
            "http = 'GET http://api.example:PORT/'\nheaders = { X-A = '{a}' }",
            r#"{"a": "b\r\nX-Evil: 1"}"#,
            expect![[r#"
                `t` was not called: the argument `a` has a line break or another control character,
                  which no header can have"#]],
        ),
        (
            "http = 'GET http://api.example:PORT/'\nheaders = { X-A = '{secret:QUIPU_NEVER_SET}' }",
            "{}",
            expect![[r#"
                `t` was not called: the secret `QUIPU_NEVER_SET` is not there: the variable
                  `QUIPU_NEVER_SET` is not set; `export QUIPU_NEVER_SET=...`"#]],
        ),
        (
            "http = 'POST http://api.example:PORT/'\nbody = { a = '{a.b}' }",
            r#"{"a": {}}"#,
            expect!["`t` was not called: the argument `a.b` is missing"],
        ),
        (
            "http = 'POST http://other.example/'",
            "{}",
            expect!["`t` failed: `other.example` cannot be found: no such name"],
        ),
    ] {
        let fault = call(&lines.replace("PORT", &port.to_string()), args).unwrap_err();
        expected.assert_eq(&folded(&fault.message));
        assert_eq!(fault.happened(), Some(runtime::Happened::No), "{lines}");
    }
    assert_eq!(server.lines(), [""; 0]);
}

/// How often a request arrives that is sent back so often, and what becomes of it.
fn sent_back(status: &'static str, times: usize, after: &'static str, lines: &str) -> String {
    let count = AtomicUsize::new(0);
    let server = Server::start(move |_, to| {
        let nth = count.fetch_add(1, Ordering::SeqCst);
        let later = answer(status, &[&format!("Retry-After: {after}")], "later");
        send(to, &if nth < times { later } else { json_answer("1") });
    });
    let answered = call(&lines.replace("PORT", &server.port().to_string()), "{}");
    let keys = server.received();
    let keys = keys.iter().map(|request| request.header("idempotency-key").unwrap_or("none"));
    let keys: Vec<&str> = keys.collect();
    let end = answered.map_or_else(|fault| shown(&fault, 0), |value| json::compact(&value));
    format!("{}: {}", keys.join(" "), end.lines().next().unwrap())
}

#[test]
fn what_is_sent_back_for_later_is_sent_again() {
    let [busy, away] = ["429 Too Many Requests", "503 Service Unavailable"];
    assert_eq!(sent_back(busy, 2, "0", READ), "none none none: 1");
    assert_eq!(sent_back(busy, 1, "Wed, 21 Oct 2015 07:28:00 GMT", READ), "none none: 1");
    // It has not happened, so that it may be sent again whatever it is; always with its key.
    assert_eq!(sent_back(busy, 3, "0", WRITE), "key-1 key-1 key-1 key-1: 1");
    assert_eq!(sent_back(busy, 4, "0", WRITE), "key-1 key-1 key-1 key-1: tool, has not happened");
    assert_eq!(sent_back(busy, 1, "3600", READ), "none: tool, has not happened");
    assert_eq!(sent_back(busy, 1, "soon", READ), "none: tool, has not happened");
    assert_eq!(sent_back(away, 1, "0", READ), "none none: 1");
    let ask = "key-1: tool, may have happened, as the server says";
    assert_eq!(sent_back(away, 1, "0", WRITE), ask);
    assert_eq!(sent_back(away, 1, "0", &format!("{WRITE}\nagain = 'key'")), "key-1 key-1: 1");
    assert_eq!(sent_back("500 x", 1, "0", READ), "none: tool, has not happened");
}
