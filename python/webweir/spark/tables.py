"""The results of a crawl as DataFrames."""

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

NOT_MODIFIED = 304
# What has a payload that may be another's too, as the store of one machine sees it.
HAS_PAYLOAD = "status <> 304 and bytes_body >= 64"


class Crawled:
    """The tables of a crawl. It is used like the DataFrame of its pages, and has `.links`, `.seen` and `.history` besides.

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
        """A row for each URL that was kept, with its true depth: as it came last.

        `visited_at` is when it was asked for last; it had not changed since `fetched_at`, or that is the same.
        `duplicate_of` is the nearest page with the same payload, wherever it was crawled.
        """
        return self._once("pages", self._pages)

    @property
    def distinct_pages(self) -> DataFrame:
        """`pages` without those that are a `duplicate_of` another."""
        return self.pages.where("duplicate_of is null")

    @property
    def history(self) -> DataFrame:
        """A row for each visit. One with status 304 says that nothing has changed, and nothing else."""
        return self._once("history", self._history)

    @property
    def links(self) -> DataFrame:
        """`url`, `target`, `kind`; of a page that was read more than once, those of the last time."""
        return self._once("links", self._links)

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
        pages = self._history()
        return self._with_duplicates(self._newest(pages)) if "fetched_at" in pages.columns else pages

    def _with_duplicates(self, pages):
        """Spark leaves this out where nobody asks for the column."""
        nearest = F.min(F.struct("depth", "url")).alias("nearest")
        firsts = pages.where(HAS_PAYLOAD).groupBy("digest").agg(nearest)
        first = F.col("nearest.url")
        is_duplicate = F.expr(HAS_PAYLOAD) & (first != F.col("url"))
        columns = pages.columns
        pages = pages.join(firsts, "digest", "left")
        return pages.withColumn("duplicate_of", F.when(is_duplicate, first)).select(columns)

    def _newest(self, pages):
        if self.manifest.recrawl is None:
            return pages.withColumn("visited_at", F.col("fetched_at"))
        of_url = Window.partitionBy("url")
        newest = of_url.orderBy((F.col("status") == NOT_MODIFIED).asc(), F.desc("fetched_at"))
        pages = pages.withColumn("visited_at", F.max("fetched_at").over(of_url))
        return pages.withColumn("place", F.row_number().over(newest)).where("place = 1").drop("place")

    def _links(self):
        links = self._read("links", "url string, target string, kind string")
        if self.manifest.recrawl is None or not self.manifest.files("links"):
            return links
        file = F.regexp_extract(F.input_file_name(), "/round=([0-9]+)/", 1).cast("int")
        links = links.withColumn("round", file)
        last = F.max("round").over(Window.partitionBy("url"))
        return links.withColumn("last", last).where("round = last").drop("round", "last")

    def _history(self):
        pages = self._read("pages")
        if self.manifest.files("nearer"):
            nearer = self._read("nearer").groupBy("url").agg(F.min("depth").alias("nearer"))
            columns = pages.columns
            pages = pages.join(nearer, "url", "left")
            pages = pages.withColumn("depth", F.least("depth", "nearer")).select(columns)
        return pages
