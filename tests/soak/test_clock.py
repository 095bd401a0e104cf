"""What the chaos run found about clocks."""

import subprocess
import sys
from pathlib import Path

import clock
import lab
import pytest
from conftest import can_run

SCRIPT = Path(__file__).with_name("wrong_clock.py")


def test_a_retry_that_a_wrong_clock_put_off_is_made_all_the_same(programs, tmp_path):
    if clock.library() is None or not can_run():
        pytest.skip("needs libfaketime, iproute2 and the right to make namespaces")
    words = [*lab.UNSHARE, sys.executable, str(SCRIPT), str(programs), str(tmp_path)]
    done = subprocess.run(words, text=True, capture_output=True, timeout=300, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "0"), done.stderr + (tmp_path / "said.txt").read_text()
