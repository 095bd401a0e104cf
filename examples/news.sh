#!/usr/bin/env bash
# News of the last seven days on a topic, from a small newspaper made on the spot. docs/content.md
# explains it line by line.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill $server 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder"

# The paper: 3 sections of 12 articles, each a day older than the one before.
mkdir paper
python3 - <<'PAPER'
import datetime as d, os
today = d.datetime.now(d.timezone.utc).replace(microsecond=0)
sections = {
    "football": ("A late goal decides the cup", "The home side had the ball for most of the evening and did little with "
        "it until a corner in the last minute found the head of the youngest player on the field."),
    "kitchen": ("Eggs are called back after salmonella was found", "The food safety office asks for a recall of all eggs that "
        "left the farm since Monday, because salmonella was found in a sample. Whoever still has some should bring them "
        "back; a recall is dear, but food safety comes first, said the head of the office."),
    "traffic": ("The old bridge is closed until spring", "Whoever drives to work over the bridge has to find another way from "
        "Monday on, for the city closes it until spring, and longer if the river freezes."),
}
page = "<!doctype html><html lang=en><head><title>{0}</title>{1}</head><body><a href=/index.html>The Morning Paper</a>{2}</body></html>"
links = ""
for name, (title, text) in sections.items():
    os.makedirs(f"paper/{name}")
    listed = ""
    for n in range(12):
        day = (today - d.timedelta(days=n, hours=1)).isoformat()
        meta = f"<meta property=article:published_time content='{day}'><meta name=author content='Ada Writer'>"
        article = f"<article><h1>{title}, part {n}</h1><p>{text}</p><p>This was written by hand, and it is part {n} of 12.</p></article>"
        open(f"paper/{name}/{n}.html", "w").write(page.format(f"{title}, part {n}", meta, article))
        listed += f"<li><a href={n}.html>{title}, part {n}</a>"
    open(f"paper/{name}/index.html", "w").write(page.format(name, "", f"<ul>{listed}</ul>"))
    links += f"<li><a href=/{name}/index.html>{name}</a>"
open("paper/index.html", "w").write(page.format("The Morning Paper", "", f"<ul>{links}</ul>"))
PAPER
python3 -u -m http.server 0 --bind 127.0.0.1 --directory paper > server.log 2>&1 &
server=$!
until grep -qs 'http://' server.log; do sleep 0.1; done
home=$(grep -o 'http://[^/]*/' server.log)

cat > weir.toml <<'SETTINGS'
keep = 'published >= now - 7d and lang in ["en"] and topic("food safety") > 0.4'
focus = "food safety"

[topic."food safety"]
terms = { "food safety" = 1, "recall*" = 2, salmonella = 1, "contamina*" = 1 }
SETTINGS

# What would become of one page, and why.
weir inspect page -c weir.toml --url "${home}kitchen/9.html" paper/kitchen/9.html > page.json
grep -A 6 '"failed"' page.json

weir crawl "${home}index.html" -c weir.toml --allow-private --progress none
weir export --to jsonl --file news.jsonl
python3 -c 'import json
for line in open("news.jsonl"):
    row = json.loads(line)
    print(row["published"], row["topics"]["food safety"], row["title"])' | tee news.txt
test "$(wc -l < news.txt)" -eq 7

# Of the first half of all requests, how many were for the topic.
grep -c 'GET /kitchen/[0-9]*.html' <(grep GET server.log | head -21)
