"""That the check of the book finds what it is there to find: `test_check.py WEIR MDBOOK BOOK`, on a copy of the book."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import check

WEIR, MDBOOK, BOOK = sys.argv[1:4]


def faults_with(planted):
    """What is found if `planted` stands at the end of one page."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder).resolve()
        shutil.copytree(Path(BOOK) / "src", copy / "src")
        shutil.copy(Path(BOOK) / "book.toml", copy)
        with (copy / "src/docs/limit.md").open("a") as page:
            page.write(f"\n\n{planted}\n")
        subprocess.run([MDBOOK, "build", str(copy)], check=True, capture_output=True)
        return check.faults(copy / "html", WEIR)


class Check(unittest.TestCase):
    def test_links_that_lead_nowhere_are_found_with_their_page(self):
        planted = "[dead](nowhere.md) [alive](cap.md) [no place](cap.md#nowhere) [place](cap.md#the-wire) [here](#nowhere)"
        self.assertEqual(sorted(faults_with(planted)), [
            "docs/limit.md: no page docs/nowhere.html (404)",
            "docs/limit.md: no place docs/cap.html#nowhere",
            "docs/limit.md: no place docs/limit.html#nowhere",
        ])

    def test_pictures_and_folders_that_are_not_there_are_found(self):
        planted = "![picture](figures/nowhere.svg) [a folder without a page](figures/)"
        self.assertEqual(sorted(faults_with(planted)), [
            "docs/limit.md: no page docs/figures/ (404)",
            "docs/limit.md: no page docs/figures/nowhere.svg (404)",
        ])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
