"""What most tests of the dashboard begin with."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("WEIR_CHROMIUM", "/usr/bin/chromium")
# Nothing of it may leave this machine, and it may run as root.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def shots(tmp_path_factory):
    """Where pictures of the page are kept."""
    folder = os.environ.get("WEIR_SHOTS")
    folder = Path(folder) if folder else tmp_path_factory.mktemp("shots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def pytest_terminal_summary(terminalreporter):
    """Figures of long tests are told though they pass."""
    for report in terminalreporter.getreports("passed"):
        if report.when == "call" and "long" in report.keywords and report.capstdout:
            terminalreporter.write_line(report.capstdout.strip())
