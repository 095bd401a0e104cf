use super::Verdict;
use crate::figures::Figure;
use crate::table::Table;

/// A statement over the first table of a figure, whose columns are called `MEASURE of PEER`.
#[derive(Clone, Copy)]
pub enum Check {
    /// From each point to the next.
    Falls {
        measure: &'static str,
        peers: &'static [&'static str],
    },
    Rises {
        measure: &'static str,
        peers: &'static [&'static str],
    },
    /// At every point, each of `peers` has at most `(1 - by)` of what each of `than` has.
    Less {
        measure: &'static str,
        peers: &'static [&'static str],
        than: &'static [&'static str],
        by: f64,
    },
    /// At every point, each of `peers` has at least as much as each of `than`.
    More {
        measure: &'static str,
        peers: &'static [&'static str],
        than: &'static [&'static str],
    },
    /// The change for each unit of the axis is larger beyond `at` than before.
    Steeper {
        measure: &'static str,
        peers: &'static [&'static str],
        at: f64,
    },
    /// A straight line explains at least this part of the variance.
    Straight {
        measure: &'static str,
        peers: &'static [&'static str],
        part: f64,
    },
    /// From the first point to the last, each of `peers` falls by less than each of `than`.
    FallsLess {
        measure: &'static str,
        peers: &'static [&'static str],
        than: &'static [&'static str],
    },
    /// At every point at most one of `than` has more.
    NearlyMost {
        measure: &'static str,
        peer: &'static str,
        than: &'static [&'static str],
    },
    /// The columns go along with those of another figure, correlated at least so much.
    Alike {
        measure: &'static str,
        other: &'static str,
        theirs: &'static str,
        peers: &'static [&'static str],
        least: f64,
    },
    /// The column times (or divided by) the axis is the same everywhere, give or take this part.
    Proportional {
        column: &'static str,
        inverse: bool,
        within: f64,
    },
    /// Something that the table does not show.
    Other(fn() -> Verdict),
}

/// What rounding may do.
const SLIP: f64 = 1e-6;

impl Check {
    pub fn verdict(&self, figure: &Figure, all: &[Figure]) -> Verdict {
        let mut worst = Worst::default();
        let data = Data { table: &figure.tables[0] };
        match *self {
            Check::Falls { measure, peers } => data.steps(measure, peers, 1.0, &mut worst),
            Check::Rises { measure, peers } => data.steps(measure, peers, -1.0, &mut worst),
            Check::Less { measure, peers, than, by } => {
                data.pairs(measure, peers, than, &mut worst, |a, b| excess(a, b * (1.0 - by)));
            }
            Check::More { measure, peers, than } => {
                data.pairs(measure, peers, than, &mut worst, |a, b| excess(b, a));
            }
            Check::Steeper { measure, peers, at } => data.slopes(measure, peers, at, &mut worst),
            Check::Straight { measure, peers, part } => {
                data.straight(measure, peers, part, &mut worst);
            }
            Check::FallsLess { measure, peers, than } => {
                data.falls_less(measure, peers, than, &mut worst);
            }
            Check::NearlyMost { measure, peer, than } => {
                data.nearly_most(measure, peer, than, &mut worst);
            }
            Check::Alike { measure, other, theirs, peers, least } => {
                let Some(other) = all.iter().find(|figure| figure.name == other) else {
                    return Verdict::Not(format!("{other} was not made"));
                };
                let other = Data { table: &other.tables[0] };
                data.alike(measure, &other, theirs, peers, least, &mut worst);
            }
            Check::Proportional { column, inverse, within } => {
                data.proportional(column, inverse, within, &mut worst);
            }
            Check::Other(check) => return check(),
        }
        worst.verdict()
    }
}

/// The worst counterexample so far.
#[derive(Default)]
struct Worst {
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

    fn verdict(self) -> Verdict {
        if self.text.is_empty() { Verdict::Holds } else { Verdict::Not(self.text) }
    }
}

/// By how much `a` is above `b`, as a part of them.
fn excess(a: f64, b: f64) -> f64 {
    if a <= b {
        return 0.0;
    }
    (a - b) / a.abs().max(b.abs()).clamp(1e-9, 1e300)
}

struct Data<'a> {
    table: &'a Table,
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

    fn steps(&self, measure: &str, peers: &[&str], sign: f64, worst: &mut Worst) {
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

    fn pairs(
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

    fn slopes(&self, measure: &str, peers: &[&str], at: f64, worst: &mut Worst) {
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

    fn straight(&self, measure: &str, peers: &[&str], part: f64, worst: &mut Worst) {
        for peer in peers {
            let r = correlation(&self.axis(), &self.column(measure, peer));
            worst.note(part - r * r, || {
                format!("a line explains {:.2} of the variance of {peer}, not {part}", r * r)
            });
        }
    }

    fn falls_less(&self, measure: &str, peers: &[&str], than: &[&str], worst: &mut Worst) {
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

    fn nearly_most(&self, measure: &str, peer: &str, than: &[&str], worst: &mut Worst) {
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

    fn alike(
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

    fn proportional(&self, column: &str, inverse: bool, within: f64, worst: &mut Worst) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(a: &[f64], b: &[f64]) -> Figure {
        let mut table = Table::new("", ["x", "t of a", "t of b"]);
        for (x, (a, b)) in a.iter().zip(b).enumerate() {
            table.push(vec![x.into(), (*a).into(), (*b).into()]);
        }
        let (settings, panels) = (String::new(), Vec::new());
        Figure { name: "test", title: "", settings, tables: vec![table], panels }
    }

    fn holds(check: Check, a: &[f64], b: &[f64]) -> bool {
        check.verdict(&figure(a, b), &[]) == Verdict::Holds
    }

    #[test]
    fn a_trend_is_found_and_its_exception_named() {
        let falls = Check::Falls { measure: "t", peers: &["a"] };
        assert!(holds(falls, &[3.0, 2.0, 1.0], &[0.0; 3]));
        assert!(!holds(falls, &[3.0, 3.0, 1.0], &[0.0; 3]));
        assert!(holds(falls, &[3.0, 0.0, 0.0], &[0.0; 3]), "there is nothing below nothing");
        let Verdict::Not(worst) = falls.verdict(&figure(&[3.0, 2.0, 2.5], &[0.0; 3]), &[]) else {
            panic!("it rises")
        };
        assert_eq!(worst, "t of a goes from 2.00 to 2.50 between 1 and 2");
    }

    #[test]
    fn an_order_is_checked_at_every_point() {
        let less = |by| Check::Less { measure: "t", peers: &["a"], than: &["b"], by };
        assert!(holds(less(0.0), &[1.0, 2.0], &[1.0, 3.0]));
        assert!(!holds(less(0.0), &[1.0, 4.0], &[1.0, 3.0]));
        assert!(!holds(less(0.1), &[1.0, 2.0], &[1.05, 3.0]));
        let more = Check::More { measure: "t", peers: &["b"], than: &["a"] };
        assert!(holds(more, &[1.0, 2.0], &[1.0, 3.0]));
    }

    #[test]
    fn shapes_are_told_apart() {
        let line = Check::Straight { measure: "t", peers: &["a"], part: 0.95 };
        assert!(holds(line, &[9.0, 8.0, 7.1, 6.0], &[0.0; 4]));
        assert!(!holds(line, &[9.0, 2.0, 2.0, 1.9], &[0.0; 4]));
        let knee = Check::Steeper { measure: "t", peers: &["a"], at: 2.0 };
        assert!(holds(knee, &[9.0, 8.9, 8.8, 5.0], &[0.0; 4]));
        assert!(!holds(knee, &[9.0, 2.0, 2.0, 1.9], &[0.0; 4]));
        let slower = Check::FallsLess { measure: "t", peers: &["a"], than: &["b"] };
        assert!(holds(slower, &[9.0, 8.0], &[9.0, 7.0]));
        assert!(!holds(slower, &[9.0, 6.0], &[9.0, 7.0]));
    }

    #[test]
    fn no_claim_holds_for_what_is_not_there() {
        for check in [
            Check::Falls { measure: "t", peers: &["c"] },
            Check::Less { measure: "t", peers: &["a"], than: &["c"], by: 0.0 },
            Check::Straight { measure: "t", peers: &["c"], part: 0.9 },
            Check::Steeper { measure: "t", peers: &["c"], at: 1.0 },
            Check::NearlyMost { measure: "t", peer: "c", than: &["a", "b"] },
            Check::FallsLess { measure: "t", peers: &["c"], than: &["a"] },
            Check::Proportional { column: "c", inverse: false, within: 0.5 },
        ] {
            assert!(!holds(check, &[3.0, 2.0], &[3.0, 2.0]));
        }
    }
}
