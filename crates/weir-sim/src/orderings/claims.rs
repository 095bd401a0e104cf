//! The claims of Zhu et al. 2020 (sections 5.1 to 5.4), in the order of the paper.

use super::Expected::{Holds, Not};
use super::{Check, Claim, mechanisms};

/// The approaches of the figures with sufficient bandwidth.
const SIX: &[&str] = &["M-MAXT", "M-SUMT", "Random", "PROBandwidth", "GA", "DE"];
const WITHOUT_PRO: &[&str] = &["M-MAXT", "M-SUMT", "Random", "GA", "DE"];
const SEARCHES: &[&str] = &["GA", "DE"];
/// The simple rules that the paper starts from.
const SIMPLE: &[&str] = &["PROBandwidth", "Random"];
const SIMPLE_5: &[&str] = &["PROBandwidth", "PRODataAmount"];
const ROUNDS: &[&str] = &["ReAlloc-MAXT", "ReAlloc-SUMT"];
const OTHERS: &[&str] = &["ReAlloc-PROBandwidth", "AllocOnce", "ReAlloc-PRODataAmount"];
const SLOW: &[&str] = &["AllocOnce", "ReAlloc-PRODataAmount"];
const NOT_ONCE: &[&str] =
    &["ReAlloc-MAXT", "ReAlloc-SUMT", "ReAlloc-PROBandwidth", "ReAlloc-PRODataAmount"];
const FIVE: &[&str] =
    &["ReAlloc-MAXT", "ReAlloc-SUMT", "ReAlloc-PROBandwidth", "AllocOnce", "ReAlloc-PRODataAmount"];
const NOT_SLOW: &[&str] = &["ReAlloc-MAXT", "ReAlloc-SUMT", "ReAlloc-PROBandwidth"];
const STEADY: &[&str] = &["ReAlloc-MAXT", "ReAlloc-SUMT", "ReAlloc-PRODataAmount"];

const MAX: &str = "max t (s)";
const SUM: &str = "sum t (s)";
const LATE: &str = "tardiness (s)";
const LN_MAX: &str = "ln max t + ln tardiness";
const LN_SUM: &str = "ln sum exec + ln tardiness";

/// How much worse is "clearly" worse.
const CLEARLY: f64 = 0.01;

const SEARCH_FINDS_IT: &str = "with six rates to find, a plain search of 80 generations comes within \
    0.2 % of the optimum; nothing traps it, for the problem is convex";
const SEARCH_COMES_NEAR: &str = "six rates are few: where much is late GA comes within 0.3 % of the optimum, \
    where little is within 9 %; DE within 1 % everywhere";
const SCALE_FREE: &str = "PROBandwidth gives shares of the whole bandwidth in proportion to size / \
    deadline: deadlines that are tightened by a common factor change no share";
const WAITS_STAY: &str = "small pages spend much of their time waiting for the answer, and the \
    wait does not shrink with bandwidth: xi is a constant only where pages are large";
const ROUNDS_JUMP: &str = "more bandwidth moves the times at which sites take over from each \
    other, and with them who runs beside whom: such schedules have anomalies";

pub const CLAIMS: &[Claim] = &[
    Claim {
        figure: "zhu-2",
        section: "5.1",
        text: "the maximum complete time of all approaches decreases with bandwidth",
        expected: Holds,
        check: Check::Falls { measure: MAX, peers: SIX },
    },
    Claim {
        figure: "zhu-2",
        section: "5.1",
        text: "the sum of execution times of all approaches decreases with bandwidth",
        expected: Holds,
        check: Check::Falls { measure: SUM, peers: SIX },
    },
    Claim {
        figure: "zhu-2",
        section: "5.1",
        text: "M-MAXT has the least maximum complete time",
        expected: Holds,
        check: Check::Less { measure: MAX, peers: &["M-MAXT"], than: SIX, by: 0.0 },
    },
    Claim {
        figure: "zhu-2",
        section: "5.1",
        text: "M-SUMT has the least sum of execution times",
        expected: Holds,
        check: Check::Less { measure: SUM, peers: &["M-SUMT"], than: SIX, by: 0.0 },
    },
    Claim {
        figure: "zhu-2",
        section: "5.1",
        text: "GA and DE have less maximum complete time than PROBandwidth and Random",
        expected: Holds,
        check: Check::Less { measure: MAX, peers: SEARCHES, than: SIMPLE, by: 0.0 },
    },
    Claim {
        figure: "zhu-2",
        section: "5.1",
        text: "GA and DE have less sum of execution times than PROBandwidth and Random",
        expected: Holds,
        check: Check::Less { measure: SUM, peers: SEARCHES, than: SIMPLE, by: 0.0 },
    },
    Claim {
        figure: "zhu-2",
        section: "5.1",
        text: "GA and DE could not easily achieve the minimum complete time (1 % off)",
        expected: Not(SEARCH_FINDS_IT),
        check: Check::Less { measure: MAX, peers: &["M-MAXT"], than: SEARCHES, by: CLEARLY },
    },
    Claim {
        figure: "zhu-2",
        section: "5.1",
        text: "GA and DE could not easily achieve the minimum execution time (1 % off)",
        expected: Not(SEARCH_FINDS_IT),
        check: Check::Less { measure: SUM, peers: &["M-SUMT"], than: SEARCHES, by: CLEARLY },
    },
    Claim {
        figure: "zhu-2",
        section: "5.1",
        text: "the maximum complete time of M-SUMT may be long (1 % above M-MAXT)",
        expected: Holds,
        check: Check::Less { measure: MAX, peers: &["M-MAXT"], than: &["M-SUMT"], by: CLEARLY },
    },
    Claim {
        figure: "zhu-2",
        section: "5.1",
        text: "with PROBandwidth some sites complete much earlier than their time constraints",
        expected: Holds,
        check: Check::Other(mechanisms::proportional_shares_end_early),
    },
    Claim {
        figure: "zhu-2",
        section: "5.1",
        text: "with M-MAXT the sites without a tight time constraint end simultaneously",
        expected: Holds,
        check: Check::Other(mechanisms::the_rest_ends_together),
    },
    Claim {
        figure: "zhu-3",
        section: "5.1",
        text: "the maximum complete time of all approaches increases with the data amount",
        expected: Holds,
        check: Check::Rises { measure: MAX, peers: SIX },
    },
    Claim {
        figure: "zhu-3",
        section: "5.1",
        text: "the sum of execution times of all approaches increases with the data amount",
        expected: Holds,
        check: Check::Rises { measure: SUM, peers: SIX },
    },
    Claim {
        figure: "zhu-3",
        section: "5.1",
        text: "M-MAXT has the least maximum complete time",
        expected: Holds,
        check: Check::Less { measure: MAX, peers: &["M-MAXT"], than: SIX, by: 0.0 },
    },
    Claim {
        figure: "zhu-3",
        section: "5.1",
        text: "M-SUMT has the least sum of execution times",
        expected: Holds,
        check: Check::Less { measure: SUM, peers: &["M-SUMT"], than: SIX, by: 0.0 },
    },
    Claim {
        figure: "zhu-4",
        section: "5.1",
        text: "the maximum complete time of all approaches but PROBandwidth increases with tightness",
        expected: Holds,
        check: Check::Rises { measure: MAX, peers: WITHOUT_PRO },
    },
    Claim {
        figure: "zhu-4",
        section: "5.1",
        text: "the maximum complete time of PROBandwidth increases with tightness",
        expected: Not(SCALE_FREE),
        check: Check::Rises { measure: MAX, peers: &["PROBandwidth"] },
    },
    Claim {
        figure: "zhu-4",
        section: "5.1",
        text: "the increase of the maximum complete time is more evident beyond 965",
        expected: Holds,
        check: Check::Steeper { measure: MAX, peers: WITHOUT_PRO, at: 965.0 },
    },
    Claim {
        figure: "zhu-4",
        section: "5.1",
        text: "the sum of execution times of all approaches but PROBandwidth increases with tightness",
        expected: Holds,
        check: Check::Rises { measure: SUM, peers: WITHOUT_PRO },
    },
    Claim {
        figure: "zhu-4",
        section: "5.1",
        text: "the sum of execution times of PROBandwidth increases with tightness",
        expected: Not(SCALE_FREE),
        check: Check::Rises { measure: SUM, peers: &["PROBandwidth"] },
    },
    Claim {
        figure: "zhu-4",
        section: "5.1",
        text: "the increase of the sum of execution times is more evident beyond 965",
        expected: Holds,
        check: Check::Steeper { measure: SUM, peers: WITHOUT_PRO, at: 965.0 },
    },
    Claim {
        figure: "zhu-5",
        section: "5.2",
        text: "M-STET has less tardiness than PROBandwidth and PRODataAmount",
        expected: Holds,
        check: Check::Less { measure: LATE, peers: &["M-STET"], than: SIMPLE_5, by: 0.0 },
    },
    Claim {
        figure: "zhu-5",
        section: "5.2",
        text: "GA and DE have less tardiness than PROBandwidth and PRODataAmount",
        expected: Holds,
        check: Check::Less { measure: LATE, peers: SEARCHES, than: SIMPLE_5, by: 0.0 },
    },
    Claim {
        figure: "zhu-5",
        section: "5.2",
        text: "M-STET has the least tardiness",
        expected: Holds,
        check: Check::Less { measure: LATE, peers: &["M-STET"], than: SEARCHES, by: 0.0 },
    },
    Claim {
        figure: "zhu-5",
        section: "5.2",
        text: "with GA and DE the time constraints were not fully utilized (1 % more tardiness)",
        expected: Not(SEARCH_COMES_NEAR),
        check: Check::Less { measure: LATE, peers: &["M-STET"], than: SEARCHES, by: CLEARLY },
    },
    Claim {
        figure: "zhu-6",
        section: "5.2",
        text: "M-STET has less tardiness than PROBandwidth and PRODataAmount",
        expected: Holds,
        check: Check::Less { measure: LATE, peers: &["M-STET"], than: SIMPLE_5, by: 0.0 },
    },
    Claim {
        figure: "zhu-6",
        section: "5.2",
        text: "GA and DE have less tardiness than PROBandwidth and PRODataAmount",
        expected: Holds,
        check: Check::Less { measure: LATE, peers: SEARCHES, than: SIMPLE_5, by: 0.0 },
    },
    Claim {
        figure: "zhu-6",
        section: "5.2",
        text: "M-STET has the least tardiness",
        expected: Holds,
        check: Check::Less { measure: LATE, peers: &["M-STET"], than: SEARCHES, by: 0.0 },
    },
    Claim {
        figure: "zhu-6",
        section: "5.2",
        text: "with GA and DE the time constraints were not fully utilized (1 % more tardiness)",
        expected: Not(SEARCH_COMES_NEAR),
        check: Check::Less { measure: LATE, peers: &["M-STET"], than: SEARCHES, by: CLEARLY },
    },
    Claim {
        figure: "zhu-7",
        section: "5.2",
        text: "M-STET has less tardiness than PROBandwidth and PRODataAmount",
        expected: Holds,
        check: Check::Less { measure: LATE, peers: &["M-STET"], than: SIMPLE_5, by: 0.0 },
    },
    Claim {
        figure: "zhu-7",
        section: "5.2",
        text: "GA and DE have less tardiness than PROBandwidth and PRODataAmount",
        expected: Holds,
        check: Check::Less { measure: LATE, peers: SEARCHES, than: SIMPLE_5, by: 0.0 },
    },
    Claim {
        figure: "zhu-7",
        section: "5.2",
        text: "M-STET has the least tardiness",
        expected: Holds,
        check: Check::Less { measure: LATE, peers: &["M-STET"], than: SEARCHES, by: 0.0 },
    },
    Claim {
        figure: "zhu-7",
        section: "5.2",
        text: "with GA and DE the time constraints were not fully utilized (1 % more tardiness)",
        expected: Not(SEARCH_COMES_NEAR),
        check: Check::Less { measure: LATE, peers: &["M-STET"], than: SEARCHES, by: CLEARLY },
    },
    Claim {
        figure: "zhu-5",
        section: "5.2",
        text: "with M-STET the execution times of all sites are at least the time constraints",
        expected: Holds,
        check: Check::Other(mechanisms::nobody_is_early),
    },
    Claim {
        figure: "zhu-8",
        section: "5.3",
        text: "ReAlloc-MAXT and ReAlloc-SUMT decrease with bandwidth",
        expected: Holds,
        check: Check::Falls { measure: LN_MAX, peers: ROUNDS },
    },
    Claim {
        figure: "zhu-8",
        section: "5.3",
        text: "they decrease almost linearly (a line explains 0.9)",
        expected: Holds,
        check: Check::Straight { measure: LN_MAX, peers: ROUNDS, part: 0.9 },
    },
    Claim {
        figure: "zhu-8",
        section: "5.3",
        text: "ReAlloc-PROBandwidth decreases slowly at first and rapidly beyond 534",
        expected: Holds,
        check: Check::Steeper { measure: LN_MAX, peers: &["ReAlloc-PROBandwidth"], at: 534.0 },
    },
    Claim {
        figure: "zhu-8",
        section: "5.3",
        text: "AllocOnce and ReAlloc-PRODataAmount decrease slower than those above",
        expected: Holds,
        check: Check::FallsLess { measure: LN_MAX, peers: SLOW, than: NOT_SLOW },
    },
    Claim {
        figure: "zhu-8",
        section: "5.3",
        text: "ReAlloc-MAXT and ReAlloc-SUMT always outperform the benchmarks",
        expected: Holds,
        check: Check::Less { measure: LN_MAX, peers: ROUNDS, than: OTHERS, by: 0.0 },
    },
    Claim {
        figure: "zhu-8",
        section: "5.3",
        text: "AllocOnce is almost the largest",
        expected: Holds,
        check: Check::NearlyMost { measure: LN_MAX, peer: "AllocOnce", than: NOT_ONCE },
    },
    Claim {
        figure: "zhu-9",
        section: "5.3",
        text: "ReAlloc-MAXT and ReAlloc-SUMT decrease with bandwidth",
        expected: Holds,
        check: Check::Falls { measure: LN_SUM, peers: ROUNDS },
    },
    Claim {
        figure: "zhu-9",
        section: "5.3",
        text: "they decrease almost linearly (a line explains 0.9)",
        expected: Holds,
        check: Check::Straight { measure: LN_SUM, peers: ROUNDS, part: 0.9 },
    },
    Claim {
        figure: "zhu-9",
        section: "5.3",
        text: "ReAlloc-PROBandwidth decreases slowly at first and rapidly beyond 534",
        expected: Holds,
        check: Check::Steeper { measure: LN_SUM, peers: &["ReAlloc-PROBandwidth"], at: 534.0 },
    },
    Claim {
        figure: "zhu-9",
        section: "5.3",
        text: "AllocOnce and ReAlloc-PRODataAmount decrease slower than those above",
        expected: Holds,
        check: Check::FallsLess { measure: LN_SUM, peers: SLOW, than: NOT_SLOW },
    },
    Claim {
        figure: "zhu-9",
        section: "5.3",
        text: "ReAlloc-MAXT and ReAlloc-SUMT always outperform the benchmarks",
        expected: Holds,
        check: Check::Less { measure: LN_SUM, peers: ROUNDS, than: OTHERS, by: 0.0 },
    },
    Claim {
        figure: "zhu-9",
        section: "5.3",
        text: "AllocOnce is almost the largest",
        expected: Holds,
        check: Check::NearlyMost { measure: LN_SUM, peer: "AllocOnce", than: NOT_ONCE },
    },
    Claim {
        figure: "zhu-9",
        section: "5.3",
        text: "the trends of Figs. 8 and 9 are similar (correlated by 0.9)",
        expected: Holds,
        check: Check::Alike {
            measure: LN_SUM,
            other: "zhu-8",
            theirs: LN_MAX,
            peers: FIVE,
            least: 0.9,
        },
    },
    Claim {
        figure: "zhu-10",
        section: "5.3",
        text: "the tardiness of ReAlloc-MAXT, -SUMT and -PRODataAmount decreases with bandwidth",
        expected: Holds,
        check: Check::Falls { measure: LATE, peers: STEADY },
    },
    Claim {
        figure: "zhu-10",
        section: "5.3",
        text: "the tardiness of AllocOnce decreases with bandwidth",
        expected: Not(ROUNDS_JUMP),
        check: Check::Falls { measure: LATE, peers: &["AllocOnce"] },
    },
    Claim {
        figure: "zhu-10",
        section: "5.3",
        text: "the tardiness of ReAlloc-PROBandwidth decreases with bandwidth",
        expected: Not(ROUNDS_JUMP),
        check: Check::Falls { measure: LATE, peers: &["ReAlloc-PROBandwidth"] },
    },
    Claim {
        figure: "zhu-10",
        section: "5.3",
        text: "ReAlloc-SUMT and ReAlloc-MAXT have less tardiness than the others",
        expected: Holds,
        check: Check::Less { measure: LATE, peers: ROUNDS, than: OTHERS, by: 0.0 },
    },
    Claim {
        figure: "zhu-10",
        section: "5.3",
        text: "with all but AllocOnce more sites satisfy their time constraints as the bandwidth increases",
        expected: Holds,
        check: Check::Rises { measure: "met", peers: NOT_ONCE },
    },
    Claim {
        figure: "zhu-10",
        section: "5.3",
        text: "with AllocOnce more sites satisfy their time constraints as the bandwidth increases",
        expected: Not(ROUNDS_JUMP),
        check: Check::Rises { measure: "met", peers: &["AllocOnce"] },
    },
    Claim {
        figure: "zhu-10",
        section: "5.3",
        text: "ReAlloc-SUMT and ReAlloc-MAXT satisfy time constraints faster than the others",
        expected: Holds,
        check: Check::More { measure: "met", peers: ROUNDS, than: OTHERS },
    },
    Claim {
        figure: "zhu-11",
        section: "5.4",
        text: "the execution time (text) is inversely proportional to the bandwidth (5 %)",
        expected: Not(WAITS_STAY),
        check: Check::Proportional { column: "measured text (s)", inverse: true, within: 0.05 },
    },
    Claim {
        figure: "zhu-11",
        section: "5.4",
        text: "the execution time (video) is inversely proportional to the bandwidth (5 %)",
        expected: Holds,
        check: Check::Proportional { column: "measured video (s)", inverse: true, within: 0.05 },
    },
    Claim {
        figure: "zhu-11",
        section: "5.4",
        text: "the execution time (image) is inversely proportional to the bandwidth (5 %)",
        expected: Holds,
        check: Check::Proportional { column: "measured image (s)", inverse: true, within: 0.05 },
    },
    Claim {
        figure: "zhu-12",
        section: "5.4",
        text: "the execution time (text) is proportional to the data amount (5 %)",
        expected: Holds,
        check: Check::Proportional { column: "measured text (s)", inverse: false, within: 0.05 },
    },
    Claim {
        figure: "zhu-12",
        section: "5.4",
        text: "the execution time (video) is proportional to the data amount (5 %)",
        expected: Holds,
        check: Check::Proportional { column: "measured video (s)", inverse: false, within: 0.05 },
    },
    Claim {
        figure: "zhu-12",
        section: "5.4",
        text: "the execution time (image) is proportional to the data amount (5 %)",
        expected: Holds,
        check: Check::Proportional { column: "measured image (s)", inverse: false, within: 0.05 },
    },
];
