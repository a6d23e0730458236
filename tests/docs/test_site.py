"""The documentation site builds without a warning: pages are in its navigation, links and anchors lead somewhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from qconvert import public
from qconvert.cli import COMMANDS
from qconvert.passes import PASSES
from qconvert.quantization.targets.catalog import TARGETS
from tests.support.doc_workspace import run
from tests.support.paths import MLP, ROOT

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


def test_a_report_has_the_schema(site: Path, tmp_path: Path) -> None:
    schema = json.loads((site / "reference" / "report.schema.json").read_text())
    done = run(f"qconvert validate {MLP} --samples 2 --json report.json", tmp_path)
    assert done.returncode == 0, done.stdout
    report = json.loads((tmp_path / "report.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(report)
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(report | {"layers": [{"node": 1}]})
