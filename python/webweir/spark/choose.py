"""Which pages a recrawl visits: those that gain most, within a number of pages or of bytes.

No more than counts and sums come to the driver. The best are found by a threshold: a histogram says in which of its bins it
lies, and the next histogram looks into that bin.
"""

import math
from dataclasses import dataclass

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from webweir import _webweir

BINS = 1000
# So many rows are put in order by one task.
FEW = 50_000


@dataclass(frozen=True)
class Most:
    """What may be spent: `weight` is a column, or 1 to count pages."""

    amount: float
    weight: object = 1

    def less(self, amount) -> "Most":
        return Most(max(0.0, self.amount - amount), self.weight)

    def part(self, part) -> "Most":
        return Most(self.amount * part, self.weight)

    def of(self, frame: DataFrame) -> float:
        return frame.agg(F.sum(self.column())).first()[0] or 0.0

    def column(self):
        return (F.lit(1) if self.weight == 1 else F.col(self.weight)).cast("double")


def choose(worth: DataFrame, most: Most) -> DataFrame:
    """Rows of WORTH to visit. Seeds and what was never kept are among them, whatever that costs."""
    always, rest = worth.where("always"), worth.where("not always and gain > 0")
    # What never had an answer is no page, and costs next to nothing.
    left = most.less(most.of(always.where("rate is not null")))
    old = rest.where(F.col("age") >= _webweir.LONGEST_DAYS)
    if not old.isEmpty():
        # They may have other habits by now.
        old = best(old, "age", most.part(_webweir.LOOKS_AGAIN))
        always, left = always.unionByName(old), left.less(left.of(old))
        rest = rest.join(old.select("url"), "url", "left_anti").select(*worth.columns)
    return always.unionByName(best(rest, "gain", left))


def best(frame: DataFrame, key: str, most: Most) -> DataFrame:
    """The rows with the highest keys, which are above 0: as many as their weights allow, those with equal keys by URL."""
    part, above, left = frame, math.inf, most
    low, high, count = part.agg(F.min(key), F.max(key), F.count("*")).first()
    while count > FEW and low < high:
        bins = _bins(part, key, low, high, left)
        for _, sum_of, count_of, low_of, high_of in bins:
            if sum_of > left.amount:
                break
            left, above = left.less(sum_of), low_of
        else:
            return frame.where(F.col(key) >= above)
        if (low_of, high_of) == (low, high):
            break
        low, high, count = low_of, high_of, count_of
        part = part.where(F.col(key).between(low, high))
    in_order = Window.orderBy(F.desc(key), "url").rowsBetween(Window.unboundedPreceding, Window.currentRow)
    rest = part.withColumn("sum", F.sum(left.column()).over(in_order))
    rest = rest.where(F.col("sum") <= left.amount).drop("sum")
    return frame.where(F.col(key) >= above).unionByName(rest) if above < math.inf else rest


def _bins(part: DataFrame, key: str, low: float, high: float, most: Most) -> list:
    """From the highest on: number, sum of weights, count, lowest and highest key."""
    width = math.log(high) - math.log(low)
    place = (F.log(F.col(key)) - math.log(low)) / (width or 1.0) * BINS
    rows = part.groupBy(F.floor(place).alias("bin")).agg(
        F.sum(most.column()), F.count("*"), F.min(key), F.max(key)
    )
    return sorted((tuple(row) for row in rows.collect()), reverse=True)
