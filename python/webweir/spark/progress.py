"""What a user sees of it on the driver's console."""

import sys
import time


class Silent:
    """Nobody watches."""

    def begins(self, driver):
        pass

    def round(self, driver, seconds):
        pass

    def waits(self, seconds):
        pass

    def ends(self, driver):
        pass


class Console:
    """A line for each round, on standard error."""

    def __init__(self, file=None):
        self.file = file or sys.stderr
        self.begun = time.time()
        self.pages = 0

    def _say(self, text):
        print(text, file=self.file, flush=True)

    def begins(self, driver):
        self.pages = driver.last.total("pages")
        for notice in driver.settings.notices:
            self._say(f"note: {notice}")
        where = f"{driver.out.uri}, {driver.buckets} buckets"
        if driver.last.round >= 0:
            self._say(f"goes on with {where}: {self.pages:,} pages after round {driver.last.round}")
        else:
            self._say(f"crawls into {where}")

    def round(self, driver, seconds):
        last = driver.last
        pages = last.total("pages")
        new = pages - self.pages
        self.pages = pages
        left = last.waiting
        self._say(
            f"round {last.round}: {new:,} pages in {seconds:.1f}s ({new / max(seconds, 0.001):,.0f} pages/s), "
            f"{pages:,} in all, {left:,} waiting, {last.total('failed'):,} failed"
        )

    def waits(self, seconds):
        self._say(f"all hosts that are left asked for a pause: {seconds:.0f}s")

    def ends(self, driver):
        last = driver.last
        elapsed = time.time() - self.begun
        self._say(
            f"done: {last.total('pages'):,} pages, {last.total('bytes_wire') / 1e6:,.1f} MB received in {elapsed:.0f}s, "
            f"{last.round + 1} rounds, {last.total('failed'):,} failed"
        )
        if driver.ahead:
            share = 100 * last.ahead / max(1, last.read)
            self._say(f"  running ahead: {last.ahead:,} of {last.read:,} answers ({share:.0f} %) before their round, {last.nearer:,} depths corrected, none fetched twice")
        self._say(f"  kept in {driver.out.uri}")
