#!/usr/bin/env bash
# Starts from a commented file, and shows what a typing error in it looks like.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

weir init
sed -i 's/^per-host = 1/per-hots = 2/' weir.toml
if weir crawl -c weir.toml; then exit 1; else test $? -eq 2; fi
sed -i 's/^per-hots = 2/per-host = 2/' weir.toml
grep '^per-host' weir.toml
