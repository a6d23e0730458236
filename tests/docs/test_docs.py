"""Generated pages are up to date, and links between pages lead somewhere."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
import typer.main

from qconvert import convert, load, save
from qconvert.cli import COMMANDS, app
from tests.support.paths import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "fixtures").glob("*.md")])


def _script(name: str) -> ModuleType:
    spec = spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses look up their annotations
    spec.loader.exec_module(module)
    return module


@cache
def _generated() -> dict[str, str]:
    """Return the pages that exist on the site alone, made from code, by their paths in docs/."""
    pages: dict[str, str] = _script("_site/reference").pages()
    return pages


@pytest.mark.slow
def test_the_table_of_operators_is_up_to_date() -> None:
    script = _script("make_operators")
    assert script.PAGE.read_text() == script.page(), "run python docs/make_operators.py"


@pytest.mark.slow
def test_the_tables_of_models_are_up_to_date() -> None:
    for table in _script("make_model_tables").TABLES:
        assert table.page.read_text() == table.made_anew(), "run python docs/make_model_tables.py"


def test_the_page_of_figures_is_up_to_date() -> None:
    for file, text in _script("make_performance").made().items():
        assert file.read_text() == text, "run python docs/make_performance.py"


def test_the_drawings_are_up_to_date() -> None:
    script = _script("make_drawings")
    for name, draw in script.DRAWINGS.items():
        assert (script.FOLDER / f"{name}.svg").read_text() == draw().svg(), "run python docs/make_drawings.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
        if not target.startswith("http"):
            generated = page.parent == ROOT / "docs" and target in _generated()
            assert generated or (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_of_commands_names_every_option_and_its_words(name: str) -> None:
    text = _generated()["reference/commands.md"]
    [section] = re.findall(rf"^## {name}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    parameters = typer.main.get_command(app).get_command(None, name).params  # type: ignore[attr-defined]
    words = {option for parameter in parameters for option in parameter.opts if option.startswith("--")}
    words |= {word for listed in _script("_site/reference").words_of(name).values() for word in listed}
    assert sorted(word for word in words if word not in section) == []


@pytest.mark.slow
def test_messages_name_no_file_that_an_installed_wheel_lacks() -> None:
    named = {}
    for path in sorted((ROOT / "qconvert").rglob("*.py")):
        tree = ast.parse(path.read_text())
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
        docs = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, documented)}
        texts = [
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        found = [text for text in texts if text not in docs and re.search(r"docs/|\w\.md\b", text)]
        if found:
            named[path.name] = found
    assert named == {}


@pytest.mark.stablehlo
@pytest.mark.row("U22")
def test_jaxlib_reads_the_text_by_the_lines_of_the_docs(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "engines.md").read_text()
    [lines] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    model = load(ROOT / "fixtures" / "digits_cnn_int8.onnx")
    save(convert(model), tmp_path / "model.stablehlo.mlir")
    save(convert(model), tmp_path / "model.mlirbc")
    [artifact] = re.findall(r"`(stablehlo\.deserialize.*?)`", page)
    more = f"    print('convolution' in str({artifact}))\nprint('uniform' in str(module))\n"
    command = [sys.executable, "-c", lines + more]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True\nTrue\n", "")


def test_the_map_names_every_room() -> None:
    rooms = {path.name for path in (ROOT / "qconvert").iterdir() if path.is_dir() and path.name != "__pycache__"}
    named = set(re.findall(r"`(\w+)/`", (ROOT / "docs" / "architecture.md").read_text()))
    drawn = set(re.findall(r"(\w+)/", (ROOT / "docs" / "architecture.svg").read_text()))
    assert rooms <= named
    assert rooms <= drawn


def test_the_map_names_files_that_define_what_it_says() -> None:
    rows = re.findall(r"\| `([\w/]+\.py)`, `(\w+)`", (ROOT / "docs" / "architecture.md").read_text())
    assert len(rows) >= 10
    for file, name in rows:
        assert re.search(rf"^(class|def) {name}\b", (ROOT / "qconvert" / file).read_text(), re.MULTILINE), (file, name)


def test_screenshots_of_reports_are_small() -> None:
    script = _script("make_screenshots")
    found = {image.name: image.stat().st_size for image in script.FOLDER.glob("report-*.png")}
    assert found.keys() == {f"report-{kind}-{width}.png" for kind in script.REPORTS for width in script.HEIGHTS}
    assert max(found.values()) <= script.MOST_BYTES
