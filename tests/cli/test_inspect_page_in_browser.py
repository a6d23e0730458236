"""The page of ``inspect --html`` in headless Chromium: it sorts, filters table and drawing, and fits a phone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.browser import DESKTOP, PHONE, Opened, opened
from tests.support.commands import qconvert
from tests.support.paths import FIXTURES

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow
IN_VIEW = "(({top}) => top >= 0 && top < innerHeight)(document.querySelector('tr.chosen').getBoundingClientRect())"
CNN = FIXTURES / "digits_cnn_int8.onnx"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "model.html"
    qconvert("inspect", CNN, "--html", file)
    return file


def shown(found: Opened) -> list[str]:
    """Return the nodes in the table, from top to bottom."""
    return [cell.inner_text() for cell in found.page.locator(".by-layer tbody tr:visible td:first-child").all()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_a_page_fits_its_window(browser: Browser, page: Path, width: int, scheme: str) -> None:
    with opened(browser, page, width, "dark" if scheme == "dark" else "light") as found:
        assert found.overflow <= 0
        assert (found.errors, found.requests) == ([], [])


def test_the_table_sorts(browser: Browser, page: Path) -> None:
    with opened(browser, page) as found:
        assert shown(found)[:2] == ["image_QuantizeLinear (QuantizeLinear)", "conv_1 (Conv)"]
        head = found.page.locator(".by-layer th button", has_text="MACs")
        head.click()
        assert shown(found)[-1] == "conv_4 (Conv)"  # 73,728 after 9,216: by number
        head.click()
        assert shown(found)[0] == "conv_4 (Conv)"
        found.page.locator(".by-layer th button", has_text="zero point").click()
        assert shown(found)[0] == "logits_DequantizeLinear (DequantizeLinear)"  # it has none


def test_the_table_and_the_drawing_filter(browser: Browser, page: Path) -> None:
    with opened(browser, page) as found:
        found.page.get_by_label("search nodes").fill("maxpool")
        assert shown(found) == ["maxpool_1 (MaxPool)"]
        assert found.page.locator("svg [data-layer]:not(.dim)").count() == 1
        found.page.get_by_label("search nodes").fill("")
        found.page.get_by_label("which nodes").select_option("that compute in floats")
        assert shown(found) == []
        assert found.page.locator(".filters output").inner_text() == "0 of 11"
        found.page.get_by_label("which nodes").select_option("that compute in integers")
        assert len(shown(found)) == 11


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_a_click_leads_from_the_drawing_to_the_row_and_back(browser: Browser, page: Path, width: int) -> None:
    with opened(browser, page, width) as found:
        found.page.locator("a.node", has_text="MaxPool").click()
        row = found.page.locator("tr.chosen")
        assert row.locator("td").first.inner_text() == "maxpool_1 (MaxPool)"
        details = found.page.locator(".details")
        assert details.locator("h3").first.inner_text() == "maxpool_1 (MaxPool)"
        details.get_by_text("row in the table").click()
        found.page.wait_for_function(IN_VIEW)
        found.page.locator(".by-layer a", has_text="conv_4 (Conv)").click()
        assert found.page.locator("a.node.chosen").get_attribute("data-layer") == row.get_attribute("data-layer")
        assert "73,728" in details.inner_text()
        assert (found.errors, found.requests) == ([], [])
