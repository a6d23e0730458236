"""Random inputs are values that the model can take: rows of a table, lengths, masks, the range of a quantizer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from qconvert import Format, Model, convert, load, save, validate
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.validation import Settings
from qconvert.validation.comparison import ComparisonSettings, compare
from qconvert.validation.sampling.domains import Domain, Kind, calibrated, domain_of
from qconvert.validation.sampling.samples import Sample, arguments, clamped, domains, guesses, random_samples

Array = NDArray[Any]
INT64, FLOAT, BOOL = TensorProto.INT64, TensorProto.FLOAT, TensorProto.BOOL
TABLE = np.linspace(-1, 1, 20 * 4, dtype=np.float32).reshape(20, 4)


def built(nodes: Sequence[NodeProto], element: int, constants: dict[str, Array], result: int = FLOAT) -> ModelProto:
    """Return a model of one input ``x`` [1, 8] and one output ``y`` of any shape."""
    ports = helper.make_tensor_value_info("x", element, [1, 8]), helper.make_tensor_value_info("y", result, None)
    tensors = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(list(nodes), "g", [ports[0]], [ports[1]], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def domain(model: ModelProto | str) -> Domain:
    """Return the domain of a model's only input."""
    loaded = load(model.encode() if isinstance(model, str) else model)
    [argument] = arguments(loaded.module, loaded.input_names).values()
    return domain_of(argument)


def bounds(model: ModelProto | str) -> tuple[Kind, float, float]:
    found = domain(model)
    return found.kind, found.low, found.high


def node(op: str, inputs: str, output: str, **attributes: Any) -> NodeProto:
    return helper.make_node(op, inputs.split(), [output], name=f"n_{output}", **attributes)


def number(value: float, dtype: type = np.float32) -> Array:
    return np.array(value, dtype)


GATHER = node("Gather", "table i", "y")


@pytest.mark.parametrize(
    ("nodes", "element", "largest"),
    [
        ([node("Identity", "x", "i"), GATHER], INT64, 19),
        ([node("Reshape", "x shape", "i"), GATHER], INT64, 19),
        ([node("Cast", "x", "i", to=TensorProto.INT32), GATHER], INT64, 19),
        ([node("Cast", "x", "i", to=INT64), GATHER], FLOAT, 19),
        ([node("Add", "x two", "i"), GATHER], INT64, 17),
        ([node("Mul", "x two", "d"), node("Add", "d two", "i"), GATHER], INT64, 8),
        ([node("Identity", "x", "i"), GATHER, node("Gather", "short x", "z"), node("Add", "y z", "w")], INT64, 4),
    ],
    ids=["plain", "reshaped", "cast", "floats", "offset", "scaled", "two tables"],
)
def test_indices_are_rows_of_the_table(nodes: list[NodeProto], element: int, largest: int) -> None:
    constants = {"table": TABLE, "short": TABLE[:5], "shape": np.array([8, 1]), "two": np.array(2)}
    model = built(nodes, element, constants)
    model.graph.output[0].name = nodes[-1].output[0]
    low = -2 if largest == 17 else -1 if largest == 8 else 0
    assert bounds(model) == (Kind.INDEX, low, largest)
    sample = sampled(model)
    assert sample.dtype == (np.float32 if element == FLOAT else np.int64)
    assert (sample == np.round(sample)).all()


def sampled(model: ModelProto) -> Array:
    loaded = load(model)
    [sample] = random_samples(arguments(loaded.module, loaded.input_names), 1, 0)
    return sample["x"]


@pytest.mark.parametrize(("sizes", "largest"), [((5, 7), 4), ((9, 3), 2)])
def test_coordinates_are_within_the_smallest_dimension(sizes: tuple[int, int], largest: int) -> None:
    nodes = [node("Reshape", "x pairs", "i"), node("GatherND", "table i", "y")]
    constants = {"table": np.zeros((*sizes, 3), np.float32), "pairs": np.array([4, 2])}
    assert bounds(built(nodes, INT64, constants)) == (Kind.INDEX, 0, largest)


def test_a_place_in_a_grid_lies_within_the_table() -> None:
    """Row times width plus column: each of the two gets half of the table."""
    nodes = [node("Mul", "x width", "start"), node("Add", "start column", "i"), GATHER]
    model = built(nodes, INT64, {"table": np.zeros((35, 2), np.float32), "width": np.array(7)})
    model.graph.input.append(helper.make_tensor_value_info("column", INT64, [1, 8]))
    loaded = load(model)
    for sample in random_samples(arguments(loaded.module, loaded.input_names), 50, 0):
        assert (sample["x"] * 7 + sample["column"]).max() < 35


def test_a_sum_with_another_index_still_tells_the_table() -> None:
    """Each of the nine values that are added gets its part of the table."""
    nodes = [node("ReduceSum", "x", "s", keepdims=1), node("Add", "x s", "i"), GATHER]
    assert bounds(built(nodes, INT64, {"table": TABLE})) == (Kind.LOOSE_INDEX, 0, 1)


MASK = (Kind.MASK, 0, 1)


@pytest.mark.parametrize(
    ("nodes", "element", "result"),
    [
        ([node("Cast", "x", "y", to=BOOL)], INT64, BOOL),
        ([node("Equal", "x zero", "y")], INT64, BOOL),
        ([node("Greater", "x zero", "y")], INT64, BOOL),
        ([node("Less", "zero x", "y")], INT64, BOOL),
        ([node("Cast", "x", "f", to=FLOAT), node("Sub", "one f", "y")], INT64, FLOAT),
        ([node("Sub", "one x", "f"), node("Mul", "f low", "y")], FLOAT, FLOAT),
        ([node("Mul", "x low", "y")], FLOAT, FLOAT),
        ([node("Sub", "x one", "f"), node("Mul", "f high", "y")], FLOAT, FLOAT),
    ],
    ids=["bool", "equal", "greater", "less", "1 - x", "(1 - x) * low", "x * low", "(x - 1) * high"],
)
def test_masks_are_0_and_1(nodes: list[NodeProto], element: int, result: int) -> None:
    constants = {"zero": np.array(0), "one": number(1), "low": number(-10_000), "high": number(1e9)}
    model = built(nodes, element, constants, result)
    assert bounds(model) == MASK
    assert set(np.unique(sampled(model))) == {0, 1}


@pytest.mark.parametrize(
    ("nodes", "element", "result"),
    [
        ([node("Sub", "one x", "y")], FLOAT, FLOAT),
        ([node("Mul", "x three", "y")], FLOAT, FLOAT),
        ([node("Cast", "x", "f", to=FLOAT), node("Mul", "f three", "y")], INT64, FLOAT),
        ([node("Greater", "x five", "y")], INT64, BOOL),
        ([node("Greater", "x zero", "y")], FLOAT, BOOL),
    ],
    ids=["1 - x of floats", "scaled floats", "scaled integers", "another bound", "the sign of floats"],
)
def test_what_is_no_mask(nodes: list[NodeProto], element: int, result: int) -> None:
    zero = np.array(0) if element == INT64 else number(0)
    constants = {"zero": zero, "one": number(1), "three": number(3), "five": np.array(5)}
    assert bounds(built(nodes, element, constants, result))[0] is (Kind.TYPE if element == FLOAT else Kind.UNKNOWN)


def test_an_index_that_is_also_compared_is_an_index() -> None:
    """Padding is found by comparing token ids with 0."""
    nodes = [node("Equal", "x zero", "pad"), node("Gather", "table x", "y")]
    assert bounds(built(nodes, INT64, {"table": TABLE, "zero": np.array(0)})) == (Kind.INDEX, 0, 19)


def test_a_mask_whose_sum_is_an_index_is_a_mask() -> None:
    """The last position is a sum over the mask."""
    nodes = [
        node("ReduceSum", "x", "i", keepdims=1),
        node("Gather", "table i", "last"),
        node("Cast", "x", "m", to=BOOL),
        node("Cast", "m", "f", to=FLOAT),
        node("ReduceSum", "f", "count"),
        node("Mul", "last count", "y"),
    ]
    assert bounds(built(nodes, INT64, {"table": TABLE})) == MASK


def test_lengths_lie_within_the_sequence() -> None:
    nodes = [node("Less", "positions x", "y")]
    assert bounds(built(nodes, INT64, {"positions": np.arange(8)}, BOOL)) == (Kind.LENGTH, 1, 8)
    nodes = [node("Equal", "positions x", "y")]
    assert bounds(built(nodes, INT64, {"positions": np.arange(8)}, BOOL)) == (Kind.LENGTH, 0, 7)


def main(arguments: str, result: str, body: str) -> str:
    return f"func.func @main({arguments}) -> {result} {{\n{body}\n}}"


SLICE = """
%t = stablehlo.constant dense<0.5> : tensor<10xf32>
%r = stablehlo.dynamic_slice %t, %x, sizes = [3] : (tensor<10xf32>, tensor<i32>) -> tensor<3xf32>
return %r : tensor<3xf32>"""
UPDATE = """
%t = stablehlo.constant dense<0.5> : tensor<10xf32>
%u = stablehlo.constant dense<1.0> : tensor<4xf32>
%r = stablehlo.dynamic_update_slice %t, %u, %x : (tensor<10xf32>, tensor<4xf32>, tensor<i32>) -> tensor<10xf32>
return %r : tensor<10xf32>"""


@pytest.mark.parametrize(("body", "size", "high"), [(SLICE, 3, 7), (UPDATE, 10, 6)], ids=["slice", "update"])
def test_starts_leave_room_for_the_slice(body: str, size: int, high: int) -> None:
    assert bounds(main("%x: tensor<i32>", f"tensor<{size}xf32>", body)) == (Kind.INDEX, 0, high)


def test_indices_of_tosa_are_rows() -> None:
    text = main(
        "%t: tensor<1x6x2xi8>, %x: tensor<1x3xi32>",
        "tensor<1x3x2xi8>",
        "%r = tosa.gather %t, %x : (tensor<1x6x2xi8>, tensor<1x3xi32>) -> tensor<1x3x2xi8>\n"
        "return %r : tensor<1x3x2xi8>",
    )
    found = domains(arguments(parse_module(text), ["t", "x"]))
    assert found["x"][:3] == (0, 5, True)
    assert found["t"][:3] == (-128, 127, True)


QUANTIZED = "!quant.uniform<i8:f32, 0.5:28>"


MOVED = "%m = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>"
NORMALIZED = """
%c = stablehlo.constant dense<2.0> : tensor<2x2xf32>
%d = stablehlo.constant dense<1.0> : tensor<2x2xf32>
%s = stablehlo.subtract %x, %d : tensor<2x2xf32>
%m = stablehlo.divide %s, %c : tensor<2x2xf32>"""


@pytest.mark.parametrize(("before", "low", "high"), [(MOVED, -78, 49.5), (NORMALIZED, -155, 100)])
def test_floats_fill_the_range_of_a_quantizer_behind_other_ops(before: str, low: float, high: float) -> None:
    text = main(
        "%x: tensor<2x2xf32>",
        f"tensor<2x2x{QUANTIZED}>",
        f"{before}\n%q = stablehlo.uniform_quantize %m : (tensor<2x2xf32>) -> tensor<2x2x{QUANTIZED}>\n"
        f"return %q : tensor<2x2x{QUANTIZED}>",
    )
    assert bounds(text) == (Kind.RANGE, low, high)
    assert not domain(text).guess


def test_floats_that_become_bytes_are_in_their_range() -> None:
    """ONNX does not define a cast of other floats."""
    model = built([node("Cast", "x", "y", to=TensorProto.UINT8)], FLOAT, {}, TensorProto.UINT8)
    assert bounds(model) == (Kind.CAST, 0, 255)
    scaled = [node("Mul", "x s", "f"), node("Cast", "f", "y", to=TensorProto.INT8)]
    found = domain(built(scaled, FLOAT, {"s": number(128)}, TensorProto.INT8))
    assert (found.low, found.high, found.is_whole) == (-1, 127 / 128, False)


def test_every_guess_has_a_note() -> None:
    model = load(built([node("Gather", "table x", "y")], INT64, {"table": TABLE}))
    found = domains(arguments(model.module, model.input_names))
    assert guesses(found) == [
        "input 'x' is random: 0 to 19, the rows of a table that 'n_y' reads. --inputs gives other values"
    ]
    settings = Settings(samples=2)
    assert guesses(found)[0] in validate(model, settings=settings).notes
    given = {"x": np.zeros((1, 8), np.int64)}
    assert not any("random" in line for line in validate(model, inputs=given, settings=settings).notes)


def test_both_judges_draw_the_same_indices() -> None:
    """``compare`` reads the ops of a model that a runtime runs, too; else onnxruntime refuses ids beyond the table."""
    model: Model = load(built([node("Gather", "table x", "y")], INT64, {"table": TABLE}))
    report = compare(model, model, settings=ComparisonSettings(samples=4))
    assert report.passed
    assert "input 'x' is random: 0 to 19, the rows of a table that 'n_y' reads. --inputs gives other values" in (
        report.notes
    )


def test_the_source_tells_what_a_lowered_model_reads(tmp_path: Path) -> None:
    """TOSA takes indices in 32 bits, and its ops tell less of a mask."""
    nodes = [node("Cast", "x", "f", to=FLOAT), node("Sub", "one f", "y")]
    source = load(built(nodes, INT64, {"one": number(1)}))
    file = tmp_path / "mask.tosa.mlir"
    save(convert(source, Format.TOSA), file)
    report = compare(file, source, settings=ComparisonSettings(samples=2))
    assert report.passed
    assert "input 'x' is random: 0 to 1, because 'n_y' reads it as a mask. --inputs gives other values" in report.notes


def quantized(samples: Sequence[Sample]) -> list[str]:
    text = main(
        "%x: tensor<3xf32>",
        f"tensor<3x{QUANTIZED}>",
        f"%q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x{QUANTIZED}>\n"
        f"return %q : tensor<3x{QUANTIZED}>",
    )
    return clamped(samples, arguments(parse_module(text), ["x"]))


def test_samples_outside_the_calibrated_range_are_counted() -> None:
    """What rounds to the last step is inside."""
    inside = {"x": np.array([-78.2, 0, 49.7], np.float32)}
    outside = {"x": np.array([-80, 60, np.nan], np.float32)}
    assert quantized([inside]) == []
    assert quantized([inside, outside]) == [
        "3 elements of input 'x' in 1 of 2 samples outside the calibrated range -78 to 49.5: clamped"
    ]


def test_an_input_without_a_quantizer_has_no_calibrated_range() -> None:
    model = load(built([node("Identity", "x", "y")], FLOAT, {}))
    assert calibrated(*arguments(model.module, ["x"]).values()) is None


def test_a_validation_tells_of_samples_outside_the_range() -> None:
    constants = {"s": number(0.5), "z": number(0, np.int8)}
    nodes = [node("QuantizeLinear", "x s z", "q"), node("DequantizeLinear", "q s z", "y")]
    model = built(nodes, FLOAT, constants)
    given = {"x": np.full((3, 1, 8), 100, np.float32)}
    line = "24 elements of input 'x' in 3 of 3 samples outside the calibrated range -64 to 63.5: clamped"
    assert line in validate(load(model), inputs=given).notes
    assert line in compare(load(model), load(model), inputs=given).notes
