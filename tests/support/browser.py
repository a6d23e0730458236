"""Pages in the system's headless Chromium, without a network. Playwright drives it; it brings no browser here."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PHONE, DESKTOP = 375, 1280
"""Widths of windows in CSS pixels."""


@dataclass(frozen=True)
class Opened:
    """A page, the errors that it printed or threw, and the addresses that it asked for beyond files."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def overflow(self) -> int:
        """The number of CSS pixels by which the page is wider than its window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; tests that ask for it are skipped where it or Playwright is missing."""
    pytest.importorskip(
        "playwright.sync_api", reason="the Python package playwright is missing: pip install 'qconvert[dev]'"
    )
    if _program() is None:
        pytest.skip("no Chromium or Chrome on the path")
    with launched() as found:
        yield found


def _program() -> str | None:
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


@contextmanager
def launched() -> Iterator[Browser]:
    """Start Chromium; raises ImportError without Playwright, FileNotFoundError without Chromium."""
    from playwright.sync_api import sync_playwright

    program = _program()
    if program is None:
        raise FileNotFoundError("no Chromium or Chrome on the path")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []  # root has no sandbox
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=arguments)
        yield found
        found.close()


@contextmanager
def opened(
    browser: Browser,
    file: Path,
    width: int = DESKTOP,
    scheme: Literal["light", "dark"] = "light",
    height: int = 800,
) -> Iterator[Opened]:
    """Open a file in a window of its own, without a network."""
    with browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, offline=True) as context:
        found = Opened(context.new_page())
        page = found.page
        page.set_default_timeout(20_000)
        page.on("console", lambda each: found.errors.append(each.text) if each.type == "error" else None)
        page.on("pageerror", lambda error: found.errors.append(str(error)))
        page.on("request", lambda each: found.requests.append(each.url) if _is_remote(each.url) else None)
        page.goto(file.resolve().as_uri())
        yield found


def _is_remote(address: str) -> bool:
    return not address.startswith(("file:", "data:", "blob:"))
