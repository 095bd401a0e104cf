//! What came of a replay, in tables and a picture.

use weir_plan::{Allocation, Refused};
use weir_types::Bandwidth;

use super::Replay;
use crate::chart::{self, Panel, Plan};
use crate::report::in_units;
use crate::table::{Cell, Table};

/// The row of the crawl itself.
const HAPPENED: &str = "what happened";

impl Replay {
    /// A line for what happened and one for each policy.
    pub fn summary(&self) -> Table {
        let columns = [
            "policy",
            "met",
            "missed",
            "late_by_s",
            "last_end_s",
            "mean_end_s",
            "unfinished",
            "why_not",
        ];
        let mut table = Table::new("summary", columns);
        table.push(self.happened());
        for (policy, outcome) in &self.outcomes {
            table.push(match outcome {
                Ok(plan) => self.line(policy.name(), plan),
                Err(why) => refusal(policy.name(), why),
            });
        }
        table
    }

    /// The ends of a crawl that is not done are not told: those of its small sites say nothing.
    fn happened(&self) -> Vec<Cell> {
        let count = |met: bool| self.sites.iter().filter(|site| site.met == Some(met)).count();
        let late =
            self.sites.iter().filter_map(|site| site.late_by).fold(0.0, |sum, late| sum + late);
        let ends: Option<Vec<f64>> = self.sites.iter().map(|site| site.end).collect();
        let last = ends.as_ref().map(|ends| ends.iter().copied().fold(0.0, f64::max));
        let mean = ends.as_ref().map(|ends| ends.iter().sum::<f64>() / ends.len() as f64);
        vec![
            HAPPENED.into(),
            count(true).into(),
            count(false).into(),
            late.into(),
            last.into(),
            mean.into(),
            self.predicted().into(),
            Cell::Empty,
        ]
    }

    fn line(&self, policy: &str, plan: &Allocation) -> Vec<Cell> {
        let score = plan.score(&self.problem.sites);
        let missed = self.sites.len() - score.met;
        vec![
            policy.into(),
            (self.with_deadline() - missed).into(),
            missed.into(),
            score.sum_tardiness.into(),
            score.max_end.into(),
            (score.sum_end / self.sites.len() as f64).into(),
            plan.end.iter().filter(|end| end.is_infinite()).count().into(),
            Cell::Empty,
        ]
    }

    /// A line for each site: what happened and when each policy would have been done with it.
    pub fn by_site(&self) -> Table {
        let columns = ["site", "bytes", "predicted", "max_rate", "deadline_s", "end_s"];
        let policies = self.outcomes.iter().filter_map(|(policy, outcome)| {
            outcome.as_ref().ok().map(|plan| (policy.name(), plan))
        });
        let ends = policies.clone().map(|(policy, _)| format!("end_s of {policy}"));
        let mut table = Table::new("sites", columns.into_iter().map(str::to_owned).chain(ends));
        for (index, (site, recorded)) in self.problem.sites.iter().zip(&self.sites).enumerate() {
            let mut row: Vec<Cell> = vec![
                recorded.name.as_str().into(),
                site.size.into(),
                if recorded.end.is_none() { "yes" } else { "no" }.into(),
                Some(site.max_rate).filter(|rate| rate.is_finite()).into(),
                site.deadline.into(),
                recorded.end.into(),
            ];
            row.extend(policies.clone().map(|(_, plan)| Cell::from(plan.end[index])));
            table.push(row);
        }
        table
    }

    /// A panel for each policy. Empty unless the plans were to be drawn.
    pub fn picture(&self) -> String {
        let names: Vec<String> = self.sites.iter().map(|site| site.name.clone()).collect();
        let panel = |policy: &str, plan: &Allocation| {
            let title = format!("{policy}: {}", self.verdict(plan));
            let picture = Plan::new(&title, &self.problem, plan, &names);
            Panel::Plan(in_units(picture, plan, &self.problem.cap))
        };
        let panels: Vec<Panel> = self
            .outcomes
            .iter()
            .filter_map(|(policy, outcome)| Some(panel(policy.name(), outcome.as_ref().ok()?)))
            .collect();
        let title = format!("The crawl again, with {}", Bandwidth(self.limit() as u64));
        let caption = format!(
            "{} sites, {} with a deadline, with sizes as they came of the crawl. Areas are rates, on top \
             of each other.",
            self.sites.len(),
            self.with_deadline()
        );
        chart::svg(&title, &caption, &panels)
    }

    fn verdict(&self, plan: &Allocation) -> String {
        let score = plan.score(&self.problem.sites);
        match self.sites.len() - score.met {
            0 => "nobody is late".to_owned(),
            late => format!("{late} late, by {:.0} s in all", score.sum_tardiness),
        }
    }
}

fn refusal(policy: &str, why: &Refused) -> Vec<Cell> {
    let mut row = vec![policy.into()];
    row.resize(7, Cell::Empty);
    row.push(reason(why).as_str().into());
    row
}

/// A refusal in units of people.
fn reason(why: &Refused) -> String {
    match why {
        Refused::Overbooked { needed, .. } if needed.is_finite() => {
            let needed = Bandwidth(needed.ceil() as u64);
            format!("constant rates that keep every deadline need {needed}")
        }
        Refused::Overbooked { .. } => "no constant rates keep every deadline".to_owned(),
        other => other.to_string(),
    }
}
