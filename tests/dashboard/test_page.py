"""The page on a real crawl under a cap with deadlines. The tests are one story: each begins where the one before ended."""

import re
import urllib.request
from urllib.parse import urlsplit

import pytest
from crawl import Weir, host_of, settings, until, web
from playwright.sync_api import expect
from window import WITHIN_MS, Window

PAGES = 320
PER_HOST = 3
# So much that it is not done before it is stopped, however slow the browser is.
WEB = ("--hosts", "5", "--pages", str(PAGES), "--page-bytes", "6000", "--links", "8", "--latency", "40ms")
CAP = 150_000


class Story:
    """A web of which four sites are crawled at first, and the command that does it."""

    def __init__(self, it, folder):
        self.web = it
        *self.seeds, self.other = it.seeds
        file = settings(folder, [(seed, {"within": "10m"}) for seed in self.seeds], limit="150KB/s", per_host=PER_HOST)
        self.command = ("crawl", ["-c", file], folder / "out")


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    with web(*WEB) as it:
        yield Story(it, tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def weir(story):
    with Weir(*story.command) as weir:
        yield weir


@pytest.fixture(scope="module")
def window(browser, weir, shots):
    window = Window(browser, weir, shots)
    yield window
    window.close()


def test_the_verdict_is_good_when_all_deadlines_can_be_kept(window, story):
    window.has_level("good")
    expect(window.at("verdict")).to_contain_text("all 4 deadlines will be kept")
    for seed in story.seeds:
        expect(window.row(seed)).to_be_visible()
    window.shot("verdict-good")


def test_the_verdict_turns_when_deadlines_cannot_be_kept_and_back_again(window, weir):
    window.at("action-limit").click()
    window.fill("limit", "3KB/s")
    told = window.foreseen()
    assert "Deadlines missed" in told and "3.0 KB/s" in told
    assert weir.state()["intake"]["limit"] == CAP, "nothing is done before it is confirmed"
    assert window.level() == "good"
    window.shot("preview")
    window.confirm()
    window.has_level("late", "danger")
    verdict = weir.state()["verdict"]
    assert verdict["level"] in ("late", "danger") and verdict["sites"]
    expect(window.page.locator("#reasons")).to_contain_text(verdict["sites"][0]["site"])
    assert window.page.locator("[data-testid=site-row][data-trouble]").count() > 0
    window.shot("verdict-late")
    window.change_cap("150KB/s")
    window.has_level("good")


def test_what_is_cancelled_or_wrong_is_not_done(window, weir):
    window.at("action-limit").click()
    window.fill("limit", "7KB/s")
    window.cancel()
    window.at("action-limit").click()
    window.at("dialog").locator("[name=limit]").fill("nonsense")
    expect(window.at("preview")).to_have_attribute("data-state", "error", timeout=WITHIN_MS)
    expect(window.at("preview")).to_contain_text("nonsense")
    expect(window.at("confirm")).to_be_disabled()
    window.cancel()
    assert weir.state()["intake"]["limit"] == CAP
    refused = [text for text in window.wrong if "400 (Bad Request)" in text]
    assert refused, "the browser tells of what goes wrong, so we would hear of more"
    window.wrong[:] = [text for text in window.wrong if text not in refused]


def test_a_new_cap_is_shown_and_kept(window, weir):
    cap = CAP // 2
    window.change_cap("75KB/s")
    expect(window.at("limit")).to_have_text("75.0 KB/s", timeout=WITHIN_MS)
    expect(window.at("limit")).to_have_attribute("data-value", str(cap))

    def whole_seconds():
        """Since the cap is the new one, without the second in which it became so."""
        rates = weir.json("/api/rates?seconds=60")
        assert len(rates["limit"]) == len(rates["total"])
        since = max((at for at, limit in enumerate(rates["limit"]) if limit != cap), default=-1)
        return rates["total"][since + 2:]

    seconds = until("some seconds under the new cap", lambda: len(whole_seconds()) >= 4 and whole_seconds())
    assert max(seconds) <= cap * 1.05, seconds
    assert max(seconds) >= cap * 0.5, "it does use what it may"
    expect(window.page.locator("#rate-readout")).to_contain_text("of 75.0 KB/s", timeout=WITHIN_MS)
    expect(window.at("chart-rate")).to_have_attribute("aria-label", re.compile("the cap is 75.0 KB/s"))
    window.change_cap("150KB/s")


def test_a_paused_site_gets_no_pages_until_it_is_resumed(window, weir, story):
    seed, *others = story.seeds
    window.open_menu(seed, "pause")
    window.confirm()
    expect(window.row(seed)).to_have_attribute("data-state", "paused", timeout=WITHIN_MS)
    expect(window.row(seed).locator(".chip")).to_have_text("paused")
    pages = weir.site(seed)["pages"]
    before = pages_of(weir, others)
    weir.until("the others go on", lambda _: pages_of(weir, others) > before + 20)
    assert weir.site(seed)["pages"] <= pages + PER_HOST, "only what was under way has come"
    window.shot("paused")
    window.open_menu(seed, "pause")
    expect(window.at("confirm")).to_have_text("Resume")
    window.confirm()
    expect(window.row(seed)).to_have_attribute("data-state", "running", timeout=WITHIN_MS)
    weir.until("it gets pages again", lambda _: weir.site(seed)["pages"] > pages + PER_HOST)
    until("the page shows them", lambda: window.pages_of(seed) > pages + PER_HOST)


def pages_of(weir, seeds):
    return sum(weir.site(seed)["pages"] for seed in seeds)


def test_a_deadline_and_a_weight_change_by_the_menu_of_a_row(window, weir, story):
    seed = story.seeds[1]
    deadline = weir.site(seed)["deadline"]
    window.open_menu(seed, "deadline")
    window.choose("Within")
    window.fill("within", "1s")
    window.confirm()
    weir.until("the deadline is earlier", lambda _: weir.site(seed)["deadline"] < deadline)
    window.has_level("late", "danger")
    expect(window.row(seed)).to_have_attribute("data-trouble", re.compile("late|danger"), timeout=WITHIN_MS)
    window.open_menu(seed, "deadline")
    window.choose("No deadline")
    window.confirm()
    weir.until("there is none", lambda _: weir.site(seed)["deadline"] is None)
    window.has_level("good")
    window.open_menu(seed, "weight")
    window.fill("weight", "4")
    window.confirm()
    weir.until("the weight is the new one", lambda _: weir.site(seed)["weight"] == 4)
    window.row(seed).locator(".name").click()
    expect(window.at("dialog").locator("dl")).to_contain_text("Weight")
    assert window.at("dialog").locator("dt:text-is('Weight') + dd").inner_text() == "4"
    window.page.keyboard.press("Escape")


def test_an_added_site_appears_and_gets_pages(window, weir, story):
    assert window.row(story.other).count() == 0
    window.at("action-add").click()
    window.fill("url", story.other)
    window.choose("Within")
    window.fill("within", "9m")
    window.confirm()
    expect(window.row(story.other)).to_be_visible(timeout=WITHIN_MS)
    until("it gets pages", lambda: window.pages_of(story.other) > 3)
    assert weir.site(story.other)["deadline"]
    expect(window.at("verdict")).to_contain_text("4 deadlines")
    window.shot("added")


def test_a_url_tells_what_became_of_it(window, story):
    for url, words in [(story.seeds[0], "a seed"), ("http://nobody.example/x", "never found")]:
        window.at("why-input").fill(url)
        window.at("why-button").click()
        expect(window.at("why-result")).to_contain_text(words, timeout=WITHIN_MS)


def test_rows_can_be_found_by_name_and_state(window, story):
    window.at("filter").fill(host_of(story.seeds[2]))
    expect(window.at("site-row")).to_have_count(1)
    expect(window.row(story.seeds[2])).to_be_visible()
    window.at("filter").fill("")
    window.at("state-filter").select_option("paused")
    expect(window.at("site-row")).to_have_count(0)
    window.at("state-filter").select_option("all")
    expect(window.at("site-row")).to_have_count(5)


def test_the_page_fits_a_phone_and_the_dark(browser, weir, shots):
    phone = Window(browser, weir, shots, viewport={"width": 360, "height": 740}, has_touch=True)
    expect(phone.at("site-row").first).to_be_visible()
    until("charts are drawn", lambda: phone.page.locator("#rate-readout").inner_text())
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 360, "nothing hangs over the side"
    phone.shot("phone-360", whole=True)
    dark = Window(browser, weir, shots, color_scheme="dark")
    until("charts are drawn", lambda: dark.page.locator("#rate-readout").inner_text())
    dark.shot("dark")
    shade = dark.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(int(part) for part in shade.strip("rgb()").split(",")) < 200, shade
    for window in (phone, dark):
        assert window.wrong == []
        window.close()


def test_without_scripts_there_is_a_plain_table(browser, weir, story, shots):
    plain = Window(browser, weir, shots, java_script_enabled=False)
    rows = plain.page.locator("noscript table tbody tr, #sites table tbody tr")
    expect(rows).to_have_count(5)
    for seed in story.web.seeds:
        expect(rows.filter(has_text=host_of(seed))).to_be_visible()
    expect(plain.page.locator("#verdict-text")).not_to_be_empty()
    plain.shot("no-script")
    assert plain.wrong == []
    plain.close()


def test_nothing_went_wrong_in_the_browser_and_it_asked_nobody_else(window, weir):
    assert window.wrong == []
    assert {urlsplit(url).netloc for url in window.asked if not url.startswith("data:")} == {f"127.0.0.1:{weir.port}"}


def test_the_page_stops_the_crawl(window, weir):
    window.change_cap("none")
    expect(window.at("limit")).to_have_text("no cap", timeout=WITHIN_MS)
    window.at("action-stop").click()
    window.confirm()
    expect(window.at("banner")).to_contain_text("stopped", timeout=WITHIN_MS)
    assert weir.ended() == 4
    expect(window.at("phase")).to_have_text("interrupted")
    window.shot("stopped")
    assert [text for text in window.wrong if "net::" not in text] == [], "only the connection has ended"
    assert 0 < weir.report()["pages"] < 5 * PAGES, "there is something left to do"


def test_a_crawl_that_was_stopped_does_not_claim_to_have_kept_deadlines_of_sites_that_are_not_done(window):
    expect(window.at("verdict")).not_to_contain_text("Kept", timeout=1_000)
    assert window.level() != "good"


def test_a_crawl_that_was_stopped_goes_on_without_a_page_lost_or_twice(story):
    with Weir(*story.command) as again:
        assert again.ended(60) == 0
        report = again.report()
    counts = story.web.counts()
    assert report["pages"] == 5 * PAGES and report["failed"] == 0
    assert counts["repeated"] == 0, "no page was asked for twice"
    assert counts["pages_complete"] == 5 * PAGES
    with urllib.request.urlopen(story.web.control + "missing", timeout=30) as missing:
        assert missing.read().decode().strip() in ("", "[]"), "every page was handed over"
