/// What a site may have at the most: its weight beside the others, and what it can take.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    pub weight: f64,
    /// Infinite if nothing limits it.
    pub most: f64,
}

/// Splits `cap` by weight; what one cannot take goes to the others (max-min fairness). Written here
/// anew, because what is checked must not be its own judge.
pub fn shares(cap: f64, claims: &[Claim]) -> Vec<f64> {
    // The level, per weight, at which all claims together are the cap: sites are filled in the order
    // in which they are full.
    let mut order: Vec<&Claim> = claims.iter().collect();
    order.sort_by(|a, b| (a.most / a.weight).total_cmp(&(b.most / b.weight)));
    let mut left = cap;
    let mut weights: f64 = claims.iter().map(|claim| claim.weight).sum();
    let mut level = f64::INFINITY;
    for claim in order {
        if claim.most / claim.weight >= left / weights {
            level = left / weights;
            break;
        }
        left -= claim.most;
        weights -= claim.weight;
    }
    claims.iter().map(|claim| claim.most.min(level * claim.weight)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(cap: f64, claims: &[(f64, f64)], expected: &[f64]) {
        let claims: Vec<Claim> =
            claims.iter().map(|(weight, most)| Claim { weight: *weight, most: *most }).collect();
        let shares = shares(cap, &claims);
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
        assert!(shares.iter().zip(expected).all(near), "{shares:?}");
    }

    #[test]
    fn shares_go_by_weight_and_what_is_left_goes_to_the_others() {
        const ANY: f64 = f64::INFINITY;
        check(100.0, &[(1.0, ANY), (3.0, ANY)], &[25.0, 75.0]);
        check(100.0, &[(1.0, ANY), (3.0, 30.0)], &[70.0, 30.0]);
        check(100.0, &[(1.0, 10.0), (1.0, 35.0), (2.0, ANY)], &[10.0, 30.0, 60.0]);
        check(100.0, &[(1.0, 10.0), (1.0, 20.0)], &[10.0, 20.0]);
    }
}
