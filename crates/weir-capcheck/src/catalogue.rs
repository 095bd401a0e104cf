//! All scenarios, in the order of the table.

use crate::scenario::{Aim, Client, Control, Plan, Scenario, show_rate};
use crate::web::Sizes;

const LIMITS: [u64; 3] = [140_000, 1_000_000, 20_000_000];
const DELAYS: [(u64, u64); 2] = [(0, 0), (50, 100)];

/// As many as the paper's crawler had servers at a time, and many more.
const SITES: usize = 200;
const FEW: usize = 6;

pub fn all() -> Vec<Scenario> {
    let mut all = Vec::new();
    for (workload, sites) in [("mixed", mixed()), ("large", large()), ("tiny", tiny())] {
        for limit in LIMITS {
            for delay in DELAYS {
                all.extend(controls(&cap(workload, sites.clone(), limit, delay)));
            }
        }
    }
    all.extend(others());
    let https = Scenario { tls: true, ..cap("mixed-https", mixed(), 1_000_000, (50, 100)) };
    all.push(Scenario { client: Client::Weir(Control::None), ..https.clone() });
    all.push(https);
    all.push(cost());
    all.extend(shares());
    all.extend(changes());
    all
}

/// The workload under each control. Without any, the limit makes no difference: one is enough.
fn controls(scenario: &Scenario) -> impl Iterator<Item = Scenario> {
    let useful = |control: &Control| *control != Control::None || scenario.limit == 1_000_000;
    let with = |control| Scenario { client: Client::Weir(control), ..scenario.clone() };
    Control::ALL.into_iter().filter(useful).map(with)
}

fn cap(workload: &str, sites: Vec<Plan>, limit: u64, delay_ms: (u64, u64)) -> Scenario {
    let aim = match (workload, limit, delay_ms.1) {
        ("tiny", 20_000_000, 0) => Aim::Held("use bound by the processor"),
        // One request at a time and site, each a delay long.
        ("tiny", 20_000_000, _) => Aim::Held("use bound by the servers' delay"),
        _ => Aim::Cap,
    };
    let in_short = matches!(
        (workload, limit, delay_ms.1),
        ("mixed", 140_000, 100) | ("mixed", 1_000_000, 0) | ("large", 1_000_000, 100)
    );
    Scenario {
        name: format!("{workload} {} {}", show_rate(limit), show_delay(delay_ms)),
        client: Client::Weir(Control::Shape),
        limit,
        changes: Vec::new(),
        sites,
        delay_ms,
        per_host: 1,
        tls: false,
        aim,
        in_short,
    }
}

fn show_delay((least, most): (u64, u64)) -> String {
    if least == most { format!("{least}ms") } else { format!("{least}-{most}ms") }
}

/// Three in ten are slow, four are of middling speed, three as fast as they can.
fn mixed() -> Vec<Plan> {
    let sizes = Sizes::LogNormal { median: 10e3, sigma: 1.8 };
    let speed = |site: usize| match site % 10 {
        0..3 => Some(20_000),
        3..7 => Some(200_000),
        _ => None,
    };
    (0..SITES).map(|site| Plan { speed: speed(site), ..Plan::new(sizes) }).collect()
}

fn large() -> Vec<Plan> {
    // Of different sizes: files that end together would leave nobody to use the cap meanwhile.
    vec![Plan::new(Sizes::Between(6_000_000, 14_000_000)); FEW]
}

fn tiny() -> Vec<Plan> {
    vec![Plan::new(Sizes::Between(1_000, 2_000)); SITES]
}

/// Peers with limits of their own, and the line itself.
fn others() -> [Scenario; 6] {
    let with = |client, scenario| Scenario { client, ..scenario };
    [
        with(Client::Line, cap("large", large(), 1_000_000, (0, 0))),
        with(Client::Line, cap("mixed", mixed(), 140_000, (50, 100))),
        with(Client::Line, cap("mixed", mixed(), 20_000_000, (50, 100))),
        with(Client::Curl, cap("large", large(), 1_000_000, (0, 0))),
        with(Client::Wget, cap("large", large(), 1_000_000, (0, 0))),
        with(Client::Curl, cap("mixed", mixed(), 1_000_000, (50, 100))),
    ]
}

/// A cap that nobody reaches.
fn cost() -> Scenario {
    Scenario { aim: Aim::Cost, ..cap("cost", tiny(), 1_000_000_000, (50, 100)) }
}

/// Sites of different weight, some slower than their share, some with a cap of their own.
fn shares() -> Vec<Scenario> {
    let pages = Plan::new(Sizes::Between(100_000, 1_000_000));
    let weighted = |site: usize| Plan { weight: (site % 4 + 1) as f64, ..pages };
    let mut eight: Vec<Plan> = (0..8).map(weighted).collect();
    eight[7].speed = Some(60_000);
    let with_slow = vec![
        Plan { speed: Some(50_000), ..pages },
        Plan { speed: Some(100_000), ..pages },
        pages,
        Plan { weight: 2.0, ..pages },
    ];
    let capped = Plan { cap: Some(50_000), ..Plan::new(Sizes::Between(10_000, 60_000)) };
    let mut one_capped = eight.clone();
    one_capped[0] = capped;
    let of = |name: &str, sites: &[Plan], limit, delay| Scenario {
        aim: Aim::Shares,
        in_short: false,
        ..cap(name, sites.to_vec(), limit, delay)
    };
    let coarse = Aim::SharesShown("a packet is 4 % of the least share in 5 s");
    vec![
        Scenario { in_short: true, ..of("shares", &eight, 1_000_000, (0, 0)) },
        // With one request at a time, a site cannot use its share while it waits for an answer.
        Scenario { per_host: 2, ..of("shares", &eight, 1_000_000, (50, 100)) },
        Scenario { per_host: 2, ..of("shares", &eight, 20_000_000, (0, 0)) },
        Scenario { aim: coarse, ..of("shares", &eight, 140_000, (0, 0)) },
        of("slow-servers", &with_slow, 1_000_000, (0, 0)),
        Scenario { in_short: true, ..of("site-cap-50KB/s", &[capped], 20_000_000, (10, 10)) },
        of("site-cap-50KB/s-beside-7", &one_capped, 1_000_000, (10, 10)),
    ]
}

/// Rates that change in the middle.
fn changes() -> [Scenario; 2] {
    let of = |limit, changes: &[(u64, u64)]| Scenario {
        changes: changes.to_vec(),
        aim: Aim::Change,
        in_short: limit == 1_000_000,
        ..cap("change", mixed(), limit, (50, 100))
    };
    [of(1_000_000, &[(4, 300_000), (8, 1_000_000)]), of(140_000, &[(4, 70_000), (8, 140_000)])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_has_a_name_of_its_own() {
        let mut titles: Vec<String> = all().iter().map(Scenario::title).collect();
        let before = titles.len();
        titles.sort();
        titles.dedup();
        assert_eq!(titles.len(), before);
    }

    #[test]
    fn the_short_form_is_short_and_judged() {
        let all = all();
        let short: Vec<_> = all.iter().filter(|one| one.in_short && one.is_judged()).collect();
        assert_eq!(short.len(), 6);
    }
}
