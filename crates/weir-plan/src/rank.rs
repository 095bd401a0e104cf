//! Sorting by figures.

/// The numbers 0 to `count - 1`, least `key` first; ties by number.
///
/// Keys are sorted as whole numbers beside their index, which is several times as fast as sorting
/// indices that point to figures.
pub fn least_first(count: usize, key: impl Fn(usize) -> f64) -> Vec<usize> {
    let mut keyed: Vec<(u64, u32)> =
        (0..count).map(|index| (ordered(key(index)), index as u32)).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, index)| index as usize).collect()
}

/// A whole number that is greater for a greater figure (the order of `f64::total_cmp`).
pub fn ordered(figure: f64) -> u64 {
    let bits = figure.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_their_order() {
        let figures = [f64::NEG_INFINITY, -2.5, -0.0, 0.0, 1e-300, 3.0, f64::INFINITY];
        assert!(figures.windows(2).all(|pair| ordered(pair[0]) < ordered(pair[1])));
        let mixed = [3.0, -1.0, 3.0, 0.5];
        assert_eq!(least_first(4, |index| mixed[index]), [1, 3, 0, 2]);
    }
}
