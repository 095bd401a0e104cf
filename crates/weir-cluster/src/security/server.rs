use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use rustls::ServerConfig;
use rustls::server::WebPkiClientVerifier;
use rustls::sign::SingleCertAndKey;
use tokio_rustls::TlsAcceptor;

use super::keys::{Keys, Side, provider};
use super::token::{Token, TokenCheck};
use super::{KeysError, Report};

/// What both sides agree to speak within TLS.
pub(super) const ALPN: &[u8] = b"h2";

/// How a scheduler listens.
pub struct ServerSecurity {
    tls: Option<TlsAcceptor>,
    token: Option<Token>,
}

impl ServerSecurity {
    /// With keys, only downloaders that show a certificate of the same authority and the token get
    /// in. Without, anybody on this machine does, and nobody else: an address beyond loopback is
    /// refused. `plain` leaves out TLS but not the token, on loopback only.
    pub fn choose(
        listen: SocketAddr,
        keys: Option<&Path>,
        plain: bool,
    ) -> Result<ServerSecurity, KeysError> {
        ServerSecurity::choose_at(listen, keys, plain, SystemTime::now())
    }

    pub(super) fn choose_at(
        listen: SocketAddr,
        keys: Option<&Path>,
        plain: bool,
        now: SystemTime,
    ) -> Result<ServerSecurity, KeysError> {
        if (plain || keys.is_none()) && !is_loopback(listen.ip()) {
            return Err(KeysError::Open { listen });
        }
        let Some(dir) = keys else { return Ok(ServerSecurity { tls: None, token: None }) };
        let keys = Keys::read(dir, Side::Scheduler, now)?;
        let tls = if plain { None } else { Some(acceptor(&keys)?) };
        Ok(ServerSecurity { tls, token: Some(keys.token) })
    }

    /// Whether what is said is hidden from the network.
    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// Checks the token of every call; `report` hears of those that are refused.
    pub fn interceptor(&self, report: Report) -> TokenCheck {
        TokenCheck { token: self.token.clone(), report }
    }

    pub(super) fn acceptor(&self) -> Option<TlsAcceptor> {
        self.tls.clone()
    }
}

/// All of 127.0.0.0/8 and ::1, also when an IPv4 address is written as an IPv6 one.
pub(super) fn is_loopback(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback()
}

/// Both sides are ours, so nothing older than TLS 1.3 is spoken.
fn acceptor(keys: &Keys) -> Result<TlsAcceptor, KeysError> {
    let failed = |why: String| KeysError::Tls { dir: keys.dir.clone(), why };
    let judge = WebPkiClientVerifier::builder_with_provider(keys.roots.clone(), provider())
        .build()
        .map_err(|error| failed(error.to_string()))?;
    let mut config = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|error| failed(error.to_string()))?
        .with_client_cert_verifier(judge)
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(keys.certified.clone())));
    config.alpn_protocols = vec![ALPN.to_vec()];
    // Every handshake looks at the certificates, none goes on from an older one.
    config.send_tls13_tickets = 0;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
