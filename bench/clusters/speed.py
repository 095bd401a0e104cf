"""How much faster more downloaders are where waiting, not the processor, is the limit."""

import math
import sys

from clusters.party import crawl
from clusters.table import Table
from figures import verdict

LATENCY_S = 0.05
SLOTS = 20
# Far more than there are slots, so that one request at a time to a host is no limit.
HOSTS = 400
FEW_HOSTS = 100
ONE, CRAWL = "weir crawl, 1 at a time", f"weir crawl, {SLOTS} at a time"
# Name, downloaders, slots of each, flags of its own.
ROWS = [
    (ONE, 0, 1, ["--concurrency", "1", "--threads", "1"]),
    ("1 downloader x 1 slot", 1, 1, []),
    (CRAWL, 0, SLOTS, ["--concurrency", str(SLOTS)]),
    *((f"{count} downloader{'s' if count > 1 else ''} x {SLOTS} slots", count, SLOTS, [])
      for count in (1, 2, 3, 5)),
]
STORES = {"nothing kept": ["--store", "none"], "WARC and Parquet kept": []}


def run(tools, args):
    found = {(name, store): [] for store in STORES for name, *_ in ROWS}
    for turn in range(args.repeat):
        for store, keep in STORES.items():
            for name, downloaders, slots, flags in ROWS:
                done = one(tools, args, downloaders, slots, [*flags, *keep])
                found[name, store].append(done)
                print(f"speed {turn + 1}: {name}, {store}: {done.middle:.0f} pages/s",
                      file=sys.stderr)
    best = {key: max(runs, key=lambda run: (run.is_complete, run.middle))
            for key, runs in found.items()}
    return table(best, args), [limit for store in STORES for limit in judge(best, store)]


def one(tools, args, downloaders, slots, flags):
    """As many pages as the slots bring in `--seconds`, if they do nothing but wait."""
    in_all = max(downloaders, 1) * slots
    hosts = HOSTS if in_all > 1 else FEW_HOSTS
    each = math.ceil(in_all * args.seconds / LATENCY_S / hosts)
    site = ["--hosts", str(hosts), "--pages", str(each), "--page-bytes", "2000", "--links", "10",
            "--latency", f"{LATENCY_S * 1000:.0f}ms"]
    return crawl(tools, site, hosts * each, ["--robots", "ignore", *flags], downloaders, slots,
                 args.timeout)


def table(best, args):
    heads = ["", "kept", "pages/s", "x 1 at a time", f"x 1 x {SLOTS}", "whole run", "CPU %",
             "pages %"]
    rows = [row(name, store, best) for store in STORES for name, *_ in ROWS]
    title = (f"Speed: {HOSTS} hosts, {LATENCY_S * 1000:.0f} ms to each answer, pages of 2 KB; "
             f"best of {args.repeat}")
    return Table(title, heads, rows)


def row(name, store, best):
    run = best[name, store]
    busy = 100 * (run.decider_cpu_s + sum(run.cpu_s)) / run.wall_s
    return [name, store, f"{run.middle:.0f}", f"{run.middle / best[ONE, store].middle:.1f}",
            f"{run.middle / best[name_of(1), store].middle:.2f}", f"{run.whole:.0f}",
            f"{busy:.0f}", f"{100 * run.pages / run.expected:.2f}"]


def name_of(downloaders):
    return next(name for name, count, slots, _ in ROWS if (count, slots) == (downloaders, SLOTS))


def judge(best, store):
    three, one = best[name_of(3), store].middle, best[name_of(1), store].middle
    alone = best[ONE, store].middle
    yield verdict(three >= 2.9 * one, f"3 x {SLOTS} at least 2.9 times 1 x {SLOTS} ({store})",
                  f"{three:.0f} / {one:.0f} = {three / one:.2f}")
    yield verdict(three >= 50 * alone, f"3 x {SLOTS} at least 50 times one at a time ({store})",
                  f"{three:.0f} / {alone:.1f} = {three / alone:.1f}")
    runs = [run for (_, kept), run in best.items() if kept == store]
    yield verdict(all(run.is_complete for run in runs), f"every page in every row ({store})",
                  f"{sum(run.is_complete for run in runs)} of {len(runs)} rows")
