"""The HTTP API does what its description and docs/formats/api.md say."""

import subprocess
import sys
from datetime import datetime

import pytest
from crawl import Weir, host_of, settings, web

SITE_FIELDS = {"id", "site", "state", "limited_by", "why", "pages", "known", "done", "failed", "bytes_wire", "predicted_bytes",
               "rate", "share", "max_rate", "weight", "deadline", "finish", "finish_low", "finish_high", "finished",
               "late_by_s", "danger", "round", "next_round"}
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """A crawl that goes on for as long as the tests, with more sites than it is asked for at first."""
    folder = tmp_path_factory.mktemp("api")
    with web("--hosts", "5", "--pages", "400", "--page-bytes", "3000", "--links", "8", "--latency", "60ms") as it:
        sites = [(seed, {"within": "10m"}) for seed in it.seeds[:3]]
        file = settings(folder, sites, limit="60KB/s")
        with Weir("crawl", ["-c", file], folder / "out") as weir:
            weir.until("it has begun", lambda state: state["totals"]["pages"] > 3)
            weir.web = it
            yield weir


def test_every_answer_is_as_the_api_describes_itself(crawl, tmp_path):
    # The stream has no end, and actions would end or change the crawl under the other tests.
    command = [sys.executable, "-m", "schemathesis.cli", "run", crawl.url + "/api/openapi.json",
               "--checks", CHECKS, "--phases", "examples,coverage,fuzzing", "--max-examples", "8",
               "--exclude-path", "/api/events", "--exclude-path", "/api/actions", "--request-timeout", "20",
               "--seed", "1", "--no-shrink", "--continue-on-failure", "--warnings", "off"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout[-6000:] + ran.stderr[-2000:]
    assert crawl.state()["phase"] == "running", "a preview changes nothing"


def test_the_description_has_every_path_of_the_documentation(crawl):
    described = crawl.json("/api/openapi.json")["paths"]
    wanted = {"/api/state": "get", "/api/events": "get", "/api/rates": "get", "/api/sites": "get", "/api/sites/{site}": "get",
              "/api/plan": "get", "/api/report": "get", "/api/rounds": "get", "/api/crawls": "get", "/api/why": "get",
              "/api/preview": "post", "/api/actions": "post"}
    for path, method in wanted.items():
        assert method in described[path], path


def test_the_state_has_what_is_documented(crawl):
    state = crawl.state()
    assert set(state) == {"seq", "now", "version", "name", "role", "is_service", "phase", "started", "finished", "elapsed_s",
                          "verdict", "totals", "intake", "finish", "sites", "downloaders", "errors", "warnings", "troubles"}
    assert set(state["verdict"]) == {"level", "text", "sites"}
    assert set(state["intake"]) == {"rate", "limit", "mean_rate", "peak_1s", "utilisation", "paused_until"}
    assert state["role"] == "operator" and state["is_service"] is False and state["intake"]["limit"] == 60_000
    assert [row["id"] for row in state["sites"]] == list(range(3))
    for row in state["sites"]:
        assert set(row) == SITE_FIELDS
        assert row["done"] <= row["known"]
        for name in ("deadline", "finish", "finish_low", "finish_high"):
            if row[name]:
                assert datetime.fromisoformat(row[name]).utcoffset().total_seconds() == 0


def test_rows_alone_are_the_rows_of_the_state(crawl):
    rows = crawl.json("/api/sites")
    name = host_of(crawl.web.seeds[1])
    assert [row["site"] for row in rows] == [row["site"] for row in crawl.state()["sites"]]
    assert crawl.json(f"/api/sites/{name}")["site"] == name
    assert crawl.json("/api/crawls")[0]["phase"] == "running"
    assert crawl.json("/api/rounds") == []
    assert crawl.get("/healthz").status_code == 200


@pytest.mark.parametrize("seconds,step", [(1, 1), (600, 1), (601, 10), (7200, 10)])
def test_rates_are_lists_of_one_length(crawl, seconds, step):
    rates = crawl.json(f"/api/rates?seconds={seconds}")
    assert rates["step_s"] == step
    lengths = {len(rates[name]) for name in ("limit", "total", "others")} | {len(site["rates"]) for site in rates["sites"]}
    assert len(lengths) == 1 and lengths.pop() <= seconds / step + 1
    parts = sum(rates["others"]) + sum(sum(site["rates"]) for site in rates["sites"])
    # The seconds of the whole and of the parts do not begin at the same moment.
    second = max(rates["total"], default=0)
    assert parts <= sum(rates["total"]) * 1.05 + second, "sites have their parts of the whole"


@pytest.mark.parametrize("path", ["/api/rates?seconds=0", "/api/rates?seconds=7201", "/api/rates?seconds=many",
                                  "/api/why", "/api/why?url=", "/api/events?seq=minus"])
def test_a_question_that_makes_no_sense_is_refused(crawl, path):
    answer = crawl.get(path)
    assert answer.status_code == 400
    assert answer.json()["error"]


@pytest.mark.parametrize("path", ["/api/sites/nobody.example", "/api/nothing", "/assets/nothing.js", "/assets/..%2fCargo.toml"])
def test_what_is_not_there_is_told_with_its_name(crawl, path):
    answer = crawl.get(path)
    assert answer.status_code == 404
    assert path.rsplit("/", 1)[1].replace("%2f", "/") in answer.json()["error"]


SITE = "SITE"  # stands for one that is there


@pytest.mark.parametrize("body,status,named", [
    ({"do": "dance"}, 400, "dance"),
    ({}, 400, "do"),
    ([], 400, "do"),
    ({"do": "pause"}, 400, "site"),
    ({"do": "pause", "site": "nobody.example"}, 404, "nobody.example"),
    ({"do": "resume", "site": "nobody.example"}, 404, "nobody.example"),
    ({"do": "deadline", "site": "nobody.example", "within": "1h"}, 404, "nobody.example"),
    ({"do": "weight", "site": "nobody.example", "weight": 1}, 404, "nobody.example"),
    ({"do": "pause", "site": SITE, "more": 1}, 400, "more"),
    ({"do": "deadline", "site": SITE, "by": "soon"}, 400, "soon"),
    ({"do": "deadline", "site": SITE, "by": "25:00"}, 400, "25:00"),
    ({"do": "deadline", "site": SITE, "within": "-5m"}, 400, "-5m"),
    ({"do": "deadline", "site": SITE, "within": "1h", "by": "18:00"}, 400, "one of the two"),
    ({"do": "weight", "site": SITE, "weight": 0}, 400, "0"),
    ({"do": "weight", "site": SITE, "weight": -1}, 400, "-1"),
    ({"do": "weight", "site": SITE, "weight": "much"}, 400, "much"),
    ({"do": "limit", "limit": "fast"}, 400, "fast"),
    ({"do": "limit", "limit": "-1MB/s"}, 400, "-1MB/s"),
    ({"do": "limit", "limit": 5}, 400, "5"),
    ({"do": "add", "url": "two words"}, 400, "two words"),
    ({"do": "add", "url": "ftp://a.example/"}, 400, "ftp"),
    ({"do": "add", "url": "http://a.example/", "within": "ever"}, 400, "ever"),
    ({"do": "add", "url": "http://a.example/", "limit": "fast"}, 400, "fast"),
    ({"do": "add", "url": "http://a.example/", "weight": -2}, 400, "-2"),
    ({"do": "reload"}, 409, "service"),
])
def test_a_wrong_action_is_refused_with_the_value(crawl, body, status, named):
    if isinstance(body, dict) and body.get("site") == SITE:
        body = {**body, "site": host_of(crawl.web.seeds[0])}
    before = len(crawl.state()["sites"])
    answer = crawl.post("/api/actions", body)
    assert answer.status_code == status, answer.text
    assert named in answer.json()["error"]
    assert len(crawl.state()["sites"]) == before


@pytest.mark.parametrize("text", ["", "{", "nonsense", '{"do":"stop"', '"stop"', "\0", '{"do":"stop"} {"do":"stop"}'])
def test_what_is_no_json_is_refused(crawl, text):
    for path in ("/api/preview", "/api/actions"):
        answer = crawl.post(path, None, data=text, headers={"Content-Type": "application/json"})
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"]
    assert crawl.state()["phase"] == "running"


def test_a_body_without_end_is_refused(crawl):
    answer = crawl.post("/api/actions", {"do": "pause", "site": "x" * 10_000_000})
    assert answer.status_code in (400, 413)


def test_a_preview_tells_what_the_action_then_does(crawl):
    site = host_of(crawl.web.seeds[2])
    before = crawl.state()
    foreseen = crawl.post("/api/preview", {"do": "limit", "limit": "30KB/s"}).json()
    assert crawl.state()["intake"]["limit"] == before["intake"]["limit"], "nothing is done"
    assert foreseen["text"]
    for side in ("before", "after"):
        assert set(foreseen[side]) == {"feasible", "late", "finish", "limit", "needed_limit"}
    assert (foreseen["before"]["limit"], foreseen["after"]["limit"]) == (60_000, 30_000)
    for moved in foreseen["sites"]:
        assert set(moved) == {"site", "deadline", "finish_before", "finish_after", "late_before_s", "late_after_s"}
    done = crawl.act(do="limit", limit="30KB/s")
    assert done["after"]["limit"] == 30_000
    crawl.until("the limit is the new one", lambda state: state["intake"]["limit"] == 30_000)
    crawl.act(do="limit", limit="60KB/s")
    crawl.act(do="weight", site=site, weight=2.5)
    crawl.until("the weight is the new one", lambda state: state["sites"][2]["weight"] == 2.5)
    crawl.act(do="deadline", site=site)
    crawl.until("the deadline is gone", lambda state: state["sites"][2]["deadline"] is None)


def test_why_tells_of_a_seed_a_page_and_nonsense(crawl):
    seed = crawl.web.seeds[0]
    told = crawl.get("/api/why", params={"url": seed}).json()
    assert told["found"] is True and any("a seed" in line for line in told["lines"])
    told = crawl.get("/api/why", params={"url": "http://nobody.example/"}).json()
    assert told["found"] is False and any("never found" in line for line in told["lines"])
