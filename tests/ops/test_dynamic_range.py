"""DynamicQuantizeLinear against onnxruntime, bit by bit; zero points that onnxruntime has no kernel for; refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from qconvert.backends.stablehlo.emit import emit, lower
from qconvert.engines.base import EngineName
from qconvert.interpreter import evaluate
from qconvert.ir.printing import module_text
from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import Case, Known, assert_equal, imported, one_op, ours, random, theirs

Array = npt.NDArray[Any]
U8, I8 = np.uint8, np.int8


def quantize(*values: float) -> Case:
    return one_op("DynamicQuantizeLinear", [np.array(values, np.float32)], opset=11, outputs=3)


def drawn(seed: int) -> Array:
    """Floats of any magnitude, on either side of 0 or on both."""
    rng = np.random.default_rng(seed)
    spread, offset = 10.0 ** rng.uniform(-6, 6), rng.choice([-1, 0, 1]) * rng.uniform(0, 20)
    return np.asarray(rng.normal(offset, spread, rng.integers(1, 300)), np.float32)


@pytest.mark.parametrize("seed", range(60))
def test_random_ranges(seed: int) -> None:
    assert_equal(one_op("DynamicQuantizeLinear", [drawn(seed)], opset=11, outputs=3))


@pytest.mark.parametrize("shape", [(), (1,), (0,), (2, 0, 3), (2, 3, 4, 5)])
def test_shapes(shape: tuple[int, ...]) -> None:
    x = random(*shape)
    assert_equal(one_op("DynamicQuantizeLinear", [x if x.size else Known(x)], opset=11, outputs=3))


@pytest.mark.parametrize(
    "values",
    [
        (0.0, 0.0),
        (-0.0,),
        (3.3, 3.3, 3.3),
        (-3.3, -3.3),
        (1.0, 2.0),
        (-1.0, 0.0),
        (0.5, 1.5, 2.5, 255.0),  # ties of a scale of 1
        (-127.5, 127.5),  # a tie of the zero point
        (3e38, -3e38),  # a range beyond float32
        (1e-45, 0.0),  # a scale below float32
        (1e-42, -1e-43),
        (np.inf, 1.0, -2.0),
        (-np.inf, 1.0, -2.0),
        (np.nan, 1.0, 2.0),
    ],
)
def test_constants_zeros_and_edges(values: tuple[float, ...]) -> None:
    assert_equal(quantize(*values))


@pytest.mark.parametrize("case", [quantize(0.0, 0.0), quantize(-3.3, -3.3), quantize(0.5, 1.5, -2.5, 252.5)])
def test_the_decomposition_rounds_as_the_op(case: Case) -> None:
    found = evaluate(lower(imported(case)), list(case.feeds.values()))
    for array, expected in zip(found, theirs(case), strict=True):
        np.testing.assert_array_equal(array, expected)


def test_only_float32_is_quantized() -> None:
    with pytest.raises(ConversionError, match=r"a float32 tensor is needed, found tensor<2xf64>"):
        imported(one_op("DynamicQuantizeLinear", [np.zeros(2)], opset=11, outputs=3))


def zero_points(lhs: Any, rhs: Any, columns: int = 0) -> list[Array | None]:
    """A scalar each; with ``columns`` one for each column of the right-hand side."""
    right = np.arange(columns) if columns else 7
    return [np.asarray(100, lhs), np.asarray(right, rhs)]


def test_zero_points_of_rows_and_of_batches() -> None:
    """There is no kernel in onnxruntime for these; the operator's definition is a plain subtraction."""
    a, b = random(2, 3, 5, dtype=U8), random(2, 5, 4, dtype=I8, seed=1)
    rows, columns = random(2, 3, 1, dtype=U8, seed=2), random(2, 1, 4, dtype=I8, seed=3)
    expected = (a.astype(int) - rows) @ (b.astype(int) - columns)
    np.testing.assert_array_equal(ours(one_op("MatMulInteger", [a, b, rows, columns], opset=10))[0], expected)
    flat = ours(one_op("MatMulInteger", [a[0], b[0], rows[0, :, 0], columns[0, 0]], opset=10))[0]
    np.testing.assert_array_equal(flat, expected[0])


def test_zero_points_of_output_features() -> None:
    """There is no kernel in onnxruntime for this."""
    x, w = random(1, 2, 5, 5, dtype=U8), random(3, 2, 3, 3, dtype=I8, seed=1)
    each = np.array([5, -3, 0], I8)
    centred = w.astype(np.float32) - each.reshape(-1, 1, 1, 1)
    expected = theirs(one_op("Conv", [x.astype(np.float32) - 9, centred], pads=[1, 1, 1, 1]))[0]
    found = ours(one_op("ConvInteger", [x, w, np.asarray(9, U8), each], opset=10, pads=[1, 1, 1, 1]))[0]
    np.testing.assert_array_equal(found, expected)


REFUSED: list[tuple[str, list[Any], str]] = [
    ("MatMulInteger", [np.zeros((2, 3), np.int16), np.zeros((3, 2), I8)], "8-bit integers are needed, found"),
    ("MatMulInteger", [np.zeros((2, 3), U8), np.zeros((3, 2), I8), np.zeros((), I8)], "a zero point of tensor<i8> for"),
    (
        "MatMulInteger",
        [np.zeros((2, 3), U8), np.zeros((3, 2), I8), np.zeros(4, U8)],
        r"zero points of shape \[4, 1\] do not fit integers of shape \[2, 3\]",
    ),
    ("MatMulInteger", [np.zeros((), U8), np.zeros((3, 2), I8)], "MatMulInteger needs at least one dimension"),
    (
        "ConvInteger",
        [np.zeros((1, 2, 3, 3), U8), np.zeros((4, 2, 1, 1), I8), np.zeros(2, U8)],
        "x_zero_point has 2 elements, one is needed",
    ),
    (
        "ConvInteger",
        [np.zeros((1, 2, 3, 3), U8), np.zeros((4, 2, 1, 1), I8), np.zeros((), U8), np.zeros(3, I8)],
        r"zero points of shape \[3\] do not fit integers of shape \[1, 1, 2, 4\]",
    ),
]


@pytest.mark.parametrize(("op_type", "inputs", "message"), REFUSED)
def test_what_does_not_fit_is_refused(op_type: str, inputs: list[Any], message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        imported(one_op(op_type, inputs, opset=10))


def test_scales_of_other_columns_are_refused() -> None:
    integers = [np.zeros((2, 4), U8), np.zeros((4, 5), I8)]
    case = one_op("MatMulIntegerToFloat", [*integers, np.float32([1]), np.ones(3, np.float32)], domain="com.microsoft")
    with pytest.raises(
        ConversionError, match=r"node 'op' \(MatMulIntegerToFloat\): cannot broadcast \(3,\) to \(2, 5\)"
    ):
        imported(case)


@pytest.mark.parametrize(
    "engine", [pytest.param(name, marks=getattr(pytest.mark, name)) for name in ("stablehlo", "iree")]
)
def test_real_engines_compute_the_same_integers(engine: str) -> None:
    from qconvert.engines import iree, stablehlo

    weights = [Known(random(5, 4, dtype=I8, seed=1)), random(3, 2, 2, 2, dtype=I8, seed=1)]
    cases = [
        one_op("DynamicQuantizeLinear", [random(3, 5)], opset=11, outputs=3),
        one_op("MatMulInteger", [random(3, 5, dtype=U8), weights[0], *zero_points(U8, I8, 4)], opset=10),
        one_op("ConvInteger", [random(1, 2, 4, 4, dtype=U8), weights[1], *zero_points(U8, I8)], opset=10),
    ]
    run_samples = stablehlo.run_samples if engine == EngineName.STABLEHLO else iree.run_samples
    for case in cases:
        [found] = run_samples(module_text(emit(imported(case)).module), [list(case.feeds.values())])
        for array, expected in zip(found, theirs(case), strict=True):
            np.testing.assert_array_equal(array, expected)
