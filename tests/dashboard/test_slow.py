"""A site that becomes slow in the middle of its crawl, and quick again."""

import pytest
from crawl import Weir, host_of, settings, web
from playwright.sync_api import expect
from window import WITHIN_MS, Window

# Done in half a minute if nothing happens.
WEB = ("--hosts", "3", "--pages", "600", "--page-bytes", "2000", "--links", "8", "--latency", "100ms")
SLOW = 0


@pytest.fixture(scope="module")
def it():
    with web(*WEB) as it:
        yield it


@pytest.fixture(scope="module")
def weir(it, tmp_path_factory):
    folder = tmp_path_factory.mktemp("slow")
    file = settings(folder, [(seed, {"within": "3m"}) for seed in it.seeds], limit="500KB/s", per_host=2)
    with Weir("crawl", ["-c", file], folder / "out") as weir:
        yield weir


def test_the_verdict_turns_when_a_site_slows_and_back_when_it_recovers(it, weir, browser, shots):
    window = Window(browser, weir, shots)
    window.has_level("good")
    slow, *others = it.seeds
    weir.until("it is well under way", lambda _: weir.site(slow)["pages"] > 50)
    it.set_latency(SLOW, "5s")
    window.has_level("late", "danger")
    expect(window.page.locator("#reasons")).to_contain_text(host_of(slow))
    expect(window.row(slow)).to_have_attribute("data-trouble", "late")
    expect(window.row(slow).locator(".limited")).to_have_text("server", timeout=WITHIN_MS)
    for seed in others:
        expect(window.page.locator("#reasons")).not_to_contain_text(host_of(seed))
    window.shot("site-slow")
    it.set_latency(SLOW, "50ms")
    window.has_level("good")
    window.shot("site-quick-again")
    assert window.wrong == []
    window.close()
