//! Sites that are described by a seed instead of listed, for problems too large for a file.

use serde_json::Value;
use weir_plan::{Cap, Site, needed};

use super::fields::brief;

/// More than this is no problem for one machine.
const MOST: u64 = 10_000_000;

/// Sites from `{"name": "splitmix64", "seed", "n", "dscale"}`: four draws a site.
pub fn sites(generator: &Value) -> Result<Vec<Site>, String> {
    let field = |name: &str| generator.get(name).unwrap_or(&Value::Null);
    let bad =
        |name: &str, remedy: &str| format!("generator.{name} is {}: {remedy}", brief(field(name)));
    if field("name") != "splitmix64" {
        return Err(bad("name", "splitmix64 is the one there is"));
    }
    let seed = match field("seed") {
        Value::String(text) => text.parse::<u64>().ok(),
        other => other.as_u64(),
    };
    let seed = seed.ok_or_else(|| bad("seed", "give a whole number, as text or as it is"))?;
    let count = field("n").as_u64().filter(|n| (1..=MOST).contains(n));
    let count = count.ok_or_else(|| bad("n", "give the number of sites, up to 10,000,000"))?;
    let scale = field("dscale").as_f64().filter(|scale| *scale > 0.0 && scale.is_finite());
    let scale = scale.ok_or_else(|| bad("dscale", "give a time above 0"))?;
    let mut state = seed;
    Ok((0..count).map(|_| site(&mut state, scale)).collect())
}

/// Without a cap of its own, 5 % more than the deadlines need.
pub fn cap(sites: &[Site]) -> Cap {
    let needed = needed::least_cap(sites);
    Cap::constant(if needed > 0.0 && needed.is_finite() { needed * 1.05 } else { 1.0 })
}

fn site(state: &mut u64, scale: f64) -> Site {
    let [size, dated, due, rate] = std::array::from_fn(|_| draw(state));
    let size = 64.0 / (size + 1.0 / 4096.0);
    let rate = (1.0 + 63.0 * rate) * 16.0;
    if dated < 0.125 {
        return Site { max_rate: rate, ..Site::new(size, None) };
    }
    let due = scale * (1.0 / 16.0 + due);
    Site { max_rate: rate.max(1.25 * size / due), ..Site::new(size, Some(due)) }
}

/// The next number from 0 to 1 (splitmix64).
fn draw(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    (z >> 11) as f64 / (1u64 << 53) as f64
}
