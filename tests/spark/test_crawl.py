"""Crawls of a real web on a real cluster, beside `weir crawl` on the same web."""

import threading

import pytest
from processes import kill, wait_until
from pyspark.sql import functions as F
from web import differences, rows, web, weir_crawl
from webweir.spark import SettingsError, crawl, depths, inbox, open_crawl
from webweir.spark.buckets import by_bucket

FLAGS = dict(scope="any", allow_private=True, traps="ignore")
ASKED_TWICE = 2 * 24
WITHIN_S = 150


def of(crawled):
    return rows(row.asDict(recursive=True) for row in crawled.pages.collect())


def test_it_brings_what_one_machine_brings_although_an_executor_is_killed(cluster, spark, small, tmp_path):
    expected = weir_crawl(small.seeds[0], tmp_path / "one")
    asked = small.counts()["requests"]
    done = {}

    def work():
        done["crawled"] = crawl(spark, urls=small.seeds[:1], out=str(tmp_path / "out"), buckets=4, **FLAGS)

    thread = threading.Thread(target=work)
    thread.start()
    wait_until(lambda: small.counts()["requests"] > asked + 60, WITHIN_S, "the crawl is under way")
    kill(cluster.executors(0)[0])
    thread.join(WITHIN_S)
    found = of(done["crawled"])
    assert len(found) >= 360
    assert differences(found, expected) == []
    # Only what the killed executor had fetched in this round is asked for again: no page more than twice.
    assert small.counts()["requests"] - asked <= 2 * len(expected) + ASKED_TWICE


def test_links_that_are_too_many_for_the_driver_are_shuffled_and_bring_the_same(spark, small, tmp_path, monkeypatch):
    monkeypatch.setattr(inbox, "LITTLE_BYTES", -1)
    monkeypatch.setattr(depths, "SMALL", 0)
    expected = weir_crawl(small.seeds[0], tmp_path / "one")
    found = of(crawl(spark, urls=small.seeds[:1], out=str(tmp_path / "out"), buckets=3, **FLAGS))
    assert differences(found, expected) == []


def test_each_bucket_is_one_partition(spark):
    for buckets in (2, 5, 48):
        rows = spark.range(buckets).select(F.col("id").cast("int").alias("bucket"))
        placed = by_bucket(spark, buckets, rows).select("bucket", F.spark_partition_id().alias("part")).collect()
        assert sorted((row["bucket"], row["part"]) for row in placed) == [(bucket, bucket) for bucket in range(buckets)]


@pytest.mark.long
def test_running_ahead_brings_the_same_pages_and_depths_in_fewer_rounds(spark, small, tmp_path):
    def run(name, **more):
        return crawl(spark, urls=small.seeds[:1], out=str(tmp_path / name), buckets=4, depth=3, **FLAGS, **more)

    layers, ahead = run("layers", speculate=False), run("ahead")
    assert differences(of(ahead), of(layers)) == []
    depths = [{row["url"]: row["depth"] for row in it.select("url", "depth").collect()} for it in (layers, ahead)]
    assert depths[0] == depths[1]
    assert max(depths[0].values()) == 3
    assert ahead.manifest.round < layers.manifest.round
    links = ahead.links.select("url", "target").distinct()
    assert links.count() == layers.links.select("url", "target").distinct().count()


@pytest.mark.long
def test_tables_are_used_like_dataframes(spark, small, tmp_path):
    pages = crawl(spark, urls=small.seeds[:1], out=str(tmp_path / "out"), max_pages=20, **FLAGS)
    assert pages.count() >= 20
    assert pages.where(pages["status"] == 200).count() == pages.count()
    table, links = pages
    assert table.count() == pages.count() and links.columns == ["url", "target", "kind"]
    assert open_crawl(spark, str(tmp_path / "out")).count() == pages.count()
    assert pages.seen.count() >= pages.count()
    assert pages.counters["pages"].value == pages.count()


@pytest.mark.long
def test_of_pages_with_the_same_payload_all_name_the_nearest_one(spark, tmp_path):
    with web("--hosts", "4", "--pages", "12", "--links", "4", "--cross", "1", "--page-bytes", "3000", "--duplicates", "5") as it:
        pages = crawl(spark, urls=it.seeds[:1], out=str(tmp_path / "out"), buckets=4, speculate=False, **FLAGS)
    found = pages.select("url", "depth", "digest", "duplicate_of", "bytes_body").collect()
    alike = {}
    for row in found:
        alike.setdefault(row["digest"], []).append(row)
    for group in alike.values():
        first = min((row["depth"], row["url"]) for row in group)[1]
        named = {row["url"]: row["duplicate_of"] for row in group}
        assert named == {url: None if url == first else first for url in named}
    assert max(map(len, alike.values())) > 1
    assert pages.distinct_pages.count() == len(alike) == len(found) - 4 * 5
    assert "Join" not in pages.select("url", "title")._jdf.queryExecution().optimizedPlan().toString(), "what nobody asks for costs nothing"


def test_what_is_wrong_is_told_before_anything_is_done(spark, tmp_path):
    site = tmp_path / "weir.toml"
    site.write_text('urls = ["http://a.example/"]\n[[site]]\nname = "a.example"\nlimit = "50KB/s"\n')
    for flags, words in [
        (dict(urls=["ftp://a.example/"]), "ftp"),
        (dict(urls=["http://a.example/"], sink=["sqlite:x"]), "sink"),
        (dict(urls=["http://a.example/"], within="2h"), "within"),
        (dict(config={"urls": ["http://a.example/"]}, max_bytes="much"), "max-bytes"),
        (dict(config=str(site)), "limit of a"),
        (dict(), "seed"),
    ]:
        with pytest.raises(SettingsError, match=words):
            crawl(spark, out=str(tmp_path / "out"), **flags)
    assert not (tmp_path / "out").exists()
