"""The Python side of the web crawler weir. `webweir.spark` crawls on Apache Spark."""

from webweir._webweir import __version__, bucket_of

__all__ = ["__version__", "bucket_of"]
