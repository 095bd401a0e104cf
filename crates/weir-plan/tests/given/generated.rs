//! Sites made from a seed, for instances too large to be stored.

use serde_json::Value;
use weir_plan::Site;

struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (z >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The sites of a `generator`, with their highest rates.
pub fn generated(generator: &Value) -> Vec<Site> {
    assert_eq!(generator["name"], "splitmix64");
    let mut random = SplitMix64(generator["seed"].as_str().unwrap().parse().unwrap());
    let scale = generator["dscale"].as_f64().unwrap();
    (0..generator["n"].as_u64().unwrap()).map(|_| site(&mut random, scale)).collect()
}

fn site(random: &mut SplitMix64, scale: f64) -> Site {
    let [u1, u2, u3, u4] = std::array::from_fn(|_| random.next());
    let size = 64.0 / (u1 + 1.0 / 4096.0);
    let deadline = (u2 >= 0.125).then(|| scale * (1.0 / 16.0 + u3));
    let own = (1.0 + 63.0 * u4) * 16.0;
    let max_rate = deadline.map_or(own, |due| own.max(1.25 * size / due));
    Site { max_rate, ..Site::new(size, deadline) }
}
