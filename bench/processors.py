"""What the processors of this machine do, and what others take of them."""

from dataclasses import dataclass
from pathlib import Path

# A run of which others had more than this says little of what was run.
MOST_STOLEN = 0.05


@dataclass
class Processors:
    """What they have done so far, in ticks."""

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
