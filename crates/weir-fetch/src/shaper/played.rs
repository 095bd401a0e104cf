//! The tree against servers in virtual time: what arrives is counted as an interface would, and no
//! noise of a machine is in it.

use std::task::Waker;

use super::kernel::Arrived;
use super::tree::{PACKET, SEGMENT, Tree};

/// A server and the one connection to it.
struct Server {
    site: u32,
    speed: f64,
    delay_us: u64,
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
                let wait = if server.delay_us == 0 {
                    0
                } else {
                    self.lot.u64(server.delay_us..=2 * server.delay_us)
                };
                server.state = State::Thinking(start, now + wait);
                bytes
            }
            State::Thinking(start, until) => {
                if now >= until {
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
                let bytes = send(tree, server);
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
            round_trip_us: 100,
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
    for number in 0..200u64 {
        let speed = match number % 10 {
            0..3 => 20e3,
            3..7 => 200e3,
            _ => 1e9,
        };
        play.serve(1.0, None, speed, delay_us, log_normal(number));
    }
    play
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

fn show(name: &str, mut play: Play, cap: f64) {
    if std::env::var("TRACE").is_ok() {
        for _ in 0..64 {
            let from = play.wire.steps.len();
            play.run(0.25);
            let arrived: f64 = play.wire.steps[from..].iter().sum();
            println!("A {:.2} {}", arrived / cap / 0.25, play.tree.state(play.now));
        }
    } else {
        play.run(16.0);
    }
    println!(
        "{name:30} use {:.3} 1s {:.3} 250ms {:.3}",
        play.wire.rate(1.0) / cap,
        play.wire.worst(1.0, 1.0) / cap,
        play.wire.worst(1.0, 0.25) / cap
    );
}

#[test]
fn table() {
    let only = std::env::var("ONLY").unwrap_or_default();
    for cap in [140e3, 1e6, 20e6] {
        for delay in [0, 50_000] {
            for (name, make) in [
                ("mixed", mixed as fn(f64, u64) -> Play),
                ("large", few_large),
                ("tiny", many_tiny),
            ] {
                let name = format!("{name} {cap} {delay}");
                if name.contains(&only) && !(name.contains("tiny 2")) {
                    show(&name, make(cap, delay), cap);
                }
            }
        }
    }
}
