use std::net::IpAddr;

use crate::support::inside::{self, run};

/// Runs `body` in a network of its own that reaches nothing, where these addresses are ours.
pub fn inside(test: &str, addresses: &[IpAddr], body: impl FnOnce()) {
    inside::inside(test, || {
        take(addresses);
        body();
    });
}

/// Makes these addresses ours.
fn take(addresses: &[IpAddr]) {
    run("ip", &["link", "set", "lo", "up"]);
    for address in addresses.iter().filter(|address| !address.is_loopback()) {
        match address {
            IpAddr::V4(_) => run("ip", &["address", "add", &format!("{address}/32"), "dev", "lo"]),
            // Without `nodad` it could not be used before the link had been asked for doubles.
            IpAddr::V6(_) => {
                run("ip", &["address", "add", &format!("{address}/128"), "dev", "lo", "nodad"]);
            }
        }
    }
}

/// Puts a file in place of another, for this network's processes only.
pub fn replace(path: &str, text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    run("mount", &["--bind", file.path().to_str().unwrap(), path]);
    file
}
