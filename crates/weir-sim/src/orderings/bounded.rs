//! The claims of Diligenti et al. 2004 (section 3), under both assumptions that its figures are drawn with.

use super::Expected::{Holds, Not};
use super::{Check, Claim, Than};

/// Measured and predicted are close if they are this part of the limit apart in a second, on average.
const CLOSE: f64 = 0.1;
/// What rounding may add to a sum.
const LIMIT: f64 = 1.0 + 1e-9;

const NO_BOUND: &str = "what is kept below the limit is a prediction: downloads that are faster than usual \
    meet now and then, and nothing holds them back";
const DRAINS: &str = "a server nearly as fast as the limit fits only when nearly nothing else runs: the line \
    runs empty again and again, which swings as much as feedback; without such servers it holds";

pub const BOUNDED: &[Claim] = &[
    Claim {
        figure: "diligenti-1",
        section: "3",
        text: "mixed servers: the predicted bandwidth is always below the threshold",
        expected: Holds,
        check: webs("mixed", "most predicted of max_d 6", Than::Number(LIMIT)),
    },
    Claim {
        figure: "diligenti-1",
        section: "3",
        text: "servers alike: the predicted bandwidth is always below the threshold",
        expected: Holds,
        check: webs("alike", "most predicted of max_d 6", Than::Number(LIMIT)),
    },
    Claim {
        figure: "diligenti-1",
        section: "3",
        text: "mixed servers: the predicted bandwidth is close to the actual one (0.1 of the limit)",
        expected: Holds,
        check: webs("mixed", "apart of max_d 6", Than::Number(CLOSE)),
    },
    Claim {
        figure: "diligenti-1",
        section: "3",
        text: "servers alike: the predicted bandwidth is close to the actual one (0.1 of the limit)",
        expected: Holds,
        check: webs("alike", "apart of max_d 6", Than::Number(CLOSE)),
    },
    Claim {
        figure: "diligenti-1",
        section: "3",
        text: "mixed servers: the actual bandwidth is below the threshold on average",
        expected: Holds,
        check: webs("mixed", "use of max_d 6", Than::Number(LIMIT)),
    },
    Claim {
        figure: "diligenti-1",
        section: "3",
        text: "servers alike: the actual bandwidth is below the threshold on average",
        expected: Holds,
        check: webs("alike", "use of max_d 6", Than::Number(LIMIT)),
    },
    Claim {
        figure: "diligenti-1",
        section: "3",
        text: "mixed servers: the actual bandwidth is below the threshold in every second",
        expected: Not(NO_BOUND),
        check: webs("mixed", "worst of max_d 6", Than::Number(LIMIT)),
    },
    Claim {
        figure: "diligenti-1",
        section: "3",
        text: "servers alike: the actual bandwidth is below the threshold in every second",
        expected: Not(NO_BOUND),
        check: webs("alike", "worst of max_d 6", Than::Number(LIMIT)),
    },
    Claim {
        figure: "diligenti-2",
        section: "3",
        text: "mixed servers: a larger max_d improves the average bandwidth",
        expected: Holds,
        check: webs("mixed", "use of max_d 2", Than::Column("use of max_d 6")),
    },
    Claim {
        figure: "diligenti-2",
        section: "3",
        text: "servers alike: a larger max_d improves the average bandwidth",
        expected: Holds,
        check: webs("alike", "use of max_d 2", Than::Column("use of max_d 6")),
    },
    Claim {
        figure: "diligenti-2",
        section: "3",
        text: "mixed servers: with a larger max_d more URLs overtake some of a larger score",
        expected: Holds,
        check: webs("mixed", "out of order of max_d 2", Than::Column("out of order of max_d 6")),
    },
    Claim {
        figure: "diligenti-2",
        section: "3",
        text: "servers alike: with a larger max_d more URLs overtake some of a larger score",
        expected: Holds,
        check: webs("alike", "out of order of max_d 2", Than::Column("out of order of max_d 6")),
    },
    Claim {
        figure: "diligenti-3",
        section: "3",
        text: "mixed servers: feedback is less accurate (more seconds above the limit)",
        expected: Holds,
        check: webs("mixed", "above of max_d 6", Than::Column("above of feedback")),
    },
    Claim {
        figure: "diligenti-3",
        section: "3",
        text: "servers alike: feedback is less accurate (more seconds above the limit)",
        expected: Holds,
        check: webs("alike", "above of max_d 6", Than::Column("above of feedback")),
    },
    Claim {
        figure: "diligenti-3",
        section: "3",
        text: "mixed servers: with feedback the bandwidth oscillates more (standard deviation)",
        expected: Not(DRAINS),
        check: webs("mixed", "swing of max_d 6", Than::Column("swing of feedback")),
    },
    Claim {
        figure: "diligenti-3",
        section: "3",
        text: "servers alike: with feedback the bandwidth oscillates more (standard deviation)",
        expected: Holds,
        check: webs("alike", "swing of max_d 6", Than::Column("swing of feedback")),
    },
];

const fn webs(table: &'static str, column: &'static str, than: Than) -> Check {
    Check::Webs { table, column, than }
}
