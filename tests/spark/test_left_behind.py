"""That a cluster ends whole, however its test does."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cluster import Cluster
from processes import in_sessions, kill, running, wait_until

pytestmark = pytest.mark.long
WITHIN_S = 120


def test_nothing_is_left_behind_when_a_test_fails():
    with pytest.raises(ZeroDivisionError), Cluster(workers=1) as cluster:
        with cluster.session() as spark:
            assert spark.sparkContext.parallelize(range(4), 2).map(str).count() == 4
            found = [*cluster.processes(), *children(os.getpid())]
            assert len(cluster.executors()) == len(cluster.python_workers()) == 1
            assert len(found) > 5, "master, worker, executor, daemon, Python worker, driver"
            raise ZeroDivisionError
    assert not [process for process in found if process.is_running()]
    assert not [process for process in running() if str(cluster.folder) in process.command]
    assert not cluster.folder.exists()


def test_nothing_is_left_behind_when_a_test_run_is_killed():
    program = """if True:
        import time
        from cluster import Cluster
        with Cluster(workers=1) as cluster, cluster.session() as spark:
            spark.sparkContext.parallelize(range(4), 2).map(str).count()
            print(cluster.folder, *cluster.sessions, flush=True)
            time.sleep(300)"""
    run = subprocess.Popen([sys.executable, "-c", program], cwd=Path(__file__).parent,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    with run:
        folder, *sessions = run.stdout.readline().split()
        driver, sessions = children(run.pid), set(map(int, sessions))
        try:
            assert len(in_sessions(sessions)) == 5
            os.kill(run.pid, signal.SIGKILL)
            wait_until(lambda: not in_sessions(sessions), WITHIN_S, "the end of the cluster")
            wait_until(lambda: not any(process.is_running() for process in driver), WITHIN_S,
                       "the end of the driver")
        finally:
            for process in [*in_sessions(sessions), *driver]:
                kill(process)
            shutil.rmtree(folder)


def children(pid):
    return [process for process in running() if process.parent == pid]
