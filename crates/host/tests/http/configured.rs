//! What `quipu.toml` may say of a tool that is an HTTP interface.

use expect_test::{Expect, expect};
use graph::{Again, Touches};
use host::Bound;
use value::json;

use crate::scratch::{Scratch, findings};

#[test]
fn a_method_says_what_a_tool_does_unless_somebody_says_more() {
    let folder = Scratch::new();
    for (lines, touches, again) in [
        ("http = 'GET https://a.example/'", Touches::Read, Again::Freely),
        ("http = 'HEAD https://a.example/'", Touches::Read, Again::Freely),
        ("http = 'PUT https://a.example/'", Touches::Write, Again::WithKey),
        ("http = 'DELETE https://a.example/'", Touches::Write, Again::WithKey),
        ("http = 'POST https://a.example/'", Touches::Write, Again::ByAsking),
        ("http = 'PATCH https://a.example/'", Touches::Write, Again::ByAsking),
        ("http = 'POST https://a.example/'\ntouches = 'read'", Touches::Read, Again::Freely),
        ("http = 'POST https://a.example/'\nagain = 'key'", Touches::Write, Again::WithKey),
        ("http = 'GET https://a.example/'\ntouches = 'write'", Touches::Write, Again::WithKey),
        ("http = 'PUT https://a.example/'\nagain = 'ask'", Touches::Write, Again::ByAsking),
    ] {
        let contract = folder.tool(lines).contract();
        assert_eq!((contract.touches, contract.again), (touches, again), "{lines}");
    }
}

#[test]
fn it_says_what_it_is_and_what_it_wants() {
    let folder = Scratch::new();
    let look = |lines: &str| folder.tool(lines).look();
    assert_eq!(
        look("http = 'GET https://a.example:8443/x/{id}'"),
        Ok("GET https://a.example:8443".to_owned())
    );
    let with = "http = 'GET https://a.example/?k={secret:K}'\nsecrets = { K = { file = 'k' } }";
    expect!["the secret `K` is not there: `FOLDER/k` cannot be read: No such file or directory (os error 2)"]
        .assert_eq(&look(with).unwrap_err().replace(folder.0.to_str().unwrap(), "FOLDER"));
    folder.write("k", "value\n");
    assert_eq!(look(with), Ok("GET https://a.example, with the secret `K`".to_owned()));
    let tool = folder.tool(
        "http = 'POST https://a.example/{id}?n={n?}'\nbody = { a = '{a.b}', id = '{id}', n = '{n?}' }",
    );
    let input = tool.described().input.unwrap();
    expect![[r#"{"type":"object","properties":{"id":{},"n":{},"a":{}},"required":["id","a"]}"#]]
        .assert_eq(&json::compact(&input));
}

#[test]
fn what_is_wrong_in_a_configuration_is_found_with_its_place() {
    let check = |lines: &str, expected: Expect| expected.assert_eq(&findings(lines));
    check(
        "http = 'https://a.example/'",
        expect![[r#"
            quipu.toml:2:8: `http` must be a method and a URL; write `http = "GET
              https://a.example/"`"#]],
    );
    check(
        "http = 'FETCH https://{host}/'\nbytes_max = 0\nanswer = 'hole'\nallow = ['*', 1]\nenv = ['A']\n\
         timeout = 'soon'\nagain = 'never'",
        expect![[r#"
            quipu.toml:2:8: unknown method `FETCH`; there are `GET`, `HEAD`, `POST`, `PUT`, `PATCH`,
               `DELETE`
            quipu.toml:2:8: scheme, host and port of a URL must be fixed: whoever makes the call
              must not choose whom it goes to
            quipu.toml:3:13: `bytes_max` must be a whole number of bytes from 1 to 1073741824
            quipu.toml:4:10: unknown answer `hole`; did you mean `whole`?
            quipu.toml:5:10: `*` is neither a host (`intranet.example`, `localhost:8080`) nor an
              address or a range of them (`127.0.0.1:8080`, `[::1]:8080`, `10.0.0.0/8`)
            quipu.toml:5:15: this must be text, such as `"10.0.0.0/8"`
            quipu.toml:6:1: `env` says nothing of `http`: write `{secret:NAME}`
            quipu.toml:7:11: `timeout` must be a duration such as `"30s"`, or a whole number of
              seconds from 1 on
            quipu.toml:8:9: unknown again `never`; there are `free`, `key`, `ask`"#]],
    );
    check(
        "http = 'GET http://127.0.0.1:8080/'\nbody = 1\nheaders = 1\nsecrets = 1\nallow = 1",
        expect![[r#"
            quipu.toml:2:8: 127.0.0.1 is a loopback address; if it is meant, list `127.0.0.1:8080`
              under `allow`
            quipu.toml:3:1: `GET` has no body
            quipu.toml:3:8: `body` must be a table, a list or text
            quipu.toml:4:11: `headers` must be a table of headers, such as `{ Accept =
              "application/json" }`
            quipu.toml:5:11: `secrets` must be a table of secrets, such as `{ TOKEN = { env =
              "TOKEN" } }`
            quipu.toml:6:9: `allow` must be a list of hosts and addresses, such as
              `["localhost:8080", "10.0.0.0/8"]`"#]],
    );
    check(
        r#"http = "POST https://a.example/"
           body = { a = "{secret:}", b = nan, c = [inf] }
           [tools.t.headers]
           Host = "b.example"
           idempotency-key = "1"
           "X Y" = "1"
           accept = "1"
           Accept = "1"
           X-A = 1
           X-B = "a\r\nb"
           [tools.t.secrets]
           TYPO = { env = "A" }
           "no name" = { env = "A" }"#,
        expect![[r#"
            quipu.toml:3:25: `{secret:}` names no secret: write `{secret:NAME}`
            quipu.toml:3:42: JSON has no such number
            quipu.toml:3:52: JSON has no such number
            quipu.toml:5:12: the header `Host` is not for a tool to choose
            quipu.toml:6:12: the header `idempotency-key` is not for a tool to choose
            quipu.toml:7:12: `X Y` cannot be the name of a header
            quipu.toml:9:12: the header `Accept` is given twice
            quipu.toml:10:18: this must be text, such as `"Bearer {secret:TOKEN}"`
            quipu.toml:11:18: no header has a line break
            quipu.toml:13:12: nothing uses the secret `TYPO`; write `{secret:TYPO}` where it belongs
            quipu.toml:14:12: `no name` cannot name a secret"#]],
    );
    check(
        r#"http = "PUT https://a.example/"
           headers = { Content-Type = "application/json", A = "{secret:A}{secret:B}{secret:C}" }
           body = '{"a": {a}}'
           secrets = { A = { env = "" }, B = { env = "B", file = "b" }, C = "c" }"#,
        expect![[r#"
            quipu.toml:4:19: arguments inside a text could make other JSON of it; write `body` as a
              table, such as `body = { query = "{query}" }`
            quipu.toml:5:36: `env` must be the name of an environment variable, as text
            quipu.toml:5:46: a secret has either `env` or `file`
            quipu.toml:5:77: a secret must not stand here; write `{ env = "NAME" }` or `{ file =
              "./path" }`, and take back a secret that others may have seen"#]],
    );
    check(
        "command = ['./t']\nheaders = { A = 'b' }\nallow = []",
        expect![[r#"
            quipu.toml:3:1: `headers` is for `http`
            quipu.toml:4:1: `allow` is for `http`"#]],
    );
}
