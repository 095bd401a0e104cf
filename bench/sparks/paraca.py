"""The baseline: the crawler of "ParaCA: A Speculative Parallel Crawling Approach on Apache Spark", in PySpark.

Written after its Algorithms 2 to 5 and the steps of its section III: a context for each stage, everything collected to
the driver after each, layer by layer. Where the paper leaves a choice it is made in the baseline's favour: connections
are used again, what is known is a set, tasks are as many as the cores need, and pages stay in memory. Prints one line of JSON when it is done. Started by `bench/spark`.
"""

import argparse
import contextlib
import itertools
import json
import math
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pyspark import SparkConf, SparkContext

import page
from page import get_content, get_html, get_newurls

# A task must stay well below `spark.rpc.message.maxSize`, and an executor must hold it.
SLICE_BYTES = 16 << 20


def main():
    args = parse_args()
    begun = time.monotonic()
    engine = Engine(args.conf, args.slices, args.threads)
    pages, layers = crawl(engine, args.seeds, args.depth)
    contents = content_parser(engine, list(pages.items()))
    seconds = time.monotonic() - begun
    fetched = [url for url, found in pages.items() if found is not None]
    Path(args.urls).write_text("".join(f"{url}\n" for url in fetched))
    json.dump({
        "pages": len(fetched), "layers": len(layers), "seconds": seconds,
        "pages_per_s": len(fetched) / seconds, "layer_pages": layers, "contents": len(contents),
        "contexts": engine.contexts, "stages_s": engine.stages_s}, sys.stdout)
    print()


def crawl(engine, seeds_file, depth):
    """Steps 1 to 7: the pages of all layers by their URL, so each once, and how many URLs each layer had."""
    urls = load_seeds(engine, seeds_file)
    old_urls = set(urls)
    pages, layers = {}, []
    while urls and len(layers) < depth:
        layers.append(len(urls))
        url_html_list = urls_download(engine, urls)
        pages.update(url_html_list)
        url_newurls_list = url_parser(engine, url_html_list)
        urls = url_optimi(engine, url_newurls_list, old_urls)
        old_urls.update(urls)
        print(f"layer {len(layers)}: {layers[-1]} pages, {len(urls)} new URLs", file=sys.stderr)
    return pages, layers


def load_seeds(engine, seeds_file):
    with engine.stage("LoadSeedsFile") as sc:
        return sc.textFile(Path(seeds_file).resolve().as_uri()).flatMap(str.split).distinct().collect()


def urls_download(engine, urls):
    """Algorithm 2. In order, so that a host's pages come to one task, which keeps its connection."""
    with engine.stage("URLDownload") as sc:
        new_urls = sc.parallelize(sorted(urls), engine.slices(len(urls)))
        threads = engine.threads
        return new_urls.mapPartitions(lambda some: download(some, threads)).collect()


def download(urls, threads):
    """The paper speaks of many threads; where nothing is waited for they save no time and cost CPU."""
    with page.session(threads) as session, ThreadPoolExecutor(threads) as pool:
        get = pool.map if threads > 1 else map
        yield from get(lambda url: (url, get_html(session, url)), urls)


def url_parser(engine, url_html_list):
    """Algorithm 3."""
    return combine(engine, "URLParser", url_html_list, get_newurls)


def content_parser(engine, url_html_list):
    """Algorithm 4, once for all layers: step 9."""
    return combine(engine, "ContentParser", url_html_list, get_content)


def combine(engine, name, url_html_list, parse):
    with engine.stage(name) as sc:
        size = sum(len(found[1]) for _, found in url_html_list if found)
        slices = engine.slices(len(url_html_list), size)
        url_htmls = sc.parallelize(url_html_list, slices)
        return url_htmls.combineByKey(
            parse, lambda merged, found: merged + parse(found),
            lambda one, other: one + other, slices).collect()


def url_optimi(engine, url_urls_list, old_urls):
    """Algorithm 5."""
    with engine.stage("URLOptimization") as sc:
        slices = engine.slices(len(url_urls_list))
        links = sc.parallelize(url_urls_list, slices).values().collect()
    return distinct_urls(links, old_urls)


def distinct_urls(links, old_urls):
    return list({url for url in itertools.chain.from_iterable(links) if url not in old_urls})


class Engine:
    """A context a stage, as in the paper, and what each stage took."""

    def __init__(self, confs, least_slices, threads):
        self.confs, self.least_slices, self.threads = confs, least_slices, threads
        self.contexts = 0
        self.stages_s = {}

    @contextlib.contextmanager
    def stage(self, name):
        begun = time.monotonic()
        conf = SparkConf().setAppName(name).setAll(self.confs)
        sc = SparkContext(conf=conf, pyFiles=[page.__file__])
        try:
            yield sc
        finally:
            sc.stop()
            self.contexts += 1
            self.stages_s[name] = self.stages_s.get(name, 0) + time.monotonic() - begun

    def slices(self, items, size=0):
        return slices(items, size, self.least_slices)


def slices(items, size, least):
    """Some for each core, so that none waits long for the others; none without an item; none too large."""
    return max(1, min(items, least), math.ceil(size / SLICE_BYTES))


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", metavar="FILE", required=True, help="URLs, one a line")
    parser.add_argument("--urls", metavar="FILE", required=True, help="write what was fetched here")
    parser.add_argument("--conf", metavar="KEY=VALUE", type=lambda text: text.split("=", 1),
                        action="append", default=[], help="for Spark; spark.master among them")
    parser.add_argument("--depth", metavar="N", type=int, default=100, help="layers at most (100)")
    parser.add_argument("--slices", metavar="N", type=int, default=8,
                        help="tasks of a stage, if it has so many items (8)")
    parser.add_argument("--threads", metavar="N", type=int, default=1,
                        help="pages that a task fetches at a time (1)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
