use super::Verdict;
use super::data::{Data, Worst, excess};
use crate::figures::Figure;

/// A statement over the first table of a figure, whose columns are called `MEASURE of PEER`, unless
/// another is named.
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
    /// In nine of ten rows, one for each web that was drawn, a column is below another or a number.
    Webs {
        table: &'static str,
        column: &'static str,
        than: Than,
    },
    /// Something that the table does not show.
    Other(fn() -> Verdict),
}

#[derive(Clone, Copy)]
pub enum Than {
    Column(&'static str),
    Number(f64),
}

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
            Check::Webs { table, column, than } => {
                let Some(table) = figure.tables.iter().find(|one| one.name == table) else {
                    return Verdict::Not(format!("no table {table}"));
                };
                Data { table }.webs(column, than, &mut worst);
            }
            Check::Other(check) => return check(),
        }
        worst.verdict()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;

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
    fn one_web_in_ten_may_be_an_exception() {
        let (mut a, b) = ([1.0; 10], [2.0; 10]);
        let below = |than| Check::Webs { table: "", column: "t of a", than };
        a[3] = 3.0;
        assert!(holds(below(Than::Column("t of b")), &a, &b));
        assert!(holds(below(Than::Number(1.5)), &a, &b));
        a[5] = 2.0;
        assert!(!holds(below(Than::Column("t of b")), &a, &b), "as much is not below");
        let check = below(Than::Number(1.5));
        let Verdict::Not(worst) = check.verdict(&figure(&a, &b), &[]) else { panic!("2 above") };
        assert_eq!(worst, "t of a is below 1.50 in 8 of 10 webs, and 3.00 in web 3");
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
            Check::Webs { table: "", column: "c", than: Than::Number(1.0) },
            Check::Webs { table: "", column: "t of a", than: Than::Column("c") },
            Check::Webs { table: "no", column: "t of a", than: Than::Number(9.0) },
        ] {
            assert!(!holds(check, &[3.0, 2.0], &[3.0, 2.0]));
        }
    }
}
