"""The numbers for Prometheus, read as Prometheus reads them, beside the report."""

import math

import pytest
from crawl import Weir, host_of, settings, web
from prometheus_client.parser import text_string_to_metric_families

# All kinds of ends: pages, redirects, dead links, links that robots.txt forbids and links to sites that are none of ours.
WEB = ("--hosts", "3", "--pages", "40", "--page-bytes", "3000", "--links", "8", "--cross", "2", "--latency", "40ms",
       "--robots", "--redirects", "4", "--dead", "3", "--duplicates", "2")


def families(weir):
    answer = weir.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    return list(text_string_to_metric_families(answer.text))


def values(all_families):
    """Every sample, by its name and labels."""
    return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in all_families for sample in family.samples}


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """Scrapes of a service from its begin until all is done, its last report, and report.json when it has ended."""
    folder = tmp_path_factory.mktemp("metrics")
    with web(*WEB) as it:
        one, other, _ = it.seeds
        file = settings(folder, [(one, {"within": "5m"}), (other, {"within": "1s"})])
        with Weir("serve", ["-c", file], folder / "out") as weir:
            weir.until("it has begun", lambda state: state["totals"]["pages"] > 0)
            scrapes = [families(weir)]
            scrapes.append(weir.until("half is done", lambda state: state["totals"]["pages"] > 40 and families(weir)))
            weir.until("all is done", lambda state: state["phase"] == "waiting")
            scrapes.append(families(weir))
            story = {"scrapes": scrapes, "told": weir.json("/api/report"), "state": weir.state()}
            weir.stop()
            yield {**story, "written": weir.report(), "counts": it.counts(), "sites": [host_of(one), host_of(other)]}


def test_every_number_says_what_it_is(story):
    for scrape in story["scrapes"]:
        names = [family.name for family in scrape]
        assert len(names) == len(set(names)), "a family comes once"
        for family in scrape:
            assert family.documentation.endswith("."), family.name
            assert family.type in ("counter", "gauge", "histogram"), family.name
            assert family.name.startswith("weir_"), family.name


def test_counters_never_fall(story):
    for before, after in zip(story["scrapes"], story["scrapes"][1:]):
        counters = [family for family in before if family.type in ("counter", "histogram")]
        now = values(after)
        for key, value in values(counters).items():
            assert now[key] >= value, key
    first, last = (values(story["scrapes"][at])[("weir_pages_total", ())] for at in (0, -1))
    assert first < last, "something was counted in between"


@pytest.mark.parametrize("name", ["weir_first_byte_seconds", "weir_answer_seconds"])
def test_histograms_are_consistent(story, name):
    for scrape in story["scrapes"]:
        samples = next(family.samples for family in scrape if family.name == name)
        buckets = [(float(s.labels["le"]), s.value) for s in samples if s.name == f"{name}_bucket"]
        single = {s.name.removeprefix(name): s.value for s in samples if s.name != f"{name}_bucket"}
        assert buckets == sorted(buckets), "bounds and counts rise together"
        assert buckets[-1] == (math.inf, single["_count"])
        assert single["_count"] > 0
        # Every answer takes as long as the test web waits.
        assert single["_sum"] >= 0.04 * single["_count"] * 0.5
        longest = next(bound for bound, count in buckets if count == single["_count"])
        assert single["_sum"] <= longest * single["_count"]


def test_at_the_end_the_numbers_are_those_of_the_report(story):
    now = values(story["scrapes"][-1])
    for report in (story["told"], story["written"]):
        wanted = {
            "weir_pages_total": report["pages"],
            "weir_fetches_total": report["fetches"],
            "weir_failed_total": report["failed"],
            "weir_received_bytes_total": report["bytes_wire"],
            "weir_body_bytes_total": report["bytes_body"],
            "weir_urls_known": report["urls_known"],
            "weir_urls_waiting": 0,
            "weir_deadlines_met_total": report["deadlines"]["met"],
            "weir_deadlines_missed_total": report["deadlines"]["missed"],
            "weir_sites": len(report["sites"]),
        }
        assert {name: now[(name, ())] for name in wanted} == wanted
        skipped = {key[1][0][1]: value for key, value in now.items() if key[0] == "weir_skipped_total"}
        assert skipped == report["skipped"]
        for site in report["sites"]:
            label = (("site", site["site"]),)
            assert now[("weir_site_pages_total", label)] == site["pages"]
            assert now[("weir_site_received_bytes_total", label)] == site["bytes_wire"]


def test_what_is_counted_did_happen(story):
    """Otherwise all of the above could be zero."""
    told, state = story["told"], story["state"]
    assert told["deadlines"]["met"] == 1 and told["deadlines"]["missed"] == 1
    assert told["skipped"]["robots"] > 0 and told["skipped"]["scope"] > 0
    assert told["pages"] >= 80
    assert told["fetches"] == story["counts"]["requests"], "every request is counted, and none twice"
    assert state["totals"]["pages"] == told["pages"]
    assert state["totals"]["bytes_wire"] == told["bytes_wire"]
    assert {site["site"] for site in told["sites"]} == set(story["sites"])
