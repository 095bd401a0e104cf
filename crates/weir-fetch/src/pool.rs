use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};
use std::task::Context;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::link::Link;

/// Connections kept for later, by origin. HTTP/1 connections are taken out for use; HTTP/2 ones
/// stay and are shared.
pub struct Pool {
    kept: RefCell<Kept>,
    most: usize,
    idle_time: Duration,
}

#[derive(Default)]
struct Kept {
    origins: HashMap<Box<str>, Vec<Idle>>,
    count: usize,
    swept: bool,
}

struct Idle {
    link: Link,
    since: Instant,
}

impl Pool {
    pub fn new(most: usize, idle_time: Duration) -> Rc<Self> {
        Rc::new(Pool { kept: RefCell::default(), most, idle_time })
    }

    /// A connection that is usable at this moment, the most recently used first.
    pub fn take(&self, origin: &str, cx: &mut Context<'_>) -> Option<Link> {
        let kept = &mut *self.kept.borrow_mut();
        let links = kept.origins.get_mut(origin)?;
        while let Some(mut idle) = links.pop() {
            if !idle.link.is_usable(cx) {
                kept.count -= 1;
                continue;
            }
            let Some(shared) = idle.link.share() else {
                kept.count -= 1;
                idle.link.reused = true;
                return Some(idle.link);
            };
            links.push(Idle { link: idle.link, since: Instant::now() });
            return Some(shared);
        }
        None
    }

    /// Whether there is one, usable or not.
    pub fn has(&self, origin: &str) -> bool {
        self.kept.borrow().origins.get(origin).is_some_and(|links| !links.is_empty())
    }

    /// Keeps a connection for `origin`. An HTTP/2 one is put in as soon as it is made.
    pub fn put(self: &Rc<Self>, origin: &str, link: Link) {
        if self.most == 0 {
            return;
        }
        let kept = &mut *self.kept.borrow_mut();
        let idle = Idle { link, since: Instant::now() };
        match kept.origins.get_mut(origin) {
            Some(links) => links.push(idle),
            None => drop(kept.origins.insert(origin.into(), vec![idle])),
        }
        kept.count += 1;
        if kept.count > self.most {
            kept.drop_oldest(kept.count - self.most + self.most / 8);
        }
        if !kept.swept {
            kept.swept = true;
            tokio::task::spawn_local(sweep(Rc::downgrade(self), self.idle_time));
        }
    }

    pub fn len(&self) -> usize {
        self.kept.borrow().count
    }
}

impl Kept {
    /// Many at once, so that looking at all of them is rare.
    fn drop_oldest(&mut self, count: usize) {
        let mut ages: Vec<Instant> =
            self.origins.values().flatten().map(|idle| idle.since).collect();
        let last = count.clamp(1, ages.len()) - 1;
        let (_, newest_to_go, _) = ages.select_nth_unstable(last);
        let newest_to_go = *newest_to_go;
        self.drop_unused_since(newest_to_go);
    }

    fn drop_unused_since(&mut self, then: Instant) {
        self.origins.retain(|_, links| {
            links.retain(|idle| idle.since > then);
            !links.is_empty()
        });
        self.count = self.origins.values().map(Vec::len).sum();
    }
}

/// Closes what has been unused for too long; ends when nothing is left to watch.
async fn sweep(pool: Weak<Pool>, idle_time: Duration) {
    loop {
        sleep(idle_time / 4).await;
        let Some(pool) = pool.upgrade() else { return };
        let kept = &mut *pool.kept.borrow_mut();
        if let Some(then) = Instant::now().checked_sub(idle_time) {
            kept.drop_unused_since(then);
        }
        if kept.count == 0 {
            kept.swept = false;
            return;
        }
    }
}
