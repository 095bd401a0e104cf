"""What a page costs the scheduler, and what it costs the downloaders."""

import sys

from clusters.party import crawl
from clusters.table import Table
from figures import verdict

HOSTS, DOWNLOADERS, SLOTS = 200, 3, 20
MODES = {
    "WARC, Parquet and text kept": [],
    "nothing kept": ["--store", "none", "--content", "none"],
}
MOST = 0.25


def run(tools, args):
    alone, shared = {mode: [] for mode in MODES}, {mode: [] for mode in MODES}
    for turn in range(args.repeat):
        for mode, flags in MODES.items():
            alone[mode].append(one(tools, args, flags, 0))
            shared[mode].append(one(tools, args, flags, DOWNLOADERS))
            done = shared[mode][-1]
            print(f"cost {turn + 1}: {mode}: {done.decider_cpu_s:.2f} s and "
                  f"{sum(done.cpu_s):.2f} s", file=sys.stderr)
    alone = {mode: least(runs) for mode, runs in alone.items()}
    shared = {mode: least(runs) for mode, runs in shared.items()}
    return table(alone, shared, args), [judge(mode, shared[mode]) for mode in MODES]


def one(tools, args, flags, downloaders):
    site = ["--hosts", str(HOSTS), "--pages", str(args.pages), "--page-bytes", "27000",
            "--links", "33", "--robots"]
    return crawl(tools, site, HOSTS * args.pages, flags, downloaders, SLOTS, args.timeout)


def least(runs):
    return min(runs, key=lambda run: (not run.is_complete, run.decider_cpu_s + sum(run.cpu_s)))


def table(alone, shared, args):
    heads = ["CPU s for 1,000 pages", "scheduler", "downloaders", "part", "weir crawl",
             "scheduler RSS MB", "pages %"]
    rows = [row(mode, alone[mode], shared[mode]) for mode in MODES]
    title = (f"Cost: {HOSTS} hosts of {args.pages} pages of 27 KB with 33 links, {DOWNLOADERS} "
             f"downloaders x {SLOTS} slots; best of {args.repeat}")
    return Table(title, heads, rows)


def row(mode, alone, shared):
    decider, workers = shared.per_1000(shared.decider_cpu_s), shared.per_1000(sum(shared.cpu_s))
    return [mode, f"{decider:.3f}", f"{workers:.3f}", f"{decider / workers:.2f}",
            f"{alone.per_1000(alone.decider_cpu_s):.3f}", f"{shared.decider_rss_mb:.0f}",
            f"{100 * shared.pages / shared.expected:.2f}"]


def judge(mode, shared):
    decider, workers = shared.per_1000(shared.decider_cpu_s), shared.per_1000(sum(shared.cpu_s))
    good = decider <= MOST * workers and shared.is_complete
    return verdict(good, f"scheduler's CPU at most {MOST} of the downloaders' ({mode})",
                   f"{decider:.3f} / {workers:.3f} = {decider / workers:.2f}")
