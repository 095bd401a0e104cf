"""Reads pages with a tool of others: `read.py TOOL`.

A line on standard input is a page, `{"url", "html"}`; a line on standard output is what the tool read in
it, `{"text", "title", "author", "date", "cpu"}`, with what it does not offer left out. `cpu` is in seconds
and counts the tool alone. Nothing is scored here.
"""

import json
import logging
import sys
import time


def trafilatura():
    from trafilatura import bare_extraction

    def read(html, url):
        found = bare_extraction(html, url=url, with_metadata=True, include_comments=False)
        if found is None:
            return {"text": "", "title": "", "author": "", "date": ""}
        return {"text": found.text, "title": found.title, "author": found.author, "date": found.date}

    return read


def readability():
    from html_text import extract_text
    from readability import Document

    def read(html, url):
        page = Document(html, url=url)
        return {"text": extract_text(page.summary()), "title": page.short_title()}

    return read


def newspaper():
    from newspaper import Article

    def read(html, url):
        page = Article(url, fetch_images=False)
        page.download(input_html=html)
        page.parse()
        day = page.publish_date
        return {
            "text": page.text,
            "title": page.title,
            "author": "; ".join(page.authors),
            "date": day.strftime("%Y-%m-%d") if hasattr(day, "strftime") else "",
        }

    return read


TOOLS = {"trafilatura": trafilatura, "readability": readability, "newspaper": newspaper}


def answer(read, page):
    start = time.process_time()
    try:
        found = {key: value or "" for key, value in read(page["html"], page["url"]).items()}
    except Exception as why:  # a page it cannot read is one it reads nothing in
        found = {"error": f"{type(why).__name__}: {why}"}
    found["cpu"] = time.process_time() - start
    return found


def main():
    logging.disable(logging.CRITICAL)
    read = TOOLS[sys.argv[1]]()
    # Some print to standard output while they work; answers go where it led at the start.
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        print(json.dumps(answer(read, json.loads(line))), file=answers, flush=True)


main()
