//! S2 and S18: secrets go to whom they are for, and nowhere else; and what only looks like one of
//! our own marks is text.

use host::Bound;
use value::json;

use crate::scratch::{Scratch, called, shown};
use crate::servers::{Server, answer, json as json_answer, send};

/// It has what each encoding writes differently.
const CANARY: &str = "canary \"4711\"/ü&";
const ENCODED: &str = "canary%20%224711%22%2F%C3%BC%26";

/// A tool with the canary wherever a secret may be.
const EVERYWHERE: &str = r#"
    http = "POST http://api.example:PORT/x?q={q}&key={secret:CANARY}"
    headers = { Authorization = "Bearer {secret:CANARY}", X-Q = "{q}" }
    body = { q = "{q}", key = "{secret:CANARY}", inside = "is {secret:CANARY}" }
    secrets = { CANARY = { file = "canary" } }
"#;

fn with_canary() -> Scratch {
    let folder = Scratch::new();
    folder.write("canary", &format!("{CANARY}\n"));
    folder
}

#[test]
fn a_secret_arrives_where_it_is_for() {
    let server = Server::saying(json_answer("1"));
    let tool = with_canary();
    let lines = EVERYWHERE.replace("PORT", &server.port().to_string());
    tool.call(&lines, r#"{"q": "1"}"#).unwrap();
    let request = server.received().remove(0);
    assert_eq!(request.line(), format!("POST /x?q=1&key={ENCODED}"));
    assert_eq!(request.header("authorization"), Some(&*format!("Bearer {CANARY}")));
    let body = json::parse(&request.body).unwrap();
    assert_eq!(body.get("key").unwrap().as_text().unwrap().as_ref(), CANARY);
    assert_eq!(body.get("inside").unwrap().as_text().unwrap().as_ref(), format!("is {CANARY}"));
}

#[test]
fn a_secret_comes_from_the_environment_by_its_own_name() {
    let server = Server::saying(json_answer("1"));
    let port = server.port();
    // Cargo sets it for every test.
    let lines = format!(
        "http = 'GET http://api.example:{port}/'\nheaders = {{ X-A = '{{secret:CARGO_PKG_NAME}}' }}"
    );
    Scratch::new().call(&lines, "{}").unwrap();
    assert_eq!(server.received()[0].header("x-a"), Some("quipu-host"));
}

/// A server that says everything it knows, in every way that it could: nothing of it comes back,
/// in no answer, no failure and no debug output.
#[test]
fn a_secret_never_comes_back() {
    let escaped = json::compact(&CANARY.into());
    let echo = format!(
        r#"{{"key": {escaped}, "in": [{{"text": "said {}"}}], {escaped}: 1, "url": "{ENCODED}"}}"#,
        &escaped[1..escaped.len() - 1]
    );
    let typed = ["Content-Type: application/json"];
    let location = format!("Location: http://{ENCODED}.example/");
    let long = format!("{}{CANARY}", "x".repeat(190));
    let kind = "Content-Type: image/canary \"4711\"/ü&";
    let answers: Vec<Vec<u8>> = vec![
        answer("200 OK", &typed, &echo),
        answer("200 OK", &[], &echo),
        answer("200 OK", &[], CANARY),
        answer("400 Bad Request", &typed, &echo),
        answer("500 Oops", &[], &echo),
        // The cut of what is shown goes through the secret.
        answer("500 Oops", &[], &long),
        answer("302 Found", &[&location], ""),
        answer("429 Slow", &[&format!("Retry-After: {CANARY}")], CANARY),
        [format!("HTTP/1.1 200 OK\r\n{kind}\r\n\r\n").as_bytes(), b"\xff"].concat(),
        format!("HTTP/1.1 {CANARY}\r\n\r\n").into_bytes(),
        Vec::new(),
    ];
    let folder = with_canary();
    for bytes in answers {
        for whole in ["", "answer = 'whole'\n"] {
            let reply = bytes.clone();
            let server = Server::start(move |_, to| send(to, &reply));
            let lines = EVERYWHERE.replace("PORT", &server.port().to_string());
            let tool = folder.tool(&format!("{whole}{lines}"));
            let answered = called(&tool, r#"{"q": "1"}"#);
            let text = match &answered {
                Ok(value) => json::compact(value),
                Err(fault) => shown(fault, server.port()),
            };
            let all = format!("{text}\n{answered:?}\n{tool:?}\n{:?}", tool.look());
            for part in ["canary ", "canary%20", "4711"] {
                assert!(!all.contains(part), "{part} is in {all}");
            }
            assert_eq!(server.lines().len(), 1, "it was asked");
        }
    }
    let server = Server::saying(answer("200 OK", &typed, &echo));
    let lines = EVERYWHERE.replace("PORT", &server.port().to_string());
    let value = folder.call(&lines, r#"{"q": "1"}"#).unwrap();
    assert_eq!(
        json::compact(&value),
        r#"{"key":"S","in":[{"text":"said S"}],"S":1,"url":"S"}"#.replace('S', "{secret:CANARY}")
    );
}

/// An error names a host, and a server chooses where it redirects to.
#[test]
fn a_host_that_is_named_after_a_secret_is_not_shown() {
    let location = "http://Canary4711.evil.example/";
    let server = Server::saying(answer("302 Found", &[&format!("Location: {location}")], ""));
    let folder = Scratch::new();
    folder.write("canary", "Canary4711");
    let lines = EVERYWHERE.replace("PORT", &server.port().to_string());
    let fault = folder.call(&lines, r#"{"q": "1"}"#).unwrap_err();
    assert_eq!(
        &*fault.message,
        "`t` failed: `{secret:CANARY}.evil.example` cannot be found: no such name"
    );
}

#[test]
fn a_number_that_is_a_secret_is_one() {
    let server = Server::saying(json_answer("[123456, 1234567, \"123456\"]"));
    let folder = Scratch::new();
    folder.write("pin", "123456");
    let lines = format!(
        "http = 'GET http://api.example:{}/'\nheaders = {{ X-Pin = '{{secret:PIN}}' }}\n\
         secrets = {{ PIN = {{ file = 'pin' }} }}",
        server.port()
    );
    let value = folder.call(&lines, "{}").unwrap();
    assert_eq!(json::compact(&value), r#"["{secret:PIN}",1234567,"{secret:PIN}"]"#);
}

/// S2: whatever a model writes into an argument, at every place where a gap can be.
#[test]
fn what_looks_like_a_mark_of_ours_in_an_argument_is_text() {
    let folder = with_canary();
    for mark in [
        "{secret:CANARY}",
        "{{secret:CANARY}}",
        "{q}",
        "{{q}}",
        "{other?}",
        "$env:HOME",
        "${HOME}",
        "$HOME",
        "@ref",
        "@/etc/passwd",
        "{\"$ref\":\"#/x\"}",
        "{{constructor}}",
        "%7Bsecret:CANARY%7D",
    ] {
        let server = Server::saying(json_answer("1"));
        let lines = format!(
            "http = 'PUT http://api.example:{}/{{q}}?q={{q}}'\n\
             headers = {{ X-Q = '{{q}}', X-Secret = '{{secret:CANARY}}' }}\n\
             body = {{ q = '{{q}}', inside = 'in {{q}}', list = ['{{q}}'] }}\n\
             secrets = {{ CANARY = {{ file = 'canary' }} }}",
            server.port()
        );
        let args = json::compact(&value::Value::map([("q", value::Value::text(mark))]));
        folder.call(&lines, &args).unwrap();
        let request = server.received().remove(0);
        let url = reqwest::Url::parse(&format!("http://a{}", &request.line()[4..])).unwrap();
        let query: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        assert_eq!(query, [("q".to_owned(), mark.to_owned())]);
        assert_eq!(request.header("x-q"), Some(mark));
        let body = json::parse(&request.body).unwrap();
        assert_eq!(body.get("q").unwrap().as_text().unwrap().as_ref(), mark);
        assert_eq!(body.get("inside").unwrap().as_text().unwrap().as_ref(), format!("in {mark}"));
        let secrets = request.whole().matches("4711").count();
        assert_eq!(secrets, 1, "only the header of the operator has it");
    }
}

/// A secret that would add a line to the request is no secret that can be sent.
#[test]
fn a_secret_with_a_line_break_is_not_sent_and_not_shown() {
    let server = Server::saying(json_answer("1"));
    let folder = Scratch::new();
    folder.write("canary", "canary\r\nX-Evil: 1\n");
    let lines = format!(
        "http = 'GET http://api.example:{}/'\nheaders = {{ X-A = '{{secret:CANARY}}' }}\n\
         secrets = {{ CANARY = {{ file = 'canary' }} }}",
        server.port()
    );
    let fault = folder.call(&lines, "{}").unwrap_err();
    assert_eq!(
        &*fault.message,
        "`t` was not called: the header `x-a` has a letter that no header can have"
    );
    assert_eq!(server.lines(), [""; 0]);
    folder.write("canary", "");
    let fault = folder.call(&lines, "{}").unwrap_err();
    assert!(fault.message.ends_with("/canary` is empty"), "{}", fault.message);
}
