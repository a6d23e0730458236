"""``qconvert compare``: exit status, the table, and reports for machines."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.support.commands import qconvert, refused
from tests.support.paths import FIXTURES, MLP
from tests.support.planted import planted

CNN = FIXTURES / "digits_cnn_int8.onnx"
FEW = ("--samples", 2)


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    return planted(CNN, "conv_3", tmp_path / "bad.onnx")


def test_equal_models_pass() -> None:
    out = qconvert("compare", MLP, MLP, *FEW).stdout
    assert "each layer" in out or "4 layers" in out
    assert out.rstrip().endswith("passed")


def test_the_first_layer_that_differs_is_named_in_every_report(tmp_path: Path, bad: Path) -> None:
    files = ("--junit", tmp_path / "r.xml", "--markdown", tmp_path / "r.md", "--json", tmp_path / "r.json")
    files += ("--html", tmp_path / "r.html")
    out = qconvert("compare", CNN, bad, *FEW, *files, "--format", "github", status=1).stdout
    assert "layer 'conv_3' (Conv, contraction): 0." in out
    assert f"::error file={bad},title=" in out
    assert out.rstrip().endswith("failed")
    found = json.loads((tmp_path / "r.json").read_text())
    assert not found["passed"]
    suite = ET.parse(tmp_path / "r.xml").getroot()
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["conv_3", "logits"]
    assert "failed" in (tmp_path / "r.md").read_text()
    page = (tmp_path / "r.html").read_text()
    assert f"<pre><code>qconvert compare {CNN} {bad} --samples 2" in page


def test_values_in_every_report(tmp_path: Path, bad: Path) -> None:
    files = ("--junit", tmp_path / "r.xml", "--markdown", tmp_path / "r.md", "--json", tmp_path / "r.json")
    files += ("--html", tmp_path / "r.html")
    out = qconvert("compare", CNN, bad, *FEW, "--by-values", *files, "--format", "github", status=1).stdout
    sentence = "layer 'conv_3' (Conv) is the first that differs: 0."
    assert re.search(r"failed: 14 values matched \(14 by name\), 9 differ; the whole \S+ equal", out)
    assert f"::error file={bad},title={bad} differs from {CNN}::" in out
    assert sentence in out
    assert out.rstrip().endswith("failed")
    found = json.loads((tmp_path / "r.json").read_text())
    assert (found["schema"], found["model"]["file"], found["file"]) == (2, str(CNN), str(bad))
    assert next(value["second"]["node"] for value in found["values"] if value["differs"]) == "conv_3"
    suite = ET.parse(tmp_path / "r.xml").getroot()
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["conv_3", "logits"]
    assert "| node | op | in the file | matched by |" in (tmp_path / "r.md").read_text()
    assert "first that differs" in (tmp_path / "r.html").read_text()


def test_the_cost_of_quantization_in_every_report(tmp_path: Path) -> None:
    files = ("--markdown", tmp_path / "r.md", "--html", tmp_path / "r.html")
    out = qconvert("compare", FIXTURES / "float" / "digits_cnn.onnx", CNN, *FEW, *files).stdout
    assert re.match(r"passed: 14 values matched \(14 by name\); the whole at [\d.]+ dB\n", out)
    shown = [line for line in out.splitlines() if line.startswith("10 of ")]
    assert len(shown) == 1
    assert shown[0].endswith("lasting dB")
    for text in (out, (tmp_path / "r.md").read_text().replace("\\", ""), (tmp_path / "r.html").read_text()):
        assert "quantization costs most in" in text
    assert out.rstrip().endswith("passed")


def test_json_on_standard_output(bad: Path) -> None:
    found = json.loads(qconvert("compare", CNN, bad, *FEW, "--json", "-", status=1).stdout)
    assert next(layer["node"] for layer in found["layers"] if layer["max_lsb"] > 1) == "conv_3"


def test_a_limit_allows_differences(bad: Path) -> None:
    assert qconvert("compare", CNN, bad, *FEW, "--max-lsb", 255).stdout.rstrip().endswith("passed")


def test_a_size_serves_the_model_that_has_the_dimension(tmp_path: Path) -> None:
    fixed = tmp_path / "fixed.onnx"
    qconvert("convert", MLP, "-o", fixed, "--dim", "N=2")
    for pair in ((MLP, fixed), (fixed, MLP)):
        assert qconvert("compare", *pair, *FEW, "--dim", "N=2").stdout.rstrip().endswith("passed")
    assert "no input has a dimension 'M'. The model has N" in refused("compare", MLP, fixed, "--dim", "M=2")
    assert "leave --dim M out" in refused("compare", fixed, fixed, "--dim", "M=2")


def test_the_runtime_is_named_with_how_it_computes(tmp_path: Path) -> None:
    text = tmp_path / "mlp.mlir"
    qconvert("convert", MLP, "-o", text)
    out = " ".join(qconvert("compare", MLP, text, *FEW, "--max-lsb", 9, "--by-values").stdout.split())
    assert re.search(r"on reference [\d.]+, against .* on onnxruntime [\d.]+, graph optimisation disabled; 2 ", out)


def test_refusals() -> None:
    assert "xnnpack does not run" in refused("compare", CNN, CNN, "--engine", "xnnpack")
