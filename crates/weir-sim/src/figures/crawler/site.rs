use fastrand::Rng;
use weir_plan::calibrate::Run;

use crate::draw::normal;

/// What a crawler meets on a site of some kind. Sizes in kilobit, times in seconds.
pub struct Kind {
    pub name: &'static str,
    /// A page on average, and the spread of its logarithm.
    pub page: f64,
    sigma: f64,
    round_trip: f64,
    /// What the server takes to think.
    server: f64,
    seed: u64,
}

/// As the paper's three: wiki has texts, pear video videos, huitu images.
pub const KINDS: [Kind; 3] = [
    Kind { name: "text", page: 300.0, sigma: 0.7, round_trip: 0.1, server: 0.1, seed: 11 },
    Kind { name: "video", page: 12_000.0, sigma: 0.5, round_trip: 0.05, server: 0.12, seed: 12 },
    Kind { name: "image", page: 1600.0, sigma: 0.9, round_trip: 0.05, server: 0.04, seed: 13 },
];

/// Request and response heads, in kilobit.
const HEADS: f64 = 9.6;
/// 52 bytes of TCP/IP for 1448 bytes, and what TLS adds to its records.
const WIRE: f64 = 1.0 + 52.0 / 1448.0 + 0.003;
/// Certificates and key exchange, in kilobit.
const HANDSHAKE: f64 = 40.0;
/// TCP and TLS 1.3 need two before the first request.
const HANDSHAKE_TRIPS: f64 = 2.0;
const REQUESTS_A_CONNECTION: usize = 20;

impl Kind {
    /// Fetches pages until `data` has come, at a wire rate of `rate`; the last page is cut.
    pub fn crawl(&self, data: f64, rate: f64) -> Run {
        let mut rng = Rng::with_seed(self.seed);
        let (mut got, mut elapsed, mut pages) = (0.0, 0.0, 0);
        while got < data {
            if pages % REQUESTS_A_CONNECTION == 0 {
                elapsed += HANDSHAKE_TRIPS * self.round_trip + HANDSHAKE * WIRE / rate;
            }
            let page = self.page_size(&mut rng).min(data - got);
            elapsed += self.answer_time() + (page + HEADS) * WIRE / rate;
            got += page;
            pages += 1;
        }
        Run { bytes: got, rate, elapsed }
    }

    /// From the request to the first byte.
    pub fn answer_time(&self) -> f64 {
        self.round_trip + self.server
    }

    /// Bytes on the wire for each byte of data, on average.
    pub fn overhead(&self) -> f64 {
        let handshake = HANDSHAKE / REQUESTS_A_CONNECTION as f64;
        (self.page + HEADS + handshake) * WIRE / self.page
    }

    fn page_size(&self, rng: &mut Rng) -> f64 {
        let median = self.page * (-self.sigma * self.sigma / 2.0).exp();
        median * (self.sigma * normal(rng)).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crawl_takes_what_its_bytes_and_its_waits_take() {
        let kind = &KINDS[0];
        let (fast, slow) = (kind.crawl(50_000.0, 1000.0), kind.crawl(50_000.0, 500.0));
        assert_eq!((fast.bytes, slow.bytes), (50_000.0, 50_000.0));
        // The same pages: only the time on the wire doubles.
        let waits = 2.0 * fast.elapsed - slow.elapsed;
        assert!(waits > 150.0 * kind.answer_time() && waits < 250.0 * kind.answer_time());
    }

    #[test]
    fn pages_have_the_size_they_are_said_to_have() {
        let mut rng = Rng::with_seed(1);
        let mean = (0..20_000).map(|_| KINDS[0].page_size(&mut rng)).sum::<f64>() / 20_000.0;
        assert!((mean / KINDS[0].page - 1.0).abs() < 0.05, "{mean}");
    }
}
