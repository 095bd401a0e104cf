"""The results of a crawl as DataFrames."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType


class Crawled:
    """The tables of a crawl. It is used like the DataFrame of its pages, and has `.links` and `.seen` besides.

        pages = crawl(spark, "weir.toml")
        pages.groupBy("site").count().show()
        pages.links.show()
    """

    def __init__(self, spark: SparkSession, out, manifest, counters=None):
        self._spark, self._out, self.manifest = spark, out, manifest
        # Spark's accumulators of the run that has just ended, by name.
        self.counters = counters or {}
        self._tables = {}

    @property
    def pages(self) -> DataFrame:
        """A row for each answer that was kept, with its true depth, and `duplicate_of` over all hosts."""
        return self._once("pages", self._pages)

    @property
    def links(self) -> DataFrame:
        """`url`, `target`, `kind`."""
        return self._once("links", lambda: self._read("links", "url string, target string, kind string"))

    @property
    def seen(self) -> DataFrame:
        """All URLs that are known: `url`, `depth`, `kind`."""
        return self._once("seen", lambda: self._read("seen", "url string, depth int, kind string"))

    def __iter__(self):
        return iter((self.pages, self.links))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.pages, name)

    def __getitem__(self, item):
        return self.pages[item]

    def __repr__(self):
        return f"Crawled({self._out.uri}: {self.manifest.total('pages')} pages in {self.manifest.round + 1} rounds)"

    def _once(self, name, make):
        if name not in self._tables:
            self._tables[name] = make()
        return self._tables[name]

    def _read(self, table, schema=None):
        names = self.manifest.files(table)
        if names:
            return self._spark.read.parquet(*map(self._out.spark, names))
        return self._spark.createDataFrame([], schema or StructType([]))

    def _pages(self):
        pages = self._read("pages")
        if self.manifest.files("nearer"):
            nearer = self._read("nearer").groupBy("url").agg(F.min("depth").alias("nearer"))
            columns = pages.columns
            pages = pages.join(nearer, "url", "left")
            pages = pages.withColumn("depth", F.least("depth", "nearer")).select(columns)
        return pages
