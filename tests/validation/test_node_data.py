"""Model Explorer's node data: a figure for each quantized tensor, keyed by the tensor's name."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from qconvert import Format, validate
from qconvert.validation import Settings
from qconvert.validation.rendering.node_data import FIGURES, node_data
from tests.support.commands import qconvert
from tests.support.paths import FIXTURES, MLP

TIES = FIXTURES / "digits_cnn_pow2.onnx"
LSTM = FIXTURES / "lstm_int8.tflite"


@pytest.mark.slow
def test_the_command_writes_a_file_for_each_figure(tmp_path: Path) -> None:
    qconvert("validate", TIES, "--samples", 4, "--node-data", tmp_path / "data", "--json", tmp_path / "report.json")
    report = json.loads((tmp_path / "report.json").read_text())
    found = {figure: json.loads((tmp_path / f"data/{TIES.stem}.{figure}.json").read_text()) for figure in FIGURES}
    tensors = {name for node in onnx.load(TIES).graph.node for name in node.output}
    for layer in report["layers"]:
        assert layer["tensor"] in tensors
        values = {figure: found[figure]["results"][layer["tensor"]]["value"] for figure in FIGURES}
        expected = {"mismatch": 1 - layer["exact"], "max_lsb": layer["max_lsb"]}
        assert values == pytest.approx({**expected, "ties": layer["ties"] / layer["elements"]})
    assert any(result["value"] for result in found["ties"]["results"].values())


@pytest.mark.slow
@pytest.mark.parametrize("model", [MLP, pytest.param(LSTM, marks=pytest.mark.litert)], ids=lambda path: path.stem)
def test_model_explorer_reads_it(model: Path) -> None:
    from model_explorer import node_data_builder as builder  # starts slowly

    report = validate(model, settings=Settings(Format.STABLEHLO, samples=1))
    for figure in FIGURES:
        content = json.loads(node_data(report, figure))
        results = {key: builder.NodeDataResult(**value) for key, value in content.pop("results").items()}
        gradient = [builder.GradientItem(**item) for item in content.pop("gradient")]
        made = builder.GraphNodeData(results=results, gradient=gradient, **content)
        again = json.loads(made.to_json_string())
        assert again["results"] == json.loads(node_data(report, figure))["results"]
        assert np.isfinite([result.value for result in made.results.values()]).all()
