"""The limits of layers that LiteRT computes: as the runtime of a written file, or as the source's own runtime.

Its kernels round in fixed point, twice in places. Those of functions of 16 bits interpolate tables, and are several LSB
off for some integers: TANH and LOGISTIC of inputs of a fine scale, EXP, LOG and RSQRT.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.constants import constant_array, is_constant
from qconvert.dialects.traits import Contraction, TakesElements
from qconvert.expansion.reduction import total_multiplier
from qconvert.formats import ModelFormat
from qconvert.interpreter.core import evaluate_op
from qconvert.interpreter.exact import exact_function, real_numbers
from qconvert.ir import ARITHMETIC, UniformQuantizedType, is_litert, numpy_dtype, quantized, tensor, with_shape
from qconvert.numerics.fixed_point import FINE_FACTORS
from qconvert.rewriting import rebuilt
from qconvert.support.arrays import Array
from qconvert.validation.layers import Family, Layer
from qconvert.validation.limits.limits import FamilyLimit

KERNEL_LIMITS: dict[Family, FamilyLimit] = {
    Family.CONTRACTION: FamilyLimit(exact=0.98, exact_non_ties=0.98),
    Family.AVERAGE: FamilyLimit(exact=0.95, exact_non_ties=0.95),
    Family.MOVEMENT: FamilyLimit(exact=1.0, exact_non_ties=1.0),
    Family.ELEMENTWISE: FamilyLimit(exact=0.95, exact_non_ties=0.95),
    Family.RECURRENT: FamilyLimit(exact=0.95, exact_non_ties=0.95),
}
"""LiteRT's reference kernels round in fixed point, twice in places: the file cannot choose their arithmetic."""

_BINARY_LIMIT = FamilyLimit(exact=0.98, exact_non_ties=0.98)
"""Sums and products of two tensors: their kernels round once."""


def kernel_limit(layer: Layer) -> FamilyLimit:
    """Return the limit of an ONNX layer in LiteRT's reference kernels."""
    family = _family(layer)
    if family is Family.AVERAGE and layer.bits > 8:
        return _WIDE_LITERT_LIMIT
    is_sum = family is Family.ELEMENTWISE and layer.is_binary
    limit = _BINARY_LIMIT if is_sum else KERNEL_LIMITS[family]
    if family not in (Family.CONTRACTION, Family.AVERAGE):
        return limit
    ops = (op for op in layer.module.walk() if not isinstance(op.parent_op(), stablehlo.ReductionOp))
    needed = min(limit.exact_non_ties, max(0.0, 1.0 - sum(map(rounded_twice, ops))))
    return FamilyLimit(needed, needed, limit.max_lsb)


def _family(layer: Layer) -> Family:
    """Return the family of a layer in LiteRT, where a contraction of equal weights is an average in another form.

    The sums of few integers are few, and many elements have each. One that rounds to the other side of a tie, as 1 of
    26 does with a factor near 7 / 26, is then a greater share of the elements than of the sums of other weights.
    """
    contractions = [op for op in layer.module.walk() if op.has_trait(Contraction)]
    is_average = layer.family is Family.CONTRACTION and contractions and all(map(_has_equal_weights, contractions))
    return Family.AVERAGE if is_average else layer.family


def _has_equal_weights(op: Operation) -> bool:
    element, weights = quantized(op.operands[1]), constant_array(op.operands[1])
    is_one_scale = element is None or element.is_per_tensor
    return weights is not None and is_one_scale and bool((weights == weights.reshape(-1)[0]).all())


def rounded_twice(op: Operation) -> float:
    """Return the share of integers that LiteRT's fixed-point factor of an op may round to the other side of a tie.

    It rounds the product with a factor of [0.5, 1) to an integer, and then shifts that by s bits with rounding. Where
    the integer is an odd multiple of half a step after the first rounding, which half an integer on either side of it
    becomes, the second rounding no longer knows the side: 1 of 2^s values (``MultiplyByQuantizedMultiplier``). A
    factor from 0.5 on is not shifted to the right. A mean divides the multiplier, not the shift, by the number of
    elements.
    """
    result = quantized(op.results[0]) if op.results else None
    if result is None:
        return 0.0
    if isinstance(op, stablehlo.ReduceOp) and is_litert(op):
        places = total_multiplier(op)[1] - _UNSHIFTED
        return 2.0**-places if places > 0 else 0.0
    share = max((_of_shift(factor / float(np.max(result.scales))) for factor in _factors(op)), default=0.0)
    return share / _more(op, result)


_UNSHIFTED = 31
"""The right shift of a product by a multiplier of 31 bits that leaves nothing to a second rounding."""


def _more(op: Operation, result: UniformQuantizedType) -> int:
    """Return how many times finer than an op's kernel the ops are that are written in its place, 1 if there are none.

    A kernel of a TFLite model is the reference itself.
    """
    has_slope = isinstance(op, composite.LeakyReluOp) and 0 < op.alpha.value.data < 1
    if is_litert(op) or not (has_slope or isinstance(op, _RESCALES) or op.has_trait(TakesElements)):
        return 1
    widths = {element.storage.width for element in map(quantized, op.operands) if element is not None}
    return FINE_FACTORS.get(result.storage.width, 1) if widths == {result.storage.width} else 1


def _factors(op: Operation) -> list[float]:
    """Return the factors by which LiteRT's kernel of an op multiplies integers, but for the result's scale.

    An activation with a slope has one factor for each side of 0. An op that takes elements gets its operands at the
    result's scale: each operand of another scale is multiplied before.
    """
    if isinstance(op, stablehlo.MultiplyOp | composite.PReluOp) or op.has_trait(Contraction):
        scales = _scales(op.operands[:2])
        product = [scales[0] * scales[1]] if len(scales) > 1 else []
        return [*scales[:1], *product] if isinstance(op, composite.PReluOp) else product
    if isinstance(op, composite.LeakyReluOp):
        return [slope * scale for scale in _scales(op.operands) for slope in (1.0, abs(op.alpha.value.data))]
    if isinstance(op, _RESCALES) or op.has_trait(TakesElements):
        return _scales(value for value in op.operands if not is_constant(value))
    return []


_RESCALES = stablehlo.UniformQuantizeOp | stablehlo.AbsOp | stablehlo.NegateOp


def _scales(values: Iterable[SSAValue]) -> list[float]:
    """Return the largest scale of each value that is quantized."""
    return [float(np.max(element.scales)) for element in map(quantized, values) if element is not None]


def kernel_margin(layer: Layer) -> float:
    """Return the distance from a tie, in LSB, within which LiteRT's kernel of an elementwise layer may meet the tie.

    It is half an integer before the shift of s bits, 2^-(s+1), and what a scale in the file, a float32, may be off:
    2^-24 of up to 2^bits LSB. Values of a function of one tensor are few and many elements have each, so that a share
    of them says little.
    """
    if layer.family is not Family.ELEMENTWISE:
        return 0.0
    return max(map(rounded_twice, layer.module.walk())) / 2 + 2.0 ** (layer.bits - 24)


def _of_shift(factor: float) -> float:
    """Return 2^-s for a factor of [0.5, 1) times 2^-s, 0 if it is not shifted to the right."""
    shift = -math.frexp(factor)[1]
    return 2.0**-shift if shift > 0 else 0.0


_WIDE_LITERT_LIMIT = FamilyLimit(exact=0.8, exact_non_ties=0.8)
"""LiteRT's 16-bit kernels other than contractions. An average is written as a DEPTHWISE_CONV_2D, whose factor LiteRT
holds in 16 bits: rounding moves a factor of [0.5, 1) by 2^-17 on average, 1.4 * 2^-17 of the factor, and so a result of
2^14 LSB, the mean magnitude of 16-bit integers, by 0.17 LSB, which changes as many of the roundings. Other functions of
16 bits are interpolated in tables; their share is measured on random integers."""


def litert_limit(layer: Layer, to: ModelFormat) -> FamilyLimit:
    """Return the limit of a layer of a TFLite model: equality where the format expresses LiteRT's arithmetic.

    Other formats have their own rounding, so that LiteRT's kernels differ as often as from an ONNX model. After a
    16-bit contraction, whose factor LiteRT holds in 16 bits only, any result may be 3 LSB apart, and other 16-bit
    kernels differ four times as often. A function of 16 bits may differ by the error of its kernel, and 1 LSB by
    ties: ``TieCounter`` counts where the kernel has an error. Results of ops that only move elements are equal.
    """
    if to.expresses_litert or layer.family is Family.MOVEMENT:
        return FamilyLimit(1.0, 1.0, 0)
    if layer.bits > 8 and _family(layer) is Family.CONTRACTION:
        return FamilyLimit(0.0, 0.0, 3)
    if layer.bits <= 8:
        return kernel_limit(layer)
    error = kernel_error(layer)
    return replace(_WIDE_LITERT_LIMIT, max_lsb=1 + error) if error > 1 else _WIDE_LITERT_LIMIT


_WIDEST = 16
"""The width in bits of the widest storage of which all integers are tried."""


def kernel_error(layer: Layer) -> int:
    """Return the largest error, in LSB, of LiteRT's kernels of functions of one tensor, over all integers."""
    return max(map(_error, layer.module.walk()), default=0)


def has_kernel(op: Operation) -> bool:
    """Return True for a function of one tensor that LiteRT's kernel computes."""
    return is_litert(op) and len(op.operands) == 1 and exact_function(op) is not None


def without_kernel(op: Operation, operands: Sequence[Array]) -> Array:
    """Return what a function itself gives, whose kernel in LiteRT has an error of its own."""
    plain = rebuilt(op, op.operands)
    del plain.attributes[ARITHMETIC]
    [result] = evaluate_op(plain, operands)
    plain.drop_all_references()
    return result


def _error(op: Operation) -> int:
    function = exact_function(op)
    source = quantized(op.operands[0]) if op.operands else None
    if (
        function is None
        or source is None
        or not has_kernel(op)
        or not source.is_per_tensor
        or source.storage.width > _WIDEST
    ):
        return 0
    storage = source.storage
    integers = np.arange(storage.minimum, storage.maximum + 1, dtype=numpy_dtype(source))
    types = [with_shape(tensor(value), integers.shape) for value in (*op.operands, *op.results)]
    plain = rebuilt(op, Block(arg_types=types[:1]).args, types[1:])
    [kernel] = evaluate_op(plain, [integers])
    exact = without_kernel(plain, [integers])
    with np.errstate(all="ignore"):
        is_defined = np.isfinite(function(real_numbers(op.operands[0], integers)))
    plain.drop_all_references()
    apart = np.abs(kernel.astype(np.int64) - exact.astype(np.int64))
    return int(apart[is_defined].max(initial=0))
