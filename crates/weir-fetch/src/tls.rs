use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::Host;

use crate::connect::Stream;
use crate::request::Target;
use crate::wire::{Counted, Wire};
use crate::{Failure, SetupError};

/// Secure connections, always with the certificate checked.
pub struct Tls {
    roots: Option<PathBuf>,
}

impl Tls {
    /// Looks at the extra certificates now, so that a wrong file is told at the start; those of
    /// the system are read at the first https URL.
    pub fn new(roots: Option<PathBuf>) -> Result<Self, SetupError> {
        if let Some(path) = &roots {
            read_roots(path).map_err(|why| SetupError::Roots { path: path.clone(), why })?;
        }
        Ok(Tls { roots })
    }

    /// Tells beside the stream whether the server chose HTTP/2.
    pub async fn handshake(
        &self,
        target: &Target<'_>,
        address: SocketAddr,
        socket: TcpStream,
        wire: Rc<Wire>,
    ) -> Result<(Stream, bool), Failure> {
        let host = || target.host().to_owned();
        let config = shared_config(self.roots.as_deref());
        let config = config.map_err(|why| Failure::Tls { host: host(), why })?;
        let name = server_name(target).map_err(|why| Failure::Tls { host: host(), why })?;
        let connecting = TlsConnector::from(config).connect(name, Counted::new(socket, wire));
        let stream = connecting.await.map_err(|error| match is_ours(&error) {
            true => Failure::Tls { host: host(), why: error.to_string() },
            false => Failure::Closed { host: host(), address, why: error.to_string() },
        })?;
        let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        Ok((Stream::Tls(Box::new(stream)), http2))
    }
}

fn server_name(target: &Target<'_>) -> Result<ServerName<'static>, String> {
    match target.url_host() {
        Host::Ipv4(ip) => Ok(ServerName::IpAddress(std::net::IpAddr::V4(ip).into())),
        Host::Ipv6(ip) => Ok(ServerName::IpAddress(std::net::IpAddr::V6(ip).into())),
        Host::Domain(name) => {
            // The final dot of a full name is no part of what certificates hold.
            let name = name.strip_suffix('.').unwrap_or(name).to_owned();
            ServerName::try_from(name).map_err(|error| error.to_string())
        }
    }
}

/// Whether TLS itself failed, and not the connection under it.
fn is_ours(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>())
}

/// By extra roots file. Shared by all threads: the system's certificates are read once, and a
/// session begun in one thread can be resumed in another.
static CONFIGS: LazyLock<Mutex<HashMap<Option<PathBuf>, Arc<ClientConfig>>>> =
    LazyLock::new(Mutex::default);

fn shared_config(roots: Option<&Path>) -> Result<Arc<ClientConfig>, String> {
    let mut configs = CONFIGS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = roots.map(Path::to_owned);
    if let Some(config) = configs.get(&key) {
        return Ok(config.clone());
    }
    let config = Arc::new(new_config(roots)?);
    configs.insert(key, config.clone());
    Ok(config)
}

fn new_config(roots: Option<&Path>) -> Result<ClientConfig, String> {
    let mut store = RootCertStore::empty();
    let system = rustls_native_certs::load_native_certs();
    store.add_parsable_certificates(system.certs);
    if let Some(path) = roots {
        let extra = read_roots(path).map_err(|why| format!("{}: {why}", path.display()))?;
        store.add_parsable_certificates(extra);
    }
    if store.is_empty() {
        let why = "no certificate authorities found: install ca-certificates or set SSL_CERT_FILE";
        return Err(why.to_owned());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(store)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn read_roots(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    let found = found.map_err(|error| error.to_string())?;
    if found.is_empty() {
        return Err("it holds no certificate in PEM form".to_owned());
    }
    Ok(found)
}
