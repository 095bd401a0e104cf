"""What stops a crawl, in words that help."""


class CrawlFailed(RuntimeError):
    """A crawl cannot go on; run again with the same --out, nothing is lost."""


NO_SPARK = "pyspark is not installed: pip install pyspark"
ABSENT = "No module named 'webweir'"


def explained(why: Exception) -> CrawlFailed:
    """Of a Spark job that failed: the line that says why, instead of pages of both languages."""
    text = str(why)
    if ABSENT in text:
        return CrawlFailed(
            "the executors have no webweir: install it for the Python that they use (PYSPARK_PYTHON), "
            "or send an environment with --conf spark.archives=… (docs/spark.md)"
        )
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = next((line for line in reversed(lines) if "Error: " in line and not line.startswith("at ")), lines[-1] if lines else text)
    return CrawlFailed(f"a round failed: {told}; run again with the same --out, nothing is lost")
