"""LiteRT's QUANTIZE of floats, exactly, and float operators between DEQUANTIZE and QUANTIZE as lists of results.

LiteRT divides by the scale in float32 and rounds halves away from zero. TOSA has no division of floats, and a product
with the reciprocal has another last bit in 7 of 10 cases. So a candidate is computed, which is at most 1 too small, and
the float is compared with the least float that gives the next integer, which a GATHER reads from a list.
"""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from qconvert.backends.tosa.division import entries_of_pairs
from qconvert.backends.tosa.lowering import Lowering
from qconvert.dialects import stablehlo, tosa
from qconvert.expansion.expander import per_tensor, tosa_element
from qconvert.ir import UniformQuantizedType, f32, i32, shape
from qconvert.numerics.quotients import least_floats
from qconvert.passes.rescaling.tabulate import TabulatedFunction, function_of, quantizes_as_litert
from qconvert.rewriting import Proof
from qconvert.support.errors import ConversionError

ALL_PAIRS = Proof(inputs=1 << 16, ties=0, differing=0, largest=0)
"""The proof of a list of all pairs, whose entries are the reference's results."""
_BELOW = -0.9
"""Added to a quotient and rounded to the nearest integer, it gives the rounded quotient or 1 less; an error of the
quotient of 0.1 is allowed, and less than 2^-6 occurs."""
_SMALLEST_INVERTED = 2.0**-127
"""The inverse of a scale from here on is finite in f32."""


def listed_floats(op: Operation, lower: Lowering) -> SSAValue | None:
    """Return the results of LiteRT's float operators on two 8-bit values, by GATHER from those of all 65,536 pairs.

    None for other ops and other operators between DEQUANTIZE and QUANTIZE. Functions of one value are lists already.
    """
    found = function_of(op, most=2) if quantizes_as_litert(op) else None
    if found is None or len(found.sources) < 2:
        return None
    first, second = (value for value in dict.fromkeys(_read(found)) if value in found.sources)
    if any(per_tensor(value).storage.width != 8 or shape(value) != shape(op.results[0]) for value in (first, second)):
        return None
    return entries_of_pairs(lower, first, second, found.values_of_pairs(first, second))


def _read(found: TabulatedFunction) -> list[SSAValue]:
    """Return the operands of a function's ops in program order."""
    return [operand for inner in found.ops for operand in inner.operands]


def quantize_as_litert(op: stablehlo.UniformQuantizeOp, lower: Lowering) -> SSAValue:
    """Lower to ``candidate + (x >= least float of the next integer)``, and add the zero point."""
    target = per_tensor(op.result)
    if target.storage.width > 16:
        raise ConversionError(f"floats cannot be quantized to {target}", hint="LiteRT has kernels for 8 and 16 bits")
    low, high = target.storage.minimum - target.zero_point, target.storage.maximum - target.zero_point
    value = lower.whole(op.operand)
    scaled = lower.add(tosa.AddOp(times_inverse(lower, value, target.scale), lower.filled(_BELOW, value, f32)))
    candidate = lower.add(tosa.CastOp(lower.clamp(scaled, low, high - 1), i32))
    limits = least_floats(np.arange(low + 1, high + 1), target.scale)
    place = lower.reshape(lower.offset(candidate, -low), (1, prod(shape(value))))
    listed = lower.constant(limits.reshape(1, -1, 1), f32)
    limit = lower.reshape(lower.add(tosa.GatherOp(listed, place)), shape(value))
    is_next = lower.add(tosa.CastOp(lower.add(tosa.GreaterEqualOp(value, limit)), i32))
    return _stored(lower, lower.add(tosa.AddOp(candidate, is_next)), target)


def _stored(lower: Lowering, integers: SSAValue, target: UniformQuantizedType) -> SSAValue:
    """Return integers within the storage's range, without zero point, as storage integers."""
    element = tosa_element(target)
    assert isinstance(element, IntegerType)
    return lower.add(tosa.CastOp(lower.offset(integers, target.zero_point), element))


def times_inverse(lower: Lowering, value: SSAValue, scale: float) -> SSAValue:
    """Return floats times the inverse of a scale, for the smallest scales in two steps."""
    before = () if scale >= _SMALLEST_INVERTED else (2.0**64,)
    for factor in (*before, float(1 / np.float32(scale * prod(before)))):
        value = lower.multiply(value, lower.filled(factor, value, f32))
    return value
