//! Sorting by figures.

/// The numbers 0 to `count - 1`, least `key` first; ties by number.
///
/// Keys are sorted as whole numbers beside their index, which is several times as fast as sorting
/// indices that point to figures; many of them byte by byte, without comparing at all.
pub fn least_first(count: usize, key: impl Fn(usize) -> f64) -> Vec<usize> {
    let mut keyed: Vec<(u64, u32)> =
        (0..count).map(|index| (ordered(key(index)), index as u32)).collect();
    if count < MANY {
        keyed.sort_unstable();
    } else {
        sort_by_bytes(&mut keyed);
    }
    keyed.into_iter().map(|(_, index)| index as usize).collect()
}

/// From so many on counting bytes is quicker than comparing.
const MANY: usize = 1024;

/// Sorts by each byte of the key, the least weighty first; every pass keeps the order of the one
/// before among equals.
fn sort_by_bytes(keyed: &mut Vec<(u64, u32)>) {
    let mut other = vec![(0, 0); keyed.len()];
    for shift in (0..u64::BITS).step_by(8) {
        let byte = |key: u64| (key >> shift) as usize & 0xff;
        let mut places = [0_usize; 256];
        keyed.iter().for_each(|&(key, _)| places[byte(key)] += 1);
        if places.contains(&keyed.len()) {
            continue; // all have the same byte here
        }
        let mut next = 0;
        for place in &mut places {
            next += std::mem::replace(place, next);
        }
        for &(key, index) in keyed.iter() {
            let place = &mut places[byte(key)];
            other[*place] = (key, index);
            *place += 1;
        }
        std::mem::swap(keyed, &mut other);
    }
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

    #[test]
    fn many_are_sorted_as_few_are() {
        let mut random = fastrand::Rng::with_seed(3);
        let figures: Vec<f64> = (0..5 * MANY)
            .map(|_| match random.u8(..8) {
                0 => f64::INFINITY,
                1 => f64::from(random.i8(..)),
                _ => (random.f64() - 0.3) * 10_f64.powi(random.i32(-20..20)),
            })
            .collect();
        let mut by_comparing: Vec<usize> = (0..figures.len()).collect();
        by_comparing.sort_by(|&a, &b| figures[a].total_cmp(&figures[b]));
        assert_eq!(least_first(figures.len(), |index| figures[index]), by_comparing);
    }
}
