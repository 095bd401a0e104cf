"""The page in a browser, through the marks it has for tests."""

from crawl import WITHIN_S, host_of
from playwright.sync_api import expect

WITHIN_MS = WITHIN_S * 1000


class Window:
    """A tab that is open on a crawl, and what went wrong in it."""

    def __init__(self, browser, weir, shots, **context):
        self.weir, self.shots = weir, shots
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 1440}, **context})
        self.context.set_default_timeout(WITHIN_MS)
        self.page = self.context.new_page()
        self.wrong, self.asked = [], []
        self.page.on("console", lambda said: said.type == "error" and self.wrong.append(said.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(weir.url + "/", wait_until="load")

    def shot(self, name, whole=False):
        self.page.screenshot(path=self.shots / f"{name}.png", full_page=whole)

    def at(self, mark):
        return self.page.get_by_test_id(mark)

    def row(self, seed):
        return self.page.locator(f'[data-testid=site-row][data-site="{host_of(seed)}"]')

    def pages_of(self, seed):
        return int(self.row(seed).locator(".c-pages").inner_text().replace(",", ""))

    def level(self):
        return self.at("verdict").get_attribute("data-level")

    def has_level(self, *levels):
        self.page.wait_for_function(
            "levels => levels.includes(document.querySelector('[data-testid=verdict]').dataset.level)", arg=list(levels))

    def open_menu(self, seed, action):
        """Opens the dialog of one of a row's actions."""
        row = self.row(seed)
        row.scroll_into_view_if_needed()
        row.get_by_test_id("site-menu").click()
        self.at(f"site-{action}").click()

    def fill(self, name, value):
        self.at("dialog").locator(f"[name={name}]").fill(value)
        self.foreseen()

    def choose(self, word):
        self.at("dialog").get_by_role("radio", name=word, exact=True).check()
        self.foreseen()

    def foreseen(self):
        """Waits for what weir says would come of it."""
        preview = self.at("preview")
        expect(preview).to_have_attribute("data-state", "ready", timeout=WITHIN_MS)
        expect(self.at("confirm")).to_be_enabled()
        return preview.inner_text()

    def confirm(self):
        self.foreseen()
        self.at("confirm").click()
        expect(self.at("dialog")).to_have_count(0, timeout=WITHIN_MS)

    def cancel(self):
        self.at("dialog").get_by_role("button", name="Cancel").click()
        expect(self.at("dialog")).to_have_count(0)

    def change_cap(self, cap):
        self.at("action-limit").click()
        self.fill("limit", cap)
        self.confirm()

    def close(self):
        self.context.close()
