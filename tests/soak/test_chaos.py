"""A minute of chaos with the programs that were built, and every promise kept."""

import pytest
from conftest import can_run, chaos


def test_a_minute_of_chaos(programs, tmp_path):
    if not can_run():
        pytest.skip("needs the right to make namespaces, and iproute2")
    done = chaos(programs, tmp_path / "run", "--minutes", "1", "--scenario", "cluster", "--limit", "500000")
    print(done.stdout)
    assert done.returncode == 0
    assert "all promises kept" in done.stdout
