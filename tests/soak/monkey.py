"""Makes the faults of a plan at their times, each in a thread of its own."""

import threading
import time

import faults


class Monkey:
    def __init__(self, plan, team, web, journal):
        self.plan, self.team, self.web, self.journal = plan, team, web, journal
        # What is still going on then is ended at once.
        self.over = threading.Event()
        self.at_work = []

    def run(self, seconds):
        """Returns when the time is over or the crawl is done, and nothing is wrong any more."""
        began = time.monotonic()
        for fault in self.plan:
            if not self._wait_until(began + fault.at):
                break
            thread = threading.Thread(target=self._make, args=[fault])
            thread.start()
            self.at_work.append(thread)
        self._wait_until(began + seconds)
        self.over.set()
        for thread in self.at_work:
            thread.join()

    def _wait_until(self, moment):
        """False if the crawl is done before."""
        while time.monotonic() < moment:
            if self.team.is_done():
                return False
            time.sleep(0.05)
        return True

    def _make(self, fault):
        try:
            faults.make(fault, self.team, self.web, self.journal, self.over)
        except Exception as why:  # A fault that could not be made makes the run worthless: it must be seen.
            self.journal.add("the run is at fault", kind=fault.kind, why=repr(why))
