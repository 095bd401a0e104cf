//! The little of the Gamma distribution's theory that is not elementary.

/// ln x minus the digamma of x: how far the mean of the logarithm lies below the logarithm of the mean, for
/// a Gamma distribution of shape x. It falls from infinity to nought.
///
/// Calculated as one thing, since the two are nearly equal for a large x.
pub fn gap(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < ASYMPTOTIC {
        sum += 1.0 / x - (1.0 / x).ln_1p();
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = 1.0 / 12.0 - inverse * (1.0 / 120.0 - inverse * (1.0 / 252.0 - inverse / 240.0));
    sum + 0.5 / x + inverse * series
}

/// The shape whose [`gap`] this is.
pub fn shape_of(gap_wanted: f64) -> f64 {
    let wanted = gap_wanted.clamp(LEAST_GAP, MOST_GAP);
    // Right within two hundredths everywhere: nearly 1/2x for a large x, and 1/x for a small one.
    let off = 3.0 - wanted;
    let mut x = (off + (off * off + 24.0 * wanted).sqrt()) / (12.0 * wanted);
    for _ in 0..3 {
        // Newton for the logarithm of x, which cannot become negative.
        x *= ((wanted - gap(x)) / (x * slope(x))).exp();
    }
    x
}

/// Shapes from about a thousandth to a million; more is as good as known.
const LEAST_GAP: f64 = 5e-7;
const MOST_GAP: f64 = 1e3;
/// From here on the series has eleven digits.
const ASYMPTOTIC: f64 = 8.0;

/// The derivative of [`gap`], always negative.
fn slope(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < ASYMPTOTIC {
        sum -= 1.0 / (x * x * (x + 1.0));
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = 1.0 / 6.0 - inverse * (1.0 / 30.0 - inverse * (1.0 / 42.0 - inverse / 30.0));
    sum - inverse * (0.5 + series / x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Euler's constant: the digamma of 1 is its negative.
    const EULER: f64 = 0.577_215_664_901_532_9;

    #[test]
    fn the_gap_is_right_where_it_is_known_by_heart() {
        let ln2 = std::f64::consts::LN_2;
        for (x, digamma) in [(1.0, -EULER), (0.5, -EULER - 2.0 * ln2), (2.0, 1.0 - EULER)] {
            assert!((gap(x) - (x.ln() - digamma)).abs() < 1e-10, "{x}: {}", gap(x));
        }
    }

    #[test]
    fn the_slope_is_the_slope_of_the_gap() {
        for x in [0.01, 0.3, 1.0, 4.0, 7.9, 8.1, 60.0] {
            let step = 1e-4 * x;
            let measured = (gap(x + step) - gap(x - step)) / (2.0 * step);
            assert!((slope(x) / measured - 1.0).abs() < 1e-6, "{x}");
        }
    }

    #[test]
    fn a_shape_is_found_from_its_gap() {
        for power in -20..=50 {
            let shape = 10_f64.powf(f64::from(power) / 10.0);
            assert!((shape_of(gap(shape)) / shape - 1.0).abs() < 1e-9, "{shape}");
        }
    }

    #[test]
    fn no_gap_gives_a_shape_without_bounds() {
        for absurd in [0.0, -1.0, f64::INFINITY] {
            let shape = shape_of(absurd);
            assert!(shape.is_finite() && shape > 0.0, "{shape}");
        }
    }
}
