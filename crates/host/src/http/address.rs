//! Which addresses belong to somebody's inside, and so are not spoken to unless they are listed.
//!
//! What is not known to be public is denied. An IPv6 address that carries an IPv4 address is judged
//! by both: a packet may end up at either.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use Denied::{
    Benchmark, Broadcast, CarrierNat, Discard, Documentation, LinkLocal, Loopback, Metadata,
    Multicast, NotGlobal, Private, Reserved, Tunnel, UniqueLocal, Unspecified,
};

/// Why an address is not spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// It hands out the credentials of a machine in a cloud.
    Metadata,
    /// It is this machine.
    Loopback,
    /// It is somebody's own network.
    Private,
    /// The same in IPv6.
    UniqueLocal,
    /// It is the machines beside this one.
    LinkLocal,
    /// It is behind a provider's translation.
    CarrierNat,
    /// It is many machines.
    Multicast,
    /// It is all machines beside this one.
    Broadcast,
    /// It is no address, and systems take it for this machine.
    Unspecified,
    /// Nobody has it.
    Documentation,
    /// It is for measuring devices.
    Benchmark,
    /// What is sent there is thrown away.
    Discard,
    /// It stands for an IPv4 address somewhere behind a gateway that nobody should need any more,
    /// or for one in a network of its own.
    Tunnel,
    /// It was given to no one.
    Reserved,
    /// It lies outside of what IPv6 gives to the public.
    NotGlobal,
}

impl Denied {
    /// What it is, as in "127.0.0.1 is a loopback address".
    pub fn in_words(self) -> &'static str {
        match self {
            Metadata => "a metadata address, which hands out credentials",
            Loopback => "a loopback address",
            Private => "a private address",
            UniqueLocal => "a unique local address",
            LinkLocal => "a link-local address",
            CarrierNat => "an address behind carrier-grade NAT",
            Multicast => "a multicast address",
            Broadcast => "the broadcast address",
            Unspecified => "an unspecified address",
            Documentation => "an address for documentation",
            Benchmark => "an address for benchmarks",
            Discard => "a discard address",
            Tunnel => "an address of a tunnel to IPv4",
            Reserved => "a reserved address",
            NotGlobal => "no global address",
        }
    }
}

/// Addresses of services that hand out credentials: most clouds use the first, some their own.
const METADATA: &[IpAddr] = &[
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)), // containers on AWS
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 23)), // pods on AWS
    IpAddr::V4(Ipv4Addr::new(169, 254, 0, 23)),  // Tencent
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)), // Alibaba
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)), // Azure, and it looks public
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),   // Oracle
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)), // AWS
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23)), // pods on AWS
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)), // Google
];

const V4: &[(Ipv4Addr, u8, Denied)] = &[
    (Ipv4Addr::BROADCAST, 32, Broadcast),
    (Ipv4Addr::new(0, 0, 0, 0), 8, Unspecified),
    (Ipv4Addr::new(10, 0, 0, 0), 8, Private),
    (Ipv4Addr::new(100, 64, 0, 0), 10, CarrierNat),
    (Ipv4Addr::new(127, 0, 0, 0), 8, Loopback),
    (Ipv4Addr::new(169, 254, 0, 0), 16, LinkLocal),
    (Ipv4Addr::new(172, 16, 0, 0), 12, Private),
    (Ipv4Addr::new(192, 0, 0, 0), 24, Reserved),
    (Ipv4Addr::new(192, 0, 2, 0), 24, Documentation),
    (Ipv4Addr::new(192, 88, 99, 0), 24, Tunnel),
    (Ipv4Addr::new(192, 168, 0, 0), 16, Private),
    (Ipv4Addr::new(198, 18, 0, 0), 15, Benchmark),
    (Ipv4Addr::new(198, 51, 100, 0), 24, Documentation),
    (Ipv4Addr::new(203, 0, 113, 0), 24, Documentation),
    (Ipv4Addr::new(224, 0, 0, 0), 4, Multicast),
    (Ipv4Addr::new(240, 0, 0, 0), 4, Reserved),
];

const V6: &[(Ipv6Addr, u8, Denied)] = &[
    (Ipv6Addr::UNSPECIFIED, 128, Unspecified),
    (Ipv6Addr::LOCALHOST, 128, Loopback),
    (Ipv6Addr::UNSPECIFIED, 96, Tunnel), // the IPv4 address in the last bits: v4-compatible
    (Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, 0, 0), 96, Tunnel), // v4-translated
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, Tunnel), // NAT64 of a network of its own
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64, Discard),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32, Tunnel), // Teredo
    (Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, 0), 48, Benchmark),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, Reserved),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, Documentation),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, Tunnel), // 6to4
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, Documentation),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, UniqueLocal),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, LinkLocal),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, Private),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, Multicast),
];

/// What IPv6 gives to the public, out of all that it has.
const GLOBAL: (Ipv6Addr, u8) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// NAT64 for everybody: how a network with IPv6 alone reaches public IPv4 addresses.
const NAT64: (Ipv6Addr, u8) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Why an address is not spoken to, unless it is a public one.
pub fn denied(address: IpAddr) -> Option<Denied> {
    let address = address.to_canonical();
    if METADATA.contains(&address) {
        return Some(Metadata);
    }
    match address {
        IpAddr::V4(address) => {
            let mut ranges = V4.iter();
            let found = ranges.find(|(network, bits, _)| {
                is_within(IpAddr::V4(address), IpAddr::V4(*network), *bits)
            });
            found.map(|(_, _, why)| *why)
        }
        IpAddr::V6(address) => denied_v6(address),
    }
}

fn denied_v6(address: Ipv6Addr) -> Option<Denied> {
    let is_in =
        |(network, bits): (Ipv6Addr, u8)| is_within(IpAddr::V6(address), IpAddr::V6(network), bits);
    // These two look as if they carried an IPv4 address.
    let is_itself = address.is_unspecified() || address.is_loopback();
    let inner = carried(address).filter(|_| !is_itself);
    let by_inner = inner.and_then(|inner| denied(IpAddr::V4(inner)));
    let by_range = V6.iter().find(|(network, bits, _)| is_in((*network, *bits)));
    let is_public = is_in(GLOBAL) || is_in(NAT64);
    by_inner.or(by_range.map(|(_, _, why)| *why)).or((!is_public).then_some(NotGlobal))
}

/// The IPv4 address inside an IPv6 one, in each of the forms there are. A v4-mapped address is
/// taken for IPv4 before anybody asks.
fn carried(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let pair = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    let is_in = |network: Ipv6Addr, bits| is_within(IpAddr::V6(address), IpAddr::V6(network), bits);
    let [_, second, third, _, fifth, sixth, high, low] = address.segments();
    let is_compatible = is_in(Ipv6Addr::UNSPECIFIED, 96);
    let is_translated = is_in(Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, 0, 0), 96);
    let is_isatap = fifth & 0xfdff == 0 && sixth == 0x5efe;
    if is_in(Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16) {
        Some(pair(second, third))
    } else if is_in(Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32) {
        // Teredo writes it upside down, so that no device on the way replaces it.
        Some(pair(!high, !low))
    } else if is_compatible || is_translated || is_isatap || is_in(NAT64.0, NAT64.1) {
        Some(pair(high, low))
    } else {
        None
    }
}

/// Whether an address lies in a network of so many bits.
pub(super) fn is_within(address: IpAddr, network: IpAddr, bits: u8) -> bool {
    match (address, network) {
        (IpAddr::V4(address), IpAddr::V4(network)) => {
            let shift = 32 - u32::from(bits);
            let differ = u32::from(address) ^ u32::from(network);
            differ.checked_shr(shift).unwrap_or(0) == 0
        }
        (IpAddr::V6(address), IpAddr::V6(network)) => {
            let shift = 128 - u32::from(bits);
            let differ = u128::from(address) ^ u128::from(network);
            differ.checked_shr(shift).unwrap_or(0) == 0
        }
        _ => false,
    }
}
