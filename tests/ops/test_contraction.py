"""Groups of weights computed at run time, and refusals; others are rows of ``tests/cases/contraction.py``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import BFloat16Type, Float16Type

from qconvert import Format, convert, load, run
from qconvert.ir import f32, numpy_dtype
from qconvert.support.errors import ConversionError
from tests.cases.contraction import NEAR
from tests.support.onnx_cases import imported, one_op, ours, random, theirs


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("groups", [2, 4])
def test_groups_of_weights_computed_at_run_time(rank: int, groups: int) -> None:
    attributes: dict[str, Any] = {"group": groups, "strides": [2] * rank, "pads": [1] * 2 * rank}
    data = random(2, 4, *[7] * rank)
    forward = one_op("Conv", [data, random(8, 4 // groups, *[3] * rank, seed=1)], **attributes)
    backward = one_op("ConvTranspose", [data, random(4, 3, *[3] * rank, seed=1)], **attributes)
    for case in (forward, backward):
        NEAR.check(ours(case), theirs(case))
    with pytest.raises(ConversionError, match="a grouped ConvTranspose needs constant weights"):
        convert(load(backward.model), Format.ONNX)


@pytest.mark.parametrize(
    ("op_type", "inputs", "attributes", "message"),
    [
        ("Conv", [random(1, 4, 5, 5), random(6, 4, 3)], {}, "input of rank 4 with a kernel of rank 3"),
        ("Conv", [random(1, 4, 5, 5), random(6, 3, 3, 3)], {}, "4 input features in 1 groups do not fit a kernel of 3"),
        ("Conv", [random(1, 4, 5, 5), random(6, 2, 3, 3)], {"group": 3}, "4 input features in 3 groups"),
        ("Conv", [random(1, 4, 5, 5), random(6, 4, 3, 3), random(5)], {}, r"the bias has shape \[5\], \[6\] is needed"),
        ("Conv", [random(1, 4, 5), random(6, 4, 3)], {"kernel_shape": [2]}, r"kernel_shape differs .* \[3\]"),
        ("Conv", [random(1, 4, 5), random(6, 4, 3)], {"auto_pad": "SOME"}, "auto_pad is 'SOME'"),
        (
            "Conv",
            [random(1, 4, 5), random(6, 4, 5)],
            {"auto_pad": "SAME_UPPER", "dilations": [(1 << 63) - 1]},
            r"dilations \[9223372036854775807\] need 18446744073709551614 elements of padding",
        ),
        ("Conv", [random(1, 4, 5, dtype=np.int8), random(6, 4, 3)], {}, "float inputs are supported here"),
        (
            "ConvTranspose",
            [random(1, 4, 5), random(4, 3, 3)],
            {"output_shape": [8]},
            "size 8 is more than the 7",
        ),
        ("ConvTranspose", [random(1, 4, 5), random(4, 3, 3)], {"output_shape": [8, 9]}, r"output_shape \[8, 9\] does"),
        ("ConvTranspose", [random(1, 4, 5), random(4, 3, 3)], {"group": 3}, "4 input features in 3 groups"),
        ("ConvTranspose", [random(1, 4, 5), random(4, 3, 3)], {"strides": [0]}, r"strides \[0\] does not fit 1"),
        ("ConvTranspose", [random(1, 4, 5), random(4, 3, 3)], {"pads": [1]}, r"pads \[1\] does not fit 1"),
        ("Gemm", [random(2, 3, 4), random(4, 5)], {}, r"Gemm needs matrices, found \[2, 3, 4\] and \[4, 5\]"),
        ("Gemm", [random(3, 4), random(5, 6)], {}, "4 and 5 differ"),
        ("MatMul", [random(), random(4)], {}, "MatMul needs at least one dimension on both sides"),
        ("MatMul", [random(3, 4), random(5, 6)], {}, "4 and 5 differ"),
        ("MatMul", [random(2, 3, 4), random(3, 4, 6)], {}, r"batch dimensions \[2\] and \[3\] do not broadcast"),
    ],
)
def test_refusals(op_type: str, inputs: list[Any], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        imported(one_op(op_type, inputs, **attributes))


@pytest.mark.parametrize(("operand", "result"), [("bf16", "f32"), ("f16", "f32"), ("f32", "f16")])
@pytest.mark.parametrize("to", ["stablehlo", "onnx", "tosa"])
def test_products_summed_in_another_float_type(operand: str, result: str, to: str) -> None:
    text = f"""func.func @main(%x: tensor<2x3x{operand}>, %w: tensor<3x2x{operand}>) -> tensor<2x2x{result}> {{
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<2x3x{operand}>, tensor<3x2x{operand}>) -> tensor<2x2x{result}>
      return %0 : tensor<2x2x{result}>
    }}"""
    model = load(text.encode())
    elements = {"bf16": BFloat16Type(), "f16": Float16Type(), "f32": f32}
    dtypes = [numpy_dtype(elements[name]) for name in (operand, result)]
    rng = np.random.default_rng(5)
    x, w = rng.standard_normal((2, 3)).astype(dtypes[0]), rng.standard_normal((3, 2)).astype(dtypes[0])
    exact = x.astype(np.float64) @ w.astype(np.float64)
    converted = convert(model, to)
    again = load(converted.content if converted.content is not None else converted.text.encode())
    (found,) = run(again, dict(zip(again.input_names, (x, w), strict=True))).values()
    assert found.dtype == dtypes[1]
    np.testing.assert_allclose(found.astype(np.float64), exact, rtol=1e-3 if result == "f16" else 1e-6)
