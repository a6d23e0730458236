"""``qconvert diff``: exit status, the table, and reports for machines."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest

from qconvert.cli import diff_page
from qconvert.validation.parameters import DiffedFile, Difference, Finding
from tests.support.commands import qconvert, refused
from tests.support.pages import SCRIPT, Page
from tests.support.paths import FIXTURES, MLP
from tests.support.planted_faults import network, planted_fault


@pytest.fixture
def good(tmp_path: Path) -> Path:
    onnx.save(network(), tmp_path / "good.onnx")
    return tmp_path / "good.onnx"


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    onnx.save(planted_fault("scale of a channel"), tmp_path / "bad.onnx")
    return tmp_path / "bad.onnx"


def test_a_model_and_its_conversion(tmp_path: Path) -> None:
    written = tmp_path / "mlp.tosa.mlir"
    qconvert("convert", FIXTURES / "digits_mlp_uint8.onnx", "-o", written)
    out = qconvert("diff", FIXTURES / "digits_mlp_uint8.onnx", written).stdout
    assert "compared as tosa: 16 operators" in out
    assert "changed on purpose, no difference:" in out
    assert "zero points are held as signed integers" in out
    assert out.rstrip().endswith("equal")


def test_a_difference_is_in_every_report(tmp_path: Path, good: Path, bad: Path) -> None:
    files = ("--markdown", tmp_path / "r.md", "--json", tmp_path / "r.json")
    out = qconvert("diff", good, bad, *files, "--format", "github", status=1).stdout
    assert f"::error file={bad},title=" in out
    assert "weights scale  channel 3: " in out
    assert out.rstrip().endswith("2 differences")
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["findings"][0]["layer"] == "conv_2"
    assert not found["equal"]
    assert "## qconvert diff: 2 differences" in (tmp_path / "r.md").read_text()


def test_json_on_standard_output(good: Path) -> None:
    found = json.loads(qconvert("diff", good, good, "--json", "-").stdout)
    assert found["equal"]
    assert found["findings"] == []


def test_options_of_formats(tmp_path: Path) -> None:
    written = tmp_path / "mlp.tosa.mlir"
    qconvert("convert", MLP, "-o", written, "--quantized-io")
    assert qconvert("diff", MLP, written, "--quantized-io").stdout.rstrip().endswith("equal")


def test_a_size_serves_the_model_that_has_the_dimension(tmp_path: Path) -> None:
    fixed = tmp_path / "fixed.tflite"
    qconvert("convert", MLP, "-o", fixed, "--dim", "N=2")
    for pair in ((MLP, fixed), (fixed, MLP)):
        assert qconvert("diff", *pair, "--dim", "N=2").stdout.rstrip().endswith("equal")
    assert "no input has a dimension 'M'" in refused("diff", MLP, fixed, "--dim", "M=2")


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "x.onnx").write_bytes(b"no model")
    assert str(tmp_path / "x.onnx") in refused("diff", MLP, tmp_path / "x.onnx")


def test_the_page(tmp_path: Path, good: Path, bad: Path) -> None:
    file = tmp_path / "diff.html"
    qconvert("diff", good, bad, "--html", file, status=1)
    page = Page(file.read_text())
    assert page.loaded == set()
    assert "2 differences" in page.texts
    assert "bad.onnx against good.onnx " in page.texts
    found = json.loads(qconvert("diff", good, bad, "--json", "-", status=1).stdout)["findings"]
    assert all(each["text"] in page.texts and f"of {each['parameter']}" in page.texts for each in found)
    qconvert("diff", good, good, "--html", file)
    assert "equal" in Page(file.read_text()).texts


def test_names_in_the_page_are_text() -> None:
    sides = (DiffedFile("a.onnx", "onnx"), DiffedFile("b.onnx", "onnx"))
    finding = Finding(SCRIPT, None, "Conv", SCRIPT, SCRIPT)
    page = Page(diff_page.page(Difference(1, "0.1.0", *sides, "onnx", (1, 1), (finding,), (SCRIPT,), equal=False)))
    assert page.found.count("script") == 1
    assert "img" not in page.found
    assert page.texts.count(SCRIPT) == 4
