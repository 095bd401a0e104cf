//! Which addresses are not part of the public internet. A crawl that can be led by a link, a
//! redirect or a DNS answer must not reach the network it runs in.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether `ip` is anything but a public unicast address. IPv6 forms that carry an IPv4 address
/// (mapped, compatible, 6to4, NAT64) are as private as what they carry.
pub fn is_private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_private_v4(ip),
        IpAddr::V6(ip) => is_private_v6(ip),
    }
}

fn is_private_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    match (a, b, c) {
        (0 | 10 | 127, _, _) => true, // this network, private, loopback
        (100, 64..128, _) => true,    // shared by carrier-grade NAT
        (169, 254, _) => true,        // link-local, cloud metadata
        (172, 16..32, _) => true,     // private
        (192, 0, 0 | 2) => true,      // protocol assignments, documentation
        (192, 88, 99) => true,        // 6to4 relay, retired
        (192, 168, _) => true,        // private
        (198, 18 | 19, _) => true,    // benchmarking
        (198, 51, 100) => true,       // documentation
        (203, 0, 113) => true,        // documentation
        (224.., _, _) => true,        // multicast, reserved, broadcast
        _ => false,
    }
}

fn is_private_v6(ip: Ipv6Addr) -> bool {
    if let Some(inner) = carried_v4(ip) {
        return is_private_v4(inner);
    }
    match ip.segments() {
        [0x0064, 0xff9b, 1, ..] => true, // NAT64 of a local network
        [0x0100, 0, 0, 0, ..] => true,   // discard only
        [0x2001, 0..0x0200, ..] => true, // protocol assignments (Teredo, ORCHID, ...)
        [0x2001, 0x0db8, ..] => true,    // documentation
        [0x3fff, 0..0x1000, ..] => true, // documentation
        [first, ..] => !(0x2000..0x4000).contains(&first), // only 2000::/3 is global unicast
    }
}

/// The IPv4 address inside an IPv6 one. `::` and `::1` come out as 0.0.0.0 and 0.0.0.1, which
/// are private too.
fn carried_v4(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let join = |high: u16, low: u16| Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)));
    match ip.segments() {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => join(high, low), // compatible, mapped
        [0, 0, 0, 0, 0xffff, 0, high, low] => join(high, low),     // translated (SIIT)
        [0x0064, 0xff9b, 0, 0, 0, 0, high, low] => join(high, low), // NAT64
        [0x2002, high, low, ..] => join(high, low),                // 6to4
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_public_is_private_in_every_spelling() {
        for ip in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.1.2.3",
            "::127.0.0.1",
            "::ffff:0:192.168.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "2001:db8::1",
            "2001::1",
            "100::1",
            "3fff::1",
            "4000::1",
            "5f00::1",
        ] {
            assert!(is_private(ip.parse().unwrap()), "{ip}");
        }
    }

    #[test]
    fn what_is_public_is_not_private() {
        for ip in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "169.253.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "2001:4860:4860::8888",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
        ] {
            assert!(!is_private(ip.parse().unwrap()), "{ip}");
        }
    }
}
