"""weir on Apache Spark.

    from webweir.spark import crawl
    pages = crawl(spark, "weir.toml", out="hdfs:///crawls/news")

`driver.py` is the page to read first: it goes round by round. `recrawl.py` comes back to a crawl that is done. `task.py` is what runs in executors,
`out.py` what is where under `--out`.
"""

from importlib.util import find_spec

from webweir.spark.errors import NO_SPARK, CrawlFailed
from webweir.spark.settings import SettingsError

__all__ = ["CrawlFailed", "Crawled", "SettingsError", "crawl", "open_crawl", "recrawl"]

if find_spec("pyspark"):
    from webweir.spark.driver import crawl, open_crawl
    from webweir.spark.recrawl import recrawl
    from webweir.spark.tables import Crawled
else:
    # `weir-spark` still tells its flags, and what is missing.
    def __getattr__(name: str):
        if name in __all__:
            raise ImportError(NO_SPARK)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
