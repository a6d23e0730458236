"""The page of a comparison: what it colours, marks and counts, and that every name is a text."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from qconvert import ComparisonSettings
from qconvert.support.arrays import read_arrays
from qconvert.validation import Report
from qconvert.validation.comparison.numbers import Grid
from qconvert.validation.figures.report import Matched, Place, ValueReport
from qconvert.validation.rendering.page import html
from qconvert.validation.rendering.page.content import Mismatch
from qconvert.validation.rendering.page.validated import content
from qconvert.validation.rendering.rows import value_cells
from tests.support.by_values import compared
from tests.support.pages import SCRIPT, Page
from tests.support.paths import FIXTURES, IMAGES, MLP
from tests.support.planted import planted
from tests.support.scripted import scripted

CNN = FIXTURES / "digits_cnn_int8.onnx"
FLOAT = FIXTURES / "float" / "digits_cnn.onnx"
FEW = ComparisonSettings(samples=2, details=True, by_values=True)


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Report:
    file = planted(CNN, "conv_3", tmp_path_factory.mktemp("page") / "bad.onnx")
    return compared(CNN, file, settings=FEW)


@pytest.fixture(scope="module")
def cost() -> Report:
    return compared(FLOAT, CNN, inputs={"image": read_arrays(IMAGES)["image"][:3]}, settings=FEW)


@pytest.mark.slow
def test_the_first_layer_that_differs_is_marked(bad: Report) -> None:
    found = content(bad)
    assert bad.first_difference is not None
    assert found.marked == {bad.first_difference.tensor: "first that differs"}
    assert found.drawing is not None
    classes = {layer.node: layer.style for layer in found.drawing.nodes}
    assert classes["clip_1"] is Mismatch.EQUAL
    assert classes["conv_3"] is Mismatch.MUCH
    assert [layer.node for layer in found.drawing.nodes][5] == "conv_3"
    assert "data-chosen=5>" in html(bad)


def test_an_equal_model_has_no_mark() -> None:
    found = content(compared(MLP, MLP, settings=FEW))
    assert found.marked == {}
    assert found.drawing is not None
    assert {layer.style for layer in found.drawing.nodes} == {Mismatch.EQUAL}


@pytest.mark.slow
def test_rows_have_a_cell_for_each_column(bad: Report, cost: Report) -> None:
    for report in (bad, cost):
        layers = content(report).layers
        assert layers is not None
        assert {len(row.cells) for row in layers.rows} == {len(layers.columns)}
        assert all(cell.key is not None for row in layers.rows for cell in row.cells[layers.texts :])


@pytest.mark.slow
def test_the_cost_of_quantization_is_sorted_and_marked(cost: Report) -> None:
    found = content(cost)
    tensors = {layer.tensor: layer.node for layer in cost.values}
    assert {tensors[tensor]: badge for tensor, badge in found.marked.items()} == {
        node: f"cost no. {number}" for number, node in enumerate(cost.higher_precision, 1)
    }
    text = html(cost)
    worst = min(cost.values, key=lambda layer: layer.lasting_db or 0.0)
    first = text[text.index("<tbody>") :].partition("</tr>")[0]
    assert f'title="{worst.node}"' in first
    assert "less than 20 dB" in found.legend[Mismatch.MUCH]


@pytest.mark.parametrize("kind", ["bad", "cost", "floats"])
def test_bars_count_what_the_table_counts(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """The bar of no difference has the elements within half an LSB; of floats it has at least the equal ones."""
    if kind == "floats":
        report = compared(FLOAT, planted(FLOAT, "conv_3", tmp_path / "bad.onnx"), settings=FEW)
    else:
        report = request.getfixturevalue(kind)
    assert report.details is not None
    details = {layer.tensor: layer for layer in report.details.layers}
    for layer in report.values:
        distances = details[layer.tensor].distances
        assert distances is not None
        assert sum(bar.elements for bar in distances.bars) == layer.elements
        assert sum(point.elements for point in distances.points) == layer.elements
        same = sum(bar.elements for bar in distances.bars if bar.low == 0) / layer.elements
        if distances.unit is None:
            assert same == pytest.approx(layer.exact, abs=1e-12)
        else:
            assert layer.exact <= same
            assert layer.differs == (max(max(abs(bar.low), abs(bar.high)) for bar in distances.bars) > 1)
    assert {details[layer.tensor].distances.unit is None for layer in report.values} == {kind != "floats"}  # type: ignore[union-attr]


def test_values_that_are_not_finite_are_counted() -> None:
    first = np.array([np.nan, np.inf, -np.inf, np.inf, 1.0, np.nan])
    second = np.array([np.nan, np.inf, -np.inf, -np.inf, 1.2, 0.0])
    mine, theirs = Grid(0.1, 3, 0, 10, is_lsb=False).of(first, second)
    assert (theirs - mine).tolist()[:3] == [0, 0, 0]
    assert (theirs - mine)[4] == 2
    assert mine[4] == 13
    assert (theirs - mine)[3] < -1000
    assert (mine[5], theirs[5]) == (-(1 << 32), 3)


def test_a_drawing_has_the_range_of_finite_values(tmp_path: Path) -> None:
    """Logarithms of negative numbers are NaN; a model of empty tensors has nothing to draw."""
    for shape, points in (([1, 4], 4), ([0, 4], 0)):
        ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x", "y")]
        graph = helper.make_graph([helper.make_node("Log", ["x"], ["y"], "log")], "g", ports[:1], ports[1:])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.save(model, tmp_path / "log.onnx")
        given = np.array([[1, np.e, -1, np.inf]], np.float32).reshape(shape) if points else np.zeros((1, *shape), "f4")
        report = compared(
            tmp_path / "log.onnx",
            tmp_path / "log.onnx",
            inputs={"x": given},
            settings=ComparisonSettings(details=True, by_values=True),
        )
        assert report.details is not None
        distances = report.details.layers[-1].distances
        assert distances is not None
        assert sum(point.elements for point in distances.points) == points
        assert all(abs(point.reference) <= 10_240 for point in distances.points)


def test_what_has_no_ratio_of_noise_has_no_figure() -> None:
    value = ValueReport(
        node="a",
        op="Log",
        tensor="a",
        second=Place("a", "Log", "a"),
        matched=Matched.NAME,
        correlation=None,
        exact=0.5,
        max_lsb=None,
        max_abs=2.0,
        max_rel=1.0,
        sqnr_db=None,
        elements=2,
        differs=True,
    )
    assert value_cells(value)["SQNR dB"] == "-"
    assert value_cells(replace(value, exact=1.0, max_abs=0.0, differs=False))["SQNR dB"] == "inf"


def test_layers_without_a_counterpart_are_listed(tmp_path: Path) -> None:
    port = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in ("x", "y")]
    nodes = [
        helper.make_node("Sin", ["x"], ["s"], "only_here"),
        helper.make_node("Mul", ["s", "zero"], ["m"], "nothing"),
        helper.make_node("Add", ["m", "x"], ["y"], "sum"),
    ]
    zero = helper.make_tensor("zero", TensorProto.FLOAT, [], [0.0])
    sums = [helper.make_node("Mul", ["x", "zero"], ["m"], "nothing"), nodes[2]]
    for name, chosen in (("a", nodes), ("b", sums)):
        graph = helper.make_graph(chosen, "g", port[:1], port[1:], [zero])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.save(model, tmp_path / f"{name}.onnx")
    report = compared(tmp_path / "a.onnx", tmp_path / "b.onnx", settings=FEW)
    assert report.unmatched == ((Place("only_here", "Sin", "s"),), ())
    [table] = content(report).tables
    assert table.rows == [("only_here", "Sin", "s", str(tmp_path / "a.onnx"))]
    assert json.loads(report.json())["unmatched"] == [[{"node": "only_here", "op": "Sin", "tensor": "s"}], []]
    drawing = content(report).drawing
    assert drawing is not None
    assert {layer.node for layer in drawing.nodes if layer.style is Mismatch.UNKNOWN} == {"only_here"}


def test_names_are_text(tmp_path: Path) -> None:
    model = scripted(CNN, SCRIPT, tmp_path / "names.onnx")
    report = compared(model, planted(model, f"conv_3{SCRIPT}", tmp_path / "bad.onnx"), settings=FEW)
    assert report.first_difference is not None
    assert report.first_difference.node == f"conv_3{SCRIPT}"
    page = Page(html(report))
    assert page.found.count("script") == 3  # the data, the library and the page's own
    assert "img" not in page.found
    assert page.loaded == set()
    assert f"conv_3{SCRIPT}" in page.texts
    assert "img" not in Page(report._repr_html_()).found


def test_a_comparison_without_details_has_no_drawing(bad: Report) -> None:
    page = Page(html(replace(bad, details=None)))
    assert "svg" in page.found  # the bars
    assert "aside" not in page.found
    assert "details" not in json.loads(bad.json())


def test_a_notebook_gets_no_script(bad: Report) -> None:
    page = Page(bad._repr_html_())
    assert "script" not in page.found
    assert "conv_3" in page.texts
