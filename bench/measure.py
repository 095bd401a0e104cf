"""One crawl: CPU, memory and time of the crawler, and what the server saw of it."""

import itertools
import os
import resource
import signal
import subprocess
import threading
import time
from dataclasses import dataclass

from testweb import TestWeb

# The crawler's last words are kept, for the row of a run that failed.
LOG_TAIL = 2_000
SAMPLE_S = 0.05
FILES = 65_536
# Counting connections reads a table as long as there are any, so it is done less often.
CONNECTIONS_EVERY = 10


@dataclass
class Run:
    command: list
    exit_code: int
    timed_out: bool
    wall_s: float
    cpu_s: float
    rss_mb: float
    open_connections: int
    pages: int
    counts: dict
    log: str

    @property
    def pages_done(self):
        return self.counts["pages_complete"]

    @property
    def complete(self):
        """Share of the reachable pages that the server handed over whole."""
        return self.pages_done / self.pages

    @property
    def cpu_per_1000(self):
        """By pages that came through, so that asking twice or in vain is not work done."""
        return self.cpu_s * 1000 / self.pages_done if self.pages_done else float("inf")


def best(runs):
    """The most complete run, and of those the one with the least CPU."""
    return min(runs, key=lambda run: (-round(run.complete, 4), run.cpu_s))


def crawl_once(crawler, scenario, site, scratch, timeout):
    with TestWeb(site, scenario.site_flags()) as web:
        seeds_file = scratch / "seeds.txt"
        seeds_file.write_text("".join(f"{seed}\n" for seed in web.seeds))
        command = crawler.command(scenario, web.seeds, seeds_file, scratch / "out")
        port = web.port if scenario.must_open else None
        child = Child(command, crawler.environment(), scratch, port)
        child.wait(timeout)
        return child.run(scenario.pages, web.counts())


class Child:
    """A crawler in a process group of its own. With a port, its connections there are counted."""

    def __init__(self, command, environment, scratch, port):
        self.command = [str(word) for word in command]
        self.log = scratch / "log.txt"
        self.started = time.monotonic()
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.command, cwd=scratch, env={**os.environ, **environment},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        self.timed_out = False
        self.sampler = Sampler(self.process.pid, port)
        self.sampler.start()

    def wait(self, timeout):
        alarm = threading.Timer(timeout, self.end)
        alarm.start()
        # wait4 counts the child and all that it waited for.
        _, status, self.usage = os.wait4(self.process.pid, 0)
        alarm.cancel()
        self.wall_s = time.monotonic() - self.started
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.sampler.stop()
        self.end_group()

    def end(self):
        self.timed_out = True
        self.end_group()

    def end_group(self):
        """Whatever the crawler left behind goes too. The group is the child's own."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def run(self, pages, counts):
        return Run(
            command=self.command, exit_code=self.process.returncode, timed_out=self.timed_out,
            wall_s=self.wall_s, cpu_s=self.usage.ru_utime + self.usage.ru_stime,
            rss_mb=self.peak_rss_kib() * 1024 / 1e6,
            open_connections=self.sampler.connections, pages=pages, counts=counts,
            log=self.log.read_bytes()[-LOG_TAIL:].decode(errors="replace"))

    def peak_rss_kib(self):
        """The kernel counts this interpreter's own memory as the child's until it has become
        the crawler, so its figure is good only if it is higher than that."""
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return self.usage.ru_maxrss if self.usage.ru_maxrss > own else self.sampler.rss_kib


class Sampler(threading.Thread):
    """Looks at the child from outside: its highest memory, its most connections."""

    def __init__(self, pid, port):
        super().__init__(daemon=True)
        self.pid = pid
        self.port = port
        self.rss_kib = 0
        self.connections = 0
        self.over = threading.Event()

    def run(self):
        rounds = itertools.count()
        while not self.over.wait(SAMPLE_S):
            self.rss_kib = max(self.rss_kib, high_water_kib(self.pid))
            if self.port and next(rounds) % CONNECTIONS_EVERY == 0:
                self.connections = max(self.connections, connections_to(self.port))

    def stop(self):
        self.over.set()
        self.join()


def high_water_kib(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            found = [line.split()[1] for line in status if line.startswith("VmHWM:")]
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(found[0]) if found else 0


def connections_to(port):
    """Established connections whose far end is the test web's port."""
    far, established = f":{port:04X}", "01"
    with open("/proc/net/tcp") as table:
        rows = (line.split() for line in table)
        return sum(row[2].endswith(far) and row[3] == established for row in rows)


def raise_file_limit():
    """3,200 connections need as many files; the crawlers and the test web inherit the limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft = FILES if hard == resource.RLIM_INFINITY else min(hard, FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
