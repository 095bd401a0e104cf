"""`weir-spark crawl …`, also `python -m webweir.spark crawl …`."""

import argparse
import os
import sys

from webweir import __version__
from webweir.spark.errors import CrawlFailed
from webweir.spark.out import OutError
from webweir.spark.settings import Ahead, SettingsError

OK, CANNOT, WRONG = 0, 1, 2


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="weir-spark", description="The web crawler weir on Apache Spark.")
    top.add_argument("--version", action="version", version=f"weir-spark {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    crawl = commands.add_parser("crawl", help="crawl, or go on with what is at --out", description="Crawls, or goes on with what is at --out, however it was stopped.")
    crawl.add_argument("urls", nargs="*", metavar="URL", help="where to begin, besides the urls of weir.toml")
    crawl.add_argument("-c", "--config", metavar="FILE", help="weir.toml, as for `weir crawl`")
    crawl.add_argument("-o", "--out", default="weir-spark-out", metavar="URI", help="where pages, links and the state go: a folder, hdfs://…, s3a://… [weir-spark-out]")
    crawl.add_argument("--master", metavar="URL", help="the Spark master, such as local[*] or spark://host:7077; that of spark-submit if it is left out")
    crawl.add_argument("--buckets", type=_count, metavar="N", help="parts that hosts are divided into, fixed when a crawl begins [cores of the cluster]")
    crawl.add_argument("--no-speculation", action="store_true", help="fetch layer by layer: nothing is asked for in the round that found it")
    crawl.add_argument("--ahead-pages", type=_count, default=Ahead.pages, metavar="N", help=f"how far a task runs ahead in a round, in pages [{Ahead.pages}]")
    crawl.add_argument("--ahead-seconds", type=float, default=Ahead.seconds, metavar="S", help=f"the same in seconds [{Ahead.seconds:.0f}]")
    crawl.add_argument("--depth", type=int, metavar="N", help="links followed from a seed, at the most")
    crawl.add_argument("--max-pages", type=_count, metavar="N", help="stop after about so many pages")
    crawl.add_argument("--scope", choices=("host", "site", "any"), help="which links are followed [site]")
    crawl.add_argument("--concurrency", type=_count, metavar="N", help="requests under way at a time, of each task [256]")
    crawl.add_argument("--limit", metavar="RATE", help="never more than this for all tasks together, such as 2MB/s")
    crawl.add_argument("--store", metavar="WHAT", help="warc,parquet or parquet [warc,parquet]")
    crawl.add_argument("--allow-private", action="store_true", default=None, help="crawl private and loopback addresses, too")
    crawl.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE", help="a setting of Spark (repeatable)")
    crawl.add_argument("-q", "--quiet", action="store_true", help="say nothing but errors")
    return top


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("write a number above 0")
    return number


def main(arguments=None) -> int:
    options = parser().parse_args(arguments)
    try:
        return run(options)
    except (SettingsError, OutError, CrawlFailed) as why:
        print(f"error: {why}", file=sys.stderr)
        return WRONG if isinstance(why, SettingsError) else CANNOT


def run(options) -> int:
    from webweir.spark.settings import prepare

    flags = {name: getattr(options, name) for name in ("depth", "max_pages", "scope", "concurrency", "limit", "store", "allow_private")}
    if options.urls:
        flags["urls"] = options.urls
    prepare(options.config, **flags)  # What is wrong is told before a cluster is asked for.
    from webweir.spark.driver import crawl

    spark = session(options)
    try:
        ahead = Ahead(pages=options.ahead_pages, seconds=options.ahead_seconds)
        crawl(
            spark,
            options.config,
            out=options.out,
            buckets=options.buckets,
            speculate=not options.no_speculation,
            ahead=ahead,
            progress=not options.quiet,
            **flags,
        )
    finally:
        spark.stop()
    return OK


def session(options):
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise SettingsError("pyspark is not installed: pip install 'webweir[spark]'") from None
    if (options.master or "").startswith("local"):
        # Tasks run here, and this interpreter has what they need.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("weir-spark")
    if options.master:
        builder = builder.master(options.master)
    for setting in options.conf:
        name, equals, value = setting.partition("=")
        if not equals:
            raise SettingsError(f"--conf {setting}: write KEY=VALUE")
        builder = builder.config(name, value)
    return builder.getOrCreate()


if __name__ == "__main__":
    sys.exit(main())
