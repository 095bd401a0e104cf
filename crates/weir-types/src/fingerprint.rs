use std::fmt;

/// 128 bits that stand for one canonical URL, so that "seen before?" is exact in practice:
/// among 10 billion URLs the chance of a single collision is below 1 in 10^18.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u128);

impl Fingerprint {
    /// `canonical` must be the canonical text of the URL; equal texts give equal fingerprints
    /// on every machine and in every version, because the frontier keeps them on disk.
    pub fn of(canonical: &str) -> Self {
        Fingerprint(twox_hash::XxHash3_128::oneshot(canonical.as_bytes()))
    }

    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Fingerprint(u128::from_le_bytes(bytes))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_never_changes_between_versions() {
        // The value is on users' disks: a change here would make them crawl everything again.
        assert_eq!(format!("{:?}", Fingerprint::of("https://example.com/")), EXAMPLE);
    }

    const EXAMPLE: &str = "503c1beec51db0209ff1930daa8e5b98";

    #[test]
    fn bytes_round_trip() {
        let fingerprint = Fingerprint::of("http://a/");
        assert_eq!(Fingerprint::from_bytes(fingerprint.to_bytes()), fingerprint);
    }
}
