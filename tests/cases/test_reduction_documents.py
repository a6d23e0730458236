"""The RFC on quantized reductions: every form of a reduction gives the same numbers in every format and engine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qconvert.api import convert, load
from qconvert.api.conversion import transform
from qconvert.api.running import run
from qconvert.backends.stablehlo import ReductionForm, StableHloOptions
from qconvert.engines.base import EngineName
from qconvert.formats import Format
from qconvert.interpreter.core import main_function
from qconvert.ir.types import element_type, numpy_dtype, storage_element
from qconvert.support.errors import ConversionError
from tests.support.commands import qconvert

Array = NDArray[Any]
DOCUMENTS = Path(__file__).parent / "documents"
X = np.random.default_rng(0).integers(0, 256, (2, 5)).astype(np.uint8)
PAIR = {
    "arg0": np.array([[-128, 5, 100, 127], [3, 3, -7, 1]], np.int8),
    "arg1": np.array([[-128, 5, 100, 127], [-3, -30, -7, -9]], np.int8),
    "arg2": np.array(10, np.int8),
    "arg3": np.array(-5, np.int8),
}


def quantized(real: Array, scale: float, zero_point: int, dtype: Any) -> Array:
    limits = np.iinfo(dtype)
    return np.clip(np.rint(real / scale + zero_point), limits.min, limits.max).astype(dtype)


def sums_from_half() -> Array:
    """The sum that ``accumulated`` and ``initial_value`` compute, from an initial value of 0.5."""
    return quantized((0.25 * (X.astype(np.float64) - 7)).sum(axis=1) + 0.5, 1.5, 20, np.uint8)


def sums_and_maxima() -> list[Array]:
    x, y, i, j = (PAIR[f"arg{k}"].astype(np.float64) for k in range(4))
    total = (0.5 * (x - 3)).sum(axis=1) + 0.5 * (i - 3)
    return [quantized(total, 2.0, 1, np.int8), quantized(0.25 * np.maximum(y.max(axis=1), j), 1.0, 0, np.int8)]


CASES: dict[str, tuple[dict[str, Array], list[Array]]] = {
    "accumulated": ({"arg0": X}, [sums_from_half()]),
    "initial_value": ({"arg0": X}, [sums_from_half()]),
    "accumulated_from_argument": (
        {"arg0": X, "arg1": np.array(43, np.int32)},
        [(2 * (X.astype(np.int32) - 7).sum(axis=1) + 43).astype(np.int32)],
    ),
    "two_operands": (PAIR, sums_and_maxima()),
    "argmax": (
        {"arg0": np.array([[1, 9, 9, -4, 9], [-128] * 5], np.int8)},
        [np.array([9, -128], np.int8), np.array([1, 0], np.int32)],
    ),
}
WITHOUT = {("accumulated_from_argument", Format.ONNX)}
"""ONNX has no outputs that are quantized in 32 bits."""
FORMATS = [Format.STABLEHLO, Format.STABLEHLO_QDQ, Format.STABLEHLO_INT, Format.TOSA_RESCALE, Format.TOSA, Format.ONNX]
EVERYWHERE = [(name, to) for name in CASES for to in FORMATS if (name, to) not in WITHOUT]


def document(name: str) -> Path:
    return DOCUMENTS / f"{name}.mlir"


def results(name: str, to: Format, engine: EngineName = EngineName.REFERENCE) -> Iterator[tuple[Array, Array]]:
    """Yield expected and found results of a conversion; a format without unsigned integers has signed ones."""
    inputs, expected = CASES[name]
    converted = convert(load(document(name)), to)
    made = load(converted.content if converted.content is not None else converted.text.encode())
    arguments = main_function(made.module).body.block.args
    feeds = {
        key: as_stored(array, numpy_dtype(storage_element(element_type(argument))))
        for key, array, argument in zip(made.input_names, inputs.values(), arguments, strict=True)
    }
    for array, found in zip(expected, run(made, feeds, engine=engine).values(), strict=True):
        yield as_stored(array, found.dtype), found


def as_stored(array: Array, dtype: np.dtype[Any]) -> Array:
    return array if array.dtype == dtype else array.view(dtype)


@pytest.mark.quick(4)
@pytest.mark.parametrize(("name", "to"), EVERYWHERE)
@pytest.mark.row("D02", "D09", "D10", "D13")
def test_every_format_gives_the_same(name: str, to: Format) -> None:
    for expected, found in results(name, to):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.quick(5)
@pytest.mark.parametrize("name", sorted(CASES))
@pytest.mark.parametrize("form", list(ReductionForm))
@pytest.mark.row("D02")
def test_every_form_gives_the_same(name: str, form: ReductionForm) -> None:
    inputs, expected = CASES[name]
    text = convert(load(document(name)), Format.STABLEHLO, StableHloOptions(reduction_form=form)).text
    for array, found in zip(expected, run(load(text.encode()), inputs).values(), strict=True):
        np.testing.assert_array_equal(found, array)


ENGINES = (
    (EngineName.STABLEHLO, Format.STABLEHLO),
    (EngineName.STABLEHLO, Format.STABLEHLO_INT),
    (EngineName.TOSA, Format.TOSA),
    (EngineName.ONNXRUNTIME, Format.ONNX),
)
REFUSED = WITHOUT | {("argmax", Format.STABLEHLO)}
"""jaxlib does not evaluate a reduction of quantized pairs; it evaluates the same in integers."""


def runs() -> Iterator[Any]:
    for engine, to in ENGINES:
        marks = [getattr(pytest.mark, engine.value)] if engine is not EngineName.ONNXRUNTIME else []
        yield from (pytest.param(name, engine, to, marks=marks) for name in CASES if (name, to) not in REFUSED)


@pytest.mark.parametrize(("name", "engine", "to"), list(runs()))
def test_real_engines_give_the_same(name: str, engine: EngineName, to: Format) -> None:
    for expected, found in results(name, to, engine):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.stablehlo
@pytest.mark.row("D01")
def test_an_artifact_with_a_body_is_read(tmp_path: Path) -> None:
    made = tmp_path / "a.mlirbc"
    qconvert("convert", document("reducer"), "-o", made)
    assert "1 reduce" in qconvert("inspect", made).stdout


@pytest.mark.row("D14")
def test_storage_other_than_the_elements_is_refused() -> None:
    with pytest.raises(ConversionError, match="baseline_element_type of a result"):
        convert(load(document("other_storage")))


def test_the_order_is_chosen_and_matters(tmp_path: Path) -> None:
    """The body ``a + b * b`` is not associative; by default the order is that of StableHLO's interpreter."""
    inputs, found = tmp_path / "in.npz", tmp_path / "out.npz"
    np.savez(inputs, arg0=np.float32([[0, 1, 2, 3, 4], [1, 1, 1, 1, 1]]))
    seen = {}
    for order in ("", "left", "balanced", "random:1"):
        schedule = ["--schedule", order] if order else []
        outcome = qconvert("run", document("reducer"), "--inputs", inputs, "-o", found, *schedule)
        assert "not associative, so the result depends on the order of elements: from first to last, unless" in (
            outcome.stderr
        )
        seen[order] = np.load(found)["result0"].tolist()
    assert seen[""] == seen["left"] == [30.0, 5.0]
    assert seen["balanced"] != seen["left"] != seen["random:1"]


@pytest.mark.parametrize("name", sorted(CASES))
def test_associative_bodies_are_not_warned_of(name: str) -> None:
    assert load(document(name)).order_dependent == ()


QDQ = """builtin.module {
  func.func @main(%0: tensor<2x5x!quant.uniform<i8:f32, 0.25:7>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:-3>> {
    %1 = stablehlo.uniform_dequantize %0 : (tensor<2x5x!quant.uniform<i8:f32, 0.25:7>>) -> tensor<2x5xf32>
    %2 = stablehlo.constant dense<START> : tensor<f32>
    %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.KIND across dimensions = [1] : TYPES
    %4 = stablehlo.constant dense<5.000000e+00> : tensor<2xf32>
    %5 = stablehlo.divide %3, %4 : tensor<2xf32>
    %6 = stablehlo.uniform_quantize %5 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:-3>>
    func.return %6 : tensor<2x!quant.uniform<i8:f32, 0.5:-3>>
  }
}
""".replace("TYPES", "(tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>")


@pytest.mark.row("D17")
def test_fusion_and_its_reverse_give_a_mean_back() -> None:
    text = QDQ.replace("KIND", "add").replace("START", "0.000000e+00")
    fused = transform(load(text.encode()), ["legalize-qdq-to-quantized-op"])
    assert "stablehlo.divide" not in fused.text
    back = transform(load(fused.text.encode()), ["legalize-quantized-op-to-qdq", "dce"]).text
    assert sorted(_ops(back)) == sorted(_ops(text))


def test_fusion_and_its_reverse_give_a_maximum_back() -> None:
    lines = QDQ.replace("KIND", "maximum").replace("START", "0xFF800000").splitlines()
    kept = [line for line in lines if "divide" not in line and "5.000000e+00" not in line]
    text = "\n".join(kept).replace("%5", "%3").replace("0.5:-3", "0.25:7")
    fused = transform(load(text.encode()), ["legalize-qdq-to-quantized-op", "dce"])
    assert "dequantize" not in fused.text
    back = transform(load(fused.text.encode()), ["legalize-quantized-op-to-qdq", "dce"]).text
    assert sorted(_ops(back)) == sorted(_ops(text))


def _ops(text: str) -> list[str]:
    """Return the ops of a module without the names of values."""
    return [re.sub(r"%\w+", "%", line.strip()) for line in text.splitlines()]
