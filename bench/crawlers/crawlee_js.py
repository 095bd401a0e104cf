import json
import shutil

from .base import PROGRAMS, Crawler, Missing, step


class CrawleeJs(Crawler):
    name = "crawlee"
    about = "Crawlee for Node with its CheerioCrawler (no browser), by npm"

    def install(self, cache):
        if not shutil.which("node") or not shutil.which("npm"):
            raise Missing("needs node and npm")
        self.folder = cache / "crawlee-js"
        self.folder.mkdir(exist_ok=True)
        if not (self.folder / "node_modules" / "@crawlee" / "cheerio").exists():
            (self.folder / "package.json").write_text('{"private": true}\n')
            step(["npm", "install", "--no-audit", "--no-fund", "@crawlee/cheerio"],
                 cwd=self.folder)
        # Node looks for packages beside the program.
        shutil.copy(PROGRAMS / "crawlee_site.mjs", self.folder)

    def version(self):
        package = self.folder / "node_modules" / "@crawlee" / "cheerio" / "package.json"
        return json.loads(package.read_text())["version"]

    def command(self, scenario, seeds, seeds_file, out):
        connections = min(scenario.per_host * scenario.hosts, scenario.total)
        return ["node", self.folder / "crawlee_site.mjs", seeds_file, connections]

    def environment(self):
        # It slows down when it thinks that the machine's memory is short.
        return {"CRAWLEE_AVAILABLE_MEMORY_RATIO": "0.9", "CRAWLEE_LOG_LEVEL": "ERROR"}
