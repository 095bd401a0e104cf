/// What one downloader may get of a pot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    pub weight: f64,
    pub least: f64,
    pub most: f64,
}

impl Claim {
    fn at(&self, level: f64) -> f64 {
        (level * self.weight).max(self.least).min(self.most)
    }
}

/// Halvings of the level: the widest range of weights takes fifty, a number's digits the others.
const HALVINGS: usize = 110;

/// Each gets the same for its weight, but no more than its most and no less than its least; what one
/// leaves goes to the others. (Weighted max-min.) The sum never passes the pot if the least do not.
pub(super) fn fair(claims: &[Claim], pot: f64) -> Vec<f64> {
    let sum = |level: f64| claims.iter().map(|claim| claim.at(level)).sum::<f64>();
    if claims.iter().map(|claim| claim.most).sum::<f64>() <= pot {
        return claims.iter().map(|claim| claim.most).collect();
    }
    let (mut fits, mut passes) = (0.0, highest(claims));
    for _ in 0..HALVINGS {
        let middle = (fits + passes) / 2.0;
        if sum(middle) <= pot { fits = middle } else { passes = middle }
    }
    claims.iter().map(|claim| claim.at(fits)).collect()
}

/// The level at which each has its most.
fn highest(claims: &[Claim]) -> f64 {
    claims.iter().map(|claim| claim.most / claim.weight).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pot: f64, claims: &[(f64, f64, f64)], expected: &[f64]) {
        let claims: Vec<_> =
            claims.iter().map(|&(weight, least, most)| Claim { weight, least, most }).collect();
        let shares = fair(&claims, pot);
        assert!(shares.iter().sum::<f64>() <= pot, "{shares:?}");
        for (share, expected) in shares.iter().zip(expected) {
            assert!((share - expected).abs() <= 1e-6 * expected, "{shares:?}");
        }
        assert_eq!(shares.len(), expected.len());
    }

    #[test]
    fn what_one_leaves_goes_to_the_others_by_weight() {
        check(100.0, &[], &[]);
        check(100.0, &[(1.0, 0.0, 100.0), (3.0, 0.0, 100.0)], &[25.0, 75.0]);
        check(100.0, &[(1.0, 0.0, 100.0), (1.0, 0.0, 10.0)], &[90.0, 10.0]);
        check(100.0, &[(1.0, 0.0, 5.0), (1.0, 0.0, 10.0)], &[5.0, 10.0]);
        check(0.0, &[(1.0, 0.0, 0.0), (1.0, 0.0, 0.0)], &[0.0, 0.0]);
    }

    #[test]
    fn the_least_is_kept_whatever_the_weight() {
        check(100.0, &[(1e-6, 2.0, 100.0), (1e9, 2.0, 100.0)], &[2.0, 98.0]);
    }
}
