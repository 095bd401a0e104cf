"""Which faults are made when: drawn from a seed before anything runs, so that a seed tells all of it."""

import random
from dataclasses import dataclass, field

# Seconds that a fault lasts. Kills: until the next start. The same of long runs and of short ones.
LASTS = {
    "kill scheduler": (0, 8), "stop scheduler": (0, 8),
    "kill downloader": (0, 20), "stop downloader": (0, 20),
    "kill crawl": (0, 8), "stop crawl": (0, 8),
    "disk of scheduler full": (4, 12), "disk of downloader full": (4, 12), "disk of crawl full": (4, 12),
    "clock jumps": (3, 20), "scheduler starts with a wrong clock": (3, 20), "crawl starts with a wrong clock": (3, 20),
    "slow hosts": (5, 25), "silent hosts": (3, 20), "unreachable hosts": (3, 20), "web stands still": (1, 10),
    "cut from scheduler": (1, 20), "cut from web": (1, 20),
}
IN_A_SHORT_RUN = 0.3
SHORT_MINUTES = 5
GAP_S = (2, 12)
JUMPS_S = (90, 600, 3_600, 3 * 3_600, 12 * 3_600)
SLOW_S = (1, 3, 8)

# Two go on side by side, so that faults of processes meet those of the world around them.
TRACKS = {
    "cluster": [["kill scheduler", "stop scheduler", "kill downloader", "kill downloader", "stop downloader",
                 "disk of downloader full", "disk of scheduler full", "scheduler starts with a wrong clock"],
                ["clock jumps", "slow hosts", "silent hosts", "unreachable hosts", "web stands still", "cut from scheduler", "cut from web"]],
    "single": [["kill crawl", "kill crawl", "stop crawl", "disk of crawl full", "crawl starts with a wrong clock"],
               ["clock jumps", "slow hosts", "silent hosts", "unreachable hosts", "web stands still", "cut from web"]],
}
# Killed, stopped and filled. The third one lives through the whole run, so that its memory can be judged.
MORTAL = ["d1", "d2"]
EVERY_DOWNLOADER = ["d1", "d2", "d3"]


@dataclass
class Fault:
    at: float
    kind: str
    lasts: float
    # A process, or the machine of one.
    target: str
    hosts: list = field(default_factory=list)
    # Seconds of the clock, or of each answer.
    by: int = 0


def draw(scenario, minutes, hosts, seed, without=()):
    """The faults of a run, in order."""
    lot = random.Random(f"{scenario} {seed}")
    tracks = [[kind for kind in track if kind not in without] for track in TRACKS[scenario]]
    faults = [fault for track in tracks for fault in draw_track(lot, scenario, track, minutes, hosts)]
    return sorted(faults, key=lambda fault: fault.at)


def draw_track(lot, scenario, kinds, minutes, hosts):
    short = IN_A_SHORT_RUN if minutes < SHORT_MINUTES else 1
    at, end, bag = lot.uniform(*GAP_S) * short, minutes * 60, []
    while True:
        if not bag:  # Each kind once, in any order, and then anew: none is left out by chance.
            bag = lot.sample(kinds, len(kinds))
        fault = draw_one(lot, scenario, bag.pop(), at, short, hosts, at / end)
        if at + fault.lasts > end:
            return
        yield fault
        at += fault.lasts + lot.uniform(*GAP_S) * short


def draw_one(lot, scenario, kind, at, short, hosts, part):
    least, most = LASTS[kind]
    lasts = lot.uniform(least, max(least, most * short) if short < 1 else most)
    some = sorted(lot.sample(range(hosts), lot.randint(1, max(1, hosts // 4))))
    by = lot.choice(SLOW_S) if kind == "slow hosts" else lot.choice(JUMPS_S) * lot.choice((1, -1))
    kind = spared(kind, part)
    return Fault(round(at, 2), kind, round(lasts, 2), target_of(lot, scenario, kind), some, by)


def spared(kind, part):
    """In the second half the scheduler lives, so that its memory can be judged."""
    late = {"kill scheduler": "kill downloader", "stop scheduler": "stop downloader", "disk of scheduler full": "disk of downloader full",
            "scheduler starts with a wrong clock": "kill downloader"}
    return late.get(kind, kind) if part > 0.5 else kind


def target_of(lot, scenario, kind):
    if scenario == "single":
        return "crawl"
    if "downloader" in kind:
        return lot.choice(MORTAL)
    if kind in ("cut from scheduler", "cut from web"):
        return lot.choice(EVERY_DOWNLOADER)
    if kind == "clock jumps":
        return lot.choice(["scheduler", *EVERY_DOWNLOADER])
    return "scheduler"
