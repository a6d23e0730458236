"""The error bound of 16-bit sums and products in TOSA: results differ from the reference only that close to a tie."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.ir import Operation

from qconvert.backends.tosa import TosaOptions
from qconvert.backends.tosa.bounds import error_bound
from qconvert.backends.tosa.emit import emit, lower
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.interpreter.core import main_function
from qconvert.interpreter.exact import exact_function, real_numbers
from qconvert.rewriting import OpProof
from tests.support.parameters import few

COUNT = 100_000


def text(name: str, elements: list[str], arithmetic: str) -> str:
    lhs, rhs, result = (f"tensor<{COUNT}x{element}>" for element in elements)
    return (
        f"func.func @main(%a: {lhs}, %b: {rhs}) -> {result} {{\n"
        f"  %r = stablehlo.{name} %a, %b {{qconvert.arithmetic = #qconvert.arithmetic<{arithmetic}, 32, SINGLE_ROUND, "
        f'64, 0>}} : ({lhs}, {rhs}) -> {result} loc("sum")\n  return %r : {result}\n}}'
    )


def element(scale: float, zero_point: int, storage: str = "i16") -> str:
    return f"!quant.uniform<{storage}:f32, {float(np.float32(scale))!r}:{zero_point}>"


def only_op(source: str) -> Operation:
    op = main_function(parse_module(source)).body.block.first_op
    assert op is not None
    return op


@pytest.mark.parametrize("seed", few(range(24), 8))
def test_results_differ_only_within_the_bound_of_a_tie(seed: int) -> None:
    rng = np.random.default_rng(seed)
    name = ("add", "multiply", "subtract", "maximum")[seed % 4]
    scales = np.exp(rng.uniform(-9, -4, 2))
    target = scales.prod() * 2 ** rng.uniform(12, 18) if name == "multiply" else scales.max() * rng.uniform(0.5, 2)
    zero_points = rng.integers(-32768, 32768, 3)
    elements = [element(scale, int(zero)) for scale, zero in zip((*scales, target), zero_points, strict=True)]
    source = text(name, elements, ("onnx", "stablehlo")[seed // 4 % 2])
    module, op = parse_module(source), only_op(source)
    inputs = [rng.integers(-32768, 32768, COUNT).astype(np.int16) for _ in range(2)]
    [expected], [found] = evaluate(module, inputs), evaluate(lower(module, TosaOptions()), inputs)
    function, bound = exact_function(op), error_bound(op)
    assert function is not None
    assert bound is not None
    quotients = function(*map(real_numbers, op.operands, inputs)) / float(np.float32(target))
    differing = found != expected
    distances = np.abs(quotients - np.floor(quotients) - 0.5)[differing]
    assert np.abs(found.astype(int) - expected).max() == 1
    assert bound / 50 < distances.max() < bound < 0.03


def test_the_bound_is_reported_with_the_op() -> None:
    wide = text("add", [element(0.01, 5), element(0.003, -9), element(0.02, 0)], "onnx")
    bound = error_bound(only_op(wide))
    assert emit(parse_module(wide), TosaOptions()).proofs == (OpProof(("sum",), bound=bound),)
    coarse = text("add", [element(900.0, 5), element(0.003, -9), element(0.001, 0)], "onnx")
    assert emit(parse_module(coarse), TosaOptions()).proofs == (OpProof(("sum",)),)


def test_ops_of_32_bits_and_of_other_kinds_have_no_bound() -> None:
    assert error_bound(only_op(text("add", [element(0.01, 0, "i32")] * 3, "onnx"))) is None
    assert error_bound(only_op(text("divide", [element(0.01, 0)] * 3, "onnx"))) is None
