use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, PKCS_ECDSA_P256_SHA256, date_time_ymd,
};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const AUTHORITY_DAYS: u32 = 10 * 365;
const LEAF_DAYS: u32 = 2 * 365;
/// The first second of the year 9999, the last year that a certificate can name.
const LAST: u64 = 253_370_764_800;

/// The authority of one cluster: both sides trust what it signed, and nothing else.
pub(super) struct Authority {
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate and its private key, as PEM.
pub(super) struct Leaf {
    pub certificate: String,
    pub key: String,
}

impl Authority {
    pub fn new() -> Result<Authority, rcgen::Error> {
        Ok(Authority::of(new_key()?))
    }

    /// The authority that a kept private key belongs to.
    pub fn of(key: KeyPair) -> Authority {
        Authority { issuer: Issuer::new(authority(&key), key) }
    }

    pub fn key(&self) -> String {
        self.issuer.key().serialize_pem()
    }

    pub fn certificate(&self, now: SystemTime) -> Result<String, rcgen::Error> {
        let mut params = authority(self.issuer.key());
        limit(&mut params, now, authority_until(now));
        Ok(params.self_signed(self.issuer.key())?.pem())
    }

    pub fn scheduler(&self, names: &[String], now: SystemTime) -> Result<Leaf, rcgen::Error> {
        let params = leaf("scheduler", names, ExtendedKeyUsagePurpose::ServerAuth)?;
        self.sign(params, now)
    }

    pub fn downloader(&self, name: &str, now: SystemTime) -> Result<Leaf, rcgen::Error> {
        self.sign(leaf(name, &[], ExtendedKeyUsagePurpose::ClientAuth)?, now)
    }

    fn sign(&self, mut params: CertificateParams, now: SystemTime) -> Result<Leaf, rcgen::Error> {
        limit(&mut params, now, leaf_until(now));
        let key = new_key()?;
        let certificate = params.signed_by(&key, &self.issuer)?.pem();
        Ok(Leaf { certificate, key: key.serialize_pem() })
    }
}

pub(super) fn authority_until(now: SystemTime) -> SystemTime {
    now + DAY * AUTHORITY_DAYS
}

pub(super) fn leaf_until(now: SystemTime) -> SystemTime {
    now + DAY * LEAF_DAYS
}

/// The day of a moment, such as `2026-07-14`, in UTC.
pub fn day(time: SystemTime) -> String {
    (date_time_ymd(1970, 1, 1) + since_epoch(time)).date().to_string()
}

fn new_key() -> Result<KeyPair, rcgen::Error> {
    KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)
}

/// The name of an authority comes from its key. Two clusters thus never share a name, which would
/// make a certificate of the other one look forged rather than foreign; and a kept key is enough
/// to sign again.
fn authority(key: &KeyPair) -> CertificateParams {
    let mut params = CertificateParams::default();
    let id: String =
        params.key_identifier(key).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    params.distinguished_name = called(&format!("weir cluster {id}"));
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    params
}

fn leaf(
    name: &str,
    names: &[String],
    usage: ExtendedKeyUsagePurpose,
) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name = called(name);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![usage];
    params.use_authority_key_identifier_extension = true;
    Ok(params)
}

fn called(name: &str) -> DistinguishedName {
    let mut called = DistinguishedName::new();
    called.push(DnType::CommonName, name);
    called
}

/// Valid from a day ago, because the clocks of two machines differ.
fn limit(params: &mut CertificateParams, now: SystemTime, until: SystemTime) {
    let epoch = date_time_ymd(1970, 1, 1);
    params.not_before = epoch + since_epoch(now).saturating_sub(DAY);
    params.not_after = epoch + since_epoch(until);
}

/// A clock that is far off counts as the nearest time that a certificate can name.
fn since_epoch(time: SystemTime) -> Duration {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Duration::from_secs(since.as_secs().min(LAST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_named_for_every_clock() {
        let check = |time: SystemTime, named: &str| assert_eq!(day(time), named);
        check(UNIX_EPOCH + DAY * 20_648, "2026-07-14");
        check(UNIX_EPOCH - DAY, "1970-01-01");
        check(UNIX_EPOCH + Duration::from_secs(LAST * 9), "9999-01-01");
    }

    #[test]
    fn a_clock_that_is_far_off_still_makes_certificates() {
        for now in [UNIX_EPOCH, UNIX_EPOCH + Duration::from_secs(LAST * 9)] {
            let authority = Authority::new().unwrap();
            authority.certificate(now).unwrap();
            authority.downloader("downloader", now).unwrap();
        }
    }
}
