"""LiteRT's L2_NORMALIZATION: its inverse root in TOSA's ops, refusals, and what stays in floats."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.ir import Block

from qconvert import ConversionError, Format, convert, load
from qconvert.expansion.expander import Expander
from qconvert.expansion.normalization import inverse_root
from qconvert.ir import i32, tensor_type
from qconvert.numerics.fixed_point import reciprocal_root
from qconvert.rewriting.prover import results
from tests.support.onnx_cases import Quantization, Quantized, one_op, random
from tests.support.tflite_cases import Case, Tensor


def test_the_inverse_root_is_that_of_litert() -> None:
    rng = np.random.default_rng(0)
    powers = 1 << np.arange(29)
    given = np.concatenate(
        [np.arange(5000), powers, powers[1:] - 1, powers + 1, [(1 << 29) - 1], rng.integers(1 << 29, size=50_000)]
    ).astype(np.int32)
    for part, expected in enumerate(reciprocal_root(np.maximum(given, 1))):
        build, arguments = Expander(), Block(arg_types=[tensor_type(i32, given.shape)])
        found = results(arguments, build.ops, inverse_root(build, arguments.args[0])[part], [given])
        np.testing.assert_array_equal(found, expected)


INT8 = Tensor((4, 9), 0.05, 3)


@pytest.mark.parametrize(
    ("source", "result", "fields", "message"),
    [
        (INT8, Tensor((4, 9), 1 / 64, 0), {}, "an L2 normalization of .* is not supported"),
        (Tensor((4, 9), 0.05, 3, "UINT8"), Tensor((4, 9), 1 / 128, 128, "UINT8"), {}, "an L2 normalization of"),
        (INT8, Tensor((4, 9), 1 / 128, 0), {"FusedActivationFunction": 1}, "an activation fused into L2_NORMALIZATION"),
    ],
)
def test_other_types_are_refused(source: Tensor, result: Tensor, fields: dict[str, int], message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        load(Case("L2_NORMALIZATION", [source], [result], "L2NormOptions", fields).model())


def test_long_rows_are_refused_in_tosa() -> None:
    sizes = (1, 1 << 15)
    case = Case("L2_NORMALIZATION", [Tensor(sizes, 0.05, 3)], [Tensor(sizes, 1 / 128, 0)], "L2NormOptions")
    with pytest.raises(ConversionError, match="have a sum of more than 29 bits"):
        convert(load(case.model()), Format.TOSA)


def test_a_tflite_file_keeps_the_operator() -> None:
    case = Case("L2_NORMALIZATION", [INT8], [Tensor((4, 9), 1 / 128, 0)], "L2NormOptions")
    assert [each.name for each in convert(load(case.model()), Format.TFLITE).operators] == ["L2_NORMALIZATION"]


def test_the_operator_of_onnx_has_no_form_in_tflite() -> None:
    """The least sum of squares differs."""
    case = one_op(
        "LpNormalization", [Quantized(random(4, 9, dtype=np.int8), Quantization(0.05))], result=Quantization(1 / 128)
    )
    names = {each.name for each in convert(load(case.model), Format.TFLITE).operators}
    assert "L2_NORMALIZATION" not in names
    assert "SQRT" in names
