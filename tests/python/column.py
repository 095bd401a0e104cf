"""Prints one column of the pages that a crawl kept, read with DuckDB.

    column.py DIR NAME > rows.tsv

One line a page, sorted by URL: url and value, the value as JSON.
"""

import json
import sys
from pathlib import Path

import duckdb


def main(folder, column):
    tables = str(Path(folder) / "pages" / "*.parquet")
    name = '"' + column.replace('"', '""') + '"'
    rows = duckdb.sql(f"select url, {name} from read_parquet(?) order by url", params=[tables])
    for url, value in rows.fetchall():
        print(f"{url}\t{json.dumps(value)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
