//! Two network namespaces with a wire between them. The crawler's is this process's own, the servers' is
//! that of the server process: both are gone when the processes are, however they end.

use std::fs;
use std::io::Write;
use std::net::Ipv4Addr;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{getgid, getpid, getuid};
use rustix::thread::{UnshareFlags, unshare_unsafe};
use serde::{Deserialize, Serialize};

/// Where the sites are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At the other end of a pair of interfaces.
    Wire,
    /// In this machine's own loopback, for lack of anything better.
    Loopback,
}

impl Place {
    pub fn address(self, site: usize) -> Ipv4Addr {
        let [high, low] = (site as u16 + 1).to_be_bytes();
        match self {
            Place::Wire => Ipv4Addr::new(10, 77, high, low),
            Place::Loopback => Ipv4Addr::new(127, 77, high, low),
        }
    }

    pub fn port(self, tls: bool) -> u16 {
        match (self, tls) {
            (Place::Wire, false) => 80,
            (Place::Wire, true) => 443,
            (Place::Loopback, _) => 0,
        }
    }
}

/// Moves this process, which must have one thread only, into a network namespace of its own. Who is
/// not root becomes it in a user namespace, where the system lets him.
pub fn enter() -> Result<()> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    if unshare(UnshareFlags::NEWNET).is_err() {
        unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNET).context("no new namespace")?;
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("0 {group} 1"))?;
    }
    ip("link set lo up")
}

fn unshare(flags: UnshareFlags) -> rustix::io::Result<()> {
    // SAFETY: namespaces are changed, and nothing that other threads or memory depend on.
    unsafe { unshare_unsafe(flags) }
}

/// Whether a wire can be laid here, tried in a process of its own: one that has left the machine's
/// network for nothing cannot go back.
pub fn probe() -> Result<()> {
    let mut probe = Command::new(std::env::current_exe()?);
    let output = probe.arg("probe").stdin(Stdio::null()).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}

pub fn try_wire() -> Result<()> {
    enter()?;
    ip(&format!("link add far type veth peer name near\nlink set far{}", packets(false)))
}

/// How a wire is laid.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Laying {
    /// Interfaces are named by it.
    pub number: u32,
    /// The process in whose namespace the near end appears.
    pub crawler: u32,
    pub offload: bool,
    /// Bytes a second that the wire itself carries at the most.
    pub line: Option<u64>,
}

/// The far end of the wire, in a new namespace of the server process, which is the one that calls this.
pub fn lay(laying: &Laying) -> Result<()> {
    unshare(UnshareFlags::NEWNET).context("no new namespace for the servers")?;
    let Laying { number, crawler, .. } = laying;
    ip("link set lo up")?;
    ip(&format!("link add far{number} type veth peer name near{number} netns {crawler}"))?;
    ip(&format!(
        "link set far{number} mtu 1500 addrgenmode none up{}
         addr add 10.76.0.1/30 dev far{number}
         route add local 10.77.0.0/16 dev lo",
        packets(laying.offload)
    ))?;
    laying.line.map_or(Ok(()), |line| narrow(*number, line))
}

/// The kernel's own shaper at the far end: what a meter should see of a cap that is kept.
fn narrow(number: u32, line: u64) -> Result<()> {
    let (bits, burst) = (8 * line, (line / 200).max(3_028));
    let words =
        format!("qdisc add dev far{number} root tbf rate {bits}bit burst {burst} limit 200000");
    let status = Command::new("tc").args(words.split(' ')).status();
    ensure!(status.context("cannot start tc (of iproute2)")?.success(), "tc {words} failed");
    Ok(())
}

/// The near end of the wire, until dropped.
pub struct Wire {
    pub interface: String,
}

impl Wire {
    pub fn connect(laying: &Laying) -> Result<Wire> {
        let wire = Wire { interface: format!("near{}", laying.number) };
        ip(&format!(
            "link set {near} mtu 1500 addrgenmode none up{}
             addr add 10.76.0.2/30 dev {near}
             route add 10.77.0.0/16 via 10.76.0.1",
            packets(laying.offload),
            near = wire.interface,
        ))?;
        Ok(wire)
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if let Err(why) = ip(&format!("link del {}", self.interface)) {
            eprintln!("{why:#}");
        }
    }
}

/// A pair of interfaces hands over what would be forty packets as one, unless told not to; then its
/// counters would count one header for all of them.
fn packets(offload: bool) -> &'static str {
    if offload { "" } else { " gso_max_segs 1" }
}

fn ip(commands: &str) -> Result<()> {
    let mut ip = Command::new("ip");
    ip.args(["-batch", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = ip.spawn().context("cannot start ip (of iproute2)")?;
    let mut input = child.stdin.take().context("ip has no input")?;
    input.write_all(commands.as_bytes())?;
    drop(input);
    let output = child.wait_with_output()?;
    if !output.status.success() {
        bail!("ip {commands}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

pub fn own_pid() -> u32 {
    getpid().as_raw_pid() as u32
}

/// Whether the wire counts packets as a real one would: none longer than what goes over it at once.
pub fn check_packets(bytes: u64, packets: u64, offload: bool) -> Result<()> {
    let mean = bytes as f64 / packets.max(1) as f64;
    ensure!(
        packets == 0 || offload || mean <= 1514.0,
        "the interface counts {mean:.0} bytes as one packet"
    );
    Ok(())
}
