//! Where spans are sent, and what is said to be let in.

use std::fmt;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::secrets::{Revealed, Source, process_variable};

/// Where collectors take traces.
const PATH: &str = "v1/traces";

/// The variables of OpenTelemetry that name a collector, and what it wants to be shown. Those for
/// traces count more than those for everything.
const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
const TRACES_HEADERS: &str = "OTEL_EXPORTER_OTLP_TRACES_HEADERS";

/// A collector.
#[derive(Clone)]
pub struct Collector {
    pub(super) url: Url,
    /// Keys, most of the time: they are never shown.
    pub(super) headers: HeaderMap,
    /// The same, for what it says of them.
    pub(super) revealed: Revealed,
}

/// Why nothing can be sent there. None of these says what a header holds.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unusable {
    /// The address is none.
    #[error("`{0}` is no address of a collector; write `http://HOST:PORT` or `https://HOST/PATH`")]
    NotAnAddress(String),
    /// Keys in addresses end up in logs.
    #[error("the address of a collector cannot hold a password; put it into `{HEADERS}`")]
    Password,
    /// The headers are not where they should be.
    #[error("the headers are not there: {0}")]
    NoHeaders(String),
    /// The headers cannot be read.
    #[error("`{place}` must hold headers as `name=value,name=value`; the part {part} is none")]
    Headers {
        /// The variable or the file.
        place: String,
        /// Which part, from 1 on.
        part: usize,
    },
}

impl Collector {
    /// A collector by its address. Where no path is given, it is the usual one.
    pub fn new(address: &str) -> Result<Collector, Unusable> {
        let mut url = parse(address)?;
        if matches!(url.path(), "" | "/") {
            url.set_path(PATH);
        }
        Ok(Collector::at(url))
    }

    /// The collector that the variables of OpenTelemetry name, if they name one.
    pub fn from_environment() -> Result<Option<Collector>, Unusable> {
        let named = |name: &str| process_variable(name).filter(|value| !value.is_empty());
        if let Some(address) = named(TRACES_ENDPOINT) {
            return parse(&address).map(|url| Some(Collector::at(url)));
        }
        let Some(address) = named(ENDPOINT) else { return Ok(None) };
        let mut url = parse(&address)?;
        let path = format!("{}/{PATH}", url.path().trim_end_matches('/'));
        url.set_path(&path);
        Ok(Some(Collector::at(url)))
    }

    fn at(url: Url) -> Collector {
        Collector { url, headers: HeaderMap::new(), revealed: Revealed::default() }
    }

    /// Shows it the headers that are kept there, or else those in the variables of OpenTelemetry.
    pub fn with_headers(mut self, source: Option<&Source>) -> Result<Collector, Unusable> {
        let Some(source) = source else {
            for name in [HEADERS, TRACES_HEADERS] {
                self.show(name, &process_variable(name).unwrap_or_default())?;
            }
            return Ok(self);
        };
        let place = match source {
            Source::Variable(name) => name.clone(),
            Source::File(path) => path.display().to_string(),
        };
        let text = source.reveal().map_err(Unusable::NoHeaders)?;
        self.show(&place, &text)?;
        Ok(self)
    }

    fn show(&mut self, place: &str, text: &str) -> Result<(), Unusable> {
        let parts = text.split(',').enumerate().filter(|(_, part)| !part.trim().is_empty());
        for (at, part) in parts {
            let (name, value) = header(part)
                .ok_or_else(|| Unusable::Headers { place: place.to_owned(), part: at + 1 })?;
            let held = String::from_utf8_lossy(value.as_bytes()).into_owned();
            self.revealed.suspect(name.as_str().into(), held);
            self.headers.insert(name, value);
        }
        Ok(())
    }
}

/// The address without what may be a key, for people.
impl fmt::Display for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.url.clone();
        shown.set_query(None);
        shown.set_fragment(None);
        f.write_str(shown.as_str())
    }
}

impl fmt::Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Collector({self})")
    }
}

fn parse(address: &str) -> Result<Url, Unusable> {
    // What cannot be read is not repeated with what may be a password.
    let shown = || match address.contains('@') {
        true => "(not shown)".to_owned(),
        false => address.to_owned(),
    };
    let url = Url::parse(address.trim()).map_err(|_| Unusable::NotAnAddress(shown()))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err(Unusable::NotAnAddress(shown()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Unusable::Password);
    }
    Ok(url)
}

/// `name=value`, where the value may have `%20` and the like.
fn header(text: &str) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = text.split_once('=')?;
    let name = HeaderName::from_bytes(name.trim().as_bytes()).ok()?;
    let mut value = HeaderValue::from_bytes(&unescaped(value.trim())?).ok()?;
    value.set_sensitive(true);
    Some((name, value))
}

fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let mut plain = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'%' => {
                let digits = [bytes.next()?, bytes.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_path_means_the_usual_one() {
        for (address, url) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("https://collector.example/", "https://collector.example/v1/traces"),
            ("https://example.org/otel/v1/traces", "https://example.org/otel/v1/traces"),
            ("http://[::1]:4318/own", "http://[::1]:4318/own"),
        ] {
            assert_eq!(Collector::new(address).unwrap().url.as_str(), url);
        }
    }

    #[test]
    fn what_is_no_address_is_refused_without_showing_passwords() {
        for address in ["", "127.0.0.1:4318", "ftp://a", "file:///etc/passwd", "http://", "x y"] {
            let refused = Collector::new(address).unwrap_err();
            assert!(matches!(refused, Unusable::NotAnAddress(_)), "{address}: {refused}");
        }
        for address in ["http://ada:canary@host", "http://canary@host", "ftp://a:canary@host"] {
            let refused = Collector::new(address).unwrap_err().to_string();
            assert!(!refused.contains("canary"), "{refused}");
        }
        let shown = format!("{:?}", Collector::new("http://host/?key=canary").unwrap());
        assert_eq!(shown, "Collector(http://host/v1/traces)");
    }

    #[test]
    fn headers_are_read_and_never_shown() {
        let mut collector = Collector::new("http://host").unwrap();
        collector.show("H", "Authorization=Basic%20canary==, x-project = desk,").unwrap();
        assert_eq!(collector.headers["authorization"], "Basic canary==");
        assert_eq!(collector.headers["x-project"], "desk");
        assert!(!format!("{collector:?} {:?}", collector.headers).contains("canary"));
        let said = collector.revealed.hide("Basic canary== is no key of the desk");
        assert_eq!(said, "{secret:authorization} is no key of the desk");
        for text in ["canary", "a=b,can ary=x", "a=%zz", "a=%4", "a=canary%0a"] {
            let refused = collector.show("H", text).unwrap_err();
            assert!(matches!(refused, Unusable::Headers { .. }), "{text}");
            assert!(!refused.to_string().contains("canary"), "{refused}");
        }
    }
}
