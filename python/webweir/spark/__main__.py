"""`weir-spark crawl …` and `weir-spark recrawl …`, also `python -m webweir.spark …`."""

import argparse
import os
import sys
from importlib.util import find_spec

from webweir import __version__
from webweir.spark.errors import NO_SPARK, CrawlFailed
from webweir.spark.out import Out, OutError
from webweir.spark.settings import Ahead, SettingsError, prepare
from webweir.spark.stoppable import stoppable

# As those of `weir crawl`.
OK, CANNOT, WRONG, RESUMABLE = 0, 1, 2, 4


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="weir-spark", description="The web crawler weir on Apache Spark.")
    top.add_argument("--version", action="version", version=f"weir-spark {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    crawl = commands.add_parser("crawl", help="crawl, or go on with what is at --out", description="Crawls, or goes on with what is at --out, however it was stopped.")
    _add_common(crawl)
    crawl.add_argument("--buckets", type=_count, metavar="N", help="parts that hosts are divided into, fixed when a crawl begins [cores of the cluster]")
    crawl.add_argument("--no-speculation", action="store_true", help="fetch layer by layer: nothing is asked for in the round that found it")
    crawl.add_argument("--max-pages", type=_count, metavar="N", help="stop after about so many pages")
    crawl.add_argument("--max-bytes", metavar="SIZE", help="stop after about so many bytes, such as 2GB")
    crawl.set_defaults(run=_crawl)
    recrawl = commands.add_parser(
        "recrawl",
        help="visit the pages of a crawl that is done again",
        description="Visits the pages of a crawl that is done again, all of them or those that are worth it, and what is new behind "
        "them. Pages that have not changed cost an answer without a body. Give the settings of the crawl. What was stopped goes on.",
    )
    _add_common(recrawl)
    recrawl.add_argument("--max-pages", type=_count, metavar="N", help="no more than N pages of those that are known: the ones that gain most, by how often each has changed")
    recrawl.add_argument("--freshness", metavar="SIZE/day", help="only what is worth its bytes, such as 200MB/day: so much for the days since the last time")
    recrawl.set_defaults(run=_recrawl)
    return top


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument("urls", nargs="*", metavar="URL", help="where to begin, instead of the `urls` of weir.toml; those of its [[site]] tables and of `seeds` count, too")
    command.add_argument("-c", "--config", metavar="FILE", help="weir.toml, as for `weir crawl`")
    command.add_argument("-o", "--out", default="weir-spark-out", metavar="URI", help="where pages, links and the state go: a folder, hdfs://…, s3a://… [weir-spark-out]")
    command.add_argument("--master", metavar="URL", help="the Spark master, such as local[*] or spark://host:7077; that of spark-submit if it is left out")
    command.add_argument("--ahead-pages", type=_count, default=Ahead.pages, metavar="N", help=f"how far a task runs ahead in a round, in pages [{Ahead.pages}]")
    command.add_argument("--ahead-seconds", type=float, default=Ahead.seconds, metavar="S", help=f"the same in seconds [{Ahead.seconds:.0f}]")
    command.add_argument("--depth", type=int, metavar="N", help="links followed from a seed, at the most")
    command.add_argument("--scope", choices=("host", "site", "any"), help="which links are followed [site]")
    command.add_argument("--concurrency", type=_count, metavar="N", help="requests under way at a time, of each task [256]")
    command.add_argument("--limit", metavar="RATE", help="never more than this for all tasks together, such as 2MB/s")
    command.add_argument("--store", metavar="WHAT", help="warc,parquet or parquet [warc,parquet]")
    command.add_argument("--allow-private", action="store_true", default=None, help="crawl private and loopback addresses, too")
    command.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE", help="a setting of Spark (repeatable)")
    command.add_argument("-q", "--quiet", action="store_true", help="say nothing but errors")


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("write a number above 0")
    return number


def main(arguments=None) -> int:
    options = parser().parse_args(arguments)
    try:
        if not find_spec("pyspark"):
            raise SettingsError(NO_SPARK)
        return run(options)
    except (SettingsError, OutError, CrawlFailed) as why:
        print(f"error: {why}", file=sys.stderr)
        return WRONG if isinstance(why, SettingsError) else CANNOT
    except KeyboardInterrupt:
        # The round that was under way never happened, and the next run makes it again.
        _say(options, "stopped early; run the same command to go on")
        return RESUMABLE


def run(options) -> int:
    """A crawl that a limit has ended can go on."""
    return OK if options.run(options).manifest.is_done else RESUMABLE


def _crawl(options):
    flags = _flags(options)
    prepare(options.config, **flags)  # What is wrong is told before a cluster is asked for.
    from webweir.spark.driver import crawl

    with _session(options) as spark:
        return crawl(spark, options.config, buckets=options.buckets, speculate=not options.no_speculation, **_common(options), **flags)


def _recrawl(options):
    flags = {**_flags(options), "freshness": options.freshness}
    settings = prepare(options.config, comes_back=True, **flags)
    from webweir.spark.recrawl import check, check_crawl, recrawl

    check(settings)
    check_crawl(Out(options.out))
    with _session(options) as spark:
        return recrawl(spark, options.config, **_common(options), **flags)


def _flags(options) -> dict:
    """Settings of weir.toml that were typed."""
    flags = {name: getattr(options, name, None) for name in ("depth", "max_pages", "max_bytes", "scope", "concurrency", "limit", "store", "allow_private")}
    if options.urls:
        flags["urls"] = options.urls
    return flags


def _common(options) -> dict:
    ahead = Ahead(pages=options.ahead_pages, seconds=options.ahead_seconds)
    return {"out": options.out, "ahead": ahead, "progress": not options.quiet}


def _session(options):
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    conf = _conf(options)
    steps = (lambda: SparkContext.getOrCreate(conf), SparkSession.builder.getOrCreate)
    return stoppable(steps, lambda text: _say(options, text))


def _conf(options):
    from pyspark import SparkConf

    if (options.master or "").startswith("local"):
        # Tasks run here, and this interpreter has what they need.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Tasks take long and there are few: none is to start where another one is while a core is still on its way.
    conf = SparkConf().setAppName("weir-spark").set("spark.scheduler.minRegisteredResourcesRatio", "1.0")
    if options.master:
        conf.setMaster(options.master)
    for setting in options.conf:
        name, equals, value = setting.partition("=")
        if not equals:
            raise SettingsError(f"--conf {setting}: write KEY=VALUE")
        conf.set(name, value)
    return conf


def _say(options, text):
    if not options.quiet:
        print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
