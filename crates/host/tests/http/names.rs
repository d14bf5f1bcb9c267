//! Names and their addresses, as a test wants them: from a table, or from a server of names on
//! loopback that answers differently each time.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use host::http::{Resolve, Resolving};

/// Names with their addresses; others do not exist.
#[derive(Debug)]
pub(crate) struct Names(BTreeMap<String, Vec<IpAddr>>);

impl Names {
    pub(crate) fn of(names: &[(&str, &[&str])]) -> Arc<Names> {
        let all = names.iter().map(|(name, addresses)| {
            let addresses = addresses.iter().map(|address| address.parse().unwrap());
            ((*name).to_owned(), addresses.collect())
        });
        Arc::new(Names(all.collect()))
    }

    /// Names that all lead to 127.0.0.1.
    pub(crate) fn on_loopback(names: &[&str]) -> Arc<Names> {
        let all = names.iter().map(|name| (*name, &["127.0.0.1"][..]));
        Names::of(&all.collect::<Vec<_>>())
    }
}

impl Resolve for Names {
    fn resolve(&self, host: &str) -> Resolving {
        let found = self.0.get(host.strip_suffix('.').unwrap_or(host)).cloned();
        Box::pin(async move { found.ok_or_else(|| std::io::Error::other("no such name")) })
    }
}

/// A server of names that has one address for the first question, another for the second, and so
/// on; the last one for all that follow.
#[derive(Debug)]
pub(crate) struct Rebinding {
    at: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl Rebinding {
    pub(crate) fn start(answers: &'static [&'static [Ipv4Addr]]) -> Arc<Rebinding> {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let at = socket.local_addr().unwrap();
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        std::thread::spawn(move || {
            let mut question = [0; 512];
            while let Ok((length, from)) = socket.recv_from(&mut question) {
                let nth = count.fetch_add(1, Ordering::SeqCst).min(answers.len() - 1);
                socket.send_to(&dns_answer(&question[..length], answers[nth]), from).unwrap();
            }
        });
        Arc::new(Rebinding { at, asked })
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// Asks over UDP, as RFC 1035 has it.
impl Resolve for Rebinding {
    fn resolve(&self, host: &str) -> Resolving {
        let (at, question) = (self.at, dns_question(host));
        Box::pin(async move {
            let socket = tokio::net::UdpSocket::bind("127.0.0.1:0").await?;
            socket.send_to(&question, at).await?;
            let mut answer = [0; 512];
            let length = socket.recv(&mut answer).await?;
            let records = answer[question.len()..length].chunks(16);
            Ok(records.map(|r| Ipv4Addr::new(r[12], r[13], r[14], r[15]).into()).collect())
        })
    }
}

fn dns_question(host: &str) -> Vec<u8> {
    // Number 7, recursion wanted, one question.
    let mut question = vec![0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in host.split('.') {
        question.push(u8::try_from(label.len()).unwrap());
        question.extend(label.bytes());
    }
    // The end of the name; type A, class IN.
    question.extend([0, 0, 1, 0, 1]);
    question
}

fn dns_answer(question: &[u8], addresses: &[Ipv4Addr]) -> Vec<u8> {
    let mut answer = question.to_vec();
    answer[2] |= 0x80;
    answer[7] = u8::try_from(addresses.len()).unwrap();
    for address in addresses {
        // The name of the question, type A, class IN, to be forgotten at once, four bytes.
        answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]);
        answer.extend(address.octets());
    }
    answer
}
