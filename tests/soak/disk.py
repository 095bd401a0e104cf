"""A disk of its own for each folder, which can be filled at will: a tmpfs whose size is set anew."""

import os
import subprocess

AMPLE = 64 << 30  # Only what is written takes memory.
PAGE = os.sysconf("SC_PAGE_SIZE")


class Disk:
    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True)
        mount(["-t", "tmpfs", "-o", f"size={AMPLE}", "none"], folder)

    def fill(self, room):
        """Leaves only so many bytes free. Somebody may be writing meanwhile, so it may take several tries."""
        for _ in range(50):
            if self._resize(self.used() + room):
                return
        raise RuntimeError(f"{self.folder} cannot be made full")

    def free(self):
        if not self._resize(AMPLE):
            raise RuntimeError(f"{self.folder} cannot be made large again")

    def used(self):
        told = os.statvfs(self.folder)
        return (told.f_blocks - told.f_bfree) * told.f_frsize

    def _resize(self, size):
        size = -(-size // PAGE) * PAGE
        words = ["mount", "-o", f"remount,size={size}", str(self.folder)]
        return subprocess.run(words, stderr=subprocess.DEVNULL, check=False).returncode == 0


def mount(words, folder):
    subprocess.run(["mount", *words, str(folder)], check=True)
