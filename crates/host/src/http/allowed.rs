//! What an operator lists under `allow`: hosts and addresses that may be spoken to although they
//! are not public.

use std::net::{IpAddr, SocketAddr};

use reqwest::Url;

use super::address::is_within;

/// Hosts and addresses that may be spoken to although they are not public.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed(Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    what: What,
    /// Only there, where it is given.
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// INVARIANT: as [`normal`] gives it.
    Name(String),
    /// INVARIANT: so many bits as an address of this kind has, at most.
    Range(IpAddr, u8),
}

impl Allowed {
    /// Reads what is listed. What cannot be understood comes back in words.
    pub fn parse<'a>(entries: impl IntoIterator<Item = &'a str>) -> Result<Allowed, String> {
        entries.into_iter().map(Entry::parse).collect::<Result<_, _>>().map(Allowed)
    }

    /// Exactly the host and port of an address that an operator wrote, such as that of a collector.
    pub fn host_of(url: &Url) -> Allowed {
        let port = url.port_or_known_default();
        let what = match (host_address(url), url.domain()) {
            (Some(address), _) => What::address(address),
            (None, Some(name)) => What::Name(normal(name).to_owned()),
            (None, None) => return Allowed::default(),
        };
        Allowed(vec![Entry { what, port }])
    }

    /// Whether the host of a URL is listed, by its name or its address.
    pub(super) fn lists(&self, url: &Url) -> bool {
        let Some(port) = url.port_or_known_default() else { return false };
        match (host_address(url), url.domain()) {
            (Some(address), _) => self.has_address(address, port),
            (None, Some(name)) => self.has_name(normal(name), port),
            (None, None) => false,
        }
    }

    /// What is listed so exactly that it may be private: addresses, and names with a port.
    #[must_use]
    pub(crate) fn exact(&self) -> Allowed {
        let is_exact =
            |entry: &&Entry| matches!(entry.what, What::Range(..)) || entry.port.is_some();
        Allowed(self.0.iter().filter(is_exact).cloned().collect())
    }

    /// Whether nothing is listed.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a name is listed, so that it may resolve to anything.
    pub(super) fn has_name(&self, host: &str, port: u16) -> bool {
        let fits = |entry: &&Entry| entry.is_name(host) && entry.port.is_none_or(|p| p == port);
        self.0.iter().any(|entry| fits(&entry))
    }

    /// Whether an address is listed.
    pub(super) fn has_address(&self, address: IpAddr, port: u16) -> bool {
        let fits =
            |entry: &&Entry| entry.has_address(address) && entry.port.is_none_or(|p| p == port);
        self.0.iter().any(|entry| fits(&entry))
    }

    /// Whether exactly this port of a host is listed, by its name or by its address.
    pub(super) fn has_port(&self, host: &str, address: Option<IpAddr>, port: u16) -> bool {
        self.0.iter().any(|entry| {
            let is_host = entry.is_name(host) || address.is_some_and(|a| entry.has_address(a));
            is_host && entry.port == Some(port)
        })
    }
}

impl What {
    /// One address alone.
    fn address(address: IpAddr) -> What {
        let address = address.to_canonical();
        What::Range(address, bits_of(address))
    }
}

impl Entry {
    fn is_name(&self, host: &str) -> bool {
        matches!(&self.what, What::Name(name) if name == host)
    }

    fn has_address(&self, address: IpAddr) -> bool {
        match &self.what {
            What::Range(network, bits) => is_within(address.to_canonical(), *network, *bits),
            What::Name(_) => false,
        }
    }

    fn parse(text: &str) -> Result<Entry, String> {
        let wrong = || {
            format!(
                "`{text}` is neither a host (`intranet.example`, `localhost:8080`) nor an address \
                 or a range of them (`127.0.0.1:8080`, `[::1]:8080`, `10.0.0.0/8`)"
            )
        };
        if let Some((network, bits)) = text.split_once('/') {
            let network: IpAddr = network.parse().map_err(|_| wrong())?;
            let bits: u8 = bits.parse().map_err(|_| wrong())?;
            if bits > bits_of(network) {
                return Err(wrong());
            }
            return Ok(Entry { what: What::Range(network, bits), port: None });
        }
        let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        if let Ok(address) = bare.parse::<IpAddr>() {
            return Ok(Entry { what: What::address(address), port: None });
        }
        if let Ok(address) = text.parse::<SocketAddr>() {
            return Ok(Entry { what: What::address(address.ip()), port: Some(address.port()) });
        }
        let (name, port) = match text.split_once(':') {
            Some((name, port)) => (name, Some(port.parse::<u16>().map_err(|_| wrong())?)),
            None => (text, None),
        };
        // Read as a part of a URL would be, so that both are the same afterwards.
        let url = Url::parse(&format!("http://{name}/")).map_err(|_| wrong())?;
        let is_bare = url.username().is_empty() && url.path() == "/" && url.query().is_none();
        match url.domain() {
            Some(domain) if is_bare && !name.contains(['*', '@', '#', '?', '\\']) => {
                Ok(Entry { what: What::Name(normal(domain).to_owned()), port })
            }
            _ => Err(wrong()),
        }
    }
}

fn bits_of(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// The address that a URL has in place of a name, however it is written there.
pub(super) fn host_address(url: &Url) -> Option<IpAddr> {
    let host = url.host_str()?;
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(inner) => inner.parse().ok(),
        // INVARIANT: a special scheme normalises every form of an IPv4 address to this one.
        None => host.parse().ok(),
    }
}

/// A name without the dot at its end, which only says that it is whole.
pub(super) fn normal(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}
