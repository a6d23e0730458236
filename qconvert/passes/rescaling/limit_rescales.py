"""RESCALEs by large factors, whose result TOSA leaves open for large values: the values are limited first.

Source: TOSA 1.0, apply_scale_32: a value less its zero point is in [-2^(shift-1), 2^(shift-1)).
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import tosa
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.tosa import ConstOp, RescaleOp
from qconvert.dialects.tosa.quantization import is_set
from qconvert.ir import element_type, i32, shape
from qconvert.rewriting import Pass, PassResult, builder_before
from qconvert.rewriting.rescales import RescaleParameters, rescale_parameters

_LEAST_MULTIPLIER = 1 << 30
_DEPTH = 8
_MOVING = (tosa.ReshapeOp, tosa.TransposeOp, tosa.ReverseOp, tosa.SliceOp, tosa.TileOp)


class LimitRescales(Pass):
    """Clamp what a RESCALE to 8 or 16 bits reads to the values for which TOSA defines the result.

    ::

        i16 ── rescale * m >> 15 ── i16

        i16 ── clamp (-2^14 to 2^14 - 1) ── rescale * m >> 15 ── i16

    All values beyond saturate, as those at the limits do: a multiplier of 2^30 and more times 2^(shift-1), shifted, is
    2^29 at least. Only values of 8 and 16 bits, and sums of such, are known to have as many bits.
    """

    name = "limit-rescales"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every RESCALE in program order."""
        changed = [_visit(op) for op in list(module.walk()) if isinstance(op, RescaleOp)]
        return PassResult(any(changed))


def _visit(op: RescaleOp) -> bool:
    found, source, target = rescale_parameters(op), element_type(op.input), element_type(op.output)
    if found is None or not is_set(op.scale32) or target == i32 or not isinstance(source, IntegerType):
        return False
    bits = _bits(op.input) + bool(found.input_zp)
    if found.shift.min() >= bits or found.multiplier[found.shift < bits].min() < _LEAST_MULTIPLIER:
        return False
    build = builder_before(op)
    if source != i32 and found.shift.size == 1:
        low, high = _limits(op, found)
        op.operands[0] = build.add(tosa.ClampOp(op.input, int(low[0]), int(high[0])))
        return True
    if found.input_zp:  # 8 bits by factors of channels, all of which are far below 2^22
        return False
    op.operands[0] = _by_extremes(build, op, found)
    if source != i32:
        op.operands[3] = build.add(ConstOp.of(np.zeros(1, np.int32), i32))
    return True


def _limits(op: RescaleOp, found: RescaleParameters) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the least and the largest value of each channel."""
    element = element_type(op.input)
    assert isinstance(element, IntegerType)
    reach = np.left_shift(np.int64(1), found.shift - 1)
    most = (1 << (element.width.data - 1)) - 1
    bounds = (np.clip(bound + found.input_zp, -most - 1, most) for bound in (-reach, reach - 1))
    low, high = bounds
    return low, high


def _by_extremes(build: OpBuilder, op: RescaleOp, found: RescaleParameters) -> SSAValue:
    """Return i32 between the limits of each channel."""
    value = op.input if element_type(op.input) == i32 else build.add(tosa.CastOp(op.input, i32))
    sizes = [1] * max(len(shape(value)) - 1, 0) + ([found.shift.size] if shape(value) else [])
    for kind, limit in zip((tosa.MaximumOp, tosa.MinimumOp), _limits(op, found), strict=True):
        constant = build.add(ConstOp.of(limit.astype(np.int32).reshape(sizes), i32))
        value = build.add(kind(value, constant))
    return value


def _bits(value: SSAValue, depth: int = _DEPTH) -> int:
    """Return the number of bits, with the sign, that values have by their type or by what computes them.

    Values of other origin count as none: their maker bounds them.
    """
    element, owner = element_type(value), value.owner
    if not isinstance(element, IntegerType) or not depth:
        return 0
    if element.width.data < i32.width.data:
        return int(element.width.data)
    computed = _computed_bits(owner, depth - 1) if isinstance(owner, Operation) else 0
    return min(int(element.width.data), computed)


def _computed_bits(op: Operation, depth: int) -> int:
    if isinstance(op, (tosa.CastOp, *_MOVING)):
        return _bits(op.operands[0], depth)
    if isinstance(op, RescaleOp) and (found := rescale_parameters(op)) is not None and is_set(op.scale32):
        return _bits(op.input, depth) + bool(found.input_zp) + max(0, 32 - int(found.shift.min()))
    if isinstance(op, tosa.ReduceSumOp):
        count = prod(shape(op.operands[0])) // max(1, prod(shape(op.results[0])))
        return _bits(op.operands[0], depth) + count.bit_length()
    if isinstance(op, tosa.AddOp | tosa.SubOp):
        return 1 + max(_bits(operand, depth) for operand in op.operands)
    if isinstance(op, tosa.ConvolutionOp | tosa.MatMulOp):
        return _summed_bits(op)
    return 0


def _summed_bits(op: Operation) -> int:
    """Return the bits of sums of products."""
    values, weights = op.operands[:2]
    if isinstance(op, tosa.MatMulOp):
        terms = shape(values)[-1]
    elif isinstance(op, tosa.DepthwiseConv2DOp):
        terms = prod(shape(weights)[:2])
    else:
        terms = prod(shape(weights)[1:])
    return terms.bit_length() + sum(_bits(value) for value in (values, weights))
