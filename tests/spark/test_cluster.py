"""That the cluster is a real one and can lose what it has.

Run with `python -m pytest tests/spark` and an interpreter that has `tests/spark/requirements.txt`.
"""

import threading

import pytest
from cluster import Cluster
from processes import kill, wait_until

pytestmark = pytest.mark.long
WITHIN_S = 120


@pytest.fixture(scope="module")
def spark(cluster):
    with cluster.session() as spark:
        yield spark


def test_two_workers_run_two_tasks_at_a_time(spark, tmp_path):
    folder, bound = str(tmp_path), WITHIN_S

    def meet(number, _):
        """Ends only if the other is at work, too."""
        import os
        import time
        open(f"{folder}/{number}", "w").close()
        until = time.monotonic() + bound
        while not os.path.exists(f"{folder}/{1 - number}") and time.monotonic() < until:
            time.sleep(0.05)
        yield os.environ["SPARK_LOCAL_IP"], time.monotonic() < until

    found = spark.sparkContext.parallelize(range(2), 2).mapPartitionsWithIndex(meet).collect()
    assert sorted(found) == [("127.0.0.2", True), ("127.0.0.3", True)]


@pytest.mark.parametrize("side", [Cluster.executors, Cluster.python_workers])
def test_what_is_killed_is_replaced_and_the_job_still_ends(cluster, spark, tmp_path, side):
    mark, bound = tmp_path / "at-work", WITHIN_S

    def stay_until_killed(number, _):
        import os
        import time

        from pyspark import TaskContext
        attempt = TaskContext.get().attemptNumber()
        if number == 0 and attempt == 0:
            mark.with_suffix(".part").write_text(os.environ["SPARK_LOCAL_IP"])
            mark.with_suffix(".part").rename(mark)
            time.sleep(bound)
        yield number, attempt > 0

    numbers = spark.sparkContext.parallelize(range(6), 6)
    job = Job(lambda: numbers.mapPartitionsWithIndex(stay_until_killed).collect())
    wait_until(mark.exists, WITHIN_S, "the first task at work")
    worker = [cluster.address(number) for number in range(2)].index(mark.read_text())
    victims = side(cluster, worker)
    assert len(victims) == 1, "one core is one executor and one Python worker"
    kill(victims[0])
    assert sorted(job.result())[0] == (0, True), "the first was tried again"
    assert sorted(number for number, _ in job.result()) == list(range(6))
    wait_until(lambda: set(side(cluster, worker)) - set(victims), WITHIN_S, "its successor")
    assert not victims[0].is_running()


def test_a_second_session_is_refused_rather_than_given_the_first(cluster, spark):
    with pytest.raises(RuntimeError, match="end it first"), cluster.session():
        pass
    assert spark.range(3).count() == 3


def test_a_killed_worker_is_missed_and_comes_back(cluster, spark):
    lost = cluster.processes(1)
    cluster.kill_worker(1)
    assert not any(process.is_running() for process in lost)
    cluster.wait_for_workers(1)
    cluster.restart_worker(1)
    assert cluster.alive_workers() == 2
    assert spark.sparkContext.parallelize(range(10), 4).sum() == 45


class Job(threading.Thread):
    """Runs beside the test, so that the test can get in its way."""

    def __init__(self, work):
        super().__init__(daemon=True)
        self.work, self.found, self.error = work, None, None
        self.start()

    def run(self):
        try:
            self.found = self.work()
        except Exception as error:
            self.error = error

    def result(self):
        self.join(WITHIN_S)
        assert not self.is_alive(), f"the job did not end within {WITHIN_S} s"
        if self.error:
            raise self.error
        return self.found
