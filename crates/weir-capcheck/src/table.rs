use crate::figures::Figures;
use crate::scenario::{Aim, Scenario};

pub const HEAD: &str = "\
scenario                                   control    use %  worst 1 s  250 ms  share %  change   report  CPU s  ms/MB   pages  others  steal";

/// What came of a scenario.
pub enum Verdict {
    /// Nothing is expected of it.
    Shown,
    Passed,
    /// What was missed.
    Failed(Vec<String>),
    /// What was missed, on a machine that was not there all the time.
    NotJudged(Vec<String>),
}

pub fn line(scenario: &Scenario, figures: &Figures, verdict: &Verdict) -> String {
    let ratio = |ratio: Option<f64>| ratio.map_or("-".into(), |ratio| format!("{ratio:.3}"));
    let percent = |part: f64| format!("{:+.1}", 100.0 * part);
    let or_dash = |text: Option<String>| text.unwrap_or("-".into());
    format!(
        "{:<42} {:<9} {:>6.1} {:>10} {:>7} {:>8} {:>7} {:>8} {:>6.2} {:>6.2} {:>7} {:>7} {:>6}  {}",
        scenario.name,
        scenario.client.name(),
        100.0 * figures.usage,
        ratio(figures.worst_1s),
        ratio(figures.worst_250ms),
        or_dash(figures.share.map(|share| percent(share.error))),
        or_dash(figures.change.map(|time| format!("{:.0} ms", 1e3 * time))),
        or_dash(figures.report.map(percent)),
        figures.cpu,
        1e3 * figures.cpu_per_mb,
        or_dash(figures.pages.map(|pages| pages.to_string())),
        format!("{:.0} %", figures.load.others),
        format!("{:.0} %", figures.load.steal),
        remark(scenario, figures, verdict),
    )
}

fn remark(scenario: &Scenario, figures: &Figures, verdict: &Verdict) -> String {
    let mut remark = match verdict {
        Verdict::Shown => return String::new(),
        Verdict::Passed => "PASS".to_owned(),
        Verdict::Failed(misses) => format!("FAIL: {}", misses.join(", ")),
        Verdict::NotJudged(misses) => {
            format!("NOT JUDGED, too much of the machine was stolen: {}", misses.join(", "))
        }
    };
    if let Aim::Held(why) | Aim::SharesShown(why) = scenario.aim {
        remark += &format!(" ({why})");
    }
    if let (Verdict::Failed(_), Some(share)) = (verdict, figures.share) {
        remark += &format!(" (worst share: site {})", share.site + 1);
    }
    if figures.gap > 0.1 {
        remark += &format!(" (meter stood still for {:.0} ms)", 1e3 * figures.gap);
    }
    remark
}
