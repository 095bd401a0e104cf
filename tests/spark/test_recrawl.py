"""Coming back to a crawl on a real cluster, beside `weir crawl --recrawl` on the same web."""

import os

import pytest
from web import differences, rows, web, weir_rows
from webweir.spark import CrawlFailed, SettingsError, choose, crawl, recrawl
from webweir.spark.choose import Most, best

pytestmark = pytest.mark.long
FLAGS = dict(scope="any", allow_private=True, traps="ignore", per_host=4)
# Of four pages, one is another at every other tick.
WEB = ("--hosts", "6", "--pages", "20", "--cross", "1", "--page-bytes", "3000-3000", "--dead", "2", "--redirects", "2",
       "--changing", "never,never,never,2s", "--latency", "10ms")


@pytest.fixture
def small():
    with web(*WEB) as it:
        it.set_time(0)
        yield it


@pytest.fixture
def one_site():
    """Of one site, since pages are believed to be like others of theirs, and sites are not the same."""
    with web("--hosts", "1", "--pages", "80", *WEB[4:]) as it:
        it.set_time(0)
        yield it


def visits(crawled):
    return [row.asDict(recursive=True) for row in crawled.history.collect()]


def newest(all_rows):
    """Of each URL, as the tables of one machine are read: what came last, a 304 aside."""
    found = {}
    for row in sorted(all_rows, key=lambda row: (row["status"] != 304, row["fetched_at"])):
        found[row["url"]] = row
    return rows(found.values())


def last_statuses(all_rows):
    return {row["url"]: row["status"] for row in sorted(all_rows, key=lambda row: row["fetched_at"])}


def test_it_brings_what_one_machine_brings_and_asks_for_each_page_once(spark, small, tmp_path):
    seed, one, out = small.seeds[0], tmp_path / "one", str(tmp_path / "out")
    weir_rows(seed, one, "--per-host", "4")
    first = crawl(spark, urls=[seed], out=out, buckets=4, **FLAGS)
    count = first.count()
    small.set_time(7)
    expected = weir_rows(seed, one, "--per-host", "4", "--recrawl")
    before = small.counts()
    found = recrawl(spark, urls=[seed], out=out, **FLAGS)
    asked = small.counts()["requests"] - before["requests"]
    assert asked == count, "each page once, and robots.txt is known"
    assert found.count() == count and found.history.count() == 2 * count
    all_rows = visits(found)
    assert differences(newest(all_rows), newest(expected)) == []
    assert differences(rows(row.asDict(recursive=True) for row in found.pages.collect()), newest(expected)) == []
    assert last_statuses(all_rows) == last_statuses(expected)
    unchanged = sum(status == 304 for status in last_statuses(all_rows).values())
    told = found.manifest.recrawl
    assert unchanged > 60 and told.changed > 0
    assert (told.chosen, told.unchanged + told.changed, told.new) == (count, count, 0)
    assert found.where("visited_at > fetched_at").count() == unchanged
    links = found.links.select("url", "target", "kind")
    assert links.count() == first.links.count(), "pages lead where they led"


# What is another one each time is not worth more, but less: it is out of date again as soon as it came.
def test_what_changes_is_chosen_before_what_does_not(spark, one_site, tmp_path):
    seed, out = one_site.seeds[0], str(tmp_path / "out")
    flags = dict(urls=[seed], out=out, **FLAGS)
    crawl(spark, buckets=4, **flags)
    for tick in (1, 2, 3):
        one_site.set_time(tick)
        crawled = recrawl(spark, **flags)
    digests = {}
    for row in visits(crawled):
        digests.setdefault(row["url"], set()).add(row["digest"])
    fast = {url for url, all_of in digests.items() if len(all_of) > 1}
    assert len(fast) == 20
    before = one_site.counts()["requests"]
    one_site.set_time(5)
    chosen = recrawl(spark, max_pages=len(fast) + 1, **flags)
    again = [row["url"] for row in visits(chosen) if row["fetched_at"].timestamp() * 1000 >= chosen.manifest.recrawl.began_ms]
    assert sorted(again) == sorted(fast | {seed}), "the seed is visited in any case"
    assert one_site.counts()["requests"] - before == len(fast) + 1
    told = chosen.manifest.recrawl
    assert (told.chosen, told.changed, told.unchanged) == (21, 20, 1)
    assert told.chosen + told.left_out == chosen.seen.count()
    # Next to nothing was earned since, so only the seed is asked for.
    little = recrawl(spark, freshness="64KiB/day", **flags).manifest.recrawl
    assert (little.chosen, little.unchanged) == (1, 1)
    plenty = recrawl(spark, freshness="5000GB/day", **flags).manifest.recrawl
    assert plenty.left_out == 0


def test_what_cannot_be_is_told(spark, small, tmp_path):
    seed, out = small.seeds[0], str(tmp_path / "out")
    with pytest.raises(CrawlFailed, match="nothing was crawled"):
        recrawl(spark, urls=[seed], out=out, **FLAGS)
    assert not os.path.exists(out)
    crawl(spark, urls=[seed], out=out, max_pages=5, **FLAGS)
    with pytest.raises(CrawlFailed, match="is not done"):
        recrawl(spark, urls=[seed], out=out, **FLAGS)
    for flags, words in [
        (dict(max_pages=5, freshness="1MB/day"), "leave one"),
        (dict(freshness="soon"), "freshness"),
        (dict(max_pages=0), "max-pages"),
        (dict(within="2h"), "within"),
    ]:
        with pytest.raises(SettingsError, match=words):
            recrawl(spark, urls=[seed], out=out, **FLAGS, **flags)
    with pytest.raises(SettingsError, match="recrawl"):
        crawl(spark, urls=[seed], out=out, freshness="1MB/day", **FLAGS)


@pytest.mark.parametrize("few", [1, 1000])
def test_the_best_are_found_without_putting_all_in_order(spark, monkeypatch, few):
    monkeypatch.setattr(choose, "FEW", few)
    monkeypatch.setattr(choose, "BINS", 10)
    # Of each gain there are three.
    table = [(f"u{number:03}", 1.5 ** (number // 3 % 40), float(number % 5 + 1)) for number in range(200)]
    frame = spark.createDataFrame(table, "url string, gain double, bytes double").coalesce(2).cache()
    in_order = sorted(table, key=lambda row: (-row[1], row[0]))
    for most in (0, 41, 500):
        found = best(frame, "gain", Most(most)).collect()
        assert sorted(row["url"] for row in found) == sorted(row[0] for row in in_order[:most])
    for most in (0.5, 77.0):
        sums, fits = 0.0, []
        for url, _, size in in_order:
            sums += size
            if sums <= most:
                fits.append(url)
        assert sorted(row["url"] for row in best(frame, "gain", Most(most, "bytes")).collect()) == sorted(fits)
