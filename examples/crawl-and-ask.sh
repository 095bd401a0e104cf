#!/usr/bin/env bash
# Crawls a small web on this machine, then asks what came of it.
set -euo pipefail
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

weir demo -o "$out" --progress plain
weir status -o "$out"
seed=$(weir status -o "$out" --json | grep -o '"site": "[^"]*"' | head -1 | cut -d'"' -f4)
weir why "http://$seed/" -o "$out" | grep "kept: status 200"
ls "$out"/warc/*.warc.gz "$out"/pages/*.parquet
