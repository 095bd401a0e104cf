"""The machines of a run: the web's, the scheduler's, and one for each downloader.

Each is a network namespace; the web's is that of this process. They are gone when the processes in them are.

    scheduler c1 ── ctl d1 web ── w1 web
    10.10.0.1 c2 ── ctl d2 web ── w2 10.30.0.0/16
"""

import os
import subprocess
import sys
from pathlib import Path

MACHINES = (1, 2, 3)
SCHEDULER = "10.10.0.1"
WEB_PORT = 8080
FIRST_SITE = f"10.30.0.1:{WEB_PORT}"
# Packets are as long as on a real line, not forty in one as between namespaces.
REAL_PACKETS = "mtu 1500 addrgenmode none up gso_max_segs 1"
INSIDE = "WEIR_SOAK_INSIDE"
# With a namespace of processes, too: whatever a run has started ends with it.
UNSHARE = ["unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"]


def can_enter():
    return subprocess.run([*UNSHARE, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def is_inside():
    return INSIDE in os.environ


def enter(script, arguments):
    """Runs the script once more in namespaces of its own; its exit code."""
    words = [*UNSHARE, sys.executable, str(script), *arguments]
    return subprocess.run(words, env={**os.environ, INSIDE: "yes"}, check=False).returncode


def lay():
    """Makes the machines."""
    # Names of namespaces, and what the clock's library shares, stand in folders of the machine that nobody else is to see.
    for folder in ("/run", "/dev/shm"):
        subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=True)
    ip("link set lo up\nroute add local 10.30.0.0/16 dev lo\nnetns add scheduler")
    ip(f"link set lo up\naddr add {SCHEDULER}/32 dev lo", "scheduler")
    for n in MACHINES:
        add_downloader(n)


def add_downloader(n):
    machine = f"d{n}"
    ip(f"""netns add {machine}
           link add w{n} type veth peer name web netns {machine}
           link set w{n} {REAL_PACKETS}
           addr add 10.20.{n}.1/30 dev w{n}""")
    ip(f"""link add c{n} type veth peer name ctl netns {machine}
           link set c{n} {REAL_PACKETS}
           addr add 10.10.{n}.1/30 dev c{n}""", "scheduler")
    ip(f"""link set lo up
           link set web {REAL_PACKETS}
           link set ctl {REAL_PACKETS}
           addr add 10.20.{n}.2/30 dev web
           addr add 10.10.{n}.2/30 dev ctl
           route add 10.30.0.0/16 via 10.20.{n}.1
           route add {SCHEDULER}/32 via 10.10.{n}.1""", machine)


def ip(commands, machine=None):
    words = ["ip", *(["-n", machine] if machine else []), "-batch", "-"]
    done = subprocess.run(words, input=commands, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {commands}: {done.stderr.strip()}")


def on(machine, command):
    """The command, run on a machine; its process is the command itself."""
    return ["nsenter", f"--net=/run/netns/{machine}", "--", *command]


def interfaces():
    """Those between the web and the downloaders, at the web's end."""
    return [f"w{n}" for n in MACHINES]


def site(number):
    """The address of a host of the web."""
    high, low = divmod(number + 1, 256)
    return f"10.30.{high}.{low}"


class WebCut:
    """Nothing goes between the web and one downloader."""

    def __init__(self, machine):
        self.link = f"w{machine.removeprefix('d')}"

    def begin(self):
        ip(f"link set {self.link} down")

    def end(self):
        ip(f"link set {self.link} up")


class ControlCut:
    """Nothing goes between the scheduler and one downloader."""

    def __init__(self, machine):
        self.link = f"c{machine.removeprefix('d')}"

    def begin(self):
        ip(f"link set {self.link} down", "scheduler")

    def end(self):
        # The way to the downloader comes back with its address.
        ip(f"link set {self.link} up", "scheduler")


class SilentHosts:
    """What is sent to these hosts is lost on their side; what they have sent before may still come."""

    def __init__(self, hosts):
        self.hosts = hosts

    def begin(self):
        ip("\n".join(f"route add blackhole {site(host)}/32 table local" for host in self.hosts))

    def end(self):
        ip("\n".join(f"route del blackhole {site(host)}/32 table local" for host in self.hosts))


class UnreachableHosts:
    """Whoever asks is told at once that there is no way to these hosts."""

    def __init__(self, hosts):
        self.hosts = hosts

    def begin(self):
        self._each("add")

    def end(self):
        self._each("del")

    def _each(self, word):
        for n in MACHINES:
            ip("\n".join(f"route {word} unreachable {site(host)}/32" for host in self.hosts), f"d{n}")


def need():
    """Programs that are missing, with where they come from."""
    wanted = {"ip": "iproute2", "unshare": "util-linux", "nsenter": "util-linux", "mount": "mount"}
    folders = os.environ.get("PATH", "").split(":") + ["/usr/sbin", "/sbin"]
    return [f"{name} ({package})" for name, package in wanted.items()
            if not any((Path(folder) / name).is_file() for folder in folders)]
