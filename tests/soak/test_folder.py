"""That one run does not clear away another."""

import fcntl

from conftest import can_run, chaos

import pytest


def test_a_folder_in_which_a_run_is_under_way_is_left_alone(programs, tmp_path):
    if not can_run():
        pytest.skip("needs the right to make namespaces, and iproute2")
    kept = tmp_path / "single" / "faults.jsonl"
    kept.parent.mkdir()
    kept.write_text("of the other run\n")
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = chaos(programs, tmp_path, "--minutes", "0.01", "--scenario", "single")
    assert done.returncode == 1 and "another run is under way" in done.stdout and "--folder" in done.stdout
    assert kept.read_text() == "of the other run\n"
