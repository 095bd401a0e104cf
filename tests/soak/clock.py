"""A clock on the wall for each process, which jumps when it is told to; the clock that only counts is left alone."""

import glob
from pathlib import Path

LIBRARIES = ["/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib*/faketime/libfaketimeMT.so.1",
             "/usr/local/lib/faketime/libfaketimeMT.so.1"]


def library():
    """Where libfaketime is, or None."""
    return next((path for pattern in LIBRARIES for path in sorted(glob.glob(pattern))), None)


class Clock:
    def __init__(self, file):
        self.file = Path(file)
        self.library = library()
        self.set(0)

    def set(self, seconds):
        """So many seconds ahead of the real time, or behind it."""
        new = self.file.with_suffix(".new")
        new.write_text(f"{seconds:+d}\n")
        new.replace(self.file)

    def environment(self):
        if self.library is None:
            return {}
        return {"LD_PRELOAD": self.library, "FAKETIME_TIMESTAMP_FILE": str(self.file), "FAKETIME_CACHE_DURATION": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1"}
