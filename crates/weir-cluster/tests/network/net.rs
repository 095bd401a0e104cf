use std::collections::BTreeMap;

use weir_cluster::purse::{Grant, Purse, Wish};

use crate::downloader::{Downloader, Pulse, Rates};

/// A scheduler, downloaders and a bad network between them, in virtual time.
pub struct Net {
    pub now_ms: u64,
    pub purse: Purse,
    pub downloaders: Vec<Downloader>,
    pub random: Random,
    /// Longest way of a packet. Packets overtake each other.
    pub delay_ms: u64,
    /// Of a hundred packets so many are lost without any sign of it.
    pub losses: u64,
    /// Grants that were given out.
    pub grants: usize,
    /// Packets from and to these wait until then.
    cut_off: BTreeMap<u64, u64>,
    links: BTreeMap<u64, Link>,
    wire: Vec<Packet>,
    streams: u64,
    /// Streams to a scheduler that was here before.
    old_streams: u64,
    names: u64,
}

/// What the scheduler knows of a connection.
struct Link {
    stream: u64,
    open: bool,
    stamp_ms: u64,
    sent_ms: u64,
    heard_ms: u64,
    /// It sees then that the connection is gone.
    notices_ms: Option<u64>,
}

pub struct Packet {
    at_ms: u64,
    who: u64,
    stream: u64,
    body: Body,
}

enum Body {
    Pulse(Pulse),
    Bye,
    Rates(Rates),
}

impl Packet {
    pub fn from(who: u64, stream: u64, pulse: Pulse) -> Packet {
        Packet { at_ms: 0, who, stream, body: Body::Pulse(pulse) }
    }
}

const STEP_MS: u64 = 5;
const KEEP_ALIVE_MS: u64 = 500;
const SILENCE_MS: u64 = 2000;

impl Net {
    pub fn new(cap: f64, delay_ms: u64, seed: u64) -> Net {
        Net {
            now_ms: 0,
            purse: Purse::new(cap),
            downloaders: Vec::new(),
            random: Random(seed | 1),
            delay_ms,
            losses: 0,
            grants: 0,
            cut_off: BTreeMap::new(),
            links: BTreeMap::new(),
            wire: Vec::new(),
            streams: 0,
            old_streams: 0,
            names: 0,
        }
    }

    pub fn start(&mut self, wish: Wish) {
        self.names += 1;
        let downloader = Downloader::new(self.names, wish, self.now_ms, &mut self.random);
        self.downloaders.push(downloader);
    }

    pub fn get(&mut self, who: u64) -> Option<&mut Downloader> {
        self.downloaders.iter_mut().find(|downloader| downloader.who == who)
    }

    /// The process is gone, and says nothing.
    pub fn kill(&mut self, who: u64) {
        self.downloaders.retain(|downloader| downloader.who != who);
    }

    /// It stops everything and says so.
    pub fn leave(&mut self, who: u64) {
        let stream = self.get(who).and_then(|downloader| downloader.stream);
        self.kill(who);
        if let Some(stream) = stream {
            self.put(Packet { at_ms: 0, who, stream, body: Body::Bye });
        }
    }

    /// Half of what is on its way is lost, and both ends see it some time later.
    pub fn break_stream(&mut self, who: u64) {
        let Net { random, wire, .. } = self;
        wire.retain(|packet| packet.who != who || random.below(2) == 0);
        let (now_ms, ours, theirs) =
            (self.now_ms, self.random.below(4000), self.random.below(4000));
        let pause_ms = self.random.below(6000);
        if let Some(link) = self.links.get_mut(&who) {
            link.notices_ms = Some(now_ms + ours);
        }
        if let Some(downloader) = self.get(who) {
            downloader.notices_ms = Some(now_ms + theirs);
            downloader.connects_ms = now_ms + theirs + pause_ms;
        }
    }

    /// For so long nothing comes through, and nobody is told; then all of it arrives.
    pub fn cut_off(&mut self, who: u64, ms: u64) {
        self.cut_off.insert(who, self.now_ms + ms);
    }

    pub fn break_all(&mut self) {
        self.names().into_iter().for_each(|who| self.break_stream(who));
    }

    /// The scheduler is killed and started again. What it sent is still on its way.
    pub fn restart(&mut self, cap: f64) {
        self.purse = Purse::restarted(cap, self.purse.version(), self.now_ms);
        self.links.clear();
        self.old_streams = self.streams;
        self.break_all();
    }

    pub fn names(&self) -> Vec<u64> {
        self.downloaders.iter().map(|downloader| downloader.who).collect()
    }

    /// What all of them may receive at this moment.
    pub fn in_force(&self) -> f64 {
        self.downloaders.iter().map(|downloader| downloader.rate(self.now_ms)).sum()
    }

    pub fn step(&mut self) {
        self.now_ms += STEP_MS;
        for index in 0..self.downloaders.len() {
            let packet = self.downloaders[index].turn(self.now_ms, &mut self.streams);
            packet.into_iter().for_each(|packet| self.put(packet));
        }
        let now_ms = self.now_ms;
        let arrived: Vec<_> = self.wire.extract_if(.., |packet| packet.at_ms <= now_ms).collect();
        arrived.into_iter().for_each(|packet| self.deliver(packet));
        self.look_for_lost();
        let grants = self.purse.share_out(self.now_ms);
        grants.into_iter().for_each(|grant| self.grant(grant));
        self.keep_alive();
    }

    fn put(&mut self, mut packet: Packet) {
        let way_ms = 1 + self.random.below(self.delay_ms);
        let cut_ms = self.cut_off.get(&packet.who).copied().unwrap_or(0);
        packet.at_ms = self.now_ms.max(cut_ms) + way_ms;
        if self.random.below(100) >= self.losses {
            self.wire.push(packet);
        }
    }

    fn deliver(&mut self, packet: Packet) {
        match packet.body {
            Body::Pulse(pulse) => self.hear(packet.who, packet.stream, pulse),
            Body::Bye => self.hear_bye(packet.who, packet.stream),
            // On whatever stream: not even one that was given up may do harm.
            Body::Rates(rates) => {
                let now_ms = self.now_ms;
                if let Some(downloader) = self.get(packet.who) {
                    downloader.hear(rates, now_ms);
                }
            }
        }
    }

    fn hear(&mut self, who: u64, stream: u64, pulse: Pulse) {
        // What is said on an old stream is true as well, and comes late.
        self.purse.in_force(who, pulse.in_force);
        let (stamp_ms, now_ms) = (pulse.stamp_ms, self.now_ms);
        let known =
            self.links.get(&who).map_or((self.old_streams, false), |link| (link.stream, link.open));
        if stream > known.0 {
            let link = Link {
                stream,
                open: true,
                stamp_ms,
                sent_ms: now_ms,
                heard_ms: now_ms,
                notices_ms: None,
            };
            self.links.insert(who, link);
            self.purse.join(who);
        } else if (stream, true) != known {
            return;
        } else if pulse.ran_out {
            self.purse.join(who);
        }
        if let Some(link) = self.links.get_mut(&who) {
            link.stamp_ms = link.stamp_ms.max(stamp_ms);
            link.heard_ms = now_ms;
        }
        self.purse.wants(who, pulse.wish);
    }

    fn hear_bye(&mut self, who: u64, stream: u64) {
        if let Some(link) = self.links.get_mut(&who).filter(|link| link.stream == stream) {
            link.open = false;
            self.purse.left(who);
        }
    }

    fn look_for_lost(&mut self) {
        for (who, link) in &mut self.links {
            let silent = self.now_ms - link.heard_ms > SILENCE_MS;
            let broken = link.notices_ms.is_some_and(|at_ms| at_ms <= self.now_ms);
            if link.open && (silent || broken) {
                self.purse.lost(*who, link.sent_ms);
                link.open = false;
            }
        }
    }

    fn grant(&mut self, grant: Grant) {
        self.grants += 1;
        self.send(grant.who, Some((grant.version, grant.rate)));
    }

    fn keep_alive(&mut self) {
        let due = |link: &Link| link.open && self.now_ms - link.sent_ms >= KEEP_ALIVE_MS;
        let due: Vec<u64> =
            self.links.iter().filter(|(_, link)| due(link)).map(|(who, _)| *who).collect();
        due.into_iter().for_each(|who| self.send(who, None));
    }

    fn send(&mut self, who: u64, grant: Option<(u64, f64)>) {
        let link = self.links.get_mut(&who).expect("grants go to those who are connected");
        assert!(link.open, "a grant for {who}, who is lost");
        link.sent_ms = self.now_ms;
        let body = Body::Rates(Rates { grant, stamp_ms: link.stamp_ms });
        let stream = link.stream;
        self.put(Packet { at_ms: 0, who, stream, body });
    }
}

/// Xorshift, so that a case that failed can be played again.
pub struct Random(u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound.max(1)
    }
}
