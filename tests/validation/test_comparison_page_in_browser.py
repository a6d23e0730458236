"""The page of a comparison in headless Chromium: it opens at the first difference, sorts, filters, fits a phone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from qconvert import ComparisonSettings
from qconvert.support.arrays import read_arrays
from qconvert.validation.rendering.page import html
from tests.support.browser import DESKTOP, PHONE, Opened, opened
from tests.support.by_values import compared
from tests.support.paths import FIXTURES, IMAGES
from tests.support.planted import planted
from tests.support.scripted import scripted

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow
CNN = FIXTURES / "digits_cnn_int8.onnx"
FLOAT = FIXTURES / "float" / "digits_cnn.onnx"
FEW = ComparisonSettings(samples=2, details=True, by_values=True)


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    report = compared(CNN, planted(CNN, "conv_3", folder / "bad.onnx"), settings=FEW)
    (folder / "bad.html").write_text(html(report))
    return folder / "bad.html"


@pytest.fixture(scope="module")
def cost(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "cost.html"
    file.write_text(html(compared(FLOAT, CNN, inputs={"image": read_arrays(IMAGES)["image"][:3]}, settings=FEW)))
    return file


def shown(found: Opened) -> list[str]:
    """Return the names of the layers in the table, from top to bottom."""
    return [link.inner_text() for link in found.page.locator(".by-layer tbody tr:visible td:first-child a").all()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("kind", ["bad", "cost"])
def test_a_page_fits_its_window(
    browser: Browser, request: pytest.FixtureRequest, kind: str, width: int, scheme: str
) -> None:
    file = request.getfixturevalue(kind)
    with opened(browser, file, width, "dark" if scheme == "dark" else "light") as found:
        found.page.wait_for_selector(".details .chart")
        assert found.overflow <= 0
        assert (found.errors, found.requests) == ([], [])


def test_the_first_difference_is_open(browser: Browser, bad: Path) -> None:
    with opened(browser, bad) as found:
        details = found.page.locator(".details")
        found.page.wait_for_selector(".details .chart")
        assert details.locator("h3").first.inner_text() == "conv_3 (Conv)"
        assert details.locator(".chart:visible").count() == 4
        texts = details.inner_text()
        assert "Result minus reference" in texts
        assert "Reference against result" in texts
        assert found.page.locator("a.marked.chosen").count() == 1
        found.page.get_by_label("next layer that differs").click()
        assert details.locator("h3").first.inner_text() == "add_1 (Add)"
        found.page.reload()
        found.page.wait_for_selector(".details .chart")
        assert details.locator("h3").first.inner_text() == "conv_3 (Conv)"


def test_the_table_sorts_and_filters(browser: Browser, bad: Path) -> None:
    with opened(browser, bad) as found:
        assert shown(found)[:2] == ["image_QuantizeLinear", "conv_1"]
        found.page.locator(".by-layer th button", has_text="SQNR dB").click()
        assert shown(found)[0] == "conv_3"
        found.page.get_by_label("which layers").select_option("that differ beyond the limit")
        assert found.page.locator(".filters output").inner_text() == "9 of 14"
        assert "conv_1" not in shown(found)
        found.page.get_by_label("search layers").fill("gemm")
        assert shown(found) == ["gemm_1"]
        assert found.page.locator("a.node:not(.dim)").count() == 1


def test_the_worst_layers_are_first(browser: Browser, cost: Path) -> None:
    with opened(browser, cost) as found:
        cells = found.page.locator(".by-layer tbody tr td:last-child").all()
        numbers = [float(cell.inner_text()) for cell in cells]
        assert numbers == sorted(numbers)
        found.page.wait_for_selector(".details .chart")
        assert found.page.locator("a.chosen .badge").text_content() == "cost no. 1"
        assert found.page.locator("td .badge").count() == found.page.locator("a.marked").count() > 1


def test_a_script_in_a_name_is_text(browser: Browser, tmp_path: Path) -> None:
    name = "<script>document.title='run'</script></script><img src=x onerror=\"document.title='run'\">"
    model, file = scripted(CNN, name, tmp_path / "names.onnx"), tmp_path / "page.html"
    report = compared(model, planted(model, f"conv_3{name}", tmp_path / "bad.onnx"), settings=FEW)
    file.write_text(html(report))
    with opened(browser, file) as found:
        found.page.wait_for_selector(".details .chart")
        assert found.page.locator(".details h3").first.inner_text() == f"conv_3{name} (Conv)"
        assert found.page.title().endswith("names.onnx: failed")
        assert found.page.locator("img").count() == 0
        assert found.errors == []
