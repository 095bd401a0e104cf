use std::fmt::Write;
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};

use crate::support::inside::{inside, run};
use crate::support::skip;
use crate::wire::Wire;

/// The machines of one test: the web's, which is this process's own, one for the scheduler, and one for
/// each downloader. All of them are gone when the processes in them are.
///
/// ```text
/// scheduler c1 ── s1 wire x1 ── ctl d1 web ── w1 web
/// 10.10.0.1 c2 ── s2 wire x2 ── ctl d2 web ── w2 10.30.0.0/16
/// ```
pub struct Lab {
    wires: Vec<Wire>,
}

/// Machines for downloaders.
pub const MACHINES: usize = 4;
/// Where downloaders find the scheduler.
pub const SCHEDULER: &str = "10.10.0.1";

/// Where a process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    Scheduler,
    /// Counted from 1.
    Downloader(usize),
}

/// Runs `body` with machines of its own, or says that the test is skipped.
pub fn with_machines(test: &str, body: impl FnOnce(Lab)) {
    if !Command::new("ip").arg("-Version").output().is_ok_and(|output| output.status.success()) {
        return skip(test, "needs `ip` of iproute2");
    }
    inside(test, || body(Lab::new()));
}

impl Lab {
    fn new() -> Lab {
        // Namespaces have names in a folder of the machine's, which nobody else is to see.
        run("mount", &["-t", "tmpfs", "none", "/run"]);
        ip("link set lo up\nroute add local 10.30.0.0/16 dev lo\nnetns add scheduler\n");
        ip_in("scheduler", &format!("link set lo up\naddr add {SCHEDULER}/32 dev lo\n"));
        (1..=MACHINES).for_each(add_downloader);
        let wire = |n| Wire::between(&format!("s{n}"), &format!("x{n}"));
        Lab { wires: (1..=MACHINES).map(wire).collect() }
    }

    /// The one between the scheduler and a downloader.
    pub fn wire(&self, downloader: usize) -> &Wire {
        &self.wires[downloader - 1]
    }
}

impl Machine {
    /// A command that runs there, and ends with this process.
    pub fn command(self, program: &str) -> Command {
        let name = match self {
            Machine::Scheduler => "scheduler".to_owned(),
            Machine::Downloader(number) => format!("d{number}"),
        };
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "nsenter", &format!("--net=/run/netns/{name}")]);
        command.args(["--", program]);
        command
    }
}

/// The address of a site.
pub fn site(number: usize) -> SocketAddr {
    let [high, low] = (number as u16 + 1).to_be_bytes();
    SocketAddr::from((Ipv4Addr::new(10, 30, high, low), 8080))
}

/// The address under which the web sees a downloader.
pub fn web_address(downloader: usize) -> IpAddr {
    Ipv4Addr::new(10, 20, downloader as u8, 2).into()
}

/// Packets are as long as on a real line, not forty in one as between namespaces.
const REAL_PACKETS: &str = "mtu 1500 addrgenmode none up gso_max_segs 1";

fn add_downloader(n: usize) {
    let d = format!("d{n}");
    ip(&format!(
        "netns add {d}
         link add w{n} type veth peer name web netns {d}
         link add s{n} type veth peer name c{n} netns scheduler
         link add x{n} type veth peer name ctl netns {d}
         link set w{n} {REAL_PACKETS}
         link set s{n} {REAL_PACKETS}
         link set x{n} {REAL_PACKETS}
         addr add 10.20.{n}.1/30 dev w{n}
        "
    ));
    ip_in(
        "scheduler",
        &format!("link set c{n} {REAL_PACKETS}\naddr add 10.10.{n}.1/30 dev c{n}\n"),
    );
    let mut there = String::from("link set lo up\n");
    for (interface, net) in [("web", "10.20"), ("ctl", "10.10")] {
        // Writing to a string does not fail.
        let _ = writeln!(there, "link set {interface} {REAL_PACKETS}");
        let _ = writeln!(there, "addr add {net}.{n}.2/30 dev {interface}");
    }
    let _ = writeln!(there, "route add 10.30.0.0/16 via 10.20.{n}.1");
    let _ = writeln!(there, "route add {SCHEDULER}/32 via 10.10.{n}.1");
    ip_in(&d, &there);
}

fn ip(commands: &str) {
    batch(&[], commands);
}

fn ip_in(namespace: &str, commands: &str) {
    batch(&["-n", namespace], commands);
}

fn batch(words: &[&str], commands: &str) {
    let mut ip = Command::new("ip");
    ip.args(words).args(["-batch", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = ip.spawn().unwrap();
    child.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "ip {words:?} {commands}: {said}");
}
