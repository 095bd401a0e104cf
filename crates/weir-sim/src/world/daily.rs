/// Something that depends on the hour and is the same every day.
#[derive(Clone, Debug, PartialEq)]
pub struct Daily {
    /// From which second of the day on, and how much; in order. What the last says holds over
    /// midnight until the first.
    steps: Vec<(f64, f64)>,
}

const DAY: f64 = 86_400.0;

impl Daily {
    pub fn constant(value: f64) -> Daily {
        Daily { steps: vec![(0.0, value)] }
    }

    /// At least one step.
    pub fn steps(mut steps: Vec<(f64, f64)>) -> Daily {
        assert!(!steps.is_empty(), "something holds at every hour");
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        Daily { steps }
    }

    pub fn fixed(&self) -> Option<f64> {
        match self.steps[..] {
            [(_, value)] => Some(value),
            _ => None,
        }
    }

    pub fn highest(&self) -> f64 {
        self.steps.iter().map(|step| step.1).fold(0.0, f64::max)
    }

    pub fn at(&self, time: f64) -> f64 {
        let second = time.rem_euclid(DAY);
        let after = self.steps.partition_point(|step| step.0 <= second);
        let index = after.checked_sub(1).unwrap_or(self.steps.len() - 1);
        self.steps[index].1
    }

    /// When it changes after `time`; infinite if it never does.
    pub fn next_change(&self, time: f64) -> f64 {
        if self.steps.len() == 1 {
            return f64::INFINITY;
        }
        let midnight = (time / DAY).floor() * DAY;
        let today = self.steps.iter().map(|step| midnight + step.0).find(|at| *at > time);
        today.unwrap_or(midnight + DAY + self.steps[0].0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_step_holds_over_midnight() {
        let daily = Daily::steps(vec![(20.0, 2.0), (10.0, 1.0)]);
        let values = [5.0, 10.0, 15.0, 20.0, DAY - 1.0, DAY + 5.0, DAY + 12.0];
        assert_eq!(values.map(|time| daily.at(time)), [2.0, 1.0, 1.0, 2.0, 2.0, 2.0, 1.0]);
        let changes = [0.0, 10.0, 20.0, DAY + 10.0].map(|time| daily.next_change(time));
        assert_eq!(changes, [10.0, 20.0, DAY + 10.0, DAY + 20.0]);
        assert_eq!(Daily::constant(3.0).next_change(7.0), f64::INFINITY);
    }
}
