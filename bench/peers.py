"""weir beside its peers: builds, installs, crawls the same web with each, prints one table.

Started by `bench/run`. Read next: scenarios.py (what is crawled), crawlers/ (how each peer is
run), measure.py (what is measured), figures.py (what weir has to reach).
"""

import argparse
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

import build
import figures
import report
from crawlers import ALL, Missing
from measure import crawl_once, raise_file_limit
from scenarios import scenarios


def main():
    args = parse_args()
    if args.list:
        print("\n".join(f"{crawler.name:12} {crawler.about}" for crawler in ALL))
        return 0
    raise_file_limit()
    chosen = choose(args.only)
    cache = cache_folder()
    site = build.testsite()
    rows = []
    present = install(chosen, cache, rows)
    wanted = [s for s in scenarios(args.quick) if not args.scenario or s.key in args.scenario]
    for scenario in wanted:
        rows += run_scenario(scenario, present, site, args)
    verdicts = figures.judge(rows, chosen, wanted)
    notes = circumstances(args)
    print()
    print(report.text(rows, verdicts, notes))
    report.save(rows, verdicts, notes, args.markdown)
    return 1 if args.check and not figures.all_reached(verdicts) else 0


def parse_args():
    names = ",".join(crawler.name for crawler in ALL)
    parser = argparse.ArgumentParser(prog="bench/run", description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="list the crawlers and stop")
    parser.add_argument("--only", metavar="NAMES", help=f"of {names}")
    parser.add_argument("--scenario", metavar="KEYS", type=lambda text: text.split(","),
                        help="of one,many,store,open")
    parser.add_argument("--quick", action="store_true", help="2,000 pages in place of 20,000")
    parser.add_argument("--repeat", metavar="N", type=int, default=1,
                        help="runs of each crawler; the one with the least CPU counts")
    parser.add_argument("--timeout", metavar="S", type=float, default=1200,
                        help="seconds after which a run is ended (1200)")
    parser.add_argument("--markdown", metavar="FILE", help="also write the table as Markdown")
    parser.add_argument("--check", action="store_true", help="exit 1 if a figure falls short")
    return parser.parse_args()


def choose(only):
    if not only:
        return ALL
    by_name = {crawler.name: crawler for crawler in ALL}
    unknown = [name for name in only.split(",") if name not in by_name]
    if unknown:
        sys.exit(f"--only: no crawler {unknown[0]!r}; there are {', '.join(by_name)}")
    return [by_name[name] for name in by_name if name in only.split(",")]


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    cache = Path(base) / "weir-bench"
    cache.mkdir(parents=True, exist_ok=True)
    return cache


def install(chosen, cache, rows):
    """The crawlers that can run. The others become rows that say why not."""
    present = []
    for crawler in chosen:
        say(f"{crawler.name}: looking for it, installing it if need be")
        try:
            crawler.install(cache)
            crawler.title = f"{crawler.name} {crawler.version()}"
            present.append(crawler)
        except (Missing, OSError) as why:
            say(f"{crawler.name}: NOT THERE: {why}")
            rows.append(report.missing(crawler.name, str(why)))
    return present


def run_scenario(scenario, crawlers, site, args):
    """One row a crawler. Runs go round by round, so that a busy minute hits everyone alike."""
    crawlers = [crawler for crawler in crawlers if scenario.is_for(crawler)]
    runs = {crawler.name: [] for crawler in crawlers}
    wanted = {crawler.name: max(args.repeat, crawler.least_runs) for crawler in crawlers}
    for number in range(max(wanted.values(), default=0)):
        for crawler in (crawler for crawler in crawlers if number < wanted[crawler.name]):
            say(f"{scenario.key}: {crawler.title}, run {number + 1} of {wanted[crawler.name]}")
            with tempfile.TemporaryDirectory(prefix="weir-bench-") as scratch:
                run = crawl_once(crawler, scenario, site, Path(scratch), args.timeout)
            say(f"    {report.one_line(run)}")
            runs[crawler.name].append(run)
    return [report.row(crawler, scenario, runs[crawler.name]) for crawler in crawlers]


def circumstances(args):
    return {
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.platform()}",
        "load": " ".join(f"{load:.1f}" for load in os.getloadavg()),
        "quick": args.quick,
        "repeat": args.repeat,
    }


def say(line):
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
