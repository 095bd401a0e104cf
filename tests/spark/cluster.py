"""A standalone Spark cluster on loopback, from the pip package of pyspark alone.

```
with Cluster(workers=2) as cluster, cluster.session() as spark:
    spark.range(10).count()
```

Each worker has an address of its own (127.0.0.2, 127.0.0.3, …), so that they are told apart. The ports are the
system's choice. A driver in another process needs `cluster.environment()` and `cluster.confs()`.
"""

import atexit
import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import pyspark

from processes import in_sessions, kill, wait_until

STARTS_WITHIN_S = 120
ENDS_WITHIN_S = 30
DRIVER = "127.0.0.1"
# A lost worker is noticed after this time, which is a minute by default.
WORKER_TIMEOUT_S = 15
QUICK_START = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
PR_SET_PDEATHSIG = 1

# What the master says of its ports is needed, so it is let through; all else is silent unless it is odd.
LOG4J = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss.SSS} %p %c{1}: %m%n
logger.master.name = org.apache.spark.deploy.master
logger.master.level = info
"""
# The driver shares its standard error with the test, so what it has to say goes to a file.
DRIVER_LOG4J = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {file}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{HH:mm:ss.SSS}} %p %c{{1}}: %m%n
"""


class Cluster:
    """One master and some workers of one core each. They end with the block, or with the interpreter."""

    def __init__(self, workers=2, cores=1, memory="1g", executor_memory="600m"):
        self.cores, self.memory, self.executor_memory = cores, memory, executor_memory
        self.folder = Path(tempfile.mkdtemp(prefix="weir-spark-"))
        self.master = None
        self.workers = [None] * workers
        # Everything that was ever started, since what a killed worker leaves behind must end, too.
        self.sessions = set()
        self.master_url = self.status_url = None

    def __enter__(self):
        atexit.register(self.stop)
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()
        atexit.unregister(self.stop)

    def start(self):
        self.write_conf("daemon", LOG4J)
        self.write_conf("driver", DRIVER_LOG4J.format(file=self.folder / "driver.log"))
        self.master = self.spawn("master", DRIVER, "master.Master", "--port", "0", "--webui-port", "0")
        self.master_url = self.said(r"Starting Spark master at (spark://\S+)")
        self.status_url = self.said(r"Bound MasterWebUI to .* at (http://\S+)") + "/json/"
        for number in range(len(self.workers)):
            self.start_worker(number)
        self.wait_for_workers(len(self.workers))

    def start_worker(self, number):
        """Starts it for the first time, or again after `kill_worker`, and does not wait for it."""
        self.workers[number] = self.spawn(
            f"worker-{number}", self.address(number), "worker.Worker", "--port", "0",
            "--webui-port", "0", "--cores", str(self.cores), "--memory", self.memory, "--work-dir",
            str(self.folder / f"work-{number}"), self.master_url)

    def restart_worker(self, number):
        self.start_worker(number)
        self.wait_for_workers(sum(worker is not None for worker in self.workers))

    def kill_worker(self, number):
        """The worker and all that ran on it are gone at once, as if someone had pulled the plug."""
        worker, self.workers[number] = self.workers[number], None
        end_sessions({worker.pid})
        worker.wait(ENDS_WITHIN_S)

    def wait_for_workers(self, count, within_s=STARTS_WITHIN_S):
        """Until the master counts so many workers as alive: it takes a while to miss a lost one."""
        wait_until(lambda: self.alive_workers() == count, within_s,
                   f"{count} workers at {self.master_url}\n{self.last_words()}")

    def alive_workers(self):
        return self.status()["aliveworkers"]

    def status(self):
        """What the master knows: workers, applications, cores."""
        with urllib.request.urlopen(self.status_url, timeout=10) as answer:
            return json.load(answer)

    def executors(self, number=None):
        """Processes that run tasks, those of one worker or of all: the Java side."""
        return [process for process in self.processes(number)
                if "CoarseGrainedExecutorBackend" in process.command]

    def python_workers(self, number=None):
        """Processes that run tasks: the Python side. Each is forked off a daemon, which is not counted."""
        found = {process.pid: process for process in self.processes(number)
                 if "pyspark.daemon" in process.command}
        return [process for process in found.values() if process.parent in found]

    def processes(self, number=None):
        """All of one worker, or all of the master and every worker there ever was."""
        return in_sessions(self.sessions if number is None else {self.workers[number].pid})

    @contextlib.contextmanager
    def session(self, name="test", conf=None):
        """A `SparkSession` of this process on the cluster, with the confs changed by `conf`.

        One at a time: pyspark would hand out the one there is, whatever cluster that is on. Its Java side
        ends with it, so that the next one can have other confs.
        """
        from pyspark import SparkContext
        from pyspark.sql import SparkSession

        if SparkContext._active_spark_context is not None:
            raise RuntimeError("this process has a Spark session already; end it first")
        wanted = {**self.confs(), **(conf or {})}
        with changed(os.environ, self.environment()):
            builder = SparkSession.builder.appName(name)
            for key, value in wanted.items():
                builder = builder.config(key, value)
            try:
                spark = builder.getOrCreate()
                try:
                    yield spark
                finally:
                    spark.stop()
            finally:
                end_driver()

    def confs(self):
        """For `SparkConf`, or for `spark-submit --conf`."""
        return {
            "spark.master": self.master_url,
            "spark.driver.host": DRIVER,
            "spark.driver.bindAddress": DRIVER,
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.executor.memory": self.executor_memory,
            "spark.executor.cores": str(self.cores),
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
            # The executors are small, and start often: with the quick compiler alone a start costs half.
            "spark.executor.extraJavaOptions": QUICK_START,
            "spark.driver.extraJavaOptions": f"{QUICK_START} -Djava.io.tmpdir={self.folder}",
        }

    def environment(self):
        """What a driver has to find in its environment."""
        return self.variables(DRIVER, "driver")

    def variables(self, address, conf):
        return {
            "SPARK_HOME": str(Path(pyspark.__file__).parent),
            "SPARK_CONF_DIR": str(self.folder / conf),
            "SPARK_LOCAL_IP": address,
            "SPARK_LOCAL_HOSTNAME": address,
            "SPARK_PUBLIC_DNS": address,
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "SPARK_DAEMON_MEMORY": "256m",
            # The REST server would take a port that is the same for everyone.
            "SPARK_DAEMON_JAVA_OPTS": f"{QUICK_START} -Dspark.master.rest.enabled=false "
                                      f"-Dspark.worker.timeout={WORKER_TIMEOUT_S}",
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
        }

    def address(self, number):
        return f"127.0.0.{number + 2}"

    def spawn(self, name, address, program, *arguments):
        command = [Path(pyspark.__file__).parent / "bin/spark-class",
                   f"org.apache.spark.deploy.{program}", "--host", address, *arguments]
        environment = {**os.environ, **self.variables(address, "daemon")}
        with open(self.folder / f"{name}.log", "ab") as log:
            process = subprocess.Popen(
                command, env=environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True, preexec_fn=die_with_parent)
        self.sessions.add(process.pid)
        return process

    def said(self, pattern):
        log = self.folder / "master.log"
        return wait_until(lambda: re.search(pattern, log.read_text()), STARTS_WITHIN_S,
                          f"{pattern!r} in the master's log\n{self.last_words()}")[1]

    def last_words(self):
        """The end of every log, for the message of a failure."""
        logs = sorted(self.folder.glob("*.log"))
        return "\n".join(f"{log.name}: {log.read_text(errors='replace')[-1500:]}" for log in logs)

    def write_conf(self, name, log4j):
        (self.folder / name).mkdir()
        (self.folder / name / "log4j2.properties").write_text(log4j)

    def stop(self):
        """Ends everything that was started, and removes what it wrote. Harmless if called again."""
        end_sessions(self.sessions)
        for process in [self.master, *self.workers]:
            if process is not None:
                process.wait(ENDS_WITHIN_S)
        self.sessions.clear()
        shutil.rmtree(self.folder, ignore_errors=True)


def end_sessions(leaders):
    """By pid, and again until none is left: one that is just being started is not yet on the list."""
    def all_ended():
        left = in_sessions(leaders)
        for process in left:
            kill(process)
        return not left

    if leaders:
        wait_until(all_ended, ENDS_WITHIN_S, f"the end of sessions {sorted(leaders)}")


def end_driver():
    """The Java side of this process's driver, which pyspark would keep until the interpreter ends."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    if gateway is None:
        return
    SparkContext._gateway = SparkContext._jvm = None
    gateway.shutdown()
    # It ends when its standard input does.
    gateway.proc.stdin.close()
    try:
        gateway.proc.wait(ENDS_WITHIN_S)
    except subprocess.TimeoutExpired:
        gateway.proc.kill()
        gateway.proc.wait(ENDS_WITHIN_S)


def die_with_parent():
    """A test run that is killed cannot clean up; the kernel does it. Executors miss their worker and end."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@contextlib.contextmanager
def changed(variables, changes):
    before = {key: variables.get(key) for key in changes}
    variables.update(changes)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                variables.pop(key, None)
            else:
                variables[key] = value
