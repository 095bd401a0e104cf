"""What hostile hosts cost: the same honest hosts are crawled alone and beside hostile ones.

Started by `bench/hostile`. weir runs as users run it, but for `--allow-private`. The two crawls
take turns, so that a busy minute hits both, and the best of each counts.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import build
from measure import Child
from testweb import TestWeb

# What a crawl with hostile hosts may cost, as a multiple of the same crawl without them.
MOST_CPU = MOST_MEMORY = 1.2


def main():
    args = parse_args()
    site, weir = build.testsite(), build.weir()
    if weir is None:
        sys.exit("bench: weir does not build; see the errors above")
    if args.each:
        return each(site, weir, args)
    alone, mixed = [], []
    for turn in range(args.repeat):
        print(f"turn {turn + 1} of {args.repeat}", file=sys.stderr)
        alone.append(crawl(site, weir, args, []))
        mixed.append(crawl(site, weir, args, ["--hostile", str(args.hostile)]))
    return judge(args, alone, mixed)


def parse_args():
    parser = argparse.ArgumentParser(prog="bench/hostile", description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", metavar="N", type=int, default=160, help="honest hosts (160)")
    parser.add_argument("--pages", metavar="N", type=int, default=100, help="pages of each (100)")
    parser.add_argument("--hostile", metavar="N", type=int, default=40, help="hostile hosts (40)")
    parser.add_argument("--repeat", metavar="N", type=int, default=3, help="runs of each crawl (3)")
    parser.add_argument("--timeout", metavar="S", type=float, default=900,
                        help="seconds after which a run is ended (900)")
    parser.add_argument("--each", action="store_true",
                        help="one honest host beside each kind alone: what that kind costs")
    parser.add_argument("--check", action="store_true", help="exit 1 if a figure falls short")
    return parser.parse_args()


def crawl(site, weir, args, more, hosts=None):
    hosts = args.hosts if hosts is None else hosts
    flags = ["--hosts", str(hosts), "--pages", str(args.pages), *more]
    with TestWeb(site, flags) as web, tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        seeds = scratch / "seeds.txt"
        seeds.write_text("".join(f"{seed}\n" for seed in web.seeds))
        command = [weir, "crawl", "--seeds", seeds, "-o", scratch / "out", "--allow-private",
                   "--progress", "none"]
        child = Child(command, {}, scratch, None)
        child.wait(args.timeout)
        return child.run(hosts * args.pages, web.counts())


def judge(args, alone, mixed):
    rows = [("honest alone", alone), (f"with {args.hostile} hostile", mixed)]
    print(f"{args.hosts} honest hosts of {args.pages} pages, best of {args.repeat}\n")
    print(f"{'':20}{'CPU s':>8}{'RSS MB':>9}{'wall s':>9}{'pages %':>9}{'requests':>10}")
    for name, runs in rows:
        print(f"{name:20}{best_cpu(runs):8.2f}{best_memory(runs):9.1f}"
              f"{min(run.wall_s for run in runs):9.1f}"
              f"{100 * min(run.complete for run in runs):9.2f}{runs[0].counts['requests']:10}")
    cpu = best_cpu(mixed) / best_cpu(alone)
    memory = best_memory(mixed) / best_memory(alone)
    whole = all(run.complete == 1 and run.exit_code == 0 and not run.timed_out
                for run in alone + mixed)
    print()
    results = [
        verdict(whole, "every crawl ends by itself with every honest page"),
        verdict(cpu <= MOST_CPU, f"CPU at most {MOST_CPU} times: {cpu:.2f}"),
        verdict(memory <= MOST_MEMORY, f"memory at most {MOST_MEMORY} times: {memory:.2f}"),
    ]
    return 1 if args.check and not all(results) else 0


def verdict(good, figure):
    print(f"{'PASS' if good else 'FALLS SHORT'}: {figure}")
    return good


def best_cpu(runs):
    return min(run.cpu_s for run in runs)


def best_memory(runs):
    return min(run.rss_mb for run in runs)


def each(site, weir, args):
    """The cost of every kind beside one honest host, and first that of the host alone."""
    print(f"{'':22}{'CPU s':>8}{'RSS MB':>9}{'wall s':>9}{'requests':>10}")
    for name in [None, *names(site)]:
        run = crawl(site, weir, args, ["--hostile", name] if name else [], hosts=1)
        told = "" if run.exit_code == 0 else f"  exit {run.exit_code}, {run.log[-80:]!r}"
        print(f"{name or 'one honest host':22}{run.cpu_s:8.2f}{run.rss_mb:9.1f}"
              f"{run.wall_s:9.1f}{run.counts['requests']:10}{told}", flush=True)
    return 0


def names(site):
    """The test web lists them when it is asked for one that it does not have."""
    told = subprocess.run([site, "--hostile", "?"], capture_output=True, text=True, check=False)
    listed = told.stderr.split("is none of ")[1].splitlines()[0]
    return [name.strip() for name in listed.split(",")]


if __name__ == "__main__":
    sys.exit(main())
