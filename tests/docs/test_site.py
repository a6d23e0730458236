"""The documentation site builds without a warning: pages are in its navigation, links and anchors lead somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

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
