"""The dashboard of a crawl by several processes: what is done there reaches all of them."""

import pytest
from crawl import Weir, host_of, until, web
from playwright.sync_api import expect
from window import WITHIN_MS, Window

SITES, PAGES = 6, 250
WEB = ("--hosts", str(SITES), "--pages", str(PAGES), "--page-bytes", "4000", "--links", "8", "--latency", "20ms")
CAP = 60_000


@pytest.fixture(scope="module")
def it():
    with web(*WEB) as it:
        yield it


@pytest.fixture(scope="module")
def weir(it, tmp_path_factory):
    flags = [*it.seeds, "--allow-private", "--downloaders", "2", "--per-host", "2", "--limit", "200KB/s"]
    with Weir("crawl", flags, tmp_path_factory.mktemp("downloaders") / "out") as weir:
        yield weir


def test_both_downloaders_are_shown_at_work(weir, browser, shots):
    weir.until("both have pages", lambda state: [one["pages"] > 0 for one in state["downloaders"]] == [True, True])
    window = Window(browser, weir, shots)
    for one in weir.state()["downloaders"]:
        expect(window.page.locator("#downloaders")).to_contain_text(one["name"], timeout=WITHIN_MS)
    window.shot("downloaders")
    assert window.wrong == []
    window.close()


def test_a_lower_cap_holds_for_both_together(weir, it):
    weir.act(do="limit", limit="60KB/s")
    # What was on its way when it changed may still come.
    whole = until("some seconds under the new cap", lambda: len(under_the_cap(weir, CAP)) >= 9 and under_the_cap(weir, CAP))
    seconds = whole[3:]
    # Downloaders tell of their bytes once a second and not at the same moment: what they tell may count in the next one.
    # That the cap holds on the wire is looked at by the suite of the cluster.
    assert max(seconds) <= CAP * 1.25, seconds
    assert CAP * 0.5 <= sum(seconds) / len(seconds) <= CAP * 1.05, seconds
    shares = [one["share"] for one in weir.state()["downloaders"]]
    assert sum(shares) <= CAP * 1.01, shares


def under_the_cap(weir, cap):
    """Bytes of each second since the cap is this one."""
    rates = weir.json("/api/rates?seconds=60")
    since = max((at for at, limit in enumerate(rates["limit"]) if limit != cap), default=-1)
    return rates["total"][since + 1:]


def test_a_paused_site_rests_wherever_it_is_fetched(weir, it):
    seed = it.seeds[0]
    weir.act(do="pause", site=host_of(seed))
    weir.until("it is paused", lambda _: weir.site(seed)["state"] == "paused")
    pages = weir.site(seed)["pages"]
    whole = weir.state()["totals"]["pages"]
    weir.until("the others go on", lambda state: state["totals"]["pages"] > whole + 60)
    # Leases that a downloader had already.
    assert weir.site(seed)["pages"] <= pages + 40
    weir.act(do="resume", site=host_of(seed))


def test_without_a_cap_it_is_soon_done_with_every_page_once(weir, it):
    weir.act(do="limit", limit="none")
    assert weir.ended(120) == 0
    assert weir.report()["pages"] == SITES * PAGES
    counts = it.counts()
    assert (counts["pages_complete"], counts["repeated"]) == (SITES * PAGES, 0)
