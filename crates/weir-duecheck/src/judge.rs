//! What counts as good.

use crate::run::{Run, Told};
use crate::task::{Load, Task};

pub struct Judge {
    short: bool,
    faults: Vec<String>,
    /// The sums of lateness of the papers' policies in the present load, and ours.
    papers: Vec<(String, f64)>,
    ours: Vec<f64>,
    start_known: Errors,
    start_sampled: Errors,
    half: Errors,
    checked: usize,
}

/// How far predictions were off, and whether the truth lay between their low and their high.
#[derive(Default)]
struct Errors {
    off: Vec<f64>,
    held: usize,
}

impl Errors {
    fn add(&mut self, told: &Told, finish: f64) {
        self.off.push((told.finish - finish).abs() / finish.max(1e-3));
        self.held += usize::from((told.low..=told.high).contains(&finish));
    }

    fn median(&self) -> Option<f64> {
        let mut off = self.off.clone();
        off.sort_by(f64::total_cmp);
        off.get(off.len() / 2).copied()
    }

    fn part_held(&self) -> f64 {
        self.held as f64 / self.off.len().max(1) as f64
    }
}

const MOST_PLANNING: f64 = 0.01;

const PAPERS: [&str; 4] = ["realloc-maxt", "realloc-sumt", "alloc-once-maxt", "pro-data"];

impl Judge {
    pub fn new(short: bool) -> Judge {
        Judge {
            short,
            faults: Vec::new(),
            papers: Vec::new(),
            ours: Vec::new(),
            start_known: Errors::default(),
            start_sampled: Errors::default(),
            half: Errors::default(),
            checked: 0,
        }
    }

    pub fn look(&mut self, task: &Task, run: Run) {
        if PAPERS.contains(&run.policy.as_str()) {
            self.papers.push((run.policy.clone(), lateness(task, &run)));
        }
        if run.policy != "deadline" {
            return;
        }
        self.ours.push(lateness(task, &run));
        for (at, finish) in run.finish.iter().enumerate() {
            if let Some(told) = &run.at_start[at] {
                let known = run.with_history || task.truth.listed[at];
                let errors = if known { &mut self.start_known } else { &mut self.start_sampled };
                errors.add(told, *finish);
            }
            if let Some(told) = &run.at_half[at] {
                self.half.add(told, *finish);
            }
        }
        let least = match (task.load, self.short) {
            (Load::Easy, _) => 0.9,
            (Load::Spare10, _) => 0.99,
            (Load::Spare2, _) => 0.95,
            (Load::Over, _) => return,
        };
        let met = met(task, &run) as f64 / run.finish.len() as f64;
        self.expect(met >= least, || {
            format!(
                "{}: {:.1} % of deadlines met, not {:.0} %",
                task.load.name(),
                met * 100.0,
                least * 100.0
            )
        });
    }

    /// In overload: within 1.15 of the least lateness, and half of the best paper's.
    pub fn end_load(&mut self, task: &Task) {
        let papers = std::mem::take(&mut self.papers);
        let ours = std::mem::take(&mut self.ours);
        if task.load != Load::Over {
            return;
        }
        let best = papers.iter().min_by(|a, b| a.1.total_cmp(&b.1)).cloned();
        let (of_least, of_best) = if self.short { (4.0, 0.8) } else { (1.15, 0.5) };
        for lateness in ours {
            let ratio = lateness / task.least_lateness;
            self.expect(ratio <= of_least, || {
                format!("lateness is {ratio:.3} of the least, not {of_least}")
            });
            if let Some((name, paper)) = &best {
                let ratio = lateness / paper;
                self.expect(ratio <= of_best, || {
                    format!("lateness is {ratio:.3} of that of {name}, not {of_best}")
                });
            }
        }
    }

    pub fn predictions(&mut self) -> String {
        let mut lines = Vec::new();
        let bars = if self.short { [0.8, 0.3, 0.5] } else { [0.15, 0.05, 0.9] };
        for (what, errors, most) in [
            ("at the start, with a sitemap or history", &self.start_known, Some(bars[0])),
            ("at the start, from a sample", &self.start_sampled, None),
            ("when half of a site had come", &self.half, Some(bars[1])),
        ] {
            let Some(median) = errors.median() else { continue };
            lines.push(format!(
                "predicted finish {what}: off by {:.1} % in the median of {}, between low and high {:.1} %",
                median * 100.0,
                errors.off.len(),
                errors.part_held() * 100.0
            ));
            if let Some(most) = most {
                let held = errors.part_held();
                self.checked += 2;
                if median > most {
                    self.faults
                        .push(format!("predicted finish {what}: off by {:.1} %", median * 100.0));
                }
                if held < bars[2] {
                    self.faults.push(format!(
                        "predicted finish {what}: the band holds {:.1} %",
                        held * 100.0
                    ));
                }
            }
        }
        lines.join("\n")
    }

    /// Plans for a thousand sites take less than a hundredth of the processor time.
    pub fn planning(&mut self, seconds: f64, cpu: f64) -> String {
        let part = seconds / cpu;
        let text = format!(
            "plans for 1,000 sites took {seconds:.3} s, {:.2} % of {cpu:.1} s of processor time",
            part * 100.0
        );
        self.expect(part < MOST_PLANNING, || text.clone());
        text
    }

    fn expect(&mut self, good: bool, what: impl FnOnce() -> String) {
        self.checked += 1;
        if !good {
            self.faults.push(what());
        }
    }

    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    pub fn summary(&self) -> String {
        let good = self.checked - self.faults.len();
        format!("{good} of {} figures are as they should be", self.checked)
    }
}

pub fn met(task: &Task, run: &Run) -> usize {
    run.finish.iter().zip(&task.due).filter(|(finish, due)| finish <= due).count()
}

pub fn lateness(task: &Task, run: &Run) -> f64 {
    run.finish.iter().zip(&task.due).map(|(finish, due)| (finish - due).max(0.0)).sum()
}
