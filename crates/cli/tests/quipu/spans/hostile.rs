//! Collectors that misbehave: whoever sends says what is wrong, and waits no longer than they may.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use super::*;
use crate::running::HANG;

/// Listens, and does this with everybody who comes.
fn listening(mut with: impl FnMut(TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().flatten().for_each(&mut with));
    url
}

/// Reads what was sent, as far as it comes at once.
fn take(stream: &mut TcpStream) {
    let mut bytes = vec![0; 1 << 20];
    stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    while stream.read(&mut bytes).is_ok_and(|count| count > 0) {}
}

fn ticket() -> Folder {
    let folder = desk();
    assert_eq!(ran(&folder, "ticket").code, 0);
    folder
}

fn spans(folder: &Folder, url: &str) -> Done {
    folder.run(&["spans", "ticket", "--to", url])
}

#[test]
fn a_refusal_is_said_and_not_repeated() {
    let folder = ticket();
    for (status, body, why) in [
        (500, "broken", "answers 500 Internal Server Error: broken"),
        (
            400,
            r#"{"code": 3, "message": "no such field"}"#,
            "answers 400 Bad Request: no such field",
        ),
        (401, "", "answers 401 Unauthorized"),
        (200, "", "sent"),
    ] {
        let collector = Collector::answering(vec![(status, vec![], body)]);
        let done = spans(&folder, &collector.url);
        assert_eq!(done.code, if status == 200 { 0 } else { 2 }, "{}", done.stderr);
        assert!(format!("{}{}", done.stdout, done.stderr).contains(why), "{}", done.stderr);
        assert_eq!(collector.requests().len(), 1);
    }
}

#[test]
fn a_collector_that_is_busy_is_asked_again_when_it_wants() {
    let folder = ticket();
    let soon = || vec![("retry-after", "0".to_owned())];
    let collector = Collector::answering(vec![(429, soon(), ""), (503, soon(), "later")]);
    let done = spans(&folder, &collector.url);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let bodies: Vec<_> = collector.requests().into_iter().map(|request| request.body).collect();
    assert_eq!(bodies.len(), 3);
    assert!(bodies.iter().all(|body| *body == bodies[0]), "the same is sent again");
    // Longer than anybody waits: then it is not waited at all.
    let late = vec![("retry-after", "86400".to_owned())];
    let collector = Collector::answering(vec![(503, late, "come tomorrow")]);
    let done = spans(&folder, &collector.url);
    assert_eq!(done.code, 2);
    assert!(done.stderr.contains("503 Service Unavailable: come tomorrow"), "{}", done.stderr);
    assert_eq!(collector.requests().len(), 1);
    // For ever busy.
    let collector = Collector::answering((0..20).map(|_| (429, soon(), "")).collect());
    assert_eq!(spans(&folder, &collector.url).code, 2);
    assert_eq!(collector.requests().len(), 5);
}

#[test]
fn spans_that_are_not_taken_are_counted() {
    let folder = ticket();
    let partial =
        r#"{"partialSuccess": {"rejectedSpans": "2", "errorMessage": "too \u001b[2Jold"}}"#;
    let collector = Collector::answering(vec![(200, vec![], partial)]);
    let done = spans(&folder, &collector.url);
    assert_eq!(done.code, 1, "{}", done.stderr);
    assert!(done.stderr.contains("the collector did not take 2 spans: too"), "{}", done.stderr);
    assert!(!done.stderr.contains('\u{1b}'), "it leaves the terminal alone");
}

#[test]
fn nobody_is_sent_elsewhere_with_keys() {
    let folder = ticket();
    let elsewhere = Collector::start();
    let there = format!("{}/v1/traces", elsewhere.url);
    for status in [301, 302, 307, 308] {
        let headers = vec![("location", there.clone())];
        let collector = Collector::answering(vec![(status, headers, "")]);
        let done = spans(&folder, &collector.url);
        assert_eq!(done.code, 2, "{}", done.stderr);
        assert!(done.stderr.contains("wants the spans to go elsewhere"), "{}", done.stderr);
    }
    assert_eq!(elsewhere.requests().len(), 0);
}

#[test]
fn what_is_no_answer_is_no_panic() {
    let folder = ticket();
    for bytes in [
        &b""[..],
        b"\0\0\0",
        b"garbage\r\n\r\n",
        b"HTTP/1.1 999 What\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.9\r\n",
    ] {
        let url = listening(move |mut stream| {
            take(&mut stream);
            let _ = stream.write_all(bytes);
        });
        let done = spans(&folder, &url);
        assert_eq!(done.code, 2, "{bytes:?}: {}", done.stdout);
        assert!(done.stderr.starts_with("error: `http://127.0.0.1:"), "{}", done.stderr);
    }
}

#[test]
fn an_answer_without_end_is_not_read_to_its_end() {
    let folder = ticket();
    let url = listening(|mut stream| {
        std::thread::spawn(move || {
            take(&mut stream);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{");
            while stream.write_all(&[b' '; 4096]).is_ok() {}
        });
    });
    assert_eq!(spans(&folder, &url).code, 0);
}

/// A run is not held up, whatever its collector does. How long it took is not asserted: only a
/// hang would be noticed, which is what must not be.
#[test]
fn a_run_is_done_whatever_its_collector_does() {
    let folder = desk();
    let hangs = listening(|stream| {
        std::thread::spawn(move || {
            std::thread::sleep(2 * HANG);
            drop(stream);
        });
    });
    let trickles = listening(|mut stream| {
        std::thread::spawn(move || {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{");
            while stream.write_all(b" ").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
        });
    });
    let busy = Collector::answering(
        (0..20).map(|_| (503, vec![("retry-after", "1".to_owned())], "")).collect(),
    );
    for (id, url) in [("hangs", &hangs), ("trickles", &trickles), ("busy", &busy.url)] {
        folder.write("quipu.toml", format!("[otlp]\nendpoint = \"{url}\"\n"));
        let run = ["run", "support.yaml", "--model", "stub:low", "--id", id];
        let done = folder.start(&run).end();
        assert_eq!(done.code, 0, "{id}: {}", done.stderr);
        let notes = done.stderr.lines().filter(|line| line.contains("no spans were exported"));
        assert_eq!(notes.count(), 1, "{id}: {}", done.stderr);
    }
}
