//! Numbers drawn by lot, from a seed.

use fastrand::Rng;

/// From the normal distribution with mean 0 and variance 1 (Box and Muller).
pub fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.f64()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_nought_and_the_variance_one() {
        let mut rng = Rng::with_seed(7);
        let drawn: Vec<f64> = (0..50_000).map(|_| normal(&mut rng)).collect();
        let mean = drawn.iter().sum::<f64>() / 50_000.0;
        let variance = drawn.iter().map(|x| x * x).sum::<f64>() / 50_000.0;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
    }
}
