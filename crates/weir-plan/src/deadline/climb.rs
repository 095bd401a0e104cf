//! A better order by moving one site at a time, for problems where a plan has to be made to know
//! what an order is worth.

/// Moves sites in `order` while that lowers the cost, making `tries` plans at the most.
pub fn climb<C: PartialOrd>(
    mut order: Vec<usize>,
    mut tries: usize,
    mut cost: impl FnMut(&[usize]) -> C,
) -> Vec<usize> {
    let mut best = cost(&order);
    let (mut from, mut without_gain) = (0, 0);
    while without_gain < order.len() {
        let mut gained = false;
        for to in (0..order.len()).filter(|&to| to != from) {
            if tries == 0 {
                return order;
            }
            tries -= 1;
            let mut trial = order.clone();
            let site = trial.remove(from);
            trial.insert(to, site);
            let worth = cost(&trial);
            if worth < best {
                (best, order, gained) = (worth, trial, true);
                break;
            }
        }
        without_gain = if gained { 0 } else { without_gain + 1 };
        from = (from + 1) % order.len();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_least_cost_is_found() {
        let cost = |order: &[usize]| {
            order.iter().enumerate().map(|(place, site)| place.abs_diff(*site)).sum::<usize>()
        };
        assert_eq!(climb(vec![3, 0, 4, 1, 2], 1000, cost), [0, 1, 2, 3, 4]);
        assert_eq!(climb(vec![1, 0], 0, cost), [1, 0]);
    }
}
