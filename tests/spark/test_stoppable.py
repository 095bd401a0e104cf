"""Ctrl-C before, while and after Spark starts, without Spark."""

import logging
import signal

import pytest
from webweir.spark.errors import CrawlFailed
from webweir.spark.stoppable import stoppable


class Session:
    stopped = False

    def stop(self):
        self.stopped = True


@pytest.fixture(autouse=True)
def undone():
    handler = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, handler)
    logging.disable(logging.NOTSET)


def press_ctrl_c():
    signal.raise_signal(signal.SIGINT)


def brings_a_handler():
    """As pyspark does with its context."""
    signal.signal(signal.SIGINT, lambda *_: pytest.fail("the handler of pyspark"))


def test_it_ends_the_session_and_py4j_is_silent(capsys):
    session = Session()
    with pytest.raises(KeyboardInterrupt):
        with stoppable([brings_a_handler, lambda: session], pytest.fail):
            try:
                press_ctrl_c()
            finally:
                logging.error("no answer")
    assert session.stopped and capsys.readouterr().err == ""


def test_what_fails_for_it_is_no_failure_of_the_crawl():
    session = Session()
    with pytest.raises(KeyboardInterrupt):
        with stoppable([lambda: session], pytest.fail):
            try:
                press_ctrl_c()
            except KeyboardInterrupt:
                raise CrawlFailed("Answer from Java side is empty") from None
    assert session.stopped


def test_what_fails_by_itself_stays_a_failure():
    session = Session()
    with pytest.raises(CrawlFailed):
        with stoppable([lambda: session], pytest.fail):
            raise CrawlFailed("a round failed")
    assert session.stopped


def test_spark_is_started_before_it_is_stopped():
    session, said = Session(), []

    def start():
        press_ctrl_c()
        return session

    with pytest.raises(KeyboardInterrupt):
        with stoppable([brings_a_handler, start], said.append):
            pytest.fail("nothing is to begin")
    assert session.stopped and len(said) == 1 and "press Ctrl-C again" in said[0]


def test_the_second_time_it_is_not_waited_for():
    def start():
        press_ctrl_c()
        press_ctrl_c()
        pytest.fail("it goes on")

    with pytest.raises(KeyboardInterrupt):
        with stoppable([brings_a_handler, start], lambda _: None):
            pytest.fail("nothing is to begin")


def test_a_start_that_fails_after_it_is_no_failure():
    def start():
        press_ctrl_c()
        raise RuntimeError("no master answers")

    with pytest.raises(KeyboardInterrupt):
        with stoppable([start], lambda _: None):
            pytest.fail("nothing is to begin")
