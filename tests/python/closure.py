"""The link closure of one host: what a complete crawl of it has to find.

Independent of weir on purpose: the server is asked with http.client, HTML is read by lexbor
(selectolax), URLs are resolved by Ada (ada-url), both as browsers do it. Nothing of weir is used.

    closure.py http://127.0.0.1:8080/index.html [--related] > closure.tsv

One line a URL met on the host, sorted: path with query, status, and for an HTML page its size in
bytes and the first 16 hexadecimal digits of its SHA-256, separated by tabs.
"""

import argparse
import hashlib
import http.client
import re
import sys
import webencodings
from urllib.parse import urlsplit

import ada_url
from selectolax.lexbor import LexborHTMLParser

# What leads to another page. `--related` adds the links that stand in a page's head.
PLACES = [("a[href]", "href"), ("area[href]", "href"), ("iframe[src]", "src"), ("frame[src]", "src")]
RELATED = {"next", "canonical", "alternate"}
REFRESH = re.compile(r"^\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?(.*)$", re.IGNORECASE | re.DOTALL)
META_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w:.-]+)", re.IGNORECASE)


class Host:
    """Asks one server over one connection that is kept."""

    def __init__(self, netloc):
        self.netloc = netloc
        self.connection = http.client.HTTPConnection(netloc, timeout=30)

    def get(self, path):
        for attempt in (1, 2):
            try:
                self.connection.request("GET", path, headers={"User-Agent": "closure"})
                answer = self.connection.getresponse()
                return answer, answer.read()
            except (http.client.HTTPException, ConnectionError):
                self.connection.close()  # the server may end a kept connection at any time
                if attempt == 2:
                    raise


def closure(seed, related=False):
    """{path: (status, size, digest)} of all that can be reached from the seed on its host."""
    start = ada_url.URL(seed)
    host = Host(start.host)
    found = {}
    waiting = [path_of(start)]
    known = set(waiting)
    while waiting:
        path = waiting.pop()
        answer, body = host.get(path)
        html = is_html(answer)
        found[path] = (answer.status, *describe(answer.status == 200 and html, body))
        url = f"http://{host.netloc}{path}"
        for target in targets(answer, body, html, url, related):
            if in_scope(target, start) and (there := path_of(target)) not in known:
                known.add(there)
                waiting.append(there)
    return found


def describe(page, body):
    return (len(body), hashlib.sha256(body).hexdigest()[:16]) if page else ("", "")


def is_html(answer):
    kind = (answer.getheader("content-type") or "").split(";")[0].strip().lower()
    return kind in ("text/html", "application/xhtml+xml")


def in_scope(target, start):
    return target.protocol == start.protocol and target.host == start.host


def path_of(url):
    return url.pathname + url.search


def targets(answer, body, html, url, related):
    """Where an answer leads, as parsed URLs."""
    if 300 <= answer.status < 400:
        found = [answer.getheader("location")]
        base = url
    elif answer.status == 200 and html:
        base, found = links(decode(answer, body), url, related)
    else:
        return
    for text in dict.fromkeys(found):
        target = resolve(text, base)
        if target is not None:
            yield target


def resolve(text, base):
    try:
        return ada_url.URL(text or "", base)
    except ValueError:
        return None


def links(text, url, related):
    """The base URL of a page and the links in it as they are written."""
    tree = LexborHTMLParser(text)
    found = []
    for selector, attribute in PLACES:
        found += [node.attributes.get(attribute) or "" for node in tree.css(selector)]
    for node in tree.css("meta[http-equiv][content]"):
        if (node.attributes.get("http-equiv") or "").strip().lower() == "refresh":
            found += refresh(node.attributes.get("content") or "")
    if related:
        for node in tree.css("link[rel][href]"):
            words = set((node.attributes.get("rel") or "").lower().split())
            if RELATED & words and "stylesheet" not in words:
                found.append(node.attributes.get("href") or "")
    return base_of(tree, url), found


def refresh(content):
    """The address in `5; url=there`; a number alone means the page itself."""
    address = REFRESH.match(content).group(1).strip()
    if address[:1] in "\"'" and address:
        address = address[1:].split(address[0])[0]
    return [address] if address else []


def base_of(tree, url):
    node = tree.css_first("base[href]")
    base = node and resolve((node.attributes.get("href") or "").strip(), url)
    return base.href if base else url


def decode(answer, body):
    """By byte order mark, header, meta, and then as most of the web is written."""
    header = re.search(r"charset=[\"']?([\w:.-]+)", answer.getheader("content-type") or "", re.I)
    meta = META_CHARSET.search(body[:1024])
    for label in (header and header.group(1), meta and meta.group(1).decode("ascii")):
        encoding = label and webencodings.lookup(label)
        if encoding:
            return webencodings.decode(body, encoding, errors="replace")[0]
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return webencodings.decode(body, "windows-1252", errors="replace")[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed")
    parser.add_argument("--related", action="store_true", help="follow link rel=next and the like")
    args = parser.parse_args()
    if not urlsplit(args.seed).hostname:
        parser.error(f"{args.seed} is no URL with a host")
    for path, row in sorted(closure(args.seed, args.related).items()):
        print(path, *row, sep="\t")


if __name__ == "__main__":
    sys.exit(main())
