use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::time::{Instant, Sleep};

/// One timer for a whole exchange. Moving the deadline on is free: the sleep stays as it is, and
/// when it ends too early it is set to the deadline of that moment.
pub struct Timer<'a> {
    sleep: Pin<&'a mut Sleep>,
    /// Nothing may last beyond this, whatever arrives.
    end: Instant,
    deadline: Instant,
}

impl<'a> Timer<'a> {
    pub fn new(sleep: Pin<&'a mut Sleep>, deadline: Instant, end: Instant) -> Self {
        Timer { sleep, end, deadline: deadline.min(end) }
    }

    pub fn move_to(&mut self, deadline: Instant) {
        self.deadline = deadline.min(self.end);
    }

    /// Whether the deadline has passed; if not, the task is woken when it does.
    pub fn poll_expired(&mut self, cx: &mut Context<'_>) -> bool {
        while self.sleep.as_mut().poll(cx) == Poll::Ready(()) {
            if Instant::now() >= self.deadline {
                return true;
            }
            self.sleep.as_mut().reset(self.deadline);
        }
        false
    }
}
