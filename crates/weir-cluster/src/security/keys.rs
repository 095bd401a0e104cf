use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::sign::CertifiedKey;
use rustls::{CertificateError, RootCertStore};

use super::files::{AUTHORITY, TOKEN, read, read_secret};
use super::token::Token;
use super::{KeysError, day};

/// Whose certificate is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Scheduler,
    Downloader,
}

/// The keys of one side, read and found good: the files belong together, the certificate is valid
/// now, and nobody else may read the secrets.
pub(super) struct Keys {
    pub dir: PathBuf,
    pub roots: Arc<RootCertStore>,
    pub certified: Arc<CertifiedKey>,
    pub token: Token,
}

impl Side {
    pub fn certificate(self) -> &'static str {
        match self {
            Side::Scheduler => "scheduler.pem",
            Side::Downloader => "downloader.pem",
        }
    }

    pub fn key(self) -> &'static str {
        match self {
            Side::Scheduler => "scheduler.key",
            Side::Downloader => "downloader.key",
        }
    }
}

impl Keys {
    pub fn read(dir: &Path, side: Side, now: SystemTime) -> Result<Keys, KeysError> {
        // The token first: a set that was cut short while it was written has none.
        let token = Token::read(&dir.join(TOKEN))?;
        let authority = read(&dir.join(AUTHORITY))?;
        let certificate = read(&dir.join(side.certificate()))?;
        let key = read_secret(&dir.join(side.key()))?;
        let roots = Keys::check_signed(dir, &authority, side, &certificate, now)?;
        let certified = Arc::new(certified(dir, side, &certificate, &key)?);
        Ok(Keys { dir: dir.to_owned(), roots, certified, token })
    }

    /// Whether the authority signed this certificate for this side, and it is valid now.
    pub fn check_signed(
        dir: &Path,
        authority: &str,
        side: Side,
        certificate: &str,
        now: SystemTime,
    ) -> Result<Arc<RootCertStore>, KeysError> {
        let roots = Arc::new(roots(&dir.join(AUTHORITY), authority)?);
        let path = dir.join(side.certificate());
        let leaf = first_certificate(&path, certificate)?;
        verify(roots.clone(), side, &leaf, now).map_err(|error| refused(&path, &error))?;
        Ok(roots)
    }
}

pub(super) fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// The day that a certificate names, for messages.
pub(super) fn day_of(time: UnixTime) -> String {
    day(UNIX_EPOCH + Duration::from_secs(time.as_secs()))
}

fn roots(path: &Path, pem: &str) -> Result<RootCertStore, KeysError> {
    let mut roots = RootCertStore::empty();
    let certificate = first_certificate(path, pem)?;
    roots.add(certificate).map_err(|error| KeysError::unusable(path, error.to_string()))?;
    Ok(roots)
}

fn first_certificate(path: &Path, pem: &str) -> Result<CertificateDer<'static>, KeysError> {
    CertificateDer::from_pem_slice(pem.as_bytes())
        .map_err(|_| KeysError::unusable(path, "it is no certificate"))
}

/// Asks the same judge that will look at it in a handshake, so that what passes here passes there.
fn verify(
    roots: Arc<RootCertStore>,
    side: Side,
    leaf: &CertificateDer<'_>,
    now: SystemTime,
) -> Result<(), rustls::Error> {
    let other = |error: &dyn std::error::Error| rustls::Error::General(error.to_string());
    let now = UnixTime::since_unix_epoch(now.duration_since(UNIX_EPOCH).unwrap_or_default());
    match side {
        Side::Scheduler => {
            let judge = WebPkiServerVerifier::builder_with_provider(roots, provider()).build();
            let name = ServerName::try_from("localhost").map_err(|error| other(&error))?;
            judge
                .map_err(|error| other(&error))?
                .verify_server_cert(leaf, &[], &name, &[], now)
                .map(drop)
        }
        Side::Downloader => {
            let judge = WebPkiClientVerifier::builder_with_provider(roots, provider()).build();
            judge.map_err(|error| other(&error))?.verify_client_cert(leaf, &[], now).map(drop)
        }
    }
}

fn refused(path: &Path, error: &rustls::Error) -> KeysError {
    use CertificateError::*;
    let rustls::Error::InvalidCertificate(why) = error else {
        return KeysError::unusable(path, error.to_string());
    };
    match why {
        ExpiredContext { not_after, .. } => {
            KeysError::unusable(path, format!("it expired on {}", day_of(*not_after)))
        }
        NotValidYetContext { not_before, .. } => KeysError::Early {
            path: path.to_owned(),
            why: format!("it is not valid before {}", day_of(*not_before)),
        },
        UnknownIssuer | BadSignature => {
            KeysError::unusable(path, "it was not signed by the ca.pem beside it")
        }
        InvalidPurposeContext { .. } => KeysError::unusable(path, "it is for the other side"),
        other => KeysError::unusable(path, other.to_string()),
    }
}

fn certified(
    dir: &Path,
    side: Side,
    certificate: &str,
    key: &str,
) -> Result<CertifiedKey, KeysError> {
    let path = dir.join(side.key());
    let leaf = first_certificate(&dir.join(side.certificate()), certificate)?;
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes())
        .map_err(|_| KeysError::unusable(&path, "it is no private key"))?;
    CertifiedKey::from_der(vec![leaf], key, &provider()).map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => {
            KeysError::unusable(&path, format!("it does not belong to {}", side.certificate()))
        }
        other => KeysError::unusable(&path, other.to_string()),
    })
}
