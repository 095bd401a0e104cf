//! Two more questions that the same files may ask: what is known of a server's speed after some
//! downloads, and which waiting fetches may start.

use serde_json::{Map, Value, json};
use weir_plan::admit::{Waiting, activate};
use weir_plan::speed::{Clock, Day, Days, Learning, Speed};

use super::fields::{brief, given, list, needed, number_that, whole};

const OBSERVATIONS: &str = "observations_t_w_wprev_wnext_M";

/// The 48 speeds after the downloads, and what they say at the times asked for.
pub fn predictor(id: &Value, fields: &Map<String, Value>) -> Result<Value, String> {
    let learning = Learning {
        gain: number_of(fields, "k", |k| (0.0..=1.0).contains(&k), "a gain is 0 to 1")?,
        reach: number_of(fields, "sigma", |sigma| sigma > 0.0, "a reach in minutes is above 0")?,
        clock: clock(fields)?,
        eager: false,
    };
    let mut speed = Speed::new(number_of(fields, "init", is_rate, RATE)?);
    let remedy = "give a list of [minute, today, yesterday, tomorrow, rate]";
    let observations = needed(fields, OBSERVATIONS, remedy)?;
    for (index, row) in list(OBSERVATIONS, observations, remedy)?.iter().enumerate() {
        let name = format!("{OBSERVATIONS}[{index}]");
        let [at, today, yesterday, tomorrow, rate] = row_of(&name, row, remedy)?;
        let days = Days {
            today: day(&name, 1, today)?,
            yesterday: day(&name, 2, yesterday)?,
            tomorrow: day(&name, 3, tomorrow)?,
        };
        let rate = number_that(&format!("{name}[4]"), rate, is_rate, RATE)?;
        speed.observe(minute(&name, at)?, days, rate, &learning);
    }
    Ok(json!({
        "id": id,
        "B_working": speed.of(Day::Working),
        "B_holiday": speed.of(Day::Holiday),
        "nearest_interp": look_up(&speed, fields)?,
    }))
}

/// Without `lookups` there are none.
fn look_up(speed: &Speed, fields: &Map<String, Value>) -> Result<Vec<[f64; 2]>, String> {
    let remedy = "give a list of [minute, today, tomorrow]";
    let Some(lookups) = given(fields, "lookups") else { return Ok(Vec::new()) };
    let look_up = |(index, row): (usize, &Value)| {
        let name = format!("lookups[{index}]");
        let [at, today, tomorrow] = row_of(&name, row, remedy)?;
        let at = minute(&name, at)?;
        let (today, tomorrow) = (day(&name, 1, today)?, day(&name, 2, tomorrow)?);
        Ok([speed.nearest(at, today, tomorrow), speed.at(at, today, tomorrow)])
    };
    list("lookups", lookups, remedy)?.iter().enumerate().map(look_up).collect()
}

/// Which of the queue start, and the predicted sum of rates after that. One that is predicted to
/// pass the limit by itself does not start: unlike in a crawl there is no shaper to slow it down.
pub fn start(id: &Value, fields: &Map<String, Value>) -> Result<Value, String> {
    let remedy = "give a list of predicted rates";
    let queue = list("queue_B", needed(fields, "queue_B", remedy)?, remedy)?.iter().enumerate();
    let waiting = |(index, speed)| {
        number_that(&format!("queue_B[{index}]"), speed, is_rate, RATE).map(Waiting::new)
    };
    let mut queue: Vec<Waiting> = queue.map(waiting).collect::<Result<_, _>>()?;
    let running = number_of(fields, "CB", is_rate, RATE)?;
    let limit = number_of(fields, "L", |limit| limit > 0.0, "the limit is above 0")?;
    let idle = whole("idle", needed(fields, "idle", "give the fetchers that are idle")?, 0)?;
    let depth = whole("max_d", needed(fields, "max_d", "say how far to search")?, 0)?;
    let (started, sum) = activate(&mut queue, running, limit, idle, depth);
    Ok(json!({ "id": id, "started": started, "CB": sum }))
}

const RATE: &str = "a rate is 0 or more";

fn is_rate(number: f64) -> bool {
    number >= 0.0
}

fn number_of(
    fields: &Map<String, Value>,
    name: &str,
    holds: impl Fn(f64) -> bool,
    remedy: &str,
) -> Result<f64, String> {
    number_that(name, needed(fields, name, remedy)?, holds, remedy)
}

fn clock(fields: &Map<String, Value>) -> Result<Clock, String> {
    let remedy = "give circular or linear";
    let mode = needed(fields, "mode", remedy)?;
    match mode.as_str() {
        Some("circular") => Ok(Clock::Round),
        Some("linear") => Ok(Clock::Straight),
        _ => Err(format!("mode is {}: {remedy}", brief(mode))),
    }
}

fn row_of<'a, const N: usize>(
    name: &str,
    row: &'a Value,
    remedy: &str,
) -> Result<&'a [Value; N], String> {
    let row_of = <&[Value; N]>::try_from(list(name, row, remedy)?);
    row_of.map_err(|_| format!("{name} is {}: {remedy}", brief(row)))
}

fn minute(row: &str, value: &Value) -> Result<f64, String> {
    let is_of_a_day = |minute| (0.0..1440.0).contains(&minute);
    let remedy = "a minute of the day is from 0 up and below 1440";
    number_that(&format!("{row}[0]"), value, is_of_a_day, remedy)
}

fn day(row: &str, place: usize, value: &Value) -> Result<Day, String> {
    match value.as_u64() {
        Some(0) => Ok(Day::Holiday),
        Some(1) => Ok(Day::Working),
        _ => Err(format!(
            "{row}[{place}] is {}: give 1 for a working day, 0 for another",
            brief(value)
        )),
    }
}
