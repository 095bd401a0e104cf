#!/usr/bin/env bash
# A price watch: a shop is crawled again and again, and a few bytes a day go to the products whose prices change.
set -euo pipefail
folder=$(mktemp -d)
cd "$folder"

# A shop of 60 products on loopback. The price of every tenth changes all the time, the others never do. It has
# no ETag and no Last-Modified, so a visit costs a whole page.
cat > shop.py <<'PY'
import http.server, sys, time

class Shop(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/robots.txt":
            return self.send_error(404)
        if self.path == "/":
            body = "".join(f"<a href=/product/{n}>product {n}</a>\n" for n in range(60))
        else:
            n = int(self.path.rsplit("/", 1)[1])
            price = 10 + n + (int(time.time()) % 5 if n % 10 == 0 else 0)
            body = f"<h1>product {n}</h1><p>{'What it is good for. ' * 400}</p><b class=price>{price}.99</b>"
        body = body.encode()
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
print(server.server_address[1], flush=True)
server.serve_forever()
PY
python3 shop.py > port &
shop=$!
trap 'kill $shop; rm -rf "$folder"' EXIT
until [ -s port ]; do sleep 0.1; done

cat > weir.toml <<TOML
urls = ["http://127.0.0.1:$(cat port)/"]
allow-private = true
per-host = 4
# Bytes a day for coming back. A shop of 500 KB that is visited every few seconds here stands for a
# large one that is visited every few hours.
freshness = "4GB/day"

[[site]]
name = "127.0.0.1:$(cat port)"
every = "3s"
# Another price is a change, though all words around it stay the same.
[site.fields]
price = { css = "b.price", type = "number" }
TOML

for round in 1 2 3 4 5 6 7 8; do
    weir crawl -c weir.toml -o prices --progress none
    sleep 3
done
weir status -o prices
weir export -o prices --to jsonl --file prices.jsonl
# Every price that was seen of a product, in the order of the visits.
python3 -c 'import json
prices = {}
for row in map(json.loads, open("prices.jsonl")):
    if row["fields"]:
        prices.setdefault(row["url"].rsplit("/", 1)[1], []).append(row["fields"]["price"])
for product in ["0", "1", "10"]:
    print(product, *prices[product])
assert len(prices) == 60 and len(set(prices["1"])) == 1'
