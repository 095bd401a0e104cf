"""Who may look at a crawl, and who may change it."""

import re

import pytest
from crawl import Weir, until, web

TOKEN = "0123456789-operator"
READ_TOKEN = "0123456789-reader"
PAUSE = {"do": "pause", "site": "nobody.example"}
STATE_CHANGING = ("/api/actions", "/api/preview")


@pytest.fixture(scope="module")
def small_web():
    with web("--pages", "200", "--latency", "200ms") as it:
        yield it


def crawl(small_web, out, **more):
    return Weir("crawl", [*small_web.seeds, "--allow-private"], out, **more)


@pytest.fixture(scope="module")
def here(small_web, tmp_path_factory):
    """On loopback, without tokens."""
    with crawl(small_web, tmp_path_factory.mktemp("here") / "out") as weir:
        weir.until("it runs", lambda state: state["phase"] == "running")
        yield weir


@pytest.fixture(scope="module")
def outside(small_web, tmp_path_factory):
    """As seen from other machines, with tokens."""
    env = {"WEIR_DASHBOARD_TOKEN": TOKEN, "WEIR_DASHBOARD_READ_TOKEN": READ_TOKEN}
    with crawl(small_web, tmp_path_factory.mktemp("outside") / "out", place="0.0.0.0:0", env=env) as weir:
        operator = {"Authorization": f"Bearer {TOKEN}"}
        until("it runs", lambda: weir.get("/api/state", headers=operator).json()["phase"] == "running")
        yield weir


def is_refused(answer, status):
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}",
                                  "localhost.evil.example", "192.0.2.1:{port}", "[2001:db8::1]:{port}"])
@pytest.mark.parametrize("path", ["/", "/api/state", "/api/events", "/metrics", "/assets/app.js"])
def test_a_name_that_was_made_to_lead_here_gets_nothing(here, host, path):
    is_refused(here.get(path, headers={"Host": host.format(port=here.port)}, stream=False), 403)


@pytest.mark.parametrize("host", ["localhost:{port}", "LOCALHOST", "127.0.0.1:{port}", "[::1]:{port}", "[::1]"])
def test_every_name_of_this_machine_is_answered(here, host):
    headers = {"Host": host.format(port=here.port)}
    assert here.get("/api/state", headers=headers).status_code == 200


@pytest.mark.parametrize("path", STATE_CHANGING)
@pytest.mark.parametrize("headers", [
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Host": "evil.example"},
])
def test_pages_of_others_change_nothing(here, path, headers):
    is_refused(here.post(path, {"do": "stop"}, headers=headers), 403)
    assert here.state()["phase"] == "running"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
@pytest.mark.parametrize("path", STATE_CHANGING)
def test_what_a_form_could_send_is_no_action(here, path, kind):
    answer = here.post(path, {"do": "stop"}, headers={"Content-Type": kind})
    is_refused(answer, 400)
    assert "application/json" in answer.json()["error"]
    assert here.state()["phase"] == "running"


def test_our_own_page_may_act(here):
    own = {"Origin": here.url, "Sec-Fetch-Site": "same-origin"}
    is_refused(here.post("/api/actions", PAUSE, headers=own), 404)


@pytest.mark.parametrize("path", ["/", "/api/state", "/assets/app.js", "/metrics", "/nothing"])
def test_every_answer_tells_browsers_to_be_careful(here, path):
    headers = here.get(path).headers
    policy = headers["Content-Security-Policy"]
    for rule in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
        assert rule in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] in ("no-store", "no-cache")


@pytest.mark.parametrize("path", ["/api/state", "/api/events", "/api/report", "/api/openapi.json", "/metrics"])
def test_without_the_token_nothing_is_told(outside, path):
    is_refused(outside.get(path), 401)
    for wrong in ("Bearer wrong", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", "Bearer "):
        is_refused(outside.get(path, headers={"Authorization": wrong}), 401)
    is_refused(outside.get(path, cookies={"weir_token": "wrong"}), 401)


def test_without_the_token_the_page_asks_for_it(outside):
    answer = outside.get("/")
    assert answer.status_code == 401
    assert answer.headers["Content-Type"].startswith("text/html")
    assert 'name="token"' in answer.text
    assert "weir_token" not in answer.headers.get("Set-Cookie", "")
    assert outside.get("/?token=wrong", allow_redirects=False).status_code == 401


def test_the_token_opens_everything(outside):
    operator = {"Authorization": f"Bearer {TOKEN}"}
    for path in ("/", "/api/state", "/metrics", "/api/openapi.json"):
        assert outside.get(path, headers=operator).status_code == 200
    assert outside.get("/api/state", headers=operator).json()["role"] == "operator"
    is_refused(outside.post("/api/actions", PAUSE, headers=operator), 404)


def test_a_browser_that_brings_the_token_keeps_it_in_a_cookie(outside):
    answer = outside.get(f"/?token={TOKEN}", allow_redirects=False)
    assert answer.status_code in (302, 303)
    assert answer.headers["Location"] == "/", "the address has the token no more"
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    kept = outside.get("/api/state", cookies={"weir_token": answer.cookies["weir_token"]})
    assert kept.json()["role"] == "operator"


def test_a_reader_may_look_and_not_act(outside):
    reader = {"Authorization": f"Bearer {READ_TOKEN}"}
    for path in ("/", "/metrics", "/api/plan", "/api/report"):
        assert outside.get(path, headers=reader).status_code in (200, 404)
    assert outside.get("/api/state", headers=reader).json()["role"] == "reader"
    for path in STATE_CHANGING:
        is_refused(outside.post(path, {"do": "stop"}, headers=reader), 403)
    operator = {"Authorization": f"Bearer {TOKEN}"}
    assert outside.get("/api/state", headers=operator).json()["phase"] == "running"


def test_tokens_that_somebody_chose_are_not_printed(outside):
    assert not [line for line in outside.said if TOKEN in line or READ_TOKEN in line]
    assert re.fullmatch(r"http://HOST:\d+/", outside.link)


def test_a_token_is_made_and_shown_where_none_was_given(small_web, tmp_path):
    with crawl(small_web, tmp_path / "out", place="0.0.0.0:0") as weir:
        token = re.fullmatch(r"http://HOST:\d+/\?token=([0-9a-f]{32,})", weir.link).group(1)
        is_refused(weir.get("/api/state"), 401)
        assert weir.get("/api/state", headers={"Authorization": f"Bearer {token}"}).status_code == 200
    with crawl(small_web, tmp_path / "other", place="0.0.0.0:0") as weir:
        assert token not in weir.link, "each has its own"


def test_a_token_that_can_be_guessed_is_refused_at_start(small_web, tmp_path):
    with pytest.raises(AssertionError, match="weir ended with 2.*dashboard-token"):
        crawl(small_web, tmp_path / "out", env={"WEIR_DASHBOARD_TOKEN": "short"})
