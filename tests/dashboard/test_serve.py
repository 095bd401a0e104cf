"""A service: rounds when they are due, settings that are read again, and all of it after a kill too."""

import json
import signal
import sys
import time
import urllib.request

import pytest
from crawl import ROOT, Weir, host_of, settings, until, web

sys.path.insert(0, str(ROOT / "tests/soak"))
from clock import Clock  # noqa: E402

PAGES = 12
EVERY = {"every": "2s"}


@pytest.fixture(scope="module")
def it():
    flags = ("--hosts", "8", "--pages", str(PAGES), "--page-bytes", "2000", "--links", "6", "--latency", "10ms")
    with web(*flags) as it:
        yield it


def serve(file, folder):
    return Weir("serve", ["-c", file], folder / "out")


def asked(it, seed):
    """What the test web was asked of one host, in all."""
    with urllib.request.urlopen(it.control + "counts", timeout=30) as answer:
        hosts = json.load(answer)["hosts"]
    return next(host for host in hosts if host["seed"] == seed)


def all_done(state):
    return state["phase"] == "waiting" and all(row["state"] == "done" for row in state["sites"])


def newest(weir, seed):
    """The last round of a site that has ended, and 0 if there is none."""
    return max((row["round"] for row in weir.json("/api/rounds") if row["site"] == host_of(seed)), default=0)


def test_rounds_go_on_after_a_kill(it, tmp_path):
    one, other = it.seeds[:2]
    file = settings(tmp_path, [(one, EVERY), (other, EVERY)])
    with serve(file, tmp_path) as weir:
        until("both have had two rounds", lambda: min(newest(weir, one), newest(weir, other)) >= 2)
        rounds = weir.json("/api/rounds")
        for site in (one, other):
            numbers = [row["round"] for row in rounds if row["site"] == host_of(site)]
            assert numbers == sorted(numbers, reverse=True) and len(set(numbers)) == len(numbers), "the newest first"
        assert all(row["pages"] > 0 and row["began"] <= row["finished"] for row in rounds)
        state = weir.until("a next round is told", lambda state: all(row["next_round"] for row in state["sites"]) and state)
        assert state["is_service"] is True
        weir.kill()
        before = {seed: newest_of(rounds, seed) for seed in (one, other)}
    with serve(file, tmp_path) as weir:
        for seed, number in before.items():
            assert newest(weir, seed) >= number, "no past round is lost"
        seen = []

        def goes_on():
            seen.append({seed: weir.site(seed) for seed in before})
            return all(newest(weir, seed) >= number + 1 for seed, number in before.items())

        until("both go on with their rounds", goes_on)
        for seed, number in before.items():
            numbers = [rows[seed]["round"] for rows in seen if rows[seed] and rows[seed]["round"]]
            assert numbers == sorted(numbers) and numbers[0] >= number, "numbers never fall"
            assert seen[-1][seed]["known"] == PAGES and seen[-1][seed]["failed"] == 0
        assert weir.stop() in (0, 4)


def newest_of(rounds, seed):
    return max(row["round"] for row in rounds if row["site"] == host_of(seed))


@pytest.fixture(scope="module")
def settled(it, tmp_path_factory):
    """A service of two sites that has done all there is."""
    folder = tmp_path_factory.mktemp("settled")
    old = [(seed, {}) for seed in it.seeds[2:4]]
    file = settings(folder, old, limit="400KB/s")
    with serve(file, folder) as weir:
        weir.until("all is done", all_done)
        weir.old, weir.folder = old, folder
        yield weir


@pytest.mark.parametrize("place,reload", [
    (4, lambda weir: weir.signal(signal.SIGHUP)),
    (5, lambda weir: weir.act(do="reload")),
], ids=["SIGHUP", "the page"])
def test_a_site_that_is_added_to_the_settings_is_crawled_and_others_are_left_alone(it, settled, place, reload):
    new = it.seeds[place]
    before = [asked(it, seed)["requests"] for seed, _ in settled.old]
    settings(settled.folder, [*settled.old, (new, {})], limit="400KB/s")
    reload(settled)
    until("the new site is crawled", lambda: (settled.site(new) or {}).get("pages") == PAGES)
    settled.until("all is done", all_done)
    settled.old.append((new, {}))
    assert asked(it, new)["repeated"] == 0
    assert [asked(it, seed)["requests"] for seed, _ in settled.old[:len(before)]] == before, "nothing is asked for again"


def test_settings_that_are_wrong_change_nothing(it, settled):
    right = (settled.folder / "weir.toml").read_text()
    pages = settled.state()["totals"]["pages"]
    for wrong, named in [('limit = "fast"\n', "limit"), ("no-such-key = 1\n", "no-such-key"), ("[[site", "TOML")]:
        (settled.folder / "weir.toml").write_text(wrong + right.replace('limit = "400KB/s"\n', ""))
        for path in ("/api/preview", "/api/actions"):
            answer = settled.post(path, {"do": "reload"})
            assert answer.status_code == 400, answer.text
            assert named in answer.json()["error"]
    said = len(settled.said)
    settled.signal(signal.SIGHUP)
    until("it says what is wrong", lambda: [line for line in settled.said[said:] if "TOML" in line])
    (settled.folder / "weir.toml").write_text(right)
    settled.until("it goes on", lambda state: state["phase"] == "waiting" and state["totals"]["pages"] == pages)
    assert settled.state()["intake"]["limit"] == 400_000
    assert settled.process.poll() is None


def test_what_somebody_did_survives_a_kill_until_the_settings_change(it, tmp_path):
    one, other = it.seeds[6:8]
    # So slow that it is not done before it is paused.
    sites = [(one, {"delay": "200ms"}), (other, {"delay": "200ms"})]
    file = settings(tmp_path, sites, limit="100KB/s")
    with serve(file, tmp_path) as weir:
        weir.until("it runs", lambda state: len(state["sites"]) == 2 and state["totals"]["pages"] > 0)
        weir.act(do="pause", site=host_of(one))
        weir.act(do="limit", limit="50KB/s")
        weir.act(do="weight", site=host_of(other), weight=3)
        weir.act(do="deadline", site=host_of(other), within="1h")
        row = weir.until("it is done", lambda state: state["intake"]["limit"] == 50_000 and weir.site(other)["deadline"]
                         and weir.site(one)["state"] == "paused" and weir.site(other))
        requests = asked(it, one)["requests"]
        weir.kill()
    with serve(file, tmp_path) as weir:
        state = weir.until("it goes on", lambda state: len(state["sites"]) == 2 and state)
        assert state["intake"]["limit"] == 50_000
        weir.until("it is paused still", lambda _: weir.site(one)["state"] == "paused")
        again = weir.site(other)
        assert (again["weight"], again["deadline"]) == (3, row["deadline"])
        before = weir.site(other)["pages"]
        weir.until("the other one goes on", lambda _: weir.site(other)["pages"] >= min(before + 3, PAGES))
        assert asked(it, one)["requests"] == requests, "nothing is asked of a paused site"
        settings(tmp_path, sites, limit="70KB/s")
        weir.act(do="reload")
        weir.until("what was written later wins", lambda state: state["intake"]["limit"] == 70_000)
        weir.until("all else is as it was", lambda _: weir.site(one)["state"] == "paused")
        weir.act(do="resume", site=host_of(one))
        until("it gets all its pages", lambda: weir.site(one)["pages"] == PAGES)
        weir.kill()
    with serve(file, tmp_path) as weir:
        weir.until("it stays so", lambda state: state["intake"]["limit"] == 70_000)
    assert asked(it, other)["pages_complete"] >= PAGES


def test_to_begin_anew_is_for_the_start_of_the_service(it, tmp_path):
    old, new = it.seeds[6:8]
    file = settings(tmp_path, [(old, {})], fresh=True)
    with serve(file, tmp_path) as weir:
        weir.until("all is done", all_done)
        before = asked(it, old)["requests"]
        settings(tmp_path, [(old, {}), (new, {})], fresh=True)
        weir.act(do="reload")
        until("the new site is crawled", lambda: (weir.site(new) or {}).get("pages") == PAGES)
        weir.until("all is done", all_done)
        assert asked(it, old)["requests"] == before, "nothing is asked for again"
        assert weir.site(old)["pages"] == PAGES, "and nothing is thrown away"


def seconds_to_midnight():
    now = time.localtime()
    return 24 * 3_600 - (now.tm_hour * 60 + now.tm_min) * 60 - now.tm_sec


def test_a_budget_that_begins_anew_is_used_without_anybody(tmp_path):
    clock = Clock(tmp_path / "clock")
    if clock.library is None:
        pytest.skip("needs libfaketime")
    with web("--pages", "60", "--page-bytes", "20000", "--links", "6") as it:
        file = settings(tmp_path, [(it.seeds[0], {})], budget="500KB/day", limit="1MB/s")
        with Weir("serve", ["-c", file], tmp_path / "out", env=clock.environment()) as weir:
            until("the budget is used up", lambda: any("it renews" in line for line in weir.said))
            assert weir.report()["outcome"] == "limit"
            pages = weir.report()["pages"]
            assert 0 < pages < 60
            clock.set(seconds_to_midnight() + 30)
            weir.until("it goes on the next day", lambda state: state["totals"]["pages"] > pages)
            # The page that was under way when the budget ended is asked for once more.
            assert asked(it, it.seeds[0])["repeated"] <= 1
            assert weir.stop() == 4


def test_the_page_ends_a_service(it, tmp_path):
    file = settings(tmp_path, [(it.seeds[2], {})])
    with serve(file, tmp_path) as weir:
        weir.until("all is done", all_done)
        weir.act(do="stop")
        assert weir.ended() in (0, 4)
