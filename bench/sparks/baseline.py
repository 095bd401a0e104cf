"""Runs ParaCA's own scheme (`paraca.py`) on a cluster."""

import json
import sys
from pathlib import Path

from measure import Child
from sparks.cpu import Watch
from sparks.row import Row, faults

PROGRAM = Path(__file__).with_name("paraca.py")
# It holds every page in the driver, twice while they are handed to Spark and back.
CONFS = {"spark.driver.memory": "4g", "spark.driver.maxResultSize": "3g"}


def run(name, cluster, web, seeds, folder, args):
    confs = {**cluster.confs(), **CONFS}
    flags = [word for key, value in confs.items() for word in ("--conf", f"{key}={value}")]
    child = Child([sys.executable, PROGRAM, "--seeds", seeds, "--urls", folder / "urls.txt",
                   "--slices", 4 * len(cluster.workers), "--threads", args.threads, *flags],
                  cluster.environment(), folder, None)
    watch = Watch(child.process.pid, cluster)
    child.wait(args.timeout)
    cpu_s = watch.stop()
    if child.process.returncode != 0:
        raise RuntimeError(f"{name} ended with {child.process.returncode}: {child.log.read_text()[-2000:]}")
    told = json.loads(child.log.read_text().splitlines()[-1])
    print(f"{name}: {told}", file=sys.stderr)
    fetched = (folder / "urls.txt").read_text().split()
    return Row(name, told["pages"], told["layers"], told["seconds"], cpu_s,
               faults(web.counts(), web.truth(), fetched))
