"""``stablehlo.composite``: what its decomposition computes, as deep as a program reasonably goes."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
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
