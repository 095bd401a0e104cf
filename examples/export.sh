#!/usr/bin/env bash
# Hands over what a crawl has kept: lines, a table for spreadsheets, a database.
set -euo pipefail
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

weir demo -o "$out" --progress none
weir export -o "$out" --to csv --file "$out/pages.csv"
head -n 1 "$out/pages.csv" | cut -c 1-60
weir export -q -o "$out" --to jsonl --file - | grep -c '"status":200'
for _ in first again; do
    weir export -o "$out" --to "sqlite:$out/pages.db"
done
