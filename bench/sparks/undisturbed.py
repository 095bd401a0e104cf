"""Rows on a machine that is shared: others may take its processors in the middle of one."""

import sys
from dataclasses import dataclass
from pathlib import Path

# What others may have of the processors while a row runs, and how often it is run.
MOST_STOLEN, MOST_TRIES = 0.05, 3


@dataclass
class Processors:
    """What the processors of this machine have done so far, in ticks."""

    whole: int
    # By other machines on the same host.
    stolen: int

    @classmethod
    def now(cls):
        user, nice, system, idle, waits, irq, softirq, stolen, *_ = map(
            int, Path("/proc/stat").read_text().splitlines()[0].split()[1:])
        return cls(user + nice + system + idle + waits + irq + softirq + stolen, stolen)

    def stolen_since(self):
        """The part of them that others had."""
        now = Processors.now()
        return (now.stolen - self.stolen) / max(1, now.whole - self.whole)


def undisturbed(run, processors=Processors.now):
    """A row that was disturbed is run again, whichever it is; the least disturbed try counts, with the faults of all."""
    tries = []
    while True:
        before = processors()
        row = run()
        row.stolen = before.stolen_since()
        tries.append(row)
        if row.stolen <= MOST_STOLEN or len(tries) == MOST_TRIES:
            least = min(tries, key=lambda row: row.stolen)
            least.faults = [fault for row in tries for fault in row.faults]
            return least
        print(f"{row.name}: {row.seconds:.1f} s, but others had {row.stolen:.0%} of the processors", file=sys.stderr)
