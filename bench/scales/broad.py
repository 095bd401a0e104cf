"""The largest broad crawl that some minutes allow: as many hosts as the machine can listen for, no cap."""

import json
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from clusters.table import Table
from figures import verdict
from testweb import TestWeb

STORES = ["none", "warc,parquet"]
# A host is a listening socket; the rest is for connections, of the web and of weir.
FILES_FOR_CONNECTIONS = 4_000
MOST_HOSTS = 60_000
# More than a machine of a few cores fetches, so that the web does not run out.
PAGES_S = 10_000
LOOK_S = 5
# Lines of the table for each crawl.
LINES = 6
# The last line beside the best one before it: a crawl that grows must not slow down for it. What it writes may have to wait for the disk.
LEAST_LAST = {"none": 0.6, "warc,parquet": 0.5}
# The most memory for each URL that is known: fingerprint and queue, and what tells traps from pages.
MOST_BYTES_A_URL = 250
ENDS_WITHIN_S = 120
TICKS_S = os.sysconf("SC_CLK_TCK")


def run(tools, args):
    hosts = args.hosts or most_hosts()
    pages = args.pages or max(100, math.ceil(PAGES_S * 60 * args.minutes / hosts))
    stores = [args.store] if args.store else STORES
    rows, verdicts = [], []
    for store in stores:
        crawl = crawl_for(tools, args, store, hosts, pages)
        lines = thinned(crawl.looks, LINES)
        rows += [row(store, early, late) for early, late in zip(lines, lines[1:])]
        verdicts += judge(store, crawl, lines)
    heads = ["kept", "minute", "pages", "pages/s", "MB/s", "URLs known", "waiting", "weir CPU s/1k", "weir cores", "web cores", "RSS MB",
             "bytes a URL", "frontier MB", "output MB"]
    title = (f"Broad: {hosts:,} hosts of {pages:,} pages of {int(args.page_bytes) / 1000:.0f} KB with 33 links, 5 of them to other hosts; "
             f"{args.concurrency} requests at a time, one a host, no cap; each line since the one before")
    return Table(title, heads, rows), verdicts


def most_hosts():
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(100, min(MOST_HOSTS, files - FILES_FOR_CONNECTIONS))


@dataclass
class Look:
    """Where the crawl stands at one moment."""

    at: float
    pages: int
    known: int
    waiting: int
    failed: int
    bytes_wire: int
    cpu_s: float
    web_cpu_s: float
    rss: int
    frontier: int
    output: int


@dataclass
class Crawl:
    looks: list
    counts: dict
    exit_code: int
    ended_by: str


def crawl_for(tools, args, store, hosts, pages):
    site = ["--hosts", str(hosts), "--pages", str(pages), "--page-bytes", args.page_bytes, "--links", "33", "--cross", "5", "--robots"]
    with TestWeb(tools.site, site) as web, tempfile.TemporaryDirectory(prefix="weir-broad-", dir=args.folder) as folder:
        folder = Path(folder)
        seeds = folder / "seeds.txt"
        seeds.write_text("".join(f"{seed}\n" for seed in web.seeds))
        command = [tools.weir, "crawl", "--seeds", seeds, "-o", folder / "out", "--allow-private", "--store", store,
                   "--concurrency", args.concurrency, "--progress", "json"]
        with open(folder / "errors.txt", "w") as errors:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        told = Told(process.stdout)
        looks, ended_by = watch(process, web, told, folder / "out", args, store)
        if process.returncode not in (0, 4):
            raise RuntimeError(f"weir ended with {process.returncode}: {(folder / 'errors.txt').read_text()[-500:]}")
        return Crawl(looks, web.counts(), process.returncode, ended_by)


class Told(threading.Thread):
    """The last line of progress."""

    def __init__(self, lines):
        super().__init__(daemon=True)
        self.lines, self.last = lines, None
        self.start()

    def run(self):
        for line in self.lines:
            self.last = json.loads(line)


def watch(process, web, told, out, args, store):
    """Looks at the crawl until its time is over or the disk is nearly full; then it is told to stop."""
    looks, ended_by, begun, said = [], "itself: the web was too small", time.monotonic(), 0.0
    while process.poll() is None:
        time.sleep(LOOK_S)
        if told.last is None or process.poll() is not None:
            continue
        looks.append(look(process.pid, web.process.pid, told.last, out, begun))
        last = looks[-1]
        if last.at - said >= 30:
            said = last.at
            print(f"broad, kept {store}: {last.at:.0f} s, {last.pages:,} pages, {last.known:,} URLs known, {last.rss / 1e6:.0f} MB",
                  file=sys.stderr)
        full = shutil.disk_usage(out).free < args.free * 1e9
        if last.at >= args.minutes * 60 or full:
            ended_by = "a full disk" if full else "the clock"
            process.send_signal(signal.SIGINT)
            process.wait(ENDS_WITHIN_S)
    return looks, ended_by


def look(pid, web_pid, said, out, begun):
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    rss = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))
    frontier = size(out / "frontier")
    return Look(time.monotonic() - begun, said["pages"], said["urls_known"], said["urls_waiting"], said["failed"], said["bytes_wire"],
                cpu_s(pid), cpu_s(web_pid), rss, frontier, size(out) - frontier)


def cpu_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_S


def size(folder):
    """Bytes of all files; some are gone again before they are looked at."""
    whole = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                whole += os.stat(os.path.join(path, name)).st_size
            except FileNotFoundError:
                pass
    return whole


def thinned(looks, lines):
    """The first and the last, and some between at equal distances."""
    if len(looks) <= lines + 1:
        return looks
    return [looks[round(n * (len(looks) - 1) / lines)] for n in range(lines + 1)]


def row(store, early, late):
    seconds, pages = late.at - early.at, late.pages - early.pages
    return [store, f"{late.at / 60:.1f}", f"{late.pages:,}", f"{pages / seconds:,.0f}",
            f"{(late.bytes_wire - early.bytes_wire) / seconds / 1e6:.0f}", f"{late.known:,}", f"{late.waiting:,}",
            f"{(late.cpu_s - early.cpu_s) * 1000 / max(1, pages):.3f}", f"{(late.cpu_s - early.cpu_s) / seconds:.2f}",
            f"{(late.web_cpu_s - early.web_cpu_s) / seconds:.2f}", f"{late.rss / 1e6:,.0f}", f"{late.rss / max(1, late.known):.0f}",
            f"{late.frontier / 1e6:,.0f}", f"{late.output / 1e6:,.0f}"]


def judge(store, crawl, lines):
    rates = [(late.pages - early.pages) / (late.at - early.at) for early, late in zip(lines, lines[1:])]
    last, best, least = rates[-1], max(rates), LEAST_LAST.get(store, 0.5)
    end, counts = crawl.looks[-1], crawl.counts
    wrong = {name: counts[name] for name in ("repeated", "violations", "false_links", "unknown")}
    each = end.rss / max(1, end.known)
    return [
        verdict(crawl.ended_by == "the clock", f"as long as it was to be (kept {store})", f"ended by {crawl.ended_by}"),
        verdict(last >= least * best, f"at its end at least {least} of its best speed (kept {store})", f"{last:,.0f} / {best:,.0f} = {last / best:.2f}"),
        verdict(each <= MOST_BYTES_A_URL, f"at most {MOST_BYTES_A_URL} bytes of memory a known URL (kept {store})",
                f"{each:.0f}, {end.rss / 1e6:,.0f} MB for {end.known:,}"),
        verdict(not any(wrong.values()) and end.failed == 0, f"nothing twice, nothing forbidden, nothing failed (kept {store})",
                f"{end.failed} failed, " + ", ".join(f"{count} {name}" for name, count in wrong.items())),
    ]
