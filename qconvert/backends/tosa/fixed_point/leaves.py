"""Quantized values behind float ops: their integers at another scale."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert.backends.tosa.elementwise import at_scale
from qconvert.backends.tosa.fixed_point.values import MULTIPLIER, Fixed, Interval, Rule, Values, rules
from qconvert.dialects import stablehlo
from qconvert.dialects.constants import constant_array
from qconvert.dialects.traits import Rearranges
from qconvert.ir import f32, i32, quantized, shape
from qconvert.rewriting import magnitude


@rules(stablehlo.UniformDequantizeOp)
class Dequantized(Rule):
    """The storage integers of a quantized value at another scale, by one RESCALE."""

    def interval(self, op: stablehlo.UniformDequantizeOp, _of: Values) -> Interval | None:
        """Return the interval of all storage integers, for an accumulator that of the sums it can hold."""
        return interval_of(op.operand)

    def at(self, op: stablehlo.UniformDequantizeOp, scale: float, of: Values) -> Fixed:
        """Return the integers minus the zero point, times a factor."""
        element, known = quantized(op.operand), interval_of(op.operand)
        assert element is not None
        assert known is not None
        factors = element.scales / scale
        is_exact = bool((np.frexp(factors)[0] == 0.5).all() and (factors >= 1).all())
        error = 0.0 if is_exact else 0.5 * scale + MULTIPLIER * known.magnitude
        if element.is_per_tensor:
            return Fixed(at_scale(of.lower, op.operand, scale), scale, error)
        return Fixed(of.lower.rescale(of.lower[op.operand], factors, i32), scale, error)


def interval_of(value: SSAValue) -> Interval | None:
    """Return the interval of the real values of a quantized value; None for a type that RESCALE does not take."""
    element = quantized(value)
    if element is None or element.expressed_type != f32 or element.is_sub_channel:
        return None
    if element.storage.width == 32:
        if element.quantization_dimension not in (None, len(shape(value)) - 1) or not element.has_zero_zero_point:
            return None
        largest = _largest_sum(value) * float(element.scales.max())
        return Interval.of(-largest, largest)
    if not element.is_per_tensor or element.storage.width > 16:
        return None
    return Interval.of(
        *((end - element.zero_point) * element.scale for end in (element.storage.minimum, element.storage.maximum))
    )


def _largest_sum(value: SSAValue) -> int:
    """Return a bound on the magnitude of an accumulator's integers."""
    owner, whole = value.owner, 1 << 31
    array = constant_array(value)
    if array is not None:
        return int(np.abs(array.astype(np.int64)).max(initial=0))
    if isinstance(owner, stablehlo.BitcastConvertOp) or (isinstance(owner, Operation) and owner.has_trait(Rearranges)):
        return _largest_sum(owner.operands[0])
    element = quantized(owner.operands[0]) if isinstance(owner, Operation) and owner.operands else None
    if (
        element is None
        or element.storage.width > 16
        or not isinstance(owner, stablehlo.ReduceOp | stablehlo.ReduceWindowOp)
    ):
        return whole
    sizes = (
        owner.window.size
        if isinstance(owner, stablehlo.ReduceWindowOp)
        else [shape(owner.inputs[0])[i] for i in owner.reduced]
    )
    return min(whole, prod(sizes) * magnitude(element))
