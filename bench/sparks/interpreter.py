"""A Python that has Spark: this one, or one made for it."""

import importlib.util
import os
import sys
from pathlib import Path

from crawlers.base import Missing, venv

REQUIREMENTS = Path(__file__).resolve().parents[2] / "tests/spark/requirements.txt"
NEEDS = ("pyspark", "requests", "bs4")


def become():
    """Returns in a Python that has all of it, which may be another process image than before."""
    if has_all():
        return
    python = other()
    if Path(sys.prefix) == Path(python).parent.parent:
        sys.exit(f"bench: {python} lacks one of {', '.join(NEEDS)}; delete its folder to get it anew")
    os.execv(python, [str(python), *sys.argv])


def has_all():
    return all(importlib.util.find_spec(name) for name in NEEDS)


def other():
    if os.environ.get("WEIR_SPARK_PYTHON"):
        return os.environ["WEIR_SPARK_PYTHON"]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "weir-bench"
    try:
        return venv(cache, "spark", "-r", REQUIREMENTS) / "python"
    except Missing as why:
        sys.exit(f"bench: no Spark: {why}")
