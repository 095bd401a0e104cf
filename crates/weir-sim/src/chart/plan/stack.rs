use weir_plan::Piece;

/// Rates of sites on top of each other, in columns of time.
pub struct Stack {
    /// Where each column begins, and where the last one ends.
    edges: Vec<f64>,
    /// For each column the upper edge of each site.
    tops: Vec<Vec<f64>>,
}

/// The outline of a site's share over a stretch in which it has one.
pub struct Area {
    pub site: usize,
    pub edge: Vec<(f64, f64)>,
}

/// Where a site's share is widest, as a stretch of time and of rate.
pub struct Widest {
    pub site: usize,
    pub time: (f64, f64),
    pub rate: (f64, f64),
}

impl Widest {
    fn size(&self) -> f64 {
        (self.time.1 - self.time.0) * (self.rate.1 - self.rate.0)
    }
}

/// More columns than these cannot be told apart.
const COLUMNS: usize = 240;
/// What a picture of bearable size can hold.
const CELLS: usize = 900;

impl Stack {
    /// With its true edges if these are few, else averaged over columns of equal width.
    pub fn of(pieces: &[Piece], sites: usize, last: f64) -> Stack {
        let mut edges: Vec<f64> = pieces.iter().flat_map(|piece| [piece.from, piece.to]).collect();
        edges.extend([0.0, last]);
        edges.sort_by(f64::total_cmp);
        edges.dedup_by(|a, b| *a - *b <= last * 1e-9);
        let mut columns = COLUMNS;
        loop {
            let stack = Stack::over(pieces, sites, &edges);
            if edges.len() <= COLUMNS && (stack.cells() <= CELLS || columns <= 40) {
                return stack;
            }
            edges = (0..=columns).map(|at| last * at as f64 / columns as f64).collect();
            columns = columns * 2 / 3;
        }
    }

    fn over(pieces: &[Piece], sites: usize, edges: &[f64]) -> Stack {
        let columns = edges.len() - 1;
        let mut rates = vec![vec![0.0; sites]; columns];
        for piece in pieces {
            let first = edges.partition_point(|edge| *edge <= piece.from).saturating_sub(1);
            for (column, rates) in rates.iter_mut().enumerate().skip(first) {
                let (from, to) = (edges[column], edges[column + 1]);
                if from >= piece.to {
                    break;
                }
                let part = (piece.to.min(to) - piece.from.max(from)).max(0.0) / (to - from);
                rates[piece.site] += piece.rate * part;
            }
        }
        for column in &mut rates {
            let mut sum = 0.0;
            for rate in column {
                sum += *rate;
                *rate = sum;
            }
        }
        Stack { edges: edges.to_vec(), tops: rates }
    }

    pub fn areas(&self) -> Vec<Area> {
        let mut areas = Vec::new();
        for site in 0..self.sites() {
            let mut column = 0;
            while column < self.tops.len() {
                let run = (column..self.tops.len()).take_while(|&c| self.has(c, site)).count();
                if run > 0 {
                    areas.push(Area { site, edge: self.outline(site, column, column + run) });
                }
                column += run.max(1);
            }
        }
        areas
    }

    /// For each site that has a share.
    pub fn widest(&self) -> impl Iterator<Item = Widest> + '_ {
        (0..self.sites()).filter_map(|site| self.widest_of(site))
    }

    fn widest_of(&self, site: usize) -> Option<Widest> {
        let mut best: Option<Widest> = None;
        let mut first = 0;
        while first < self.tops.len() {
            let rate = self.bounds(first, site);
            let same = (first..self.tops.len())
                .take_while(|&column| self.bounds(column, site) == rate)
                .count();
            let found = Widest { site, time: (self.edges[first], self.edges[first + same]), rate };
            let is_wider = best.as_ref().is_none_or(|best| found.size() > best.size());
            if self.has(first, site) && is_wider {
                best = Some(found);
            }
            first += same;
        }
        best
    }

    fn outline(&self, site: usize, first: usize, end: usize) -> Vec<(f64, f64)> {
        let mut edge = Vec::with_capacity((end - first) * 4);
        for column in first..end {
            let high = self.bounds(column, site).1;
            edge.extend([(self.edges[column], high), (self.edges[column + 1], high)]);
        }
        for column in (first..end).rev() {
            let low = self.bounds(column, site).0;
            edge.extend([(self.edges[column + 1], low), (self.edges[column], low)]);
        }
        edge.dedup();
        without_straights(edge)
    }

    fn bounds(&self, column: usize, site: usize) -> (f64, f64) {
        let low = if site == 0 { 0.0 } else { self.tops[column][site - 1] };
        (low, self.tops[column][site])
    }

    fn has(&self, column: usize, site: usize) -> bool {
        let (low, high) = self.bounds(column, site);
        high - low > high * 1e-9
    }

    fn sites(&self) -> usize {
        self.tops.first().map_or(0, Vec::len)
    }

    fn cells(&self) -> usize {
        let of_column =
            |column: usize| (0..self.sites()).filter(move |&s| self.has(column, s)).count();
        (0..self.tops.len()).map(of_column).sum()
    }
}

/// Points between two others at the same height say nothing.
fn without_straights(edge: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::with_capacity(edge.len());
    for point in edge {
        if let [.., a, b] = kept[..]
            && a.1 == b.1
            && b.1 == point.1
        {
            kept.pop();
        }
        kept.push(point);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(site: usize, from: f64, to: f64, rate: f64) -> Piece {
        Piece { site, from, to, rate }
    }

    #[test]
    fn shares_lie_on_top_of_each_other() {
        let stack = Stack::of(&[piece(0, 0.0, 4.0, 3.0), piece(1, 2.0, 4.0, 2.0)], 2, 4.0);
        let areas = stack.areas();
        assert_eq!(areas[0].edge, [(0.0, 3.0), (4.0, 3.0), (4.0, 0.0), (0.0, 0.0)]);
        assert_eq!(areas[1].edge, [(2.0, 5.0), (4.0, 5.0), (4.0, 3.0), (2.0, 3.0)]);
        let second = stack.widest().nth(1).unwrap();
        assert_eq!((second.site, second.time, second.rate), (1, (2.0, 4.0), (3.0, 5.0)));
    }

    #[test]
    fn thousands_of_changes_are_averaged_and_none_is_lost() {
        let pieces: Vec<Piece> = (0..5000)
            .map(|i| piece(i % 7, i as f64, i as f64 + 1.0, 1.0 + (i % 3) as f64))
            .collect();
        let stack = Stack::of(&pieces, 7, 5000.0);
        assert!(stack.edges.len() <= COLUMNS + 1);
        let volume: f64 = stack
            .tops
            .iter()
            .enumerate()
            .map(|(c, tops)| tops[6] * (stack.edges[c + 1] - stack.edges[c]))
            .sum();
        let given: f64 = pieces.iter().map(|piece| piece.rate).sum();
        assert!((volume - given).abs() < 1e-6 * given);
    }
}
