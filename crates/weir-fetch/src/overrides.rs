use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use thiserror::Error;

/// `HOST:PORT:ADDR` as in curl's `--resolve`: connections to this host and port go to this address.
/// `*` as host stands for every name. More than one address is separated by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// Lower case; `None` stands for every name.
    host: Option<String>,
    port: u16,
    addresses: Vec<IpAddr>,
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum OverrideError {
    #[error("{0:?} is not of the form HOST:PORT:ADDR, for example example.com:443:127.0.0.1")]
    Form(String),
    #[error("{port:?} in {text:?} is not a port: write a number from 1 to 65535")]
    Port { text: String, port: String },
    #[error("{address:?} in {text:?} is not an address: write for example 127.0.0.1 or [::1]")]
    Address { text: String, address: String },
}

impl Override {
    /// The addresses to use instead of asking, if this entry is about `host` and `port`.
    pub fn answer(&self, host: &str, port: u16) -> Option<impl Iterator<Item = SocketAddr> + '_> {
        let fits = self.host.as_deref().is_none_or(|ours| ours.eq_ignore_ascii_case(host));
        (fits && self.port == port)
            .then(|| self.addresses.iter().map(move |address| SocketAddr::new(*address, port)))
    }
}

impl FromStr for Override {
    type Err = OverrideError;

    fn from_str(text: &str) -> Result<Self, OverrideError> {
        let form = || OverrideError::Form(text.to_owned());
        let (host, rest) = split_host(text).ok_or_else(form)?;
        let (port, addresses) = rest.split_once(':').ok_or_else(form)?;
        if host.is_empty() || addresses.is_empty() {
            return Err(form());
        }
        let wrong_port = || OverrideError::Port { text: text.to_owned(), port: port.to_owned() };
        let port = port.parse().ok().filter(|port| *port > 0).ok_or_else(wrong_port)?;
        let addresses = addresses
            .split(',')
            .map(|address| parse_address(text, address))
            .collect::<Result<_, _>>()?;
        Ok(Override { host: (host != "*").then(|| host.to_ascii_lowercase()), port, addresses })
    }
}

/// The host before the first colon, or an IPv6 address in brackets (kept, as URLs have them).
fn split_host(text: &str) -> Option<(&str, &str)> {
    if text.starts_with('[') {
        let end = text.find("]:")?;
        return Some((&text[..=end], &text[end + 2..]));
    }
    text.split_once(':')
}

fn parse_address(text: &str, address: &str) -> Result<IpAddr, OverrideError> {
    let bare = address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    bare.unwrap_or(address)
        .parse()
        .map_err(|_| OverrideError::Address { text: text.to_owned(), address: address.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(entry: &str, host: &str, port: u16) -> Option<Vec<String>> {
        let entry: Override = entry.parse().unwrap();
        let found = entry.answer(host, port)?;
        Some(found.map(|address| address.to_string()).collect())
    }

    #[test]
    fn an_override_answers_for_its_host_and_port_only() {
        let one = |address: &str| Some(vec![address.to_owned()]);
        assert_eq!(answers("a.test:80:127.0.0.1", "a.test", 80), one("127.0.0.1:80"));
        assert_eq!(answers("A.test:80:[::1]", "a.TEST", 80), one("[::1]:80"));
        assert_eq!(answers("a.test:80:::1", "a.test", 80), one("[::1]:80"));
        assert_eq!(answers("*:443:10.0.0.1", "any.test", 443), one("10.0.0.1:443"));
        assert_eq!(answers("a.test:80:127.0.0.1", "a.test", 81), None);
        assert_eq!(answers("a.test:80:127.0.0.1", "b.test", 80), None);
        assert_eq!(answers("a:80:127.0.0.1,127.0.0.2", "a", 80).unwrap().len(), 2);
    }

    #[test]
    fn what_is_no_override_is_refused_with_the_part_that_is_wrong() {
        for (text, part) in [
            ("a.test", "HOST:PORT:ADDR"),
            ("a.test:80", "HOST:PORT:ADDR"),
            (":80:127.0.0.1", "HOST:PORT:ADDR"),
            ("a.test:80:", "HOST:PORT:ADDR"),
            ("a.test:x:127.0.0.1", "\"x\""),
            ("a.test:0:127.0.0.1", "\"0\""),
            ("a.test:99999:127.0.0.1", "\"99999\""),
            ("a.test:80:b.test", "\"b.test\""),
            ("a.test:80:[::1", "\"[::1\""),
        ] {
            let error = text.parse::<Override>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
