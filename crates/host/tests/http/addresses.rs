//! S10: which of the many ways to write a URL are spoken to.

use std::sync::Arc;

use host::http::{Allowed, Client, HttpLimits, Refused, Why, denied};

use crate::names::Names;

fn client(allow: &[&str]) -> Client {
    let names = Names::of(&[
        ("public.example", &["93.184.216.34"]),
        ("six.example", &["2606:2800:220:1:248:1893:25c8:1946"]),
        ("xn--bcher-kva.example", &["93.184.216.34"]),
        ("inside.example", &["10.1.2.3"]),
        ("mixed.example", &["93.184.216.34", "10.0.0.1"]),
        ("mapped.example", &["::ffff:127.0.0.1"]),
        ("nat.example", &["64:ff9b::a9fe:a9fe"]),
        ("cloud.example", &["169.254.169.254"]),
        ("nowhere.example", &[]),
        ("localhost", &["127.0.0.1", "::1"]),
        ("a.localhost", &["127.0.0.1"]),
        ("127.0.0.1.nip.example", &["127.0.0.1"]),
        ("metadata.google.internal", &["169.254.169.254"]),
        ("metadata", &["93.184.216.34"]),
    ]);
    let allowed = Allowed::parse(allow.iter().copied()).unwrap();
    Client::new(allowed, HttpLimits::default()).with_resolve(Arc::clone(&names) as _)
}

/// In a word: where it would go to, or why it goes nowhere.
fn verdict(client: &Client, url: &str) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match runtime.block_on(client.judge(url)) {
        Ok(found) => found.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        Err(error) => {
            assert!(!error.has_left, "{url}: nobody was asked yet");
            match error.why {
                Why::Refused(Refused::Address { why, .. }) => format!("{why:?}"),
                Why::Refused(Refused::Unreadable(_)) => "no URL".to_owned(),
                Why::Refused(Refused::Scheme(_)) => "scheme".to_owned(),
                Why::Refused(Refused::UserInfo) => "user info".to_owned(),
                Why::Refused(Refused::NoHost) => "no host".to_owned(),
                Why::Refused(Refused::Port { .. }) => "port".to_owned(),
                Why::Refused(Refused::MetadataName { .. }) => "metadata name".to_owned(),
                Why::Unresolved { .. } => "no such name".to_owned(),
                other => panic!("{url}: {other:?}"),
            }
        }
    }
}

#[test]
fn every_form_of_a_url_is_judged_by_where_it_leads() {
    let client = client(&[]);
    let mut wrong = Vec::new();
    for (url, expected) in FORMS {
        let found = verdict(&client, url);
        if found != *expected {
            wrong.push(format!("{url}: {found}, and not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const FORMS: &[(&str, &str)] = &[
    // What is public is spoken to.
    ("https://public.example/", "93.184.216.34"),
    ("https://public.example./", "93.184.216.34"),
    ("HTTP://PUBLIC.EXAMPLE/", "93.184.216.34"),
    ("http://public.example:8080/x?y#z", "93.184.216.34"),
    ("https://six.example/", "2606:2800:220:1:248:1893:25c8:1946"),
    ("https://bücher.example/", "93.184.216.34"),
    ("https://public。example/", "93.184.216.34"),
    ("http://8.8.8.8/", "8.8.8.8"),
    ("http://[2001:4860:4860::8888]/", "2001:4860:4860::8888"),
    ("http://[::ffff:8.8.8.8]/", "::ffff:8.8.8.8"),
    ("http://[64:ff9b::8.8.8.8]/", "64:ff9b::808:808"),
    // This machine, in all its spellings.
    ("http://127.0.0.1/", "Loopback"),
    ("http://127.0.0.1:8080/", "Loopback"),
    ("http://127.1/", "Loopback"),
    ("http://127.0.1/", "Loopback"),
    ("http://127.255.255.254/", "Loopback"),
    ("http://2130706433/", "Loopback"),
    ("http://0x7f000001/", "Loopback"),
    ("http://0x7f.1/", "Loopback"),
    ("http://0177.0.0.1/", "Loopback"),
    ("http://017700000001/", "Loopback"),
    ("http://127.0.0.1./", "Loopback"),
    ("http://127。0。0。1/", "Loopback"),
    ("http://１２７．０．０．１/", "Loopback"),
    ("http://①②⑦.⓪.⓪.①/", "Loopback"),
    ("http://%31%32%37.0.0.1/", "Loopback"),
    ("http://12\t7.0.0.1/", "Loopback"),
    ("http:\\\\127.0.0.1\\x", "Loopback"),
    ("http:127.0.0.1/", "Loopback"),
    ("http://localhost/", "Loopback"),
    ("http://localhost./", "Loopback"),
    ("http://LOCALHOST/", "Loopback"),
    ("http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", "Loopback"),
    ("http://a.localhost/", "Loopback"),
    ("http://127.0.0.1.nip.example/", "Loopback"),
    ("http://[::1]/", "Loopback"),
    ("http://[0:0:0:0:0:0:0:1]:443/", "Loopback"),
    ("http://0/", "Unspecified"),
    ("http://0.0.0.0/", "Unspecified"),
    ("http://0.1.2.3/", "Unspecified"),
    ("http://[::]/", "Unspecified"),
    // Somebody's own network.
    ("http://10.0.0.1/", "Private"),
    ("http://172.16.0.1/", "Private"),
    ("http://172.31.255.255/", "Private"),
    ("http://172.32.0.1/", "172.32.0.1"),
    ("http://192.168.1.1/", "Private"),
    ("http://3232235777/", "Private"),
    ("http://100.64.0.1/", "CarrierNat"),
    ("http://169.254.1.1/", "LinkLocal"),
    ("http://[fe80::1]/", "LinkLocal"),
    ("http://[fe80::1%25eth0]/", "no URL"),
    ("http://[fc00::1]/", "UniqueLocal"),
    ("http://[fd12:3456::1]/", "UniqueLocal"),
    ("http://[fec0::1]/", "Private"),
    ("http://inside.example/", "Private"),
    ("http://mixed.example/", "Private"),
    // Where clouds hand out credentials.
    ("http://169.254.169.254/latest/meta-data/", "Metadata"),
    ("http://0xa9fea9fe/", "Metadata"),
    ("http://2852039166/", "Metadata"),
    ("http://0251.0376.0251.0376/", "Metadata"),
    ("http://169.254.170.2/", "Metadata"),
    ("http://100.100.100.200/", "Metadata"),
    ("http://168.63.129.16/", "Metadata"),
    ("http://192.0.0.192/", "Metadata"),
    ("http://[fd00:ec2::254]/", "Metadata"),
    ("http://[::ffff:169.254.169.254]/", "Metadata"),
    ("http://cloud.example/", "Metadata"),
    ("http://metadata.google.internal/", "metadata name"),
    ("http://METADATA.google.internal./", "metadata name"),
    ("http://metadata/", "metadata name"),
    ("http://instance-data.ec2.internal/", "metadata name"),
    // IPv4 inside IPv6.
    ("http://[::ffff:127.0.0.1]/", "Loopback"),
    ("http://[::ffff:7f00:1]/", "Loopback"),
    ("http://[::ffff:a00:1]/", "Private"),
    ("http://mapped.example/", "Loopback"),
    ("http://[::127.0.0.1]/", "Loopback"),
    ("http://[::8.8.8.8]/", "Tunnel"),
    ("http://[::ffff:0:127.0.0.1]/", "Loopback"),
    ("http://[64:ff9b::127.0.0.1]/", "Loopback"),
    ("http://[64:ff9b::10.0.0.1]/", "Private"),
    ("http://nat.example/", "Metadata"),
    ("http://[64:ff9b:1::7f00:1]/", "Tunnel"),
    ("http://[64:ff9b:1::808:808]/", "Tunnel"),
    ("http://[2002:7f00:1::]/", "Loopback"),
    ("http://[2002:a9fe:a9fe::1]/", "Metadata"),
    ("http://[2002:808:808::1]/", "Tunnel"),
    ("http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/", "Loopback"),
    ("http://[2001:0:4136:e378:8000:63bf:f7f7:f7f7]/", "Tunnel"),
    ("http://[2606:2800::5efe:127.0.0.1]/", "Loopback"),
    ("http://[2606:2800::200:5efe:10.0.0.1]/", "Private"),
    ("http://[2606:2800::5efe:8.8.8.8]/", "2606:2800::5efe:808:808"),
    ("http://[fe80::5efe:8.8.8.8]/", "LinkLocal"),
    // Nobody's.
    ("http://192.0.2.1/", "Documentation"),
    ("http://198.51.100.1/", "Documentation"),
    ("http://203.0.113.1/", "Documentation"),
    ("http://[2001:db8::1]/", "Documentation"),
    ("http://[3fff::1]/", "Documentation"),
    ("http://198.18.0.1/", "Benchmark"),
    ("http://198.19.255.255/", "Benchmark"),
    ("http://[2001:2::1]/", "Benchmark"),
    ("http://192.0.0.1/", "Reserved"),
    ("http://192.88.99.1/", "Tunnel"),
    ("http://240.0.0.1/", "Reserved"),
    ("http://255.255.255.255/", "Broadcast"),
    ("http://224.0.0.1/", "Multicast"),
    ("http://239.255.255.255/", "Multicast"),
    ("http://[ff02::1]/", "Multicast"),
    ("http://[100::1]/", "Discard"),
    ("http://[2001:20::1]/", "Reserved"),
    ("http://[4000::1]/", "NotGlobal"),
    ("http://[5f00::1]/", "NotGlobal"),
    // Hosts that look like others.
    ("http://public.example@127.0.0.1/", "user info"),
    ("http://127.0.0.1@public.example/", "user info"),
    ("http://user:password@public.example/", "user info"),
    ("http://:password@public.example/", "user info"),
    ("http://public.example%40127.0.0.1/", "no URL"),
    ("http://127.0.0.1#@public.example/", "Loopback"),
    ("http://127.0.0.1\\@public.example/", "Loopback"),
    ("http://public.example%00.evil/", "no URL"),
    ("http://256.256.256.256/", "no URL"),
    ("http://1.2.3.4.5/", "no URL"),
    ("http://0x100000000/", "no URL"),
    ("http://[::1/", "no URL"),
    ("http:///", "no URL"),
    ("http://./", "no host"),
    ("http://nowhere.example/", "no such name"),
    ("http://gone.example/", "no such name"),
    ("public.example/x", "no URL"),
    // Other schemes and other ports.
    ("file:///etc/passwd", "scheme"),
    ("ftp://public.example/", "scheme"),
    ("gopher://127.0.0.1:6379/_FLUSHALL", "scheme"),
    ("data:text/plain,x", "scheme"),
    ("javascript:1", "scheme"),
    ("unix:///run/docker.sock", "scheme"),
    ("ws://public.example/", "scheme"),
    ("http://public.example:22/", "port"),
    ("http://public.example:25/", "port"),
    ("http://public.example:6379/", "port"),
    ("http://public.example:0/", "port"),
    ("http://public.example:65536/", "no URL"),
];

#[test]
fn what_is_listed_is_spoken_to_and_no_more() {
    for (allow, url, expected) in [
        ("127.0.0.1:8080", "http://127.0.0.1:8080/", "127.0.0.1"),
        ("127.0.0.1:8080", "http://2130706433:8080/", "127.0.0.1"),
        ("127.0.0.1:8080", "http://[::ffff:127.0.0.1]:8080/", "::ffff:127.0.0.1"),
        ("127.0.0.1:8080", "http://127.0.0.1:8081/", "Loopback"),
        ("127.0.0.1:8080", "http://127.0.0.1/", "Loopback"),
        ("127.0.0.1", "http://127.0.0.1:8081/", "127.0.0.1"),
        ("127.0.0.1", "http://127.0.0.2/", "Loopback"),
        // A name is listed by itself: its address is not, and so no other name that has it.
        ("inside.example", "http://inside.example/", "10.1.2.3"),
        ("Inside.Example.", "http://inside.example/", "10.1.2.3"),
        ("inside.example:81", "http://inside.example:81/", "10.1.2.3"),
        ("inside.example:81", "http://inside.example/", "Private"),
        ("inside.example", "http://10.1.2.3/", "Private"),
        ("inside.example", "http://mixed.example/", "Private"),
        ("example", "http://inside.example/", "Private"),
        ("10.0.0.0/8", "http://inside.example/", "10.1.2.3"),
        ("10.0.0.0/8", "http://mixed.example/", "93.184.216.34 10.0.0.1"),
        ("10.0.0.0/8", "http://11.0.0.1/", "11.0.0.1"),
        ("10.1.0.0/16", "http://10.2.0.1/", "Private"),
        ("0.0.0.0/0", "http://169.254.169.254/", "169.254.169.254"),
        ("0.0.0.0/0", "http://[::1]/", "Loopback"),
        ("::1", "http://[::1]:99/", "::1"),
        ("[::1]", "http://[::1]/", "::1"),
        ("[::1]:99", "http://[::1]:99/", "::1"),
        ("[::1]:99", "http://[::1]:98/", "Loopback"),
        ("fd00::/8", "http://[fd12::1]/", "fd12::1"),
        ("fd00::/8", "http://[fc00::1]/", "UniqueLocal"),
        ("10.0.0.0/8", "http://[2002:a00:1::]/", "Private"),
        // Both the name and the address must be listed where credentials are handed out.
        ("cloud.example", "http://cloud.example/", "Metadata"),
        ("metadata.google.internal", "http://metadata.google.internal/", "Metadata"),
        ("169.254.169.254", "http://metadata.google.internal/", "metadata name"),
        ("169.254.169.254", "http://cloud.example/", "169.254.169.254"),
        ("public.example:25", "http://public.example:25/", "93.184.216.34"),
        ("public.example", "http://public.example:25/", "port"),
        ("10.1.2.3:6379", "http://10.1.2.3:6379/", "10.1.2.3"),
    ] {
        assert_eq!(verdict(&client(&[allow]), url), expected, "{allow} and {url}");
    }
}

#[test]
fn what_is_listed_must_be_understood() {
    for wrong in [
        "",
        "*",
        "*.example",
        "http://a.example",
        "a.example/",
        "a.example:x",
        "a.example:65536",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0/8",
        "a.example/8",
        "::1/129",
        "a@b.example",
        "a b",
        "127.1",
        "0x7f.1",
        "[::1",
        "a.example?x",
        "a.example#x",
        "a\\b",
        ":80",
    ] {
        let found = Allowed::parse([wrong]);
        assert!(found.is_err(), "{wrong}: {found:?}");
    }
}

#[test]
fn the_host_of_a_url_that_an_operator_wrote_can_be_allowed_as_it_stands() {
    for (url, listed) in [
        ("http://LOCALHOST.:4318/v1/traces", "localhost:4318"),
        ("https://intranet.example/x", "intranet.example:443"),
        ("http://127.1:8080", "127.0.0.1:8080"),
        ("http://[::1]/", "[::1]:80"),
        ("http://[::ffff:10.0.0.1]:81/", "10.0.0.1:81"),
    ] {
        let allowed = Allowed::host_of(&reqwest::Url::parse(url).unwrap());
        assert_eq!(allowed, Allowed::parse([listed]).unwrap(), "{url}");
    }
}

/// Every address lies in what is public or is denied; nothing in between panics or slips.
#[test]
fn no_address_inside_a_denied_range_escapes_by_being_mapped() {
    for first in 0..=255 {
        for second in 0..=255 {
            let inner = std::net::Ipv4Addr::new(first, second, 0, 1);
            let [high, low] = [u16::from_be_bytes([first, second]), 1];
            for outer in [
                inner.to_ipv6_mapped(),
                std::net::Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
                std::net::Ipv6Addr::new(0x2606, 0, 0, 0, 0, 0x5efe, high, low),
            ] {
                assert_eq!(denied(outer.into()), denied(inner.into()), "{outer} and {inner}");
            }
            for outer in [
                inner.to_ipv6_compatible(),
                std::net::Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
                std::net::Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, !high, !low),
            ] {
                assert!(denied(outer.into()).is_some(), "{outer}");
            }
        }
    }
}
