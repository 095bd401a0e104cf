"""Whether the limit held on the wire, in every window of one second."""

from bisect import bisect_left

from verdict import Verdict

WINDOW_S = 1.0
# The tolerance of docs/cap.md: what a real line, shaped by the kernel itself, shows in the same measure.
LOW, TOLERANCE, TOLERANCE_LOW = 500_000, 1.02, 1.05
# Where readings are farther apart, nobody knows what came between them.
LONGEST_GAP_S = 1.0


class Series:
    """A counter over time."""

    def __init__(self, points):
        self.times = [at for at, _ in points]
        self.counts = [count for _, count in points]

    def at(self, moment):
        """The count at a moment, on the line between its neighbours."""
        after = bisect_left(self.times, moment)
        if after == 0 or after == len(self.times):
            return self.counts[0 if after == 0 else -1]
        (t0, t1), (c0, c1) = self.times[after - 1:after + 1], self.counts[after - 1:after + 1]
        return c0 + (c1 - c0) * (moment - t0) / (t1 - t0)

    def windows(self, length):
        """Rates of all windows of this length that begin or end at a reading, by their beginning."""
        for begin in sorted(begin for at in self.times for begin in (at, at - length)):
            yield begin, (self.at(begin + length) - self.at(begin)) / length

    def longest_gap(self):
        return max((later - earlier for earlier, later in zip(self.times, self.times[1:])), default=0.0)


def read(file):
    return Series([(float(at), int(count)) for at, count in (line.split(",") for line in file.open())])


def judge_cap(file, limit):
    tolerance = TOLERANCE if limit >= LOW else TOLERANCE_LOW
    series = read(file)
    above, worst, last = [], 0.0, float("-inf")
    for begin, rate in series.windows(WINDOW_S):
        worst = max(worst, rate)
        # Windows overlap: a second is counted once.
        if rate > limit * tolerance and begin >= last + WINDOW_S:
            above.append(f"{rate / limit:.3f} times the limit at {begin - series.times[0]:.2f} s")
            last = begin
    came = series.counts[-1] - series.counts[0]
    gap = series.longest_gap()
    note = f"worst {worst / limit:.3f} times the limit, {tolerance} is allowed; {came / 1e6:,.1f} MB came; readings at most {gap:.2f} s apart"
    return [Verdict("seconds above the limit, on the wire", len(above), note, above),
            Verdict("readings of the wire too far apart to judge it", int(gap > LONGEST_GAP_S or came == 0), f"longest gap {gap:.2f} s")]
