"""``tosa.rescale`` in StableHLO's integer ops: subtract, multiply, add, shift, clamp in 64 bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.tosa import ConstOp, RescaleOp
from qconvert.ir import element_type, i64, integer_type, numpy_dtype, shape, storage_element
from qconvert.numerics import DOUBLE_ROUND_NUDGE, DOUBLE_ROUND_SHIFT, Rounding
from qconvert.rewriting import (
    Pass,
    PassResult,
    as_element,
    as_integers,
    builder_before,
    cancel_bitcasts,
    erase_dead,
    replace,
    rewrite_or_refuse,
)
from qconvert.rewriting.rescales import rescale_parameters

Integers = NDArray[np.int64]


class TosaRescaleLegalizeToStablehlo(Pass):
    """Write ``tosa.rescale`` in integer ops, bit by bit where TOSA defines the rounding.

    ::

        q x ── tosa.rescale ── q y

        q x ── bitcast_convert ── convert i64 ── - zp ── * multiplier ── + 2^(shift-1) ── >> shift ── + zp ── clamp
            ── convert ── bitcast_convert ── q y

    For DOUBLE_ROUND the added constant depends on the value's sign. INEXACT_ROUND, which TOSA leaves to the
    implementation, rounds once. Multipliers and shifts of channels are broadcast along the last dimension. Integers of
    48 bits, which StableHLO lacks, and parameters that are not constant are refused.
    """

    name = "tosa-rescale-legalize-to-stablehlo"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite or refuse every rescale in place."""
        result = rewrite_or_refuse([op for op in module.walk() if isinstance(op, RescaleOp)], _obstacle, _rewrite)
        erase_dead([op for op in module.walk() if isinstance(op, ConstOp)])
        if result.changed:
            cancel_bitcasts(module)
        return result


def _obstacle(op: RescaleOp) -> str | None:
    if element_type(op.input) == tosa.i48:
        return "StableHLO has no integers of 48 bits"
    return "its parameters are not constant" if rescale_parameters(op) is None else None


def _rewrite(op: RescaleOp) -> None:
    build = builder_before(op)
    replace(op, rescaled(build, _wide(build, op.input, unsigned=tosa.is_set(op.input_unsigned)), op))


def rescaled(build: OpBuilder, value: SSAValue, op: RescaleOp) -> SSAValue:
    """Return the result of a rescale with constant parameters of integers that are held in 64 bits."""
    found = rescale_parameters(op)
    assert found is not None
    centred = _shifted(build, value, -found.input_zp)
    scaled = multiplied(build, centred, found.multiplier, found.shift, op.rounding_mode.data)
    result = _shifted(build, scaled, found.output_zp)
    return _narrow(build, result, op, unsigned=tosa.is_set(op.output_unsigned))


def multiplied(
    build: OpBuilder,
    value: SSAValue,
    multiplier: Integers,
    shift: Integers,
    mode: Rounding = Rounding.SINGLE_ROUND,
) -> SSAValue:
    """Return 64-bit integers times multipliers, shifted to the right and rounded; parameters are :func:`parameter`."""
    sizes = shape(value)
    product = build.add(stablehlo.MultiplyOp(value, parameter(build, multiplier, sizes)))
    rounded = build.add(stablehlo.AddOp(product, _rounding(build, value, shift, mode)))
    return build.add(stablehlo.ShiftRightArithmeticOp(rounded, parameter(build, shift, sizes)))


def _wide(build: OpBuilder, value: SSAValue, *, unsigned: bool) -> SSAValue:
    """Return the integers of the input in 64 bits."""
    integers = as_integers(build, value)
    if unsigned:
        width = numpy_dtype(element_type(integers)).itemsize * 8
        integers = as_element(build, integers, integer_type(width, signed=False))
    return build.add(stablehlo.ConvertOp(integers, i64))


def _shifted(build: OpBuilder, value: SSAValue, amount: int) -> SSAValue:
    """Return ``value`` plus one integer."""
    return build.add(stablehlo.AddOp(value, build.filled_like(amount, value))) if amount else value


def parameter(build: OpBuilder, values: Integers, shape: tuple[int, ...]) -> SSAValue:
    """Return 64-bit constants in a shape; those of several values are aligned with the last dimensions."""
    if values.size and (values == values.flat[0]).all():
        return build.filled(values.flat[0], i64, shape)
    return build.broadcast(build.constant(values, i64), shape)


def _rounding(build: OpBuilder, value: SSAValue, shift: Integers, mode: Rounding) -> SSAValue:
    """Return the number that is added to a product before the shift: half of the divisor, plus TOSA's nudge."""
    half = np.left_shift(np.int64(1), shift - 1)
    nudge = np.where(shift > DOUBLE_ROUND_SHIFT, DOUBLE_ROUND_NUDGE, 0)
    if mode is not Rounding.DOUBLE_ROUND or not nudge.any():
        return parameter(build, half, shape(value))
    zero = build.filled_like(0, value)
    positive = build.add(stablehlo.CompareOp(value, zero, stablehlo.ComparisonDirection.GE))
    up, down = (parameter(build, half + sign * nudge, shape(value)) for sign in (1, -1))
    return build.add(stablehlo.SelectOp(positive, up, down))


def _narrow(build: OpBuilder, value: SSAValue, op: Operation, *, unsigned: bool) -> SSAValue:
    """Return 64-bit integers saturated to the output's range, in its type."""
    element = element_type(op.results[0])
    storage = storage_element(element)
    held = integer_type(numpy_dtype(storage).itemsize * 8, signed=not unsigned)
    return as_element(build, as_element(build, saturated(build, value, held), storage), element)


def saturated(build: OpBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """Return numbers clamped to the range of an integer type, in that type."""
    limits = np.iinfo(numpy_dtype(element).name)
    return build.add(stablehlo.ConvertOp(build.clamp(value, limits.min, limits.max), element))
