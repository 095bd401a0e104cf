//! What goes in: the cap, how many sites may run at once, and what each site wants.

use thiserror::Error;

use crate::Cap;

#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub cap: Cap,
    /// Sites served at one time, at the most (the paper's m).
    pub at_once: Option<usize>,
    pub sites: Vec<Site>,
}

/// What one site wants. Times count from now.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// What is still to come (the paper's D, with its calibration factor multiplied in).
    pub size: f64,
    /// `None` is no deadline; zero or less is one that has passed (the paper's t*).
    pub deadline: Option<f64>,
    /// What the site can or may deliver at the most; infinite if not known.
    pub max_rate: f64,
    /// What an hour of lateness costs, beside other sites.
    pub weight: f64,
    /// Nothing can be had before.
    pub release: f64,
}

impl Site {
    pub fn new(size: f64, deadline: Option<f64>) -> Site {
        Site { size, deadline, max_rate: f64::INFINITY, weight: 1.0, release: 0.0 }
    }

    /// The same site with another deadline; infinite for none.
    pub fn with_due(&self, due: f64) -> Site {
        Site { deadline: due.is_finite().then_some(due), ..self.clone() }
    }

    /// The deadline, with infinity for none.
    pub fn due(&self) -> f64 {
        self.deadline.unwrap_or(f64::INFINITY)
    }
}

/// Input that no allocation can be made for.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{field} is {value}: {remedy}")]
pub struct Wrong {
    pub field: String,
    pub value: String,
    pub remedy: &'static str,
}

impl Problem {
    /// Refuses what cannot be calculated with. Every policy relies on it.
    pub fn check(&self) -> Result<(), Wrong> {
        let wrong = |field: String, value: String, remedy| Err(Wrong { field, value, remedy });
        let highest = self.cap.highest();
        if !(highest > 0.0 && highest.is_finite()) {
            return wrong("the cap".into(), highest.to_string(), "give a rate above 0");
        }
        if self.at_once == Some(0) {
            return wrong("m".into(), "0".into(), "let at least one site run at a time");
        }
        if self.sites.is_empty() {
            return wrong("sites".into(), "empty".into(), "give at least one site");
        }
        for (index, site) in self.sites.iter().enumerate() {
            site.check().or_else(|(name, value, remedy)| {
                wrong(format!("sites[{index}].{name}"), value.to_string(), remedy)
            })?;
        }
        let total: f64 = self.sites.iter().map(|site| site.size).sum();
        if !total.is_finite() {
            return wrong("the sum of all sizes".into(), total.to_string(), "give smaller sizes");
        }
        Ok(())
    }
}

impl Site {
    fn check(&self) -> Result<(), (&'static str, f64, &'static str)> {
        let counts = |x: f64| x >= 0.0 && x.is_finite();
        if !counts(self.size) {
            return Err(("D", self.size, "a size is a number from 0 up"));
        }
        if let Some(due) = self.deadline.filter(|due| !due.is_finite()) {
            return Err(("deadline", due, "leave it out for no deadline"));
        }
        if self.max_rate.is_nan() || self.max_rate <= 0.0 {
            return Err(("cap", self.max_rate, "a site's highest rate is above 0"));
        }
        if !(self.weight > 0.0 && self.weight.is_finite()) {
            return Err(("weight", self.weight, "a weight is a number above 0"));
        }
        if !counts(self.release) {
            return Err(("release", self.release, "a time is a number from 0 up"));
        }
        Ok(())
    }
}
