"""Generated pages are up to date, and links between pages lead somewhere."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "fixtures").glob("*.md")])


@pytest.mark.parametrize("name", ["make_operators", "make_op_counts"])
def test_pages_are_generated(name: str) -> None:
    spec = spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text() == module.page(), f"run python docs/{name}.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_map_names_every_room() -> None:
    rooms = {path.name for path in (ROOT / "qconvert").iterdir() if path.is_dir() and path.name != "__pycache__"}
    named = set(re.findall(r"`(\w+)/`", (ROOT / "docs" / "architecture.md").read_text()))
    drawn = set(re.findall(r"(\w+)/", (ROOT / "docs" / "architecture.svg").read_text()))
    assert rooms <= named
    assert rooms <= drawn
