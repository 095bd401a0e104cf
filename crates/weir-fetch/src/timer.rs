use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

/// One timer for a whole exchange, in which the time does not count that we held it back ourselves
/// (`held`, which only grows). Moving the deadline on is free: the sleep stays as it is, and
/// when it ends too early it is set to the deadline of that moment.
pub struct Timer<'a> {
    sleep: Pin<&'a mut Sleep>,
    /// Nothing may last beyond this, whatever arrives.
    end: Instant,
    /// Both as if nothing had been held back.
    deadline: Instant,
}

const HELD_AT_LEAST: Duration = Duration::from_millis(20);

impl<'a> Timer<'a> {
    pub fn new(sleep: Pin<&'a mut Sleep>, deadline: Instant, end: Instant) -> Self {
        Timer { sleep, end, deadline: deadline.min(end) }
    }

    /// `held` is the time held back before now, which `deadline` does not have to make up for.
    pub fn move_to(&mut self, deadline: Instant, held: Duration) {
        self.deadline = deadline.checked_sub(held).unwrap_or(deadline).min(self.end);
    }

    /// Whether the deadline has passed; if not, the task is woken when it does.
    pub fn poll_expired(&mut self, cx: &mut Context<'_>, held: impl Fn() -> Duration) -> bool {
        while self.sleep.as_mut().poll(cx) == Poll::Ready(()) {
            let now = Instant::now();
            let deadline = self.deadline + held();
            if now >= deadline {
                return true;
            }
            // While it is held, the deadline recedes as time goes on: no need to run after it.
            self.sleep.as_mut().reset(deadline.max(now + HELD_AT_LEAST));
        }
        false
    }
}
