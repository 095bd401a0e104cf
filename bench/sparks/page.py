"""What the baseline does with one page, in the executors: `requests` and BeautifulSoup, as most would write it."""

from urllib.parse import urldefrag, urljoin, urlsplit

import requests
from bs4 import BeautifulSoup

PARSER = "html.parser"
TIMEOUT_S = 30
# Each host has a pool of connections of its own; with fewer pools than hosts, connections are given up early.
POOLS = 256
VIDEO = "video[src], video source[src], iframe[src], embed[src]"


def session(threads):
    """One for many pages, so that connections are used again."""
    session = requests.Session()
    adapter = requests.adapters.HTTPAdapter(pool_connections=POOLS, pool_maxsize=threads)
    session.mount("http://", adapter)
    # Looking for proxies in the environment would cost a third more CPU a page.
    session.trust_env = False
    return session


def get_html(session, url):
    """The page with the address it came from, which is what its links are relative to; `None` if it did not come."""
    try:
        answer = session.get(url, timeout=TIMEOUT_S)
        answer.raise_for_status()
        return answer.url, answer.text
    except requests.RequestException:
        return None


def get_newurls(page):
    """Each address that the page links to, once."""
    if page is None:
        return []
    base, html = page
    soup = BeautifulSoup(html, PARSER)
    found = (link_of(base, anchor) for anchor in soup.find_all("a", href=True))
    return list(dict.fromkeys(url for url in found if url))


def link_of(base, anchor):
    # This parser takes what stands in a textarea for markup; browsers do not.
    if anchor.find_parent("textarea"):
        return None
    try:
        url = urldefrag(urljoin(base, anchor["href"].strip())).url
        return url if urlsplit(url).scheme in ("http", "https") else None
    except ValueError:
        return None


def get_content(page):
    """The attributes that the paper asks for: title, publishing time, copyright owner, text, video source."""
    if page is None:
        return []
    base, html = page
    soup = BeautifulSoup(html, PARSER)
    for unseen in soup(["script", "style", "textarea"]):
        unseen.decompose()
    return [{
        "title": soup.title.get_text(strip=True) if soup.title else None,
        "published": meta(soup, "article:published_time") or meta(soup, "date"),
        "owner": meta(soup, "copyright") or meta(soup, "author"),
        "text": soup.body.get_text(" ", strip=True) if soup.body else None,
        "videos": [urljoin(base, video["src"]) for video in soup.select(VIDEO)],
    }]


def meta(soup, name):
    tag = soup.find("meta", attrs={"name": name}) or soup.find("meta", attrs={"property": name})
    return tag.get("content") if tag else None
