/// From values to pixels, and where to write numbers beside an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    log: bool,
    /// In the scale's own terms: logarithms if it is one of these.
    from: f64,
    to: f64,
    /// Pixels of `from` and `to`.
    ends: (f64, f64),
    pub ticks: Vec<f64>,
}

impl Scale {
    /// Takes in all finite values; a linear scale starts at 0 if that costs little room.
    pub fn over(values: impl Iterator<Item = f64>, log: bool, tight: bool) -> Scale {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite() && (!log || *value > 0.0)) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = if log { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        let (from, to, ticks) =
            if log { log_range(low, high) } else { linear_range(low, high, tight) };
        Scale { log, from, to, ends: (0.0, 1.0), ticks }
    }

    pub fn between(mut self, first: f64, last: f64) -> Scale {
        self.ends = (first, last);
        self
    }

    /// Nothing for what is not a number; what lies below all that can be shown is on the edge.
    pub fn pixel(&self, value: f64) -> Option<f64> {
        if value.is_nan() || value == f64::INFINITY {
            return None;
        }
        let own = if self.log { value.max(0.0).log10() } else { value };
        let part = ((own - self.from) / (self.to - self.from)).clamp(0.0, 1.0);
        Some(self.ends.0 + part * (self.ends.1 - self.ends.0))
    }
}

fn linear_range(low: f64, high: f64, tight: bool) -> (f64, f64, Vec<f64>) {
    let low = if !tight && low > 0.0 && low < high * 0.6 { 0.0 } else { low };
    let span = if high > low { high - low } else { high.abs().max(1.0) };
    let step = nice(span / 7.0);
    let (from, to) = if tight && high > low {
        (low, high)
    } else {
        ((low / step).floor() * step, ((high / step).ceil() * step).max(low + step))
    };
    let first = (from / step - 1e-9).ceil() as i64;
    let last = (to / step + 1e-9).floor() as i64;
    (from, to, (first..=last).map(|tick| tick as f64 * step).collect())
}

fn log_range(low: f64, high: f64) -> (f64, f64, Vec<f64>) {
    let (from, to) = (low.log10(), high.log10());
    let wide = to - from > 3.0;
    let (first, last) = (from.floor() as i32, to.ceil() as i32);
    let steps: &[f64] = if wide { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let all: Vec<f64> = (first..=last)
        .flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)))
        .collect();
    let below = all.iter().copied().filter(|tick| *tick <= low).fold(all[0], f64::max);
    let above = all.iter().copied().filter(|tick| *tick >= high).fold(f64::INFINITY, f64::min);
    let above = if above.is_finite() && above > below { above } else { below * 10.0 };
    let ticks = all.into_iter().filter(|tick| (below..=above).contains(tick)).collect();
    (below.log10(), above.log10(), ticks)
}

/// The least of 1, 2, 5 times a power of ten that is not below `step`.
fn nice(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= step * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// A number as it is written beside an axis.
pub fn label(value: f64) -> String {
    let size = value.abs();
    if size >= 1e6 {
        return format!("{}M", label(value / 1e6));
    }
    let decimals = match size {
        0.0 => 0,
        10.0.. => 0,
        1.0.. => 1,
        _ => (1.0 - size.log10().floor()).min(8.0) as usize,
    };
    let text = format!("{value:.decimals$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    grouped(text)
}

fn grouped(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    if digits.contains('.') || digits.len() < 5 {
        return text.to_owned();
    }
    let mut out = sign.to_owned();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_within_the_scale() {
        let scale = Scale::over([800.0, 1200.0].into_iter(), false, true);
        assert_eq!(scale.ticks, [800.0, 900.0, 1000.0, 1100.0, 1200.0]);
        let scale = Scale::over([3.0, 97.0].into_iter(), false, false);
        assert_eq!(scale.ticks, [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        let scale = Scale::over([30.0, 4000.0].into_iter(), true, false);
        assert_eq!(scale.ticks, [20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0]);
    }

    #[test]
    fn what_cannot_be_shown_is_on_the_edge_or_left_out() {
        let scale = Scale::over([1.0, 100.0].into_iter(), true, false).between(200.0, 0.0);
        assert_eq!(scale.pixel(0.0), Some(200.0));
        assert_eq!(scale.pixel(10.0), Some(100.0));
        assert_eq!((scale.pixel(f64::NAN), scale.pixel(f64::INFINITY)), (None, None));
    }

    #[test]
    fn any_values_have_a_scale() {
        for values in [&[][..], &[5.0], &[0.0], &[-3.0], &[f64::INFINITY], &[1e-9, 1e9]] {
            for (log, tight) in [(false, false), (false, true), (true, false)] {
                let scale = Scale::over(values.iter().copied(), log, tight);
                assert!(!scale.ticks.is_empty() && scale.ticks.len() < 30, "{values:?} {scale:?}");
            }
        }
    }

    #[test]
    fn numbers_are_written_as_people_write_them() {
        let cases =
            [(0.0, "0"), (0.05, "0.05"), (2.5, "2.5"), (125000.0, "125,000"), (-1200.0, "-1200")];
        for (number, text) in cases {
            assert_eq!(label(number), text);
        }
    }
}
