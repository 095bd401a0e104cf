"""Whether memory is flat: the last third of the longest life of each role beside the third before it."""

import json
from collections import defaultdict
from statistics import median

from verdict import Verdict

# Shorter lives are beginnings: tables and buffers are still filling.
SHORTEST_LIFE_S = 300
# Of the middle third: an allocator keeps what it was once given.
NOISE, NOISE_BYTES = 0.10, 4_000_000
# What has to be known of each URL, and of each host (docs/cluster-figures.md). A downloader knows neither.
A_URL, A_HOST = 92, 220_000


def lives(file):
    """Samples (time, bytes, URLs known) of the longest life of each role."""
    found = defaultdict(list)
    for line in file.open():
        at, role, pid, size, known = json.loads(line)
        found[role, pid].append((at, size, known))
    longest = {}
    for (role, _), samples in found.items():
        if role not in longest or length(samples) > length(longest[role]):
            longest[role] = samples
    return longest


def length(samples):
    return samples[-1][0] - samples[0][0]


def judge_memory(file, run, urls):
    return [judge_role(role, samples, run, urls) for role, samples in sorted(lives(file).items())]


def judge_role(role, samples, run, urls):
    what = f"memory of {role} grows"
    if length(samples) < SHORTEST_LIFE_S:
        return Verdict(what, None, f"it lived {length(samples):.0f} s at the longest, {max(size for _, size, _ in samples) / 1e6:.0f} MB at the most")
    third = len(samples) // 3
    middle, last = samples[third:2 * third], samples[2 * third:]
    before, after = (median(size for _, size, _ in part) for part in (middle, last))
    allowed = before * (1 + NOISE) + NOISE_BYTES + due(role, middle, last, run, urls)
    note = f"{before / 1e6:.1f} MB and then {after / 1e6:.1f} MB in {length(samples) / 60:.0f} minutes, {allowed / 1e6:.1f} are allowed"
    return Verdict(what, int(after > allowed), note)


def due(role, middle, last, run, urls):
    """Growth that is documented: URLs that became known meanwhile, not more than there are, and their hosts."""
    if role.startswith("d"):
        return 0
    known = [min(urls, median(known for _, _, known in part)) for part in (middle, last)]
    return A_URL * max(0, known[1] - known[0]) + (A_HOST * run["hosts"] if known[1] > known[0] else 0)
