"""Runs `weir-spark crawl` on a cluster."""

import json
import shutil
import sys
from pathlib import Path

import build
import pyarrow.parquet as pq
from measure import Child
from sparks.cpu import Watch
from sparks.row import Row, faults

PYTHON = build.ROOT / "python"


def ready():
    """Builds the core of the Python package, optimised, and puts it where Python looks for it."""
    if not build.cargo_build("weir-py"):
        sys.exit("bench: the core of the Python package does not build; see the errors above")
    shutil.copy(build.binary("lib_webweir.so"), PYTHON / "webweir/_webweir.abi3.so")


def runner(*flags):
    """`run` for a row, with these flags of `weir-spark crawl`."""

    def run(name, cluster, web, seeds, folder, args):
        out = folder / "out"
        confs = {**cluster.confs(), "spark.executorEnv.PYTHONPATH": str(PYTHON)}
        command = [sys.executable, "-m", "webweir.spark", "crawl", *seeds.read_text().split(), "--scope", "any",
                   "--allow-private", "--out", out, *flags]
        command += [word for key, value in confs.items() for word in ("--conf", f"{key}={value}")]
        child = Child(command, {**cluster.environment(), "PYTHONPATH": str(PYTHON)}, folder, None)
        watch = Watch(child.process.pid, cluster)
        child.wait(args.timeout)
        cpu_s = watch.stop()
        if child.process.returncode != 0:
            raise RuntimeError(f"{name} ended with {child.process.returncode}: {child.log.read_text()[-2000:]}")
        print(f"{name}: {child.log.read_text()[-1500:]}", file=sys.stderr)
        manifest = last_manifest(out)
        fetched = urls(out, manifest)
        return Row(name, len(fetched), manifest["round"] + 1, child.wall_s, cpu_s,
                   faults(web.counts(), web.truth(), fetched), crawl_s=manifest["seconds"],
                   twice=web.counts()["repeated"], kept=sizes(out))

    return run


def last_manifest(out: Path):
    return json.loads(sorted((out / "_weir/rounds").glob("*.json"))[-1].read_text())


def urls(out, manifest):
    names = [name for bucket in manifest["buckets"].values() for name in bucket["files"].get("pages", [])]
    return [url for name in names for url in pq.ParquetFile(out / name).read(["url"])["url"].to_pylist()]


def sizes(out: Path):
    """Bytes under each folder, what later rounds have replaced included."""
    sums = {}
    for file in out.rglob("*"):
        if file.is_file():
            parts = file.relative_to(out).parts
            folder = "/".join(parts[:2] if parts[0] == "_weir" else parts[:1])
            sums[folder] = sums.get(folder, 0) + file.stat().st_size
    return sums
