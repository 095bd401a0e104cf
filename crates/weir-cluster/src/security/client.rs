use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustls::ClientConfig;
use rustls::sign::SingleCertAndKey;
use tokio_rustls::TlsConnector;
use tonic::transport::{Channel, Endpoint, Error};

use super::KeysError;
use super::address::Address;
use super::connector::Connector;
use super::keys::{Keys, Side, provider};
use super::server::ALPN;
use super::token::TokenAdd;

const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(10);
const KEEP_ALIVE_WAIT: Duration = Duration::from_secs(10);

/// How a downloader calls its scheduler.
pub struct ClientSecurity {
    /// Kept from others, since by itself it would connect without TLS.
    endpoint: Endpoint,
    pub(super) connector: Connector,
    token: TokenAdd,
}

impl ClientSecurity {
    /// `scheduler` is `https://host:port`, which needs keys, or `http://host:port`, which only
    /// this machine may be; with keys the token is sent in both cases.
    pub fn choose(scheduler: &str, keys: Option<&Path>) -> Result<ClientSecurity, KeysError> {
        ClientSecurity::choose_at(scheduler, keys, SystemTime::now())
    }

    pub(super) fn choose_at(
        scheduler: &str,
        keys: Option<&Path>,
        now: SystemTime,
    ) -> Result<ClientSecurity, KeysError> {
        let address = Address::parse(scheduler)?;
        match (address.secure, keys) {
            (true, None) => return Err(KeysError::NeedsKeys { url: scheduler.to_owned() }),
            (false, _) if !address.is_here() => {
                return Err(KeysError::Plain { url: scheduler.to_owned() });
            }
            _ => {}
        }
        let keys = keys.map(|dir| Keys::read(dir, Side::Downloader, now)).transpose()?;
        let token = TokenAdd::new(keys.as_ref().map(|keys| &keys.token));
        let endpoint = endpoint(&address);
        let keys = keys.filter(|_| address.secure);
        let config = keys.map(|keys| encryption(&keys)).transpose()?;
        let tls = config.map(|config| (TlsConnector::from(Arc::new(config)), address.name));
        let connector = Connector { host: address.host, port: address.port, tls };
        Ok(ClientSecurity { endpoint, connector, token })
    }

    /// Connects, within 5 seconds, and waits for the scheduler to let us in; [`explain`] tells why
    /// it did not. A connection that is lost later is made again, in the same way, by the next call.
    ///
    /// [`explain`]: super::explain
    pub async fn connect(&self) -> Result<Channel, Error> {
        self.endpoint.connect_with_connector(self.connector.clone()).await
    }

    /// Adds the token to every call.
    pub fn interceptor(&self) -> TokenAdd {
        self.token.clone()
    }
}

/// A scheduler that vanished without a word is noticed by the keep-alive. The address counts only
/// for the header of each call: the connector knows where to go, and whether with TLS, and tonic,
/// seeing `https`, would look for TLS of its own.
fn endpoint(address: &Address) -> Endpoint {
    Endpoint::from(address.without_tls.clone())
        .origin(address.uri.clone())
        .http2_keep_alive_interval(KEEP_ALIVE_EVERY)
        .keep_alive_timeout(KEEP_ALIVE_WAIT)
        .keep_alive_while_idle(true)
}

fn encryption(keys: &Keys) -> Result<ClientConfig, KeysError> {
    let mut config = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|error| KeysError::Tls { dir: keys.dir.clone(), why: error.to_string() })?
        .with_root_certificates(keys.roots.clone())
        .with_client_cert_resolver(Arc::new(SingleCertAndKey::from(keys.certified.clone())));
    config.alpn_protocols = vec![ALPN.to_vec()];
    Ok(config)
}
