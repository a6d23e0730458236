"""Ops that follow LiteRT, evaluated by their expansion: storage that TOSA lacks, ops that change, constants given."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from qconvert.dialects import stablehlo
from qconvert.expansion.registry import EXPANSIONS, expansion_of, is_integer
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate, evaluate_op
from qconvert.ir.types import quantized_element, tensor, with_element

EVERY = np.arange(256)


def sum_of(left: str, right: str, result: str, sizes: str = "256") -> ModuleOp:
    a, b, c = (f"tensor<{sizes}x!quant.uniform<{element}>>" for element in (left, right, result))
    return parse_module(f"""
func.func @main(%a: {a}, %b: {b}) -> {c} {{
  %0 = "stablehlo.add"(%a, %b) {{qconvert.arithmetic = #qconvert.arithmetic<litert, 32, DOUBLE_ROUND, 64, 20>}}
    : ({a}, {b}) -> {c}
  return %0 : {c}
}}""")


def added(module: ModuleOp) -> stablehlo.AddOp:
    (op,) = (op for op in module.walk() if isinstance(op, stablehlo.AddOp))
    return op


def test_unsigned_storage_gives_the_same_values_as_signed_storage() -> None:
    unsigned = sum_of("u8:f32, 0.5:130", "u8:f32, 0.3:7", "u8:f32, 0.7:128")
    signed = sum_of("i8:f32, 0.5:2", "i8:f32, 0.3:-121", "i8:f32, 0.7:0")
    (found,) = evaluate(unsigned, [EVERY.astype(np.uint8), EVERY[::-1].astype(np.uint8)])
    (expected,) = evaluate(signed, [(EVERY - 128).astype(np.int8), (EVERY[::-1] - 128).astype(np.int8)])
    assert found.dtype == np.uint8
    assert np.array_equal(found.astype(np.int64) - 128, expected)


def test_results_stay_in_a_narrowed_storage_range() -> None:
    module = sum_of("i8:f32, 0.5", "i8:f32, 0.5", "i8<-100:90>:f32, 0.5")
    values = (EVERY - 128).astype(np.int8)
    (found,) = evaluate(module, [values, values])
    assert np.array_equal(found, np.clip(2 * (EVERY - 128), -100, 90))


def test_an_op_is_expanded_anew_after_it_changed() -> None:
    module = sum_of("i8:f32, 0.5", "i8:f32, 0.5", "i8:f32, 0.5")
    values = np.full(256, 10, np.int8)
    assert evaluate(module, [values, values])[0][0] == 20
    result = added(module).result
    other = added(sum_of("i8:f32, 0.5", "i8:f32, 0.5", "i8:f32, 1.0")).result
    Rewriter.replace_value_with_new_type(result, with_element(tensor(result), quantized_element(other)))
    assert evaluate_op(added(module), [values, values])[0][0] == 10


def test_an_op_of_another_arithmetic_has_no_expansion() -> None:
    module = sum_of("i8:f32, 0.5", "i8:f32, 0.5", "i8:f32, 0.5")
    op = added(module)
    assert is_integer(op)
    assert expansion_of(op) is EXPANSIONS.get(stablehlo.AddOp)
    del op.attributes["qconvert.arithmetic"]
    assert expansion_of(op) is None
