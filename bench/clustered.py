"""One scheduler and many downloaders: what they bring, what the scheduler costs, what it can take.

Started by `bench/cluster`. All are real processes that speak over loopback, without TLS.
"""

import argparse
import sys
from pathlib import Path

import build
from clusters import cost, load, speed
from figures import all_reached
from measure import raise_file_limit

PARTS = {"speed": speed, "cost": cost, "load": load}


def main():
    args = parse_args()
    raise_file_limit()
    tools = Tools()
    tables, verdicts = [], []
    for name in args.only:
        table, reached = PARTS[name].run(tools, args)
        tables.append(table)
        verdicts += reached
        print("\n" + table.text(), flush=True)
    print()
    for verdict in verdicts:
        print(f"{verdict.result:12}  {verdict.figure}: {verdict.numbers}")
    if args.markdown:
        Path(args.markdown).write_text("\n".join(table.markdown() for table in tables))
    return 1 if args.check and not all_reached(verdicts) else 0


class Tools:
    """What is built of this repository."""

    def __init__(self):
        self.site, self.weir, self.flood = build.testsite(), build.weir(), build.flood()
        if self.weir is None or self.flood is None:
            sys.exit("bench: weir or the load test does not build; see the errors above")


def parse_args():
    parser = argparse.ArgumentParser(prog="bench/cluster", description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="LIST", type=parts, default=list(PARTS),
                        help=f"some of {','.join(PARTS)} (all)")
    parser.add_argument("--repeat", metavar="N", type=int, default=2,
                        help="runs of each row of speed and cost; the best counts (2)")
    parser.add_argument("--seconds", metavar="S", type=int, default=15,
                        help="speed: what each row would take if nothing but waiting counted (15)")
    parser.add_argument("--pages", metavar="N", type=int, default=100,
                        help="cost: pages of each of 200 hosts (100)")
    parser.add_argument("--urls", metavar="N", type=int, default=10_000_000,
                        help="load: URLs that the scheduler is told of (10,000,000)")
    parser.add_argument("--members", metavar="N", type=int, default=4,
                        help="load: downloaders that fetch nothing (4)")
    parser.add_argument("--traps", metavar="MODE", default="avoid",
                        help="load: avoid, as users have it, or ignore (avoid)")
    parser.add_argument("--timeout", metavar="S", type=float, default=900,
                        help="seconds after which a run is ended (900)")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables for a document")
    parser.add_argument("--check", action="store_true", help="exit 1 if a figure falls short")
    return parser.parse_args()


def parts(text):
    names = text.split(",")
    wrong = [name for name in names if name not in PARTS]
    if wrong:
        raise argparse.ArgumentTypeError(f"{wrong[0]!r} is none of {','.join(PARTS)}")
    return names


if __name__ == "__main__":
    sys.exit(main())
