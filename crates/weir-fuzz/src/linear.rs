use std::time::{Duration, Instant};

/// A clock does not tell less than this apart.
const SLACK: Duration = Duration::from_micros(500);

/// Does `work` with an input and with one four times as long, and panics if that takes quadratic time:
/// sixteen times as long. A busy machine may make one try look like that, but hardly each of ten.
pub fn assert_linear(what: &str, input: impl Fn(usize) -> String, work: impl Fn(&str)) {
    let (small, large) = (input(50_000), input(200_000));
    let time = |input: &str| {
        let start = Instant::now();
        work(input);
        start.elapsed()
    };
    let mut tries = Vec::new();
    for _ in 0..10 {
        let (short, long) = (time(&small), time(&large));
        if long < short * 10 + SLACK {
            return;
        }
        tries.push((short, long));
    }
    panic!("{what:?}: {tries:?}");
}
