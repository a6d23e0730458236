"""The documentation site builds without a warning: pages are in its navigation, links and anchors lead somewhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

import jsonschema
import pytest

from qconvert import public
from qconvert.cli import COMMANDS
from qconvert.passes import PASSES
from qconvert.quantization.targets.catalog import TARGETS
from tests.support.browser import DESKTOP, PHONE, opened
from tests.support.doc_workspace import run
from tests.support.paths import MLP, ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="the site needs the extra 'docs'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_pages_load_nothing_from_a_network(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) >= 20
    for page in pages:
        loaded = re.findall(r'<(?:script|img|iframe)\b[^>]*\bsrc="?([^" >]+)', page.read_text())
        loaded += re.findall(
            r'<link\b[^>]*\brel="?(?:stylesheet|preconnect|icon)"?[^>]*\bhref="?([^" >]+)', page.read_text()
        )
        assert [each for each in loaded if re.match(r"(\w+:)?//", each)] == [], page.name


def test_readers_download_the_models_that_pages_name(site: Path) -> None:
    named = {name for page in (ROOT / "docs").rglob("*.md") for name in re.findall(NAMED_SAMPLE, page.read_text())}
    assert len(named) >= 5
    with ZipFile(site / "fixtures.zip") as archive:
        assert named <= set(archive.namelist())
    assert 'href="fixtures.zip"' in (site / "index.html").read_text()


NAMED_SAMPLE = r"fixtures/[\w/]+\.(?:onnx|npz|tflite)"
NAMES = {
    "commands": COMMANDS,
    "passes": tuple(PASSES),
    "targets": tuple(TARGETS),
    "api": tuple(f"qconvert.public.{name}" for name in vars(public) if not name.startswith("_")),
}


@pytest.mark.parametrize("page", NAMES)
def test_the_reference_has_a_heading_for_each_name(site: Path, page: str) -> None:
    headings = set(re.findall(r'<h[23] id="([^"]*)"', (site / "reference" / f"{page}.html").read_text()))
    assert set(NAMES[page]) <= headings


@pytest.mark.parametrize(
    ("name", "command", "status"),
    [
        ("report", f"validate {MLP} --samples 2", 0),
        ("report", f"compare {MLP} {MLP} --by-values --samples 2", 0),
        ("difference", f"diff {MLP} {MLP.parent / 'digits_cnn_int8.onnx'}", 1),
    ],
)
def test_a_report_has_the_schema(site: Path, tmp_path: Path, name: str, command: str, status: int) -> None:
    schema = json.loads((site / "reference" / f"{name}.schema.json").read_text())
    done = run(f"qconvert {command} --json report.json", tmp_path)
    assert done.returncode == status, done.stdout
    report = json.loads((tmp_path / "report.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(report)
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(report | {"layers": [{"node": 1}], "findings": [{"layer": 1}]})


def crawled(browser: Browser, site: Path, width: int) -> dict[str, list[str]]:
    """Return the faults of each page in a window of a width: errors, requests, overflow, missing pictures."""
    faults: dict[str, list[str]] = {}
    pages = sorted(set(site.rglob("*.html")) - {site / "404.html"})  # its addresses are a server's, not a disk's
    with opened(browser, pages[0], width) as window:
        for page in pages:
            window.page.goto(page.as_uri(), wait_until="load")
            found = [*window.errors, *window.requests]
            found += [f"{window.overflow} px too wide"] if window.overflow else []
            found += window.page.evaluate("[...document.images].filter(i => !i.naturalWidth).map(i => i.src)")
            if found:
                faults[page.relative_to(site).as_posix()] = found
            window.errors.clear()
            window.requests.clear()
    return faults


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_pages_in_a_browser(browser: Browser, site: Path, width: int) -> None:
    assert crawled(browser, site, width) == {}


def test_a_fault_is_seen(browser: Browser, tmp_path: Path) -> None:
    wide = '<div style="width: 2000px">wide</div><img src="missing.png"><script>console.error("no")</script>'
    (tmp_path / "index.html").write_text(f"<!doctype html><body>{wide}</body>")
    [found] = crawled(browser, tmp_path, PHONE).values()
    assert len(found) >= 3


def test_search_works_from_a_disk(browser: Browser, site: Path) -> None:
    with opened(browser, site / "index.html") as window:
        window.page.fill("input.md-search__input", "requantize")
        window.page.wait_for_selector(".md-search-result__item")
        assert window.errors == []


def test_links_of_pages_lead_somewhere(site: Path) -> None:
    missing = {}
    for page in sorted(site.rglob("*.html")):
        targets = re.findall(r'<a\b[^>]*\bhref="?([^"#> ]+)', page.read_text())
        local = {target for target in targets if not re.match(r"\w+:", target) and page.name != "404.html"}
        gone = [target for target in local if not (page.parent / target).resolve().exists()]
        if gone:
            missing[page.name] = gone
    assert missing == {}
