use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of a clock that all processes of the machine share.
pub fn now() -> u64 {
    nanoseconds(ClockId::Monotonic)
}

/// Nanoseconds since 1970.
pub fn wall() -> u64 {
    nanoseconds(ClockId::Realtime)
}

fn nanoseconds(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
