//! Tools that are HTTP interfaces, and what of their secrets is left behind: nothing.

use std::io::Write;
use std::net::TcpListener;

use super::*;

const CANARY: &str = "canary-4711-secret";

/// A server that says back all that it hears, with some status.
fn echo(status: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, mut heard, mut chunk) = (stream.unwrap(), String::new(), [0; 4096]);
            while !heard.contains(r#""end":true}"#) {
                let length = stream.read(&mut chunk).unwrap();
                assert!(length > 0, "the request ends as its body does");
                heard += std::str::from_utf8(&chunk[..length]).unwrap();
            }
            assert_eq!(heard.matches(CANARY).count(), 3, "it is sent to whom it is for");
            let length = heard.len();
            let head = format!("HTTP/1.1 {status}\r\nX-Echo: {CANARY}\r\nContent-Length: {length}");
            write!(stream, "{head}\r\nConnection: close\r\n\r\n{heard}").unwrap();
        }
    });
    port
}

/// Every byte of every file below a folder.
fn all_bytes(folder: &std::path::Path) -> Vec<u8> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let bytes = entries.flat_map(|path| match path.is_dir() {
        true => all_bytes(&path),
        false => std::fs::read(&path).unwrap(),
    });
    bytes.collect()
}

#[test]
fn a_secret_is_in_no_file_and_no_output_whatever_a_server_says() {
    for (status, code) in [("200 OK", 0), ("500 Oops", 1)] {
        let folder = Folder::new();
        let port = echo(status);
        let config = format!(
            "[tools.work]\n\
             http = 'POST http://127.0.0.1:{port}/?key={{secret:WORK_KEY}}'\n\
             headers = {{ Authorization = 'Bearer {{secret:WORK_KEY}}' }}\n\
             body = {{ key = '{{secret:WORK_KEY}}', end = true }}\n\
             allow = ['127.0.0.1:{port}']\n"
        );
        let nodes = format!(r#"{CALL}, {{"id": "n2", "op": "J", "data": {{"var": "$done"}}}}"#);
        folder
            .write("quipu.toml", config)
            .write("agent.json", graph(&[("start", &nodes, "n1-next-n2")]));
        let quipu = |arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_quipu"));
            command.args(arguments).current_dir(folder.path()).env("WORK_KEY", CANARY);
            // Nobody is there, and nobody must be asked.
            command.env("http_proxy", "http://127.0.0.1:1").env("ALL_PROXY", "http://127.0.0.1:1");
            let output = command.output().unwrap();
            let told = [output.stdout, output.stderr].concat();
            (output.status.code(), String::from_utf8(told).unwrap())
        };
        let (ended, mut told) = quipu(&["run", "agent.json", "--id", "r"]);
        assert_eq!(ended, Some(code), "{told}");
        for arguments in [
            &["log", "r", "--json"][..],
            &["state", "r", "--json"],
            &["trace", "r"],
            &["why", "r@3"],
            &["replay", "r", "--json"],
            &["export", "r"],
        ] {
            told += &quipu(arguments).1;
        }
        assert!(told.contains("{secret:WORK_KEY}"), "what was said is kept, without it: {told}");
        assert!(!told.contains(CANARY), "{told}");
        let kept = all_bytes(folder.path());
        let has = |text: &str| kept.windows(text.len()).any(|bytes| bytes == text.as_bytes());
        assert!(has("{secret:WORK_KEY}") && !has(CANARY));
    }
}
