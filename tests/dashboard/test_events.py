"""The stream of events tells all that `/api/state` tells, and nothing twice."""

from itertools import islice

import pytest
import requests
from crawl import Weir, host_of, web
from events import events, merged


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    with web("--hosts", "4", "--pages", "400", "--page-bytes", "3000", "--links", "8", "--latency", "60ms") as it:
        flags = [*it.seeds[:3], "--allow-private", "--limit", "60KB/s", "--within", "10m"]
        with Weir("crawl", flags, tmp_path_factory.mktemp("events") / "out") as weir:
            weir.until("it has begun", lambda state: state["totals"]["pages"] > 3 and len(state["sites"]) == 3)
            weir.web = it
            yield weir


def test_the_first_event_has_every_site_and_later_ones_only_changes(crawl):
    known = crawl.state()["sites"]
    with events(crawl) as stream:
        first, *later = islice(stream, 3)
    assert [id for id, _ in first[1]["sites"]] == [row["id"] for row in known]
    rows = merged({}, first[1]["sites"])
    assert set(rows[0]) == set(known[0])
    for seq, state in later:
        assert state["seq"] == seq > first[0]
        for id, fields in state["sites"]:
            assert fields, "a site without changes is not told"
            same = [name for name, value in fields.items() if rows[id][name] == value]
            assert not same, "what has not changed is not told"
        rows = merged(rows, state["sites"])
    assert any(len(fields) < 15 for _, state in later for _, fields in state["sites"])


def test_who_takes_no_gzip_gets_plain_events(crawl):
    with requests.get(crawl.url + "/api/events", headers={"Accept-Encoding": "identity"}, stream=True, timeout=30) as answer:
        assert "Content-Encoding" not in answer.headers
        assert answer.raw.read(13) == b"event: state\n"


def test_whoever_comes_back_gets_what_was_missed(crawl):
    with events(crawl) as stream:
        last, state = next(stream)
    rows = merged({}, state["sites"])
    # What happens while nobody listens.
    crawl.act(do="weight", site=host_of(crawl.web.seeds[1]), weight=3)
    crawl.until("states go by", lambda state: state["seq"] >= last + 2 and state["sites"][1]["weight"] == 3)
    with events(crawl, seq=1, last_id=last) as stream:
        seq, state = next(stream)
    assert seq >= last + 2
    rows = merged(rows, state["sites"])
    assert rows[1]["weight"] == 3
    same_moment(crawl, seq, rows)


def test_the_number_of_the_state_is_where_events_go_on(crawl):
    whole = crawl.state()
    rows = {row["id"]: row for row in whole["sites"]}
    with events(crawl, seq=whole["seq"]) as stream:
        for seq, state in islice(stream, 2):
            rows = merged(rows, state["sites"])
    same_moment(crawl, seq, rows)


def same_moment(crawl, seq, rows):
    """Merged events are the rows of `/api/state`: of the same moment, or what leads there."""
    whole = crawl.state()
    if whole["seq"] != seq:
        with events(crawl, seq=seq) as stream:
            for next_seq, state in islice(stream, 10):
                rows = merged(rows, state["sites"])
                whole = crawl.state()
                if whole["seq"] == next_seq:
                    break
    assert [rows[row["id"]] for row in whole["sites"]] == whole["sites"]


def test_a_site_that_is_added_is_told_with_all_its_fields(crawl):
    with events(crawl, seq=crawl.state()["seq"]) as stream:
        next(stream)
        crawl.act(do="add", url=crawl.web.seeds[3])
        told = next(fields for _, state in islice(stream, 10) for id, fields in state["sites"] if id == 3)
    assert told["site"] == host_of(crawl.web.seeds[3])
    assert set(told) == set(crawl.state()["sites"][3])


def test_the_last_event_tells_of_the_end(crawl):
    with events(crawl) as stream:
        next(stream)
        crawl.act(do="stop")
        phases = [state["phase"] for _, state in islice(stream, 30)]
    assert phases[-1] == "interrupted"
    assert crawl.ended() == 4
