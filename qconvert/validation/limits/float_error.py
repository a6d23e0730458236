"""The error of onnxruntime's float32 arithmetic before it rounds to integers.

A contraction between dequantize and quantize sums in float32, where each rounding has an error of at most 2^-24 of its
result. The error of the partial sums is taken as 2^-24 times the sum of the magnitudes of the terms. The errors of the
terms (of two dequantizations and a product) and of the quotient by the result's scale are 2^-24 of the result each, as
in a sum of one term. For results of 8 bits this is a small part of 1 LSB, for results of 16 bits it decides near-ties.

``QLinearAdd`` and ``QLinearMul`` (``MlasQLinearAdd``, ``MlasQLinearMul``) multiply the operands by quotients of scales,
in float32, and add terms of the zero points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import f64
from xdsl.ir import Block, Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ContractionOp
from qconvert.dialects.traits import MovesElements
from qconvert.interpreter.core import evaluate_op
from qconvert.interpreter.exact import exact_function, real_numbers
from qconvert.ir import ARITHMETIC, UniformQuantizedType, quantized, tensor, with_element
from qconvert.rewriting import rebuilt
from qconvert.support.arrays import Array

FLOAT32 = 2.0**-24
"""The relative error of one rounding to float32."""

DIVIDED_SCALES = 8 * FLOAT32
"""The error of ``QLinearAdd`` and ``QLinearMul`` by the magnitudes of all terms: six roundings at most, on any CPU."""


def sum_of_magnitudes(op: Operation, operands: Sequence[Array], known: Mapping[SSAValue, Array]) -> Array | None:
    """Return the sums of the magnitudes of the terms behind an op's result, as reals, or None if it is no sum.

    ``known`` has the sums behind the op's operands.
    """
    if isinstance(op, ContractionOp):
        return _contracted_magnitudes(op, operands)
    if known.keys().isdisjoint(op.operands):
        return None
    if isinstance(op, stablehlo.AddOp):
        terms = [known.get(v, np.abs(real_numbers(v, a))) for v, a in zip(op.operands, operands, strict=True)]
        return np.asarray(sum(terms))
    if op.has_trait(MovesElements) and len(op.operands) == 1:
        return evaluate_op(op, [known[op.operands[0]]])[0]
    if isinstance(op, stablehlo.ClampOp):
        return known.get(op.operands[1])
    return known[op.operands[0]] if isinstance(op, stablehlo.UniformQuantizeOp) else None


def _contracted_magnitudes(op: ContractionOp, operands: Sequence[Array]) -> Array:
    types = [with_element(tensor(value), f64) for value in (*op.operands, op.results[0])]
    plain = rebuilt(op, Block(arg_types=types[:-1]).args, types[-1:])
    plain.attributes.pop(ARITHMETIC, None)
    magnitudes = [np.abs(real_numbers(v, a)).astype(np.float64) for v, a in zip(op.operands, operands, strict=True)]
    (result,) = evaluate_op(plain, magnitudes)
    plain.drop_all_references()
    return result


def error_of_sums(element: UniformQuantizedType, result: Array, magnitudes: Array) -> Array:
    """Return the error of float32 sums, in LSB of their quantized result, given the magnitudes of their terms."""
    steps = np.empty_like(magnitudes, np.float64)  # in the same order in memory, in which numpy adds the errors
    np.abs(np.subtract(result, element.broadcast(element.zero_points, result.shape), out=steps), out=steps)
    return np.asarray(FLOAT32 * (magnitudes / element.broadcast(element.scales, result.shape) + 3 * steps))


def error_of_floats(op: Operation, operands: Sequence[Array], result: Array) -> Array | float:
    """Return the error, in LSB, of a quantized elementwise op that is computed in float32; 0 for any other op."""
    element = quantized(op.results[0])
    if element is None or exact_function(op) is None:
        return 0.0
    if isinstance(op, stablehlo.AddOp | stablehlo.SubtractOp):
        terms = sum(np.abs(real_numbers(v, a)) for v, a in zip(op.operands, operands, strict=True))
    else:
        terms = np.abs(real_numbers(op.results[0], result))
    return error_of_sums(element, result, np.asarray(terms))


def error_of_divided_scales(op: Operation, operands: Sequence[Array]) -> Array:
    """Return the error, in LSB of the result, of an onnxruntime kernel that multiplies by quotients of scales."""
    elements = [quantized(value) for value in (*op.operands, *op.results)]
    *inputs, output = [element for element in elements if element is not None]
    if isinstance(op, stablehlo.AddOp):
        parts = zip(inputs, operands, strict=True)
        terms = sum((np.abs(a.astype(np.float64)) + abs(e.zero_point)) * e.scale for e, a in parts)
    else:
        terms = np.abs(np.multiply(*(real_numbers(v, a) for v, a in zip(op.operands, operands, strict=True))))
    return np.asarray(DIVIDED_SCALES * (terms / output.scale + abs(output.zero_point)))
