use std::net::IpAddr;

use http::Uri;
use http::uri::{Authority, Scheme};
use rustls::pki_types::ServerName;

use super::KeysError;
use super::server::is_loopback;

/// Where a scheduler is, as it was typed.
pub(super) struct Address {
    pub uri: Uri,
    /// The same with `http`.
    pub without_tls: Uri,
    pub secure: bool,
    /// Without the brackets around an IPv6 address.
    pub host: String,
    pub port: u16,
    /// The name that its certificate must have.
    pub name: ServerName<'static>,
}

impl Address {
    pub fn parse(url: &str) -> Result<Address, KeysError> {
        let bad = |why| KeysError::BadAddress { url: url.to_owned(), why };
        let uri: Uri = url.parse().map_err(|_| bad("it is no URL"))?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(bad("it does not begin with https:// or http://")),
        };
        if uri.path().len() > 1 || uri.query().is_some() {
            return Err(bad("it has a path, but there is none"));
        }
        let authority = uri.authority().ok_or_else(|| bad("it has no host"))?;
        let (host, port) = host_and_port(authority).map_err(bad)?;
        let name =
            ServerName::try_from(host.clone()).map_err(|_| bad("its host is no host name"))?;
        let mut parts = uri.clone().into_parts();
        parts.scheme = Some(Scheme::HTTP);
        let without_tls = Uri::from_parts(parts).map_err(|_| bad("it is no URL"))?;
        Ok(Address { uri, without_tls, secure, host, port, name })
    }

    /// Whether it can only be this machine.
    pub fn is_here(&self) -> bool {
        self.host.eq_ignore_ascii_case("localhost")
            || self.host.parse::<IpAddr>().is_ok_and(is_loopback)
    }
}

fn host_and_port(authority: &Authority) -> Result<(String, u16), &'static str> {
    if authority.as_str().contains('@') {
        return Err("it names a user, but keys are what lets one in");
    }
    // A forgotten port would mean 443 or 80, where no scheduler listens.
    let port = authority.port_u16().ok_or("it has no port from 0 to 65535")?;
    let host = authority.host();
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    Ok((inner.unwrap_or(host).to_owned(), port))
}
