"""weir on Apache Spark.

    from webweir.spark import crawl
    pages = crawl(spark, "weir.toml", out="hdfs:///crawls/news")

`driver.py` is the page to read first: it goes round by round. `recrawl.py` comes back to a crawl that is done. `task.py` is what runs in executors,
`out.py` what is where under `--out`.
"""

from webweir.spark.driver import crawl, open_crawl
from webweir.spark.errors import CrawlFailed
from webweir.spark.recrawl import recrawl
from webweir.spark.settings import SettingsError
from webweir.spark.tables import Crawled

__all__ = ["CrawlFailed", "Crawled", "SettingsError", "crawl", "open_crawl", "recrawl"]
