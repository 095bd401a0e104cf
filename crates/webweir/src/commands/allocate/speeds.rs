//! Two more questions that the same files may ask: what is known of a server's speed after some
//! downloads, and which waiting fetches may start.

use serde::Deserialize;
use serde_json::{Value, json};
use weir_plan::admit::{Waiting, activate};
use weir_plan::speed::{Clock, Day, Days, Learning, Speed};

#[derive(Deserialize)]
#[expect(non_snake_case, reason = "the names of the format")]
struct Downloads {
    mode: Mode,
    k: f64,
    sigma: f64,
    init: f64,
    /// Minute of the day, kind of today, of yesterday and of tomorrow, and the measured rate.
    observations_t_w_wprev_wnext_M: Vec<(f64, u8, u8, u8, f64)>,
    /// Minute of the day, kind of today and of tomorrow.
    #[serde(default)]
    lookups: Vec<(f64, u8, u8)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Circular,
    Linear,
}

#[derive(Deserialize)]
#[expect(non_snake_case, reason = "the names of the format")]
struct Queue {
    queue_B: Vec<f64>,
    CB: f64,
    L: f64,
    idle: usize,
    max_d: usize,
}

/// The 48 speeds after the downloads, and what they say at the times asked for.
pub fn predictor(id: &Value, given: &Value) -> Result<Value, String> {
    let given = Downloads::deserialize(given).map_err(|why| why.to_string())?;
    let clock = match given.mode {
        Mode::Circular => Clock::Round,
        Mode::Linear => Clock::Straight,
    };
    let learning = Learning { gain: given.k, reach: given.sigma, clock, eager: false };
    let mut speed = Speed::new(given.init);
    for (minute, today, yesterday, tomorrow, rate) in given.observations_t_w_wprev_wnext_M {
        let (today, yesterday, tomorrow) = (day(today), day(yesterday), day(tomorrow));
        speed.observe(minute, Days { today, yesterday, tomorrow }, rate, &learning);
    }
    let look_up = |(minute, today, tomorrow): (f64, u8, u8)| {
        let (today, tomorrow) = (day(today), day(tomorrow));
        [speed.nearest(minute, today, tomorrow), speed.at(minute, today, tomorrow)]
    };
    Ok(json!({
        "id": id,
        "B_working": speed.of(Day::Working),
        "B_holiday": speed.of(Day::Holiday),
        "nearest_interp": given.lookups.into_iter().map(look_up).collect::<Vec<_>>(),
    }))
}

fn day(kind: u8) -> Day {
    if kind == 1 { Day::Working } else { Day::Holiday }
}

/// Which of the queue start, and the predicted sum of rates after that.
pub fn start(id: &Value, given: &Value) -> Result<Value, String> {
    let given = Queue::deserialize(given).map_err(|why| why.to_string())?;
    let mut queue: Vec<Waiting> = given.queue_B.into_iter().map(Waiting::new).collect();
    let (started, sum) = activate(&mut queue, given.CB, given.L, given.idle, given.max_d);
    Ok(json!({ "id": id, "started": started, "CB": sum }))
}
