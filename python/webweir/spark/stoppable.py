"""Ctrl-C while Spark is at work.

The handler that pyspark brings asks Java to end all jobs while Java is asked for something else, and tells at length
that it cannot. Jobs end with their session, too, so it is enough to leave it.
"""

import contextlib
import logging
import signal


@contextlib.contextmanager
def stoppable(steps, say):
    """The session that the last of these steps makes, until the block is over or Ctrl-C ends it: that is a
    KeyboardInterrupt, whatever else it makes fail."""
    pressed = []

    def leave(*_):
        pressed.append(True)
        logging.disable()  # py4j would tell of the call that gets no answer.
        raise KeyboardInterrupt

    def wait(*_):
        if pressed:
            leave()
        pressed.append(True)
        say("stops as soon as Spark has started; press Ctrl-C again to leave at once")

    try:
        for step in steps:
            # Java that is left while it starts stays for ever. A step may have brought pyspark's handler.
            signal.signal(signal.SIGINT, wait)
            spark = step()
        signal.signal(signal.SIGINT, leave)
        try:
            if pressed:
                raise KeyboardInterrupt
            yield spark
        finally:
            spark.stop()
    except Exception as why:
        if pressed:
            raise KeyboardInterrupt from why
        raise
