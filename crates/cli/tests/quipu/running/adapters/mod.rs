//! `R namespace.VERB` as a user runs it: on real servers, folders, databases and programs.

mod bound;
mod deciders;
mod files;
mod http;
mod models;
mod sqlite;
mod transactions;

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use super::*;

/// A graph of these nodes, one after the other: each is an op and its data.
pub(crate) fn agent(steps: &[(&str, &str)]) -> String {
    agent_with(steps, "{}")
}

/// The same with capabilities.
pub(crate) fn agent_with(steps: &[(&str, &str)], capabilities: &str) -> String {
    let numbered = (1..).zip(steps);
    let nodes: Vec<String> = numbered
        .map(|(id, (op, data))| format!(r#"{{"id": "n{id}", "op": "{op}", "data": {data}}}"#))
        .collect();
    let edges: Vec<String> =
        (1..steps.len()).map(|from| edge(&format!("n{from}-next-n{}", from + 1))).collect();
    let (nodes, edges) = (nodes.join(", "), edges.join(", "));
    format!(
        r#"{{"capabilities": {capabilities},
            "labels": {{"start": {{"nodes": [{nodes}], "edges": [{edges}]}}}}}}"#
    )
}

/// Returns `x`.
pub(crate) const END: (&str, &str) = ("J", r#"{"var": "$x"}"#);

/// What a verb of an adapter is called with, and `x` is what it answers.
pub(crate) fn called(adapter: &str, target: &str, args: &str) -> String {
    format!(r#"{{"adapter": "{adapter}", "target": {target}, "args": {args}, "out": "x"}}"#)
}

impl Folder {
    /// Runs `agent.json`, which must end like this, and gives what it printed.
    pub(crate) fn ends(&self, how: &str, more: &[&str]) -> Value {
        let done = self.run(&[&["run", "agent.json", "--json"], more].concat());
        let shown = shown(&done);
        assert_eq!(ending(&shown), how, "{}{}", done.stdout, done.stderr);
        shown
    }
}

impl Folder {
    /// Answers the one question that is open.
    fn say(&self, answer: &str) {
        let inbox = self.run(&["inbox", "--json"]).json();
        let done = self.run(&["answer", text(&list(&inbox, "questions")[0], "question"), answer]);
        assert_eq!(done.code, 0, "{}{}", done.stdout, done.stderr);
    }
}

/// The message of a run's error.
pub(crate) fn why(document: &Value) -> &str {
    text(document.get("error").unwrap(), "message")
}

/// What a run came to, as JSON.
fn result(document: &Value) -> String {
    json::compact(document.get("result").unwrap())
}

/// A server that answers every request in the same way, and remembers them.
pub(crate) struct Server {
    pub(crate) port: u16,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// `head` is the status line and the headers, each with its end.
    pub(crate) fn new(head: impl Into<String>, body: &'static str) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (heard, head) = (Arc::<Mutex<Vec<String>>>::default(), head.into());
        let own = Arc::clone(&heard);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                own.lock().unwrap().push(request(&mut stream));
                let length = body.len();
                let end = format!("Content-Length: {length}\r\nConnection: close\r\n\r\n{body}");
                let _ = stream.write_all(format!("HTTP/1.1 {head}{end}").as_bytes());
            }
        });
        Server { port, heard }
    }

    /// All that it was asked.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

/// A request with its body.
fn request(stream: &mut TcpStream) -> String {
    let (mut heard, mut chunk) = (String::new(), [0; 4096]);
    loop {
        let length = stream.read(&mut chunk).unwrap();
        heard += std::str::from_utf8(&chunk[..length]).unwrap();
        let Some((head, body)) = heard.split_once("\r\n\r\n") else { continue };
        let head = head.to_lowercase();
        let wanted = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let wanted = wanted.map_or(0, |length| length.parse::<usize>().unwrap());
        if body.len() >= wanted || length == 0 {
            return heard;
        }
    }
}
