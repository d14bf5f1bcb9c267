//! Servers on loopback, each of which says exactly what a test wants it to say.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Received {
    /// Such as `GET /search?q=1`.
    pub(crate) fn line(&self) -> &str {
        self.head.lines().next().unwrap().trim_end_matches(" HTTP/1.1")
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut all = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        all.find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Everything of it, to look for what must not be in it.
    pub(crate) fn whole(&self) -> String {
        format!("{}\n{}", self.head, self.body)
    }
}

/// A server whose every connection is one request.
pub(crate) struct Server {
    pub(crate) at: SocketAddr,
    received: Mutex<Receiver<Received>>,
}

impl Server {
    /// One that does something for each request, and then closes the connection.
    pub(crate) fn start(
        answer: impl Fn(&Received, &mut dyn Write) + Send + Sync + 'static,
    ) -> Server {
        Server::start_at("127.0.0.1:0", answer)
    }

    pub(crate) fn start_at(
        at: &str,
        answer: impl Fn(&Received, &mut dyn Write) + Send + Sync + 'static,
    ) -> Server {
        Server::wrapped(at, answer, |stream| stream)
    }

    /// One that speaks through something, such as TLS.
    pub(crate) fn wrapped<S: Read + Write>(
        at: &str,
        answer: impl Fn(&Received, &mut dyn Write) + Send + Sync + 'static,
        wrap: impl Fn(TcpStream) -> S + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind(at).unwrap();
        let at = listener.local_addr().unwrap();
        let (told, received) = mpsc::channel();
        let does = Arc::new((answer, wrap));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (told, does) = (told.clone(), Arc::clone(&does));
                std::thread::spawn(move || {
                    let mut stream = (does.1)(stream.unwrap());
                    if let Some(request) = read(&mut stream) {
                        // A test that is over needs to know nothing.
                        let _ = told.send(request.clone());
                        (does.0)(&request, &mut stream);
                        let _ = stream.flush();
                    }
                });
            }
        });
        Server { at, received: Mutex::new(received) }
    }

    /// One that answers the same to everybody.
    pub(crate) fn saying(answer: impl Into<Vec<u8>>) -> Server {
        let answer = answer.into();
        Server::start(move |_, to| send(to, &answer))
    }

    pub(crate) fn port(&self) -> u16 {
        self.at.port()
    }

    /// What has arrived since somebody last asked.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().try_iter().collect()
    }

    /// The lines of what has arrived.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.received().iter().map(|request| request.line().to_owned()).collect()
    }
}

/// Writes, whether or not somebody still reads.
pub(crate) fn send(to: &mut dyn Write, bytes: &[u8]) {
    let _ = to.write_all(bytes).and_then(|()| to.flush());
}

/// An answer with a status, some lines of headers, and a body.
pub(crate) fn answer(status: &str, headers: &[&str], body: &str) -> Vec<u8> {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .into_bytes()
}

/// An answer of JSON.
pub(crate) fn json(body: &str) -> Vec<u8> {
    answer("200 OK", &["Content-Type: application/json"], body)
}

/// A redirect.
pub(crate) fn redirect(status: &str, location: &str) -> Vec<u8> {
    answer(status, &[&format!("Location: {location}")], "")
}

fn read(from: &mut impl Read) -> Option<Received> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let length = from.read(&mut chunk).ok().filter(|length| *length > 0)?;
        bytes.extend_from_slice(&chunk[..length]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let request = Received { head: head.replace("\r\n", "\n"), body: body.to_owned() };
        let wanted = request.header("content-length").map_or(0, |length| length.parse().unwrap());
        if body.len() >= wanted {
            return Some(request);
        }
    }
}
