use super::{Than, Verdict};
use crate::table::Table;

/// What rounding may do.
const SLIP: f64 = 1e-6;

/// The worst counterexample so far.
#[derive(Default)]
pub struct Worst {
    by: f64,
    text: String,
}

impl Worst {
    /// Notes a counterexample if `by`, a part of what is compared, is more than rounding.
    fn note(&mut self, by: f64, text: impl FnOnce() -> String) {
        if by.is_nan() || by > SLIP.max(self.by) {
            *self = Worst { by: if by.is_nan() { f64::INFINITY } else { by }, text: text() };
        }
    }

    pub fn verdict(self) -> Verdict {
        if self.text.is_empty() { Verdict::Holds } else { Verdict::Not(self.text) }
    }
}

/// By how much `a` is above `b`, as a part of them.
pub fn excess(a: f64, b: f64) -> f64 {
    if a <= b {
        return 0.0;
    }
    (a - b) / a.abs().max(b.abs()).clamp(1e-9, 1e300)
}

/// A table whose columns are called `MEASURE of PEER`.
pub struct Data<'a> {
    pub table: &'a Table,
}

impl Data<'_> {
    /// A column that is not there is a column of NaN, and no claim holds for these.
    fn column(&self, measure: &str, peer: &str) -> Vec<f64> {
        let found = self.table.column(&format!("{measure} of {peer}"));
        found.unwrap_or_else(|| vec![f64::NAN; self.table.rows.len()])
    }

    fn axis(&self) -> Vec<f64> {
        self.table.column(&self.table.columns[0]).unwrap_or_default()
    }

    pub fn steps(&self, measure: &str, peers: &[&str], sign: f64, worst: &mut Worst) {
        let xs = self.axis();
        for peer in peers {
            let ys = self.column(measure, peer);
            for (step, pair) in ys.windows(2).enumerate() {
                // Both without a difference: nothing is lost any more.
                let same = pair[0] == pair[1] && pair[0] <= 0.0;
                let by = match excess(sign * pair[1], sign * pair[0]) {
                    0.0 if pair[0] == pair[1] && !same => 1e-3,
                    by => by,
                };
                worst.note(by, || {
                    let ([a, b], [x, y]) = ([pair[0], pair[1]].map(show), [xs[step], xs[step + 1]]);
                    format!("{measure} of {peer} goes from {a} to {b} between {x} and {y}")
                });
            }
        }
    }

    pub fn pairs(
        &self,
        measure: &str,
        peers: &[&str],
        than: &[&str],
        worst: &mut Worst,
        excess: impl Fn(f64, f64) -> f64,
    ) {
        let xs = self.axis();
        for peer in peers {
            let own = self.column(measure, peer);
            for other in than.iter().filter(|other| *other != peer) {
                let theirs = self.column(measure, other);
                for ((x, a), b) in xs.iter().zip(&own).zip(&theirs) {
                    worst.note(excess(*a, *b), || {
                        let (a, b) = (show(*a), show(*b));
                        format!("at {x}, {measure} is {a} with {peer} and {b} with {other}")
                    });
                }
            }
        }
    }

    pub fn slopes(&self, measure: &str, peers: &[&str], at: f64, worst: &mut Worst) {
        let xs = self.axis();
        let Some(knee) = xs.iter().position(|x| *x >= at) else {
            return worst.note(1.0, || "no such point".into());
        };
        let last = xs.len() - 1;
        for peer in peers {
            let ys = self.column(measure, peer);
            let slope = |a: usize, b: usize| (ys[b] - ys[a]).abs() / (xs[b] - xs[a]);
            let (before, beyond) = (slope(0, knee), slope(knee, last));
            let by = if beyond == before { 1e-3 } else { excess(before, beyond) };
            worst.note(by, || {
                let (before, beyond) = (show(before), show(beyond));
                format!(
                    "{measure} of {peer} changes by {before} a unit before {at} and {beyond} beyond"
                )
            });
        }
    }

    pub fn straight(&self, measure: &str, peers: &[&str], part: f64, worst: &mut Worst) {
        for peer in peers {
            let r = correlation(&self.axis(), &self.column(measure, peer));
            worst.note(part - r * r, || {
                format!("a line explains {:.2} of the variance of {peer}, not {part}", r * r)
            });
        }
    }

    pub fn falls_less(&self, measure: &str, peers: &[&str], than: &[&str], worst: &mut Worst) {
        let fall = |peer: &str| {
            let ys = self.column(measure, peer);
            ys[0] - ys[ys.len() - 1]
        };
        for peer in peers {
            for other in than {
                worst.note(excess(fall(peer), fall(other)), || {
                    let (own, theirs) = (show(fall(peer)), show(fall(other)));
                    format!("{measure} of {peer} falls by {own} and that of {other} by {theirs}")
                });
            }
        }
    }

    pub fn nearly_most(&self, measure: &str, peer: &str, than: &[&str], worst: &mut Worst) {
        let own = self.column(measure, peer);
        let others: Vec<(&&str, Vec<f64>)> =
            than.iter().map(|other| (other, self.column(measure, other))).collect();
        for (row, x) in self.axis().into_iter().enumerate() {
            let mut above: Vec<(f64, &str)> =
                others.iter().map(|(name, ys)| (excess(ys[row], own[row]), **name)).collect();
            above.sort_by(|a, b| b.0.total_cmp(&a.0));
            if let [_, (by, name), ..] = above[..] {
                worst.note(by, || {
                    format!("at {x}, {} and {name} have more than {peer}", above[0].1)
                });
            }
        }
    }

    pub fn alike(
        &self,
        measure: &str,
        other: &Data,
        theirs: &str,
        peers: &[&str],
        least: f64,
        worst: &mut Worst,
    ) {
        for peer in peers {
            let r = correlation(&self.column(measure, peer), &other.column(theirs, peer));
            worst.note(least - r, || {
                format!("{peer}: the two are correlated by {r:.2}, not {least}")
            });
        }
    }

    pub fn webs(&self, column: &str, than: Than, worst: &mut Worst) {
        let find = |column: &str| {
            self.table.column(column).unwrap_or_else(|| vec![f64::NAN; self.table.rows.len()])
        };
        let own = find(column);
        let (bounds, name) = match than {
            Than::Column(other) => (find(other), other.to_owned()),
            Than::Number(number) => (vec![number; own.len()], show(number)),
        };
        let below = own.iter().zip(&bounds).filter(|(own, bound)| own < bound).count();
        if 10 * below >= 9 * own.len() && below > 0 {
            return;
        }
        let by = |row: &usize| own[*row] - bounds[*row];
        let furthest = (0..own.len()).max_by(|a, b| by(a).total_cmp(&by(b)));
        let of = own.len();
        worst.note(1.0, || match furthest {
            Some(row) => format!(
                "{column} is below {name} in {below} of {of} webs, and {} in web {}",
                show(own[row]),
                self.axis()[row]
            ),
            None => "there are no webs".to_owned(),
        });
    }

    pub fn proportional(&self, column: &str, inverse: bool, within: f64, worst: &mut Worst) {
        let ys = self.table.column(column).unwrap_or_default();
        let xs = self.axis();
        let ratios: Vec<f64> =
            xs.iter().zip(&ys).map(|(x, y)| if inverse { y * x } else { y / x }).collect();
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        for (x, ratio) in xs.iter().zip(&ratios) {
            worst.note((ratio / mean - 1.0).abs() - within, || {
                format!(
                    "at {x}, {column} is {:.0} % off what the others say",
                    (ratio / mean - 1.0) * 100.0
                )
            });
        }
        worst
            .note(if ratios.is_empty() { f64::NAN } else { 0.0 }, || format!("no column {column}"));
    }
}

fn correlation(xs: &[f64], ys: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mx, my) = (mean(xs), mean(ys));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in xs.iter().zip(ys) {
        xx += (x - mx) * (x - mx);
        xy += (x - mx) * (y - my);
        yy += (y - my) * (y - my);
    }
    xy / (xx * yy).sqrt()
}

fn show(number: f64) -> String {
    match number.abs() {
        100.0.. => format!("{number:.0}"),
        1.0.. => format!("{number:.2}"),
        _ => format!("{number:.4}"),
    }
}
