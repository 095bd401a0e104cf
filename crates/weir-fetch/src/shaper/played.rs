//! The tree against servers in virtual time: what arrives is counted as an interface would, and no
//! noise of a machine is in it.

use std::task::Waker;

use super::Part;
use super::kernel::Arrived;
use super::tree::{PACKET, SEGMENT, Tree};

/// A server and the one connection to it.
struct Server {
    site: u32,
    speed: f64,
    delay_us: u64,
    round_trip_us: u64,
    size: Box<dyn FnMut() -> f64>,
    state: State,
    flow: Option<usize>,
    /// Of the connection.
    came: f64,
    read: f64,
    segments: f64,
    /// Of the page under way.
    left: f64,
    can_send: f64,
    told: bool,
    from: f64,
    whole: f64,
    got: f64,
}

enum State {
    Asking(usize),
    Thinking(usize, u64),
    Sending(usize),
}

const STEP_US: u64 = 250;

struct Wire {
    /// Bytes at each step.
    steps: Vec<f64>,
}

impl Wire {
    fn rate(&self, from_s: f64) -> f64 {
        let steps = &self.steps[(from_s * 1e6) as usize / STEP_US as usize..];
        steps.iter().sum::<f64>() / (steps.len() as f64 * STEP_US as f64 / 1e6)
    }

    /// The fastest window of this length, in bytes a second.
    fn worst(&self, from_s: f64, window_s: f64) -> f64 {
        let steps = &self.steps[(from_s * 1e6) as usize / STEP_US as usize..];
        let length = (window_s * 1e6) as usize / STEP_US as usize;
        let mut sum: f64 = steps[..length].iter().sum();
        let mut most = sum;
        for at in length..steps.len() {
            sum += steps[at] - steps[at - length];
            most = most.max(sum);
        }
        most / window_s
    }
}

struct Play {
    tree: Tree,
    servers: Vec<Server>,
    wire: Wire,
    now: u64,
    /// The driver sleeps until then.
    asleep_until: u64,
    look_at: u64,
    /// No server sends anything.
    stands_still: bool,
    /// All answers take the same time, and a request is acknowledged by its answer: so it looks to the
    /// kernel as if the way were that long.
    in_step: bool,
    lot: fastrand::Rng,
}

impl Play {
    fn new(cap: f64) -> Play {
        Play {
            tree: Tree::new(cap, 0),
            servers: Vec::new(),
            wire: Wire { steps: Vec::new() },
            now: 0,
            asleep_until: 0,
            look_at: 50_000,
            stands_still: false,
            in_step: false,
            lot: fastrand::Rng::with_seed(7),
        }
    }

    fn serve(
        &mut self,
        weight: f64,
        cap: Option<f64>,
        speed: f64,
        delay_us: u64,
        size: Box<dyn FnMut() -> f64>,
    ) {
        let site = self.tree.add_site(weight, cap, 0);
        let start = self.tree.ask(site, 74.0, None, 0);
        self.servers.push(Server {
            site,
            speed,
            delay_us,
            round_trip_us: 100,
            size,
            state: State::Asking(start),
            flow: None,
            came: 0.0,
            read: 0.0,
            segments: 0.0,
            left: 0.0,
            can_send: 0.0,
            told: false,
            from: 0.0,
            whole: 0.0,
            got: 0.0,
        });
    }

    fn run(&mut self, seconds: f64) {
        let end = self.now + (seconds * 1e6) as u64;
        while self.now < end {
            self.now += STEP_US;
            self.step();
        }
    }

    fn step(&mut self) {
        let now = self.now;
        if now >= self.asleep_until {
            self.tree.pump(now);
            let next = self.tree.next.unwrap_or(now + 10_000).min(self.look_at);
            // Timers have steps of a millisecond, and are late now and then.
            let late = if self.lot.u8(..) == 0 { 15_000 } else { 1000 };
            self.asleep_until = next.next_multiple_of(1000) + late;
        }
        if now >= self.look_at {
            self.look();
            self.look_at = now + 30_000;
        }
        let mut bytes = 0.0;
        for number in 0..self.servers.len() {
            bytes += self.step_server(number);
        }
        self.wire.steps.push(bytes);
    }

    fn look(&mut self) {
        for server in &self.servers {
            let (State::Thinking(..) | State::Sending(_), Some(flow)) =
                (&server.state, server.flow)
            else {
                continue;
            };
            let window = window(&self.tree, server) - (server.came - server.read);
            self.tree.true_up(flow, server.arrived(window), self.now);
            let at = &self.tree.flows[flow];
            let buffer = self.tree.buffer_for(at.site, Some(at));
            if buffer * 2 < at.buffer {
                self.tree.flows[flow].buffer = buffer;
            }
        }
        self.tree.pump(self.now);
    }

    fn step_server(&mut self, number: usize) -> f64 {
        let now = self.now;
        let server = &mut self.servers[number];
        let tree = &mut self.tree;
        match server.state {
            State::Asking(start) => {
                if !tree.is_granted(start, Waker::noop()) {
                    return 0.0;
                }
                let mut bytes = 0.0;
                if server.flow.is_none() {
                    server.flow =
                        Some(tree.open(server.site, 0, tree.buffer_for(server.site, None), now));
                    server.segments += 1.0;
                    bytes += 74.0;
                }
                tree.begin(start, server.flow.unwrap(), now);
                let wait = match server.delay_us {
                    0 => 0,
                    delay_us if self.in_step => delay_us,
                    delay_us => self.lot.u64(delay_us..=2 * delay_us),
                };
                server.round_trip_us = if self.in_step { server.delay_us } else { 100 };
                server.state = State::Thinking(start, now + wait);
                bytes
            }
            State::Thinking(start, until) => {
                if now >= until && !self.stands_still {
                    server.left = (server.size)() + 200.0;
                    server.whole = server.left;
                    server.from = server.came;
                    server.told = false;
                    server.can_send = 0.0;
                    server.state = State::Sending(start);
                }
                0.0
            }
            State::Sending(start) => {
                let bytes = if self.stands_still { 0.0 } else { send(tree, server) };
                read(tree, server, now);
                if server.left == 0.0 && server.read == server.came {
                    let arrived = server.arrived(window(tree, server));
                    tree.end(start, Some(arrived), now);
                    server.state = State::Asking(tree.ask(server.site, 0.0, None, now));
                }
                bytes
            }
        }
    }
}

impl Server {
    fn arrived(&self, window: f64) -> Arrived {
        Arrived {
            bytes: self.came as u64,
            segments: self.segments as u64,
            window: window.max(0.0) as u64,
            round_trip_us: self.round_trip_us,
            packet: 1448,
        }
    }
}

fn window(tree: &Tree, server: &Server) -> f64 {
    server.flow.map_or(0.0, |flow| real_window(tree.flows[flow].buffer))
}

/// What the kernel lets in with this buffer, in whole packets.
fn real_window(buffer: usize) -> f64 {
    let bytes = buffer as f64 * if buffer < 10_000 { 1.35 } else { 1.75 };
    (bytes / SEGMENT).floor() * SEGMENT
}

fn send(tree: &Tree, server: &mut Server) -> f64 {
    server.can_send = (server.can_send + server.speed * STEP_US as f64 / 1e6)
        .min((server.speed * 0.02).max(2.0 * SEGMENT));
    let room = window(tree, server) - (server.came - server.read);
    let mut most = server.left.min(room).min(server.can_send);
    // No part of a packet is sent unless it is the last.
    if most < server.left {
        most = (most / SEGMENT).floor() * SEGMENT;
    }
    if most <= 0.0 {
        return 0.0;
    }
    server.can_send -= most;
    server.left -= most;
    server.came += most;
    server.got += most;
    let segments = (most / SEGMENT).ceil();
    server.segments += segments;
    most + segments * PACKET
}

fn read(tree: &mut Tree, server: &mut Server, now: u64) {
    let flow = server.flow.unwrap();
    while server.came > server.read {
        let Some(credit) = tree.may_read(flow, Waker::noop(), now) else { return };
        let bytes = (server.came - server.read).min(credit as f64).min(8191.0).floor();
        if bytes < 1.0 {
            return;
        }
        server.read += bytes;
        if tree.was_read(flow, bytes as usize, now) {
            let window = window(tree, server) - (server.came - server.read);
            tree.true_up(flow, server.arrived(window), now);
        }
        if !server.told {
            server.told = true;
            tree.has_size(flow, server.whole);
        }
    }
}

fn log_normal(seed: u64) -> Box<dyn FnMut() -> f64> {
    let mut lot = fastrand::Rng::with_seed(seed);
    Box::new(move || {
        let (radius, angle) = (1.0 - lot.f64(), lot.f64());
        let normal = (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos();
        (10e3 * (1.8 * normal).exp()).clamp(1e3, 10e6).floor()
    })
}

fn mixed(cap: f64, delay_us: u64) -> Play {
    let mut play = Play::new(cap);
    serve_mixed(&mut play, delay_us);
    play
}

fn serve_mixed(play: &mut Play, delay_us: u64) {
    for number in 0..200u64 {
        let speed = match number % 10 {
            0..3 => 20e3,
            3..7 => 200e3,
            _ => 1e9,
        };
        play.serve(1.0, None, speed, delay_us, log_normal(number));
    }
}

fn few_large(cap: f64, delay_us: u64) -> Play {
    let mut play = Play::new(cap);
    for _ in 0..6 {
        play.serve(1.0, None, 1e9, delay_us, Box::new(|| 12e6));
    }
    play
}

fn many_tiny(cap: f64, delay_us: u64) -> Play {
    let mut play = Play::new(cap);
    for number in 0..200 {
        let mut lot = fastrand::Rng::with_seed(number);
        play.serve(1.0, None, 1e9, delay_us, Box::new(move || lot.u32(1000..2000).into()));
    }
    play
}

/// The bars of the wire at 1 MB/s and above. At 140 KB/s they are wider: the servers here send in lumps.
fn check(mut play: Play, cap: f64, use_least: f64, second: f64, quarter: f64) {
    play.run(8.0);
    let used = play.wire.rate(1.0) / cap;
    let worst = (play.wire.worst(0.0, 1.0) / cap, play.wire.worst(0.0, 0.25) / cap);
    assert!(used >= use_least, "{used} of the cap used");
    assert!(worst.0 <= second && worst.1 <= quarter, "{worst:?} of the cap in the worst windows");
}

#[test]
fn bytes_a_second_never_pass_the_cap_whatever_the_sites_are_like() {
    for delay_us in [0, 50_000] {
        for make in [mixed, few_large, many_tiny] {
            check(make(1e6, delay_us), 1e6, 0.95, 1.02, 1.10);
            check(make(140e3, delay_us), 140e3, 0.93, 1.07, 1.35);
        }
        check(mixed(20e6, delay_us), 20e6, 0.95, 1.02, 1.10);
    }
}

/// Few sites whose answers come all together: what each brings at once is what its window lets in, which is larger
/// than that of a new connection where the way is long.
#[test]
fn few_sites_that_answer_in_step_do_not_pass_the_cap() {
    let cap = 1e6;
    for count in [3, 6, 9, 14, 20, 30] {
        let mut play = Play::new(cap);
        play.in_step = true;
        for _ in 0..count {
            play.serve(1.0, None, 1e9, 30_000, Box::new(|| 12e3));
        }
        play.run(8.0);
        let (worst, used) = (play.wire.worst(1.0, 1.0) / cap, play.wire.rate(1.0) / cap);
        assert!(worst <= 1.021, "{worst} of the cap with {count} sites");
        assert!(used >= 0.9, "{used} of the cap used with {count} sites");
    }
}

/// All that is owed comes at once when they go on.
#[test]
fn a_web_that_stood_still_does_not_pass_the_cap_when_it_goes_on() {
    for make in [mixed, few_large, many_tiny] {
        for (cap, most) in [(500e3, 1.05), (1e6, 1.02)] {
            let mut play = make(cap, 30_000);
            play.run(3.0);
            for still_s in [0.4, 1.2, 2.5, 8.0] {
                play.stands_still = true;
                play.run(still_s);
                play.stands_still = false;
                let from_s = play.now as f64 / 1e6;
                play.run(2.0);
                let (worst, used) =
                    (play.wire.worst(from_s, 1.0) / cap, play.wire.rate(from_s) / cap);
                assert!(worst <= most, "{worst} of {cap} after {still_s} s");
                assert!(used >= 0.95, "{used} of {cap} used after {still_s} s");
            }
        }
    }
}

/// What they owe stays on the books, for it may come any moment; the others use nearly all of the cap all the same.
#[test]
fn servers_that_never_answer_leave_the_cap_to_the_others() {
    let cap = 1e6;
    for make in [mixed, many_tiny] {
        let mut play = make(cap, 30_000);
        for _ in 0..100 {
            play.serve(1.0, None, 1e9, 1_000_000_000, Box::new(|| 10e3));
        }
        play.run(6.0);
        let used = play.wire.rate(2.0) / cap;
        assert!(used >= 0.8, "{used} of the cap used");
    }
}

#[test]
fn sites_share_by_weight_and_what_one_cannot_use_goes_to_the_others() {
    let mut play = Play::new(1e6);
    for weight in [1.0, 2.0, 3.0] {
        play.serve(weight, None, 1e9, 0, Box::new(|| 300e3));
    }
    // Slower than its share by far.
    play.serve(4.0, None, 40e3, 0, Box::new(|| 300e3));
    play.run(2.0);
    let before: Vec<f64> = play.servers.iter().map(|server| server.got).collect();
    play.run(5.0);
    let got = |site: usize| (play.servers[site].got - before[site]) / 5.0;
    let slow = got(3);
    let unit = (got(0) + got(1) + got(2)) / 6.0;
    assert!((36e3..=42e3).contains(&slow), "{slow}");
    for (site, weight) in [(0, 1.0), (1, 2.0), (2, 3.0)] {
        let part = got(site) / (unit * weight);
        assert!((0.95..=1.05).contains(&part), "site {site}: {part} of its share");
    }
}

#[test]
fn a_site_keeps_a_cap_of_its_own() {
    let mut play = Play::new(f64::INFINITY);
    play.serve(1.0, Some(50e3), 1e9, 10_000, Box::new(|| 30e3));
    play.run(10.0);
    let rate = play.wire.rate(1.0) / 50e3;
    assert!((0.95..=1.05).contains(&rate), "{rate}");
}

#[test]
fn a_new_cap_holds_at_once() {
    let mut play = mixed(1e6, 50_000);
    play.run(4.0);
    play.tree.set_cap(300e3, play.now);
    play.asleep_until = 0;
    let from = play.wire.steps.len();
    play.run(3.0);
    let after = Wire { steps: play.wire.steps[from..].to_vec() };
    assert!(after.worst(0.25, 0.5) <= 1.1 * 300e3, "{}", after.worst(0.25, 0.5));
    assert!(after.rate(0.25) >= 0.9 * 300e3, "{}", after.rate(0.25));
    play.tree.set_cap(0.0, play.now);
    let from = play.wire.steps.len();
    play.run(2.0);
    let paused: f64 = play.wire.steps[from..].iter().sum();
    assert!(paused < 60e3, "{paused} bytes in a pause, which were on their way");
}

#[test]
fn a_quota_is_never_passed() {
    for (cap, quota) in [(f64::INFINITY, 3e6), (1e6, 700e3), (f64::INFINITY, 200e3)] {
        let mut play = Play::new(cap);
        play.tree.quota = quota;
        serve_mixed(&mut play, 50_000);
        play.run(6.0);
        let came: f64 = play.wire.steps.iter().sum();
        assert!(came <= quota && came > 0.3 * quota, "{came} of {quota}");
        assert!(play.tree.is_out_of_quota(play.now));
    }
}

#[test]
fn a_turn_to_read_that_is_not_used_is_lost() {
    let mut tree = Tree::new(1e6, 0);
    let site = tree.add_site(1.0, None, 0);
    let start = tree.ask(site, 0.0, None, 0);
    let mut now = 100_000;
    tree.pump(now);
    assert!(tree.is_granted(start, Waker::noop()));
    let flow = tree.open(site, -1, 8_192, now);
    tree.begin(start, flow, now);
    tree.has_size(flow, 1e6);
    tree.was_read(flow, 20_000, now);
    let most = loop {
        match tree.may_read(flow, Waker::noop(), now) {
            Some(most) => break most,
            None => now = tree.next.expect("it waits for its turn"),
        }
        tree.pump(now);
    };
    assert_eq!(tree.credit(flow, now + 1_000), Some(most), "a moment later it still may");
    assert_eq!(tree.credit(flow, now + 50_000), None, "whoever reads was away");
    assert!(tree.may_read(flow, Waker::noop(), now + 50_000).is_some(), "and asks again");
}

/// Answers that fit into the first window are paid for when they are asked for, all of them, for a
/// long time; that must not count against starts when others come that are read.
#[test]
fn starts_are_not_held_for_what_was_started_long_ago() {
    let cap = 4e6;
    let mut play = Play::new(cap);
    for _ in 0..8 {
        play.serve(1.0, None, 1e9, 5_000, Box::new(|| 9_000.0));
    }
    play.run(20.0);
    for seed in 0..30 {
        play.serve(1.0, None, 1e9, 20_000, log_normal(seed));
    }
    let before: Vec<f64> = play.servers.iter().map(|server| server.got).collect();
    play.run(3.0);
    for (server, before) in play.servers.iter().zip(before) {
        assert!(server.got > before, "a site got nothing for three seconds");
    }
    assert!(play.wire.rate(20.5) > cap * 0.9, "{}", play.wire.rate(20.5));
}

/// Whoever had next to no weight and got something all the same is not made to wait for it when it
/// has some.
#[test]
fn answers_that_may_not_be_read_are_held_back_by_the_cap_and_slow_ones_are_not() {
    for (speed, expected) in [(10e6, true), (5e3, false)] {
        let mut play = Play::new(100e3);
        for _ in 0..4 {
            play.serve(1.0, None, speed, 0, Box::new(|| 50e6));
        }
        play.run(3.0);
        let times = (0..100).filter(|_| {
            play.run(0.01);
            assert_eq!(play.tree.waiting(), 0, "all of them are under way");
            play.tree.held_back(play.now) > 0
        });
        assert_eq!(times.count() > 80, expected, "servers that give {speed} bytes a second");
    }
}

#[test]
fn a_new_weight_holds_at_once() {
    let cap = 1e6;
    let mut play = Play::new(cap);
    play.serve(1e-4, None, 1e9, 0, Box::new(|| 1e9));
    play.run(2.0);
    // So many that one of them always waits.
    for _ in 0..9 {
        play.serve(1.0, None, 1e9, 0, Box::new(|| 1e9));
    }
    play.run(2.0);
    play.tree.set_sites([(0, Part::default())].into_iter(), play.now);
    let before = play.servers[0].got;
    play.run(3.0);
    let part = (play.servers[0].got - before) / (3.0 * cap);
    assert!((0.08..0.12).contains(&part), "{part}");
}
