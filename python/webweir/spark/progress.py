"""What a user sees of it on the driver's console."""

import contextlib
import sys
import threading
import time

# Seconds between two lines while a round runs.
EVERY_S = 5.0


class Silent:
    """Nobody watches."""

    def begins(self, driver):
        pass

    def round(self, driver, seconds):
        pass

    def watching(self, driver):
        return contextlib.nullcontext()

    def waits_for_another(self, seconds):
        pass

    def waits(self, seconds):
        pass

    def chooses(self, driver):
        pass

    def chose(self, driver):
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

    @contextlib.contextmanager
    def watching(self, driver):
        """Says how it goes while a round runs."""
        over = threading.Event()
        thread = threading.Thread(target=self._tell, args=(driver, over), daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _tell(self, driver, over):
        before, begun = 0, time.time()
        while not over.wait(EVERY_S):
            tasks, pages, _, rate = driver.bank.doing()
            limit = driver.settings.limit.now() if driver.settings.limit else float("inf")
            of = f" of {limit / 1e6:.2f} MB/s" if limit < float("inf") else ""
            self._say(
                f"  round {driver.last.round + 1}, {time.time() - begun:.0f}s: {pages:,} pages by now "
                f"({(pages - before) / EVERY_S:,.0f} pages/s), {rate / 1e6:.2f} MB/s{of}, {tasks} tasks at work"
            )
            before = pages

    def waits_for_another(self, seconds):
        self._say(f"the driver before this one did not end: its tasks have {seconds:.0f}s to do so")

    def waits(self, seconds):
        self._say(f"all hosts that are left asked for a pause: {seconds:.0f}s")

    def chooses(self, driver):
        self._say(f"comes back to {driver.out.uri}: looks which pages are worth it")

    def chose(self, driver):
        recrawl = driver.last.recrawl
        budget = f", {recrawl.budget / 1e6:,.1f} MB may come" if recrawl.budget is not None else ""
        self._say(f"round {driver.last.round}: {recrawl.chosen:,} URLs are asked for again, {recrawl.left_out:,} left out{budget}")

    def ends(self, driver):
        last = driver.last
        elapsed = time.time() - self.begun
        self._say(
            f"done: {last.total('pages'):,} pages, {last.total('bytes_wire') / 1e6:,.1f} MB received in {elapsed:.0f}s, "
            f"{last.round + 1} rounds, {last.total('failed'):,} failed"
        )
        if last.recrawl:
            told = last.recrawl
            self._say(
                f"  came back to {told.unchanged + told.changed:,} pages: {told.unchanged:,} unchanged, {told.changed:,} changed; "
                f"{told.new:,} new, {told.left_out:,} left out"
            )
        if driver.ahead:
            share = 100 * last.ahead / max(1, last.read)
            self._say(f"  running ahead: {last.ahead:,} of {last.read:,} answers ({share:.0f} %) before their round, {last.nearer:,} depths corrected, none fetched twice")
        self._say(f"  kept in {driver.out.uri}")
