"""Composites: what their decomposition computes; calls nest as deep as a program reasonably goes."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import Float32Type
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.irdl import irdl_op_definition

from qconvert.dialects.composite import ActivationOp
from qconvert.dialects.composite.formula import Formula
from qconvert.dialects.stablehlo import MultiplyOp
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.interpreter.core import evaluate_op
from qconvert.interpreter.implementation import IMPLEMENTATIONS
from qconvert.ir import Storage, UniformQuantizedType, tensor_type
from qconvert.support.errors import ConversionError


def chain(length: int, last: str) -> str:
    """``@main`` calls ``@f0``, which calls ``@f1`` and so on; the last one is ``last``."""
    call = 'stablehlo.composite "a.b" %x {{decomposition = @f{}}} : (tensor<f32>) -> tensor<f32>'
    bodies = [call.format(i) for i in range(length)]
    names = ["main", *(f"private @f{i}" for i in range(length))]
    functions = [
        f"func.func {name if ' ' in name else '@' + name}(%x: tensor<f32>) -> tensor<f32> "
        f"{{\n%0 = {body}\nreturn %0 : tensor<f32>\n}}"
        for name, body in zip(names, [*bodies, last], strict=True)
    ]
    return "\n".join(functions)


NEGATE = "stablehlo.negate %x : tensor<f32>"


@pytest.mark.parametrize("length", [1, 2, 50])
def test_a_composite_computes_its_decomposition(length: int) -> None:
    (found,) = evaluate(parse_module(chain(length, NEGATE)), [np.float32(2.5)])
    assert found == -2.5


@pytest.mark.parametrize(
    "text",
    [
        chain(65, NEGATE),
        chain(2, 'stablehlo.composite "a.b" %x {decomposition = @f0} : (tensor<f32>) -> tensor<f32>'),
    ],
    ids=["deep", "cycle"],
)
def test_endless_calls_are_refused(text: str) -> None:
    with pytest.raises(ConversionError, match=r"calls nest more than 64 deep at @\w+\. Look for a cycle"):
        evaluate(parse_module(text), [np.float32(2.5)])


@irdl_op_definition
class Cubed(ActivationOp):
    """A composite that has no form in numpy."""

    name = "qconvert.cubed"

    def written(self, formula: Formula, x: SSAValue) -> SSAValue:
        """Write ``x * x * x``."""
        return formula(MultiplyOp, formula(MultiplyOp, x, x), x)


EIGHT_BITS = UniformQuantizedType.per_tensor(Storage.full(8, signed=True), 0.5, 3)


@pytest.mark.parametrize(
    ("element", "dtype", "given", "expected"),
    [(Float32Type(), np.float32, [-2, 0.5], [-8, 0.125]), (EIGHT_BITS, np.int8, [-1, 3, 7], [-13, 3, 19])],
    ids=["floats", "integers"],
)
def test_a_composite_without_a_form_in_numpy_is_its_decomposition(
    element: Attribute, dtype: type[np.generic], given: list[float], expected: list[float]
) -> None:
    assert Cubed not in IMPLEMENTATIONS
    block = Block(arg_types=[tensor_type(element, (len(given),))])
    (found,) = evaluate_op(Cubed(block.args[0], element), [np.array(given, dtype)])
    assert found.dtype == dtype
    assert found.tolist() == expected
