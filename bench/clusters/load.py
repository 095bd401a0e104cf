"""What one scheduler can take: downloaders that fetch nothing answer at once, so it alone is at work."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from clusters.party import address_of, start
from clusters.table import Table
from figures import verdict

HOSTS, SLOTS = 1000, 200
# The made-up web of `crates/weir-cluster/examples/flood`; its answers need no robots.txt, and no host
# is asked anything, so none has to be spared.
FLAGS = ["--robots", "ignore", "--per-host", "16", "--store", "none", "--content", "none",
         "--progress", "none"]
MARKS = [100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000]
OUTCOMES_S = 10_000
# The most that a known URL may take of the memory: what `weir-frontier` needs to know it again.
BYTES_A_URL = 35
TICKS_S = os.sysconf("SC_CLK_TCK")


def run(tools, args):
    marks = [mark for mark in MARKS if mark < args.urls] + [args.urls]
    with tempfile.TemporaryDirectory() as folder:
        looks = flood(tools, Path(folder), args, marks)
    rows = [row(early, late) for early, late in zip(looks, looks[1:])]
    heads = ["URLs known", "seconds", "outcomes/s", "CPU s/1k", "cores", "RSS MB", "anonymous MB",
             "bytes a URL"]
    title = (f"Load: {args.members} downloaders that fetch nothing, 33 links a page, 3 of them new; "
             "each line since the one before")
    return Table(title, heads, rows), judge(looks, args)


def flood(tools, folder, args, marks):
    """Looks at the scheduler at the start, and when it knows as many URLs as each mark says."""
    seeds = folder / "seeds.txt"
    seeds.write_text("".join(f"http://h{number}.example/\n" for number in range(HOSTS)))
    command = [tools.weir, "scheduler", "--listen", "127.0.0.1:0", "--seeds", seeds,
               "-o", folder / "out", "--traps", args.traps, *FLAGS]
    scheduler = start(folder, "scheduler", command)
    try:
        looks = [look(scheduler.process.pid, None)]
        command = [tools.flood, address_of(scheduler), str(args.members), str(SLOTS),
                   str(args.urls)]
        # Whoever asks too much is ended with its group, and the flood's output with it.
        told = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
        for line in told.stdout:
            said = json.loads(line)
            if said["urls"] in marks:
                looks.append(look(scheduler.process.pid, said))
                print(f"load: {said}", file=sys.stderr)
            if said["urls"] >= args.urls or said["seconds"] > args.timeout:
                break
        scheduler.process.send_signal(signal.SIGTERM)
        scheduler.wait(60)
        told.stdout.close()
        told.wait(30)
        return looks
    finally:
        scheduler.end_group()


def look(pid, said):
    told = said or {"urls": 0, "outcomes": 0, "settled": 0, "seconds": 0.0}
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    kib = {name: int(status[name].split()[0]) for name in ("VmRSS", "RssAnon")}
    return {**told, "cpu_s": (int(fields[11]) + int(fields[12])) / TICKS_S,
            "rss": kib["VmRSS"] * 1024, "anonymous": kib["RssAnon"] * 1024}


def row(early, late):
    outcomes, seconds = late["outcomes"] - early["outcomes"], late["seconds"] - early["seconds"]
    cpu = late["cpu_s"] - early["cpu_s"]
    each = (late["rss"] - early["rss"]) / (late["urls"] - early["urls"])
    return [f"{late['urls']:,}", f"{late['seconds']:.1f}", f"{outcomes / seconds:,.0f}",
            f"{cpu * 1000 / outcomes:.3f}", f"{cpu / seconds:.2f}", f"{late['rss'] / 1e6:.0f}",
            f"{late['anonymous'] / 1e6:.0f}", f"{each:.0f}"]


def judge(looks, args):
    first, before, last = looks[0], looks[-2], looks[-1]
    rate = last["outcomes"] / last["seconds"]
    cpu = last["cpu_s"] - first["cpu_s"]
    # What is remembered of each host, so that traps are seen, has a bound; later lines are past it.
    each = (last["rss"] - before["rss"]) / max(last["urls"] - before["urls"], 1)
    return [
        verdict(rate >= OUTCOMES_S, f"{OUTCOMES_S:,} outcomes a second with their links",
                f"{rate:,.0f}, {cpu * 1000 / last['outcomes']:.3f} s CPU for 1,000"),
        verdict(last["urls"] >= args.urls and each <= BYTES_A_URL,
                f"memory grows by at most {BYTES_A_URL} bytes a URL at {args.urls:,} URLs",
                f"{each:.0f} bytes since {before['urls']:,}, {last['rss'] / 1e6:.0f} MB"),
    ]
