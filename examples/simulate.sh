#!/usr/bin/env bash
# Tries policies on a described web, in virtual time, before any of them crawls.
set -euo pipefail
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

weir simulate --figure list | grep zhu-10
weir simulate -c "$(dirname "$0")/scenario.toml" --out "$out/runs"
head -3 "$out/runs/sites.csv"
weir simulate --figure zhu-11 --out "$out" --quiet > /dev/null
ls "$out"/zhu-11.svg "$out"/runs/deadline.svg
