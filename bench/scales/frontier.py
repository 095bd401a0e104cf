"""A frontier that grows: what a URL costs when a million are known, and when fifty are."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from clusters.table import Table
from figures import verdict

MARKS = [1_000_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000]
# With 50 million URLs these are 200,000 hosts.
URLS_A_HOST = 250
# The last mark beside the first: what an operation may cost, as a multiple. With a million URLs queues are in memory and tables in
# the processor's cache; later they are not, which leases and look-ups feel most.
MOST_DEARER = {"add": 2.0, "lease": 3.5, "seen": 3.5}
# Beside what opening takes for a URL at the first mark.
MOST_OPEN_DEARER = 2.0
# Resident bytes for each URL that is known beyond the first mark: 18 to 23 in the table of fingerprints, the rest in queues.
MOST_BYTES_A_URL = 32
# Below this, the process itself is most of the memory.
FEW_URLS = 1_000_000


def run(tools, args):
    marks = [mark for mark in MARKS if mark < args.urls] + [args.urls]
    hosts = args.hosts or max(1, args.urls // URLS_A_HOST)
    with tempfile.TemporaryDirectory(prefix="weir-scale-", dir=args.folder) as folder:
        steps = [step(tools.scalecheck, folder, hosts, mark) for mark in marks]
        opened = [began for began, _ in steps[1:]] + [last_opening(tools.scalecheck, folder, hosts, args.urls)]
        cold = from_disk(tools.scalecheck, folder, hosts, args.urls)
    grown = [grown for _, grown in steps]
    heads = ["URLs known", "add us", "wall", "lease+settle us", "wall", "look-up us, known", "new", "RSS MB", "bytes a URL",
             "log MB", "queues MB", "open s", "CPU s", "us a URL", "RSS MB after", "peak"]
    rows = [row(grew, began) for grew, began in zip(grown, opened)]
    title = (f"Frontier: {hosts:,} hosts, URLs of {grown[-1]['url_bytes']:.0f} bytes, one in ten leased and settled; CPU and wall time in "
             f"microseconds, each line since the one before. Opened in a new process, the log in the system's cache; "
             f"from disk the last one took {cold['seconds']:.1f} s")
    return Table(title, heads, rows), judge(grown, opened)


def step(program, folder, hosts, mark):
    """Opens what the last step left, and goes on to the mark."""
    done = subprocess.run([program, folder, str(hosts), str(mark)], stdout=subprocess.PIPE, text=True, check=True)
    opened, grown = (json.loads(line) for line in done.stdout.splitlines())
    opened, grown = opened["opened"], grown["grown"]
    print(f"scale: {mark:,} URLs, {grown['add']['cpu_us']:.2f} us CPU an add, {grown['lease']['cpu_us']:.2f} a lease and settle, "
          f"{grown['memory']['rss'] / 1e6:.0f} MB; before that opened {opened['urls']:,} in {opened['seconds']:.1f} s",
          file=sys.stderr)
    return opened, grown


def last_opening(program, folder, hosts, urls):
    return step(program, folder, hosts, urls)[0]


def from_disk(program, folder, hosts, urls):
    """The system forgets what it has of the log, as after a start of the machine."""
    log = os.open(Path(folder, "log"), os.O_RDONLY)
    os.fsync(log)
    os.posix_fadvise(log, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(log)
    return last_opening(program, folder, hosts, urls)


def row(grown, opened):
    urls, memory, disk, after = grown["urls"], grown["memory"], grown["disk"], opened["memory"]
    costs = [f"{grown[what][kind]:.2f}" for what in ("add", "lease") for kind in ("cpu_us", "wall_us")]
    return [f"{urls:,}", *costs, *(f"{grown[what]['cpu_us']:.2f}" for what in ("seen", "unseen")),
            f"{memory['rss'] / 1e6:.0f}", f"{memory['rss'] / urls:.1f}", f"{disk['log'] / 1e6:,.0f}", f"{disk['queues'] / 1e6:,.0f}",
            f"{opened['seconds']:.1f}", f"{opened['cpu_s']:.1f}", f"{opened['cpu_s'] * 1e6 / urls:.2f}",
            f"{after['rss'] / 1e6:.0f}", f"{after['peak'] / 1e6:.0f}"]


def judge(grown, opened):
    """Ratios within this run, and bytes, which no other work on the machine changes."""
    first, last = grown[0], grown[-1]
    names = {"add": "an add", "lease": "a lease and settle", "seen": "a look-up"}
    verdicts = [dearer(names[key], key, most, first, last) for key, most in MOST_DEARER.items()]
    early, late = (one["cpu_s"] / one["urls"] for one in (opened[0], opened[-1]))
    verdicts.append(verdict(late <= MOST_OPEN_DEARER * early,
                            f"opening {last['urls']:,} URLs takes at most {MOST_OPEN_DEARER} times the CPU for each of {first['urls']:,}",
                            f"{late * 1e6:.2f} / {early * 1e6:.2f} us = {late / early:.2f}"))
    if last["urls"] > FEW_URLS:
        verdicts += [memory_of("grown", last), memory_of("opened", opened[-1])]
    same = all(last[count] == opened[-1][count] for count in ("urls", "waiting", "kept"))
    verdicts.append(verdict(same, "what is opened is what was closed",
                            f"{opened[-1]['urls']:,} known, {opened[-1]['waiting']:,} wait, {opened[-1]['kept']:,} kept"))
    return verdicts


def dearer(name, key, most, first, last):
    early, late = first[key]["cpu_us"], last[key]["cpu_us"]
    return verdict(late <= most * early,
                   f"{name} at {last['urls']:,} URLs takes at most {most} times the CPU of one at {first['urls']:,}",
                   f"{late:.2f} / {early:.2f} us = {late / early:.2f}")


def memory_of(when, one):
    each = one["memory"]["rss"] / one["urls"]
    return verdict(each <= MOST_BYTES_A_URL, f"at most {MOST_BYTES_A_URL} bytes of memory a known URL, {when}", f"{each:.1f}")
