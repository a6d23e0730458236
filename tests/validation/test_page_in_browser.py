"""The HTML page of a report in headless Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.browser import opened
from tests.support.commands import qconvert
from tests.support.paths import MLP

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow


def test_a_report_opens_without_a_network(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    qconvert("validate", MLP, "--samples", 1, "--html", file)
    with opened(browser, file) as found:
        assert "digits_mlp_int8.onnx" in found.page.inner_text("h1")
        assert (found.errors, found.requests) == ([], [])
