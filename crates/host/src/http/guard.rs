//! Whether a URL may be spoken to: its scheme, its parts, its host, its port, and then every
//! address that its host turns out to have.

use std::net::IpAddr;

use reqwest::Url;

use super::address::{Denied, denied};
use super::allowed::{Allowed, host_address, normal};

/// Why something is not spoken to. Nothing has left for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is no URL.
    #[error("the URL cannot be read: {0}")]
    Unreadable(String),
    /// Only HTTP is spoken.
    #[error("`{0}` is no scheme for this: a URL begins with `https://` or `http://`")]
    Scheme(String),
    /// What stands before an `@` makes a host look like another, and puts passwords into logs.
    #[error("the URL has a name or a password before its host; credentials belong into a header")]
    UserInfo,
    /// There is nobody to speak to.
    #[error("the URL has no host")]
    NoHost,
    /// Something else than HTTP listens there.
    #[error(
        "port {port} of `{host}` is not for HTTP; if it is, list `{host}:{port}` under `allow`"
    )]
    Port {
        /// Whose.
        host: String,
        /// Which.
        port: u16,
    },
    /// It hands out the credentials of a machine in a cloud.
    #[error(
        "`{host}` is the name of a metadata service, which hands out credentials; only where it \
         and its address are listed under `allow` it is spoken to"
    )]
    MetadataName {
        /// Which.
        host: String,
    },
    /// It is not public.
    #[error("{}", address_in_words(host, *address, *why, *port))]
    Address {
        /// As the URL calls it.
        host: String,
        /// Where it is.
        address: IpAddr,
        /// Where one would connect to.
        port: u16,
        /// Why not.
        why: Denied,
    },
    /// Only those are spoken to that are listed.
    #[error("`{listed}` is not listed")]
    Unlisted {
        /// As it would be.
        listed: String,
    },
    /// A connection was judged for one host, and somebody wants to use it for another.
    #[error("`{0}` was never judged")]
    OtherHost(String),
}

fn address_in_words(host: &str, address: IpAddr, why: Denied, port: u16) -> String {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_itself = bare.parse::<IpAddr>().is_ok();
    let what = if is_itself { format!("{address} is") } else { format!("`{host}` is {address},") };
    let listed = match (why, address) {
        (Denied::Metadata, _) => address.to_string(),
        (_, IpAddr::V6(_)) if is_itself => format!("[{address}]:{port}"),
        _ => format!("{host}:{port}"),
    };
    format!("{what} {}; if it is meant, list `{listed}` under `allow`", why.in_words())
}

/// Ports of services that take whatever comes as lines of text, and so could be made to do
/// something by a request that was made for them.
const NOT_HTTP: &[u16] = &[
    0, 7, 9, 13, 19, 20, 21, 22, 23, 25, 37, 53, 69, 79, 110, 111, 119, 135, 137, 139, 143, 161,
    179, 389, 445, 465, 512, 513, 514, 515, 587, 636, 873, 993, 995, 1433, 2049, 3306, 5432, 6379,
    6667, 9100, 11211, 27017,
];

/// Names of services that hand out credentials. Their addresses are judged too, but a name may
/// lead to another one tomorrow.
const METADATA_NAMES: &[&str] = &[
    "instance-data",
    "instance-data.ec2.internal",
    "metadata",
    "metadata.azure.internal",
    "metadata.goog",
    "metadata.google.internal",
    "metadata.internal",
    "metadata.tencentyun.com",
    "metadata.platformequinix.com",
    "metadata.packet.net",
    "rancher-metadata",
];

/// Where a request would go to, as far as its URL says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// As the URL has it after normalising, which is what a resolver is asked for.
    pub(super) host: String,
    pub(super) port: u16,
    /// INVARIANT: one that may be spoken to.
    pub(super) address: Option<IpAddr>,
}

/// Reads a URL as everything here reads it.
pub(super) fn parse(text: &str) -> Result<Url, Refused> {
    Url::parse(text).map_err(|error| Refused::Unreadable(error.to_string()))
}

/// Whether a URL leads to one of those who are listed.
pub(super) fn listed(url: &Url, only: Option<&Allowed>) -> Result<(), Refused> {
    if only.is_none_or(|only| only.lists(url)) {
        return Ok(());
    }
    let host = url.host_str().map(normal).unwrap_or_default();
    // What is private is listed with its port.
    let is_name = host_address(url).is_none() && host != "localhost";
    let listed = match (url.port(), url.port_or_known_default()) {
        (None, _) | (_, None) if is_name => host.to_owned(),
        (_, port) => format!("{host}:{}", port.unwrap_or_default()),
    };
    Err(Refused::Unlisted { listed })
}

/// Judges all that a URL says by itself.
pub(super) fn target(url: &Url, allowed: &Allowed) -> Result<Target, Refused> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Refused::Scheme(url.scheme().to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Refused::UserInfo);
    }
    let host = url.host_str().filter(|host| !normal(host).is_empty()).ok_or(Refused::NoHost)?;
    let port = url.port_or_known_default().ok_or(Refused::NoHost)?;
    let address = host_address(url);
    let name = normal(host);
    if NOT_HTTP.contains(&port) && !allowed.has_port(name, address, port) {
        return Err(Refused::Port { host: name.to_owned(), port });
    }
    if METADATA_NAMES.contains(&name) && !allowed.has_name(name, port) {
        return Err(Refused::MetadataName { host: name.to_owned() });
    }
    let target = Target { host: host.to_owned(), port, address };
    if let Some(address) = address {
        target.judge(address, allowed)?;
    }
    Ok(target)
}

impl Target {
    /// Judges an address that the host has. A name that is listed may have any, but where
    /// credentials are handed out the address itself must be listed.
    pub(super) fn judge(&self, address: IpAddr, allowed: &Allowed) -> Result<(), Refused> {
        let Some(why) = denied(address) else { return Ok(()) };
        let is_named = why != Denied::Metadata && allowed.has_name(normal(&self.host), self.port);
        if is_named || allowed.has_address(address, self.port) {
            return Ok(());
        }
        let (host, port) = (normal(&self.host).to_owned(), self.port);
        Err(Refused::Address { host, address: address.to_canonical(), port, why })
    }

    /// Judges all addresses that a host has. One that is denied denies them all: a public name
    /// with a private address is a mistake or an attack.
    pub(super) fn judge_all(&self, addresses: &[IpAddr], allowed: &Allowed) -> Result<(), Refused> {
        addresses.iter().try_for_each(|address| self.judge(*address, allowed))
    }
}
