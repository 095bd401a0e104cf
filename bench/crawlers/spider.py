import os
import re
import shutil

from .base import PROGRAMS, Crawler, step


class Spider(Crawler):
    name = "spider"
    about = "the Rust crate, its newest release, with its default features"
    # The same command costs 0.5 or 2 s per 1,000 pages of one large host, as chance will have it,
    # and weir is held against its best.
    least_runs = 5

    def install(self, cache):
        self.folder = cache / "spider"
        source = self.folder / "source"
        shutil.copytree(PROGRAMS / "spider", source, dirs_exist_ok=True)
        environment = {**os.environ, "CARGO_TARGET_DIR": str(self.folder / "target")}
        step(["cargo", "build", "--release", "--quiet"], cwd=source, env=environment)

    def version(self):
        lock = (self.folder / "source" / "Cargo.lock").read_text()
        return re.search(r'name = "spider"\nversion = "(.+)"', lock)[1]

    def command(self, scenario, seeds, seeds_file, out):
        binary = self.folder / "target" / "release" / "spider-peer"
        return [binary, seeds_file, scenario.per_host, scenario.total]
