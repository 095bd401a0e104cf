"""What most tests on Spark begin with."""

import pytest
from cluster import Cluster
from web import PYTHONPATH, SMALL, web


@pytest.fixture(scope="module")
def cluster():
    """A master and two workers of one core each. Tests kill what they like of it, so each file has its own."""
    with Cluster(workers=2) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def spark(cluster):
    with cluster.session(conf=PYTHONPATH) as spark:
        yield spark


@pytest.fixture
def small():
    with web(*SMALL) as it:
        yield it
