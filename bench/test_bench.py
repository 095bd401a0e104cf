"""Run with `python3 -m unittest discover bench`."""

import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests/spark")]

import figures
import report
from clusters import cost, load, speed
from clusters.party import Crawled, middle
from clusters.table import Table
from crawlers import ALL
from measure import Child, Run, best
from scales import broad, frontier
from scenarios import scenarios
from sparks import cpu, row, undisturbed

COUNTS = {"pages_complete": 2000, "requests": 2001, "repeated": 0, "false_links": 0, "unknown": 0,
          "bad": 0, "violations": 0, "connections": 16}


def run(cpu_s, rss_mb=10, opened=3200, **counts):
    return Run(command=["crawl"], exit_code=0, timed_out=False, wall_s=1, cpu_s=cpu_s,
               rss_mb=rss_mb, open_connections=opened, pages=2000, counts={**COUNTS, **counts},
               log="")


def rows(weir, wget2):
    crawlers = {crawler.name: crawler for crawler in ALL}
    found = []
    for scenario in scenarios(quick=True):
        found.append(report.row(crawlers["weir"], scenario, [weir]))
        found.append(report.row(crawlers["wget2"], scenario, [wget2]))
    return found


def results(weir, wget2):
    chosen = [crawler for crawler in ALL if crawler.name in ("weir", "wget2")]
    verdicts = figures.judge(rows(weir, wget2), chosen, scenarios(quick=True))
    return verdicts, {verdict.result for verdict in verdicts}


class Figures(unittest.TestCase):
    def test_a_good_crawl_reaches_all_that_was_asked_for(self):
        verdicts, found = results(run(0.2), run(0.5))
        self.assertEqual(found, {figures.PASS, figures.LEFT_OUT})
        self.assertTrue(figures.all_reached(verdicts))

    def test_each_fault_falls_short(self):
        faults = [run(0.3), run(0.2, rss_mb=200), run(0.2, opened=3199), run(0.2, repeated=1),
                  run(0.2, pages_complete=1999), run(0.2, requests=2100), run(0.2, unknown=1),
                  run(0.2, violations=1), run(0.2, false_links=1)]
        for fault in faults:
            self.assertIn(figures.SHORT, results(fault, run(0.5))[1], fault)

    def test_what_could_not_be_measured_is_not_reached(self):
        verdicts = figures.judge([report.missing("weir", "not built")], ALL, scenarios(True))
        self.assertEqual({verdict.result for verdict in verdicts}, {figures.UNKNOWN})
        self.assertFalse(figures.all_reached(verdicts))

    def test_a_crawl_without_a_page_has_no_figure_and_still_a_row(self):
        nothing = run(0.2, pages_complete=0, requests=0)
        verdicts, found = results(nothing, nothing)
        self.assertIn(figures.UNKNOWN, found)
        self.assertIn("NOT", report.text(rows(nothing, nothing), verdicts, notes()))


class Report(unittest.TestCase):
    def test_the_table_names_every_crawler_and_every_reason(self):
        found = [*rows(run(0.2), run(0.5)), report.missing("colly", "no Go here")]
        for table in (report.text(found, [], notes()), report.markdown(found, [], notes())):
            self.assertIn("2.50", table)
            self.assertIn("no Go here", table)


class Measure(unittest.TestCase):
    def test_the_least_cpu_of_the_most_complete_runs_counts(self):
        poor, dear, cheap = run(0.1, pages_complete=9), run(0.3), run(0.2)
        self.assertIs(best([poor, dear, cheap]), cheap)

    def test_cpu_memory_and_exit_code_are_the_childs(self):
        child = watch("b = bytearray(80_000_000)\nfor _ in range(3_000_000): pass\nexit(3)", 60)
        self.assertEqual((child.exit_code, child.timed_out), (3, False))
        self.assertGreater(child.cpu_s, 0.01)
        self.assertGreater(child.rss_mb, 80)

    def test_a_run_that_does_not_end_is_ended(self):
        self.assertTrue(watch("import time; time.sleep(600)", 0.5).timed_out)


def crawled(pages_s, decider=1.0, **more):
    return Crawled(**{"pages": 100, "expected": 100, "wall_s": 1, "middle": pages_s,
                      "decider_cpu_s": decider, "decider_rss_mb": 10, "cpu_s": [2.0, 2.0],
                      "exits": [0, 0, 0], **more})


class Cluster(unittest.TestCase):
    def test_start_and_end_do_not_count_for_the_middle(self):
        slow_ends = [(0, 0), (8, 10), (12, 50), (16, 90), (30, 100)]
        self.assertAlmostEqual(middle(slow_ends, 100), 10)
        self.assertNotEqual(middle([], 100), middle([], 100), "nothing was seen: not a number")

    def test_speed_is_judged_against_one_downloader_and_one_at_a_time(self):
        rates = {name: 20.0 * max(count, 1) * slots for name, count, slots, _ in speed.ROWS}
        for rates[speed.name_of(3)], wanted in [(1200.0, True), (1150.0, False), (900.0, False)]:
            best = {(name, "kept"): crawled(rate) for name, rate in rates.items()}
            self.assertEqual(figures.all_reached(speed.judge(best, "kept")), wanted, rates)

    def test_a_dear_scheduler_and_a_lost_page_fall_short(self):
        self.assertEqual(cost.judge("kept", crawled(1)).result, figures.PASS)
        for run in (crawled(1, decider=1.1), crawled(1, pages=99), crawled(1, exits=[0, 4, 0])):
            self.assertEqual(cost.judge("kept", run).result, figures.SHORT)

    def test_a_scheduler_that_is_slow_or_bloated_falls_short(self):
        start = {"urls": 0, "outcomes": 0, "seconds": 0.0, "cpu_s": 0.0, "rss": 10e6}
        first = {"urls": 1000, "outcomes": 333, "seconds": 0.03, "cpu_s": 0.02, "rss": 20e6}
        args = type("Args", (), {"urls": 1_000_000})
        for seconds, rss, wanted in [(20, 50e6, True), (50, 50e6, False), (20, 80e6, False)]:
            last = {"urls": 1_000_000, "outcomes": 333_333, "seconds": seconds, "cpu_s": 20.0,
                    "rss": rss}
            found = load.judge([start, first, last], args)
            self.assertEqual(figures.all_reached(found), wanted, (seconds, rss))

    def test_both_forms_of_a_table_have_every_cell(self):
        table = Table("title", ["name", "number"], [["one", "1.23"]])
        for form in (table.text(), table.markdown()):
            for cell in ("title", "name", "number", "one", "1.23"):
                self.assertIn(cell, form)


def grown(urls, cost=1.0, rss=None):
    costs = {what: {"cpu_us": cost, "wall_us": cost} for what in ("add", "lease", "seen", "unseen")}
    return {**costs, "urls": urls, "waiting": urls, "kept": 0, "url_bytes": 70, "seconds": urls * cost / 1e6, "cpu_s": urls * cost / 1e6,
            "memory": {"rss": rss or 25 * urls, "peak": rss or 25 * urls}, "disk": {"log": 90 * urls, "queues": 24 * urls}}


def look(at, pages, rss=100_000_000):
    return broad.Look(at, pages, pages * 10, pages * 9, 0, pages * 27_000, at, at, rss, 1000, 1000)


class Scale(unittest.TestCase):
    def test_a_frontier_that_gets_dearer_or_larger_falls_short(self):
        first, million = grown(1_000_000), 1_000_000
        for last, opened, wanted in [
                (grown(50 * million), grown(50 * million), True),
                (grown(50 * million, cost=2.1), grown(50 * million), False),
                (grown(50 * million, cost=1.9), grown(50 * million), True),
                (grown(50 * million), grown(50 * million, cost=2.1), False),
                (grown(50 * million, rss=40 * 50 * million), grown(50 * million), False),
                (grown(50 * million), grown(50 * million - 1), False)]:
            found = frontier.judge([first, last], [first, opened])
            self.assertEqual(figures.all_reached(found), wanted)

    def test_a_row_of_the_frontier_has_a_cell_for_each_head(self):
        self.assertEqual(frontier.row(grown(2), grown(2))[:2], ["2", "1.00"])

    def test_a_broad_crawl_that_slows_down_or_asks_twice_falls_short(self):
        even, slowing = ([look(at, pages) for at, pages in zip(range(0, 70, 10), counts)]
                         for counts in ([100 * n for n in range(1, 8)], [100, 1100, 2100, 3100, 4100, 4200, 4300]))
        fair = {"repeated": 0, "violations": 0, "false_links": 0, "unknown": 0}
        for looks, counts, ended_by, wanted in [
                (even, fair, "the clock", True), (slowing, fair, "the clock", False),
                (even, {**fair, "repeated": 1}, "the clock", False), (even, fair, "itself", False)]:
            looks = [broad.Look(**{**vars(one), "rss": one.known * 100}) for one in looks]
            found = broad.judge("none", broad.Crawl(looks, counts, 4, ended_by), looks)
            self.assertEqual(figures.all_reached(found), wanted, (ended_by, counts))

    def test_few_looks_of_many_are_lines_and_the_last_is_among_them(self):
        looks = [look(at, at) for at in range(100)]
        lines = broad.thinned(looks, 6)
        self.assertEqual((len(lines), lines[0].at, lines[-1].at), (7, 0, 99))
        self.assertEqual(len(broad.row("none", lines[0], lines[1])), 14)


ASKED = {"pages_complete": 2, "repeated": 0, "false_links": 0, "unknown": 0, "violations": 0}
TRUTH = [{"url": "http://a/", "kind": "page"}, {"url": "http://a/1", "kind": "page"},
         {"url": "http://a/go", "kind": "redirect"}]
PAGES = ["http://a/1", "http://a/"]


class Spark(unittest.TestCase):
    def test_every_page_once_has_no_fault(self):
        self.assertEqual(row.faults(ASKED, TRUTH, PAGES), [])

    def test_each_fault_is_told_whoever_noticed_it(self):
        for key, wrong in [("pages_complete", 1), ("repeated", 1), ("false_links", 1),
                           ("unknown", 1), ("violations", 1)]:
            self.assertEqual(len(row.faults({**ASKED, key: wrong}, TRUTH, PAGES)), 1, key)
        for fetched in (PAGES[:1], [*PAGES, PAGES[0]], [*PAGES, "http://a/go"]):
            self.assertEqual(len(row.faults(ASKED, TRUTH, fetched)), 1, fetched)

    def test_a_row_is_compared_with_the_baseline(self):
        baseline, ours = row.Row("theirs", 100, 8, 50.0), row.Row("ours", 100, 4, 4.0)
        table = row.table("title", [baseline, ours], baseline)
        self.assertEqual(table.rows[1][:6], ["ours", "100", "4", "4.0", "25.0", "12.50"])
        self.assertIn("nan", row.table("title", [ours], None).text())

    def test_a_row_with_a_fault_falls_short(self):
        self.assertEqual(row.judge_whole(row.Row("a", 1, 1, 1.0)).result, figures.PASS)
        faulty = row.Row("a", 1, 1, 1.0, faults=["1 page not reported"])
        self.assertEqual(row.judge_whole(faulty).result, figures.SHORT)

    def test_cpu_goes_to_its_kind_and_counts_from_the_start(self):
        daemon = ("master, workers", 5.0)
        after = {1: ("master, workers", 7.0), 2: ("executors, Java", 3.0), 3: ("executors, Java", 1.0)}
        spent = cpu.split({1: daemon}, after)
        self.assertEqual((spent["master, workers"], spent["executors, Java"]), (2.0, 4.0))
        self.assertEqual(set(spent), set(cpu.KINDS))

    def test_a_process_is_known_by_its_session_and_command(self):
        for session, command, wanted in [
                (7, "java org.apache.spark.deploy.SparkSubmit", "driver, Java"),
                (7, "python paraca.py", "driver, Python"),
                (8, "java org.apache.spark.executor.CoarseGrainedExecutorBackend", "executors, Java"),
                (8, "python -m pyspark.daemon", "executors, Python"),
                (8, "java org.apache.spark.deploy.worker.Worker", "master, workers")]:
            process = SimpleNamespace(session=session, command=command)
            self.assertEqual(cpu.kind(process, driver=7), wanted)


class Disturbed(unittest.TestCase):
    def runs(self, parts):
        """Tries of a row of which others had these parts of the processors."""
        left = list(enumerate(parts))

        class Before:
            def stolen_since(self):
                return left.pop(0)[1]

        def run():
            number = left[0][0]
            return row.Row(f"try {number}", 10, 1, 1.0, faults=["one page twice"] if number == 0 else [])

        chosen = undisturbed.undisturbed(run, Before)
        return chosen, len(parts) - len(left)

    def test_the_least_disturbed_try_counts_and_no_fault_is_forgotten(self):
        chosen, tries = self.runs([0.5, 0.01, 0.0])
        self.assertEqual((chosen.name, chosen.stolen, tries), ("try 1", 0.01, 2))
        self.assertEqual(chosen.faults, ["one page twice"])
        chosen, tries = self.runs([0.5, 0.3, 0.4])
        self.assertEqual((chosen.name, tries), ("try 1", 3))


HAS_SPARK = all(importlib.util.find_spec(name) for name in ("pyspark", "requests", "bs4"))


@unittest.skipUnless(HAS_SPARK, "needs an interpreter with tests/spark/requirements.txt")
class Baseline(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Spark gives this file to its executors alone, so it is no part of a package.
        sys.path.insert(0, str(HERE / "sparks"))
        import page
        import paraca
        cls.page, cls.paraca = page, paraca

    def test_links_are_found_in_every_spelling_and_false_ones_are_not(self):
        html = ("<!-- <a href=/no> --><script>'<a href=/no>'</script><textarea><a href=/no></textarea>"
                "<a href=/q?a=1&amp;b=2>x</a><A HREF=' ../up '>x</a><a href='//b/x#part'>x</a>"
                "<a href=mailto:me@b>x</a><a href='http://[bad'>x</a><a href=/q?a=1&amp;b=2>x</a>")
        self.assertEqual(self.page.get_newurls(("http://a/d/e/", html)),
                         ["http://a/q?a=1&b=2", "http://a/d/up", "http://b/x"])
        self.assertEqual(self.page.get_newurls(None), [])

    def test_content_has_all_that_the_paper_asks_for(self):
        html = ("<title> T </title><meta name=copyright content=me>"
                "<meta property=article:published_time content=2020-01-02>"
                "<body><script>no</script><p>one<p>two<video src=/v.mp4></video></body>")
        self.assertEqual(self.page.get_content(("http://a/", html)), [{
            "title": "T", "published": "2020-01-02", "owner": "me", "text": "one two",
            "videos": ["http://a/v.mp4"]}])
        self.assertEqual(self.page.get_content(("http://a/", "")), [{
            "title": None, "published": None, "owner": None, "text": None, "videos": []}])

    def test_only_urls_that_are_new_come_into_the_next_layer_and_each_once(self):
        links = [["a", "b"], [], ["b", "c"]]
        self.assertEqual(sorted(self.paraca.distinct_urls(links, {"a"})), ["b", "c"])

    def test_there_are_tasks_for_every_core_and_none_too_large(self):
        for items, size, wanted in [(0, 0, 1), (3, 0, 3), (100, 0, 8), (100, 160 << 20, 10)]:
            self.assertEqual(self.paraca.slices(items, size, least=8), wanted)


def watch(program, timeout):
    with tempfile.TemporaryDirectory() as scratch:
        child = Child([sys.executable, "-c", program], {}, Path(scratch), None)
        child.wait(timeout)
        return child.run(2000, COUNTS)


def notes():
    return {"when": "now", "machine": "here", "load": "0", "quick": True, "repeat": 1}


if __name__ == "__main__":
    unittest.main()
