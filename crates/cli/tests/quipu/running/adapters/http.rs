//! `http.GET` and its kind.

use super::*;

const JSON: &str = "200 OK\r\nContent-Type: application/json\r\n";

fn folder_for(server: &Server, data: &str) -> Folder {
    let folder = Folder::new();
    folder
        .write("quipu.toml", format!("[adapters.http]\nallow = ['127.0.0.1:{}']\n", server.port))
        .write("agent.json", agent(&[("R", data), END]));
    folder
}

fn url(server: &Server, path: &str) -> String {
    format!("\"http://127.0.0.1:{}{path}\"", server.port)
}

#[test]
fn an_answer_has_its_status_and_its_body_read_as_json() {
    let server = Server::new(JSON, r#"{"name": "Ada"}"#);
    for verb in ["http.GET", "http.get"] {
        let data = called(verb, &url(&server, "/users?q=1"), r#"[{"X-Who": "me"}, 5]"#);
        let folder = folder_for(&server, &data);
        let shown = folder.ends("done", &["--id", "r"]);
        let expected =
            r#"{"body":{"name":"Ada"},"headers":{"content-type":"application/json"},"status":200}"#;
        assert_eq!(result(&shown), expected);
        folder.is_sound("r");
    }
    let heard = server.heard().concat().to_lowercase();
    assert!(heard.starts_with("get /users?q=1 http/1.1\r\n"), "{heard}");
    assert!(heard.contains("x-who: me\r\n") && !heard.contains("idempotency-key"), "{heard}");
}

#[test]
fn what_is_sent_is_json_or_text_and_has_a_key() {
    let server = Server::new("201 Created\r\n", "");
    for (body, kind, sent) in [
        (r#"{"a": [1, true]}"#, "application/json", r#"{"a":[1,true]}"#),
        (r#""plain""#, "text/plain; charset=utf-8", "plain"),
    ] {
        let data = called("http.POST", &url(&server, "/"), &format!("[{body}]"));
        let shown = folder_for(&server, &data).ends("done", &[]);
        assert_eq!(result(&shown), r#"{"body":null,"headers":{},"status":201}"#);
        let heard = server.heard().pop().unwrap();
        assert!(heard.ends_with(&format!("\r\n\r\n{sent}")), "{heard}");
        let head = heard.to_lowercase();
        assert!(head.contains(&format!("content-type: {kind}\r\n")), "{heard}");
        assert!(head.contains("idempotency-key: "), "{heard}");
    }
}

#[test]
fn a_refusal_of_the_server_is_a_failure_that_a_handler_sees() {
    let server = Server::new("404 Not Found\r\n", "no such user");
    let folder = folder_for(&server, "{}");
    let call = format!(
        r#"{{"id": "n1", "op": "R", "data": {}}}, {{"id": "n2", "op": "Err", "data": {{"handler": "late"}}}}"#,
        called("http.GET", &url(&server, "/u"), "[]")
    );
    let handler = r#"{"id": "n1", "op": "J", "data": {"var": "$_error"}}"#;
    let edges = "n1-err-n2 n2-handler->late";
    folder.write("agent.json", graph(&[("start", &call, edges), ("late", handler, "")]));
    let shown = folder.ends("done", &[]);
    let error = shown.get("result").unwrap();
    assert!(text(error, "message").contains("404 Not Found: no such user"), "{error:?}");
    let status = error.get("details").and_then(|details| details.get("status"));
    assert_eq!(status, Some(&Value::Int(404)));
}

#[test]
fn who_is_not_listed_is_not_spoken_to() {
    let server = Server::new(JSON, "1");
    let folder = folder_for(&server, &called("http.GET", "\"https://api.example.com/x\"", "[]"));
    let shown = folder.ends("denied", &[]);
    let listed =
        format!("[adapters.http]\nallow = [\"127.0.0.1:{}\",\"api.example.com\"]", server.port);
    assert!(why(&shown).contains(&listed), "{}", why(&shown));
    // Without the section, it is named.
    let shown = folder.ends("missing", &["--no-config"]);
    assert!(why(&shown).contains("[adapters.http]\nallow = [\"api.example.com\"]"));
    assert_eq!(server.heard(), [""; 0]);
}

#[test]
fn what_makes_no_sense_is_not_sent() {
    let server = Server::new(JSON, "1");
    for (verb, target, args, why_not) in [
        ("http.GET", "null", "[]", "needs a URL"),
        ("http.GET", "\"nowhere\"", "[]", "no URL"),
        ("http.GET", &url(&server, "/"), r#"["text"]"#, "headers, as an object"),
        ("http.GET", &url(&server, "/"), r#"[{"Host": "x"}]"#, "not for a call to choose"),
        ("http.GET", &url(&server, "/"), r#"[{"A": "x\ny"}]"#, "no header can have"),
        ("http.GET", &url(&server, "/"), "[-1]", "makes no sense"),
    ] {
        let folder = folder_for(&server, &called(verb, target, args));
        let shown = folder.ends("tool", &[]);
        assert!(why(&shown).contains(why_not), "{}", why(&shown));
    }
    let folder = folder_for(&server, &called("http.FLY", &url(&server, "/"), "[]"));
    assert!(why(&folder.ends("missing", &[])).contains("there is no `http.FLY`"));
    assert_eq!(server.heard(), [""; 0]);
}
