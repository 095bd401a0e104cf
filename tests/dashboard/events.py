"""The stream of events, as a browser follows it."""

import json
from contextlib import contextmanager

import requests
from crawl import WITHIN_S


@contextmanager
def events(weir, seq=None, last_id=None):
    """Gives an iterator over (id, state) of `/api/events`."""
    query = {} if seq is None else {"seq": seq}
    headers = {} if last_id is None else {"Last-Event-ID": str(last_id)}
    with requests.get(weir.url + "/api/events", params=query, headers=headers, stream=True, timeout=WITHIN_S) as answer:
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        assert answer.headers["Content-Encoding"] == "gzip", "as whoever asks takes it"
        yield parsed(until_it_ends(answer.iter_lines(chunk_size=1 << 14, decode_unicode=True)))


def until_it_ends(lines):
    """Who serves it may be gone without a last word."""
    try:
        yield from lines
    except requests.exceptions.ChunkedEncodingError:
        pass


def parsed(lines):
    fields = {}
    for line in lines:
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
            continue
        if fields:
            assert fields["event"] == "state"
            yield int(fields["id"]), json.loads(fields["data"])
            fields = {}


def merged(rows, changes):
    """The rows after an event."""
    rows = {id: dict(row) for id, row in rows.items()}
    for id, fields in changes:
        rows.setdefault(id, {}).update(fields)
    return rows
