"""How far one machine goes: a frontier of tens of millions of URLs, and the largest broad crawl in some minutes.

Started by `bench/scale`. The frontier's URLs are generated, not fetched; with `--broad` pages are fetched, from loopback.
"""

import argparse
import sys
from pathlib import Path

import build
from figures import all_reached
from measure import raise_file_limit
from scales import broad, frontier


def main():
    args = parse_args()
    raise_file_limit()
    table, verdicts = (broad if args.broad else frontier).run(Tools(args.broad), args)
    print("\n" + table.text() + "\n", flush=True)
    for verdict in verdicts:
        print(f"{verdict.result:12}  {verdict.figure}: {verdict.numbers}")
    if args.markdown:
        Path(args.markdown).write_text(table.markdown())
    return 1 if args.check and not all_reached(verdicts) else 0


class Tools:
    """What is built of this repository."""

    def __init__(self, is_broad):
        if is_broad:
            self.site, self.weir = build.testsite(), build.weir()
        else:
            self.scalecheck = build.scalecheck()
        if None in vars(self).values():
            sys.exit("bench: it does not build; see the errors above")


def parse_args():
    parser = argparse.ArgumentParser(prog="bench/scale", description=__doc__.splitlines()[0])
    parser.add_argument("--urls", metavar="N", type=int, default=50_000_000,
                        help="URLs that the frontier is to know (50,000,000)")
    parser.add_argument("--hosts", metavar="N", type=int,
                        help="hosts that they are of (a host for 250 URLs); with --broad, hosts to crawl (as many as there may be open files, less 4,000)")
    parser.add_argument("--folder", metavar="DIR",
                        help="where files go, on the disk that is meant (a temporary folder); emptied at the end")
    parser.add_argument("--broad", action="store_true", help="crawl a web on loopback instead")
    parser.add_argument("--minutes", metavar="N", type=float, default=30, help="with --broad: how long (30)")
    parser.add_argument("--pages", metavar="N", type=int,
                        help="with --broad: pages of each host (more in all than can be fetched)")
    parser.add_argument("--page-bytes", metavar="N", default="27000", help="with --broad: mean size of a page (27,000)")
    parser.add_argument("--concurrency", metavar="N", default="256",
                        help="with --broad: requests at a time (256, weir's own)")
    parser.add_argument("--store", metavar="LIST", help="with --broad: only this, none or warc,parquet (both, in turn)")
    parser.add_argument("--free", metavar="GB", type=float, default=15,
                        help="with --broad: a crawl is ended when so little is left of the disk (15)")
    parser.add_argument("--markdown", metavar="FILE", help="write the table for a document")
    parser.add_argument("--check", action="store_true", help="exit 1 if a figure falls short")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
