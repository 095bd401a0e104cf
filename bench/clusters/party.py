"""One crawl by one process, or by a scheduler and its downloaders, and what each of them took."""

import re
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from measure import Child
from testweb import TestWeb

# The test web is asked how far it is this often.
LOOK_S = 0.2
# Downloaders end when the scheduler does.
END_WITHIN_S = 60
STARTS_WITHIN_S = 30
# What is measured apart from start and end: pages between these parts of all.
MIDDLE = (0.1, 0.9)


@dataclass
class Crawled:
    pages: int
    expected: int
    wall_s: float
    # Pages a second between the first tenth and the last, by the server's own count.
    middle: float
    decider_cpu_s: float
    decider_rss_mb: float
    # Of each downloader.
    cpu_s: list
    exits: list

    @property
    def whole(self):
        return self.pages / self.wall_s

    @property
    def is_complete(self):
        return self.pages == self.expected and not any(self.exits)

    def per_1000(self, seconds):
        return seconds * 1000 / self.pages if self.pages else float("inf")


def crawl(tools, site_flags, pages, weir_flags, downloaders, slots, timeout):
    """`downloaders` 0 is `weir crawl` by itself."""
    with TestWeb(tools.site, site_flags) as web, tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        seeds = folder / "seeds.txt"
        seeds.write_text("".join(f"{seed}\n" for seed in web.seeds))
        flags = ["--seeds", seeds, "-o", folder / "out", "--allow-private", "--progress", "none",
                 *weir_flags]
        party = Party(tools.weir, folder, flags, downloaders, slots)
        watch = Watch(web)
        party.wait(timeout)
        watch.stop()
        counts = web.counts()
        return Crawled(
            pages=counts["pages_complete"], expected=pages, wall_s=party.decider.wall_s,
            middle=middle(watch.seen, counts["pages_complete"]),
            decider_cpu_s=cpu(party.decider), decider_rss_mb=party.decider.peak_rss_kib() / 1000,
            cpu_s=[cpu(child) for child in party.downloaders],
            exits=[child.process.returncode for child in [party.decider, *party.downloaders]])


class Party:
    def __init__(self, weir, folder, flags, downloaders, slots):
        command = [weir, "scheduler", "--listen", "127.0.0.1:0"] if downloaders else [weir, "crawl"]
        self.decider = start(folder, "decider", [*command, *flags])
        self.downloaders = []
        if downloaders:
            address = address_of(self.decider)
            for number in range(downloaders):
                command = [weir, "downloader", "--scheduler", address, "--slots", str(slots),
                           "-o", folder / f"downloader-{number}", "--quiet"]
                self.downloaders.append(start(folder, f"process-{number}", command))

    def wait(self, timeout):
        self.decider.wait(timeout)
        for child in self.downloaders:
            child.wait(END_WITHIN_S)


def start(folder, name, command):
    scratch = folder / name
    scratch.mkdir()
    return Child(command, {}, scratch, None)


def address_of(scheduler):
    """Where it listens: it says so, and the port is the system's choice."""
    until = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < until:
        found = re.search(r"--scheduler (http://\S+)", scheduler.log.read_text())
        if found:
            return found[1]
        time.sleep(0.02)
    scheduler.end()
    raise RuntimeError(f"the scheduler does not listen: {scheduler.log.read_text()[-500:]}")


def cpu(child):
    return child.usage.ru_utime + child.usage.ru_stime


class Watch(threading.Thread):
    """Notes how many pages the server has handed over, and when."""

    def __init__(self, web):
        super().__init__(daemon=True)
        self.web = web
        self.seen = []
        self.over = threading.Event()
        self.start()

    def run(self):
        while not self.over.wait(LOOK_S):
            pages = self.web.counts()["pages_complete"]
            self.seen.append((time.monotonic(), pages))

    def stop(self):
        self.over.set()
        self.join()


def middle(seen, pages):
    """Pages a second between two parts of all, a straight line between two looks."""
    first, last = (part * pages for part in MIDDLE)
    begun, ended = when(seen, first), when(seen, last)
    if begun is None or ended is None or ended <= begun:
        return float("nan")
    return (last - first) / (ended - begun)


def when(seen, pages):
    for (early, before), (late, after) in zip(seen, seen[1:]):
        if before <= pages <= after and after > before:
            return early + (late - early) * (pages - before) / (after - before)
    return None
