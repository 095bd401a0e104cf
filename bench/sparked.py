"""weir on Apache Spark beside ParaCA's own scheme, on a standalone cluster on loopback.

Started by `bench/spark`. Master, workers, executors and drivers are real processes; the workers have one core each.
"""

import argparse
import contextlib
import sys
import tempfile
from pathlib import Path

from sparks import interpreter

interpreter.become()
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests/spark"))

import build
from cluster import Cluster
from figures import all_reached
from measure import raise_file_limit
from sparks import baseline, ours
from sparks.cpu import KINDS
from sparks.row import cpu_table, judge_ahead, judge_speed, judge_whole, judge_workers, kept_table, table
from sparks.undisturbed import undisturbed
from testweb import TestWeb

BASELINE = "ParaCA's scheme, 2 workers"
FLAT = "weir-spark, 2 workers"
AHEAD, LAYERS = "weir-spark, deep web", "weir-spark --no-speculation, deep web"
ONE, TWO = "weir-spark, 1 worker, 50 ms, 10 at a time", "weir-spark, 2 workers, 50 ms, 10 at a time each"
# Few links lead on from a page, as where lists are leafed through: twice the layers. Servers are some way off, so it is
# they who are waited for, one page of each host at a time, and not the processor.
DEEP = {"links": 3, "latency": "200ms"}
# Few enough requests at a time that each worker waits for its servers, and not for a core. With 20 instead of 10, one worker
# to two gave 1.18 and 1.67 times in two runs on two shared cores.
WAITING = ("--buckets", "2", "--concurrency", "10")
# Name, workers, how its web is different, and what runs it: `run(name, cluster, web, seeds, folder, args)` gives a `Row`.
ROWS = [
    (BASELINE, 2, {}, baseline.run),
    (FLAT, 2, {}, ours.runner()),
    (AHEAD, 2, DEEP, ours.runner()),
    (LAYERS, 2, DEEP, ours.runner("--no-speculation")),
    (ONE, 1, {"latency": "50ms"}, ours.runner(*WAITING)),
    (TWO, 2, {"latency": "50ms"}, ours.runner(*WAITING)),
]


def main():
    args = parse_args()
    raise_file_limit()
    site = build.testsite()
    ours.ready()
    chosen = [row for row in ROWS if not args.only or any(word in row[0] for word in args.only.split(","))]
    rows = [undisturbed(lambda row=row: one(site, args, *row)) for row in chosen]
    first = next((row for row in rows if row.name == BASELINE), None)
    tables = [table(title(args), rows, first), cpu_table(rows, KINDS), kept_table(rows)]
    verdicts = [judge_whole(row) for row in rows] + judge({row.name: row for row in rows})
    print("\n" + "\n\n".join(table.text() for table in tables) + "\n")
    for verdict in verdicts:
        print(f"{verdict.result:12}  {verdict.figure}: {verdict.numbers}")
    if args.markdown:
        Path(args.markdown).write_text("\n".join(table.markdown() for table in tables))
    return 1 if args.check and not all_reached(verdicts) else 0


def judge(rows):
    """What was left out is not judged."""
    verdicts = []
    if {FLAT, BASELINE} <= rows.keys():
        verdicts.append(judge_speed(rows[FLAT], rows[BASELINE]))
    if {AHEAD, LAYERS} <= rows.keys():
        verdicts += judge_ahead(rows[AHEAD], rows[LAYERS])
    if {ONE, TWO} <= rows.keys():
        verdicts.append(judge_workers(rows[ONE], rows[TWO]))
    return verdicts


def one(site, args, name, workers, different, run):
    """Web and cluster are new for each row, so none finds anything warm; their start does not count."""
    with contextlib.ExitStack() as stack:
        web = stack.enter_context(TestWeb(site, site_flags({**vars(args), **different})))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        cluster = stack.enter_context(Cluster(workers))
        seeds = folder / "seeds.txt"
        seeds.write_text("".join(f"{seed}\n" for seed in web.seeds[:args.seeds]))
        return run(name, cluster, web, seeds, folder, args)


def site_flags(web):
    """Every host links to others, and few are seeds: the web is found layer by layer."""
    names = ("hosts", "pages", "page_bytes", "links", "cross", "latency")
    return [word for name in names for word in ("--" + name.replace("_", "-"), str(web[name]))]


def title(args):
    return (f"Spark: {args.hosts} hosts of {args.pages} pages of {args.page_bytes / 1000:.0f} KB with "
            f"{args.links} links, {args.cross} of them to other hosts; {args.seeds} seed"
            f"{'s' if args.seeds > 1 else ''}, answers after {args.latency}; deep web: {DEEP['links']} links, {DEEP['latency']}")


def parse_args():
    parser = argparse.ArgumentParser(prog="bench/spark", description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true",
                        help="20 hosts of 25 pages, to try things out; the figures say little")
    parser.add_argument("--hosts", metavar="N", type=int, help="(200)")
    parser.add_argument("--pages", metavar="N", type=int, help="pages of each host (100)")
    parser.add_argument("--page-bytes", metavar="N", type=int, default=27_000,
                        help="mean size of a page (27,000)")
    parser.add_argument("--links", metavar="N", type=int, default=33, help="links of a page (33)")
    parser.add_argument("--cross", metavar="N", type=int, default=1,
                        help="how many of these lead to other hosts (1)")
    parser.add_argument("--seeds", metavar="N", type=int, default=1,
                        help="hosts whose first page is a seed; links lead to the others (1)")
    parser.add_argument("--latency", metavar="TIME", default="0ms",
                        help="wait before each answer, such as 50ms (0ms)")
    parser.add_argument("--threads", metavar="N", type=int,
                        help="pages that a task of the baseline fetches at a time (16, or 1 at 0ms)")
    parser.add_argument("--timeout", metavar="S", type=float, default=3600,
                        help="seconds after which a row is ended (3600)")
    parser.add_argument("--only", metavar="WORDS", help="rows whose names have one of these, such as weir,ParaCA")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables for a document")
    parser.add_argument("--check", action="store_true", help="exit 1 if a figure falls short")
    args = parser.parse_args()
    args.hosts = args.hosts or (20 if args.short else 200)
    args.pages = args.pages or (25 if args.short else 100)
    # Where nothing is waited for, more threads save no time and cost more CPU.
    args.threads = args.threads or (1 if args.latency == "0ms" else 16)
    return args


if __name__ == "__main__":
    sys.exit(main())
