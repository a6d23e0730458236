"""Operands of several scales brought to the finest scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.ir import same_scales
from qconvert.passes.rescaling.push_rescales.rescaling import brought
from qconvert.passes.rescaling.push_rescales.rules import RuleContext
from qconvert.passes.rescaling.push_rescales.scaled import (
    Reals,
    Scaled,
    centred,
    integers_for,
    spread,
)
from qconvert.rewriting import converted

_BITS = 16
"""Bits that a join keeps of its finest operand: 8-bit integers are shifted left before other operands join them.

An operand that an earlier join shifted left keeps its shift.
"""


def joined(context: RuleContext, operands: Sequence[Scaled]) -> list[Scaled]:
    """Return all operands in one unit and with one offset: the common offset if there is one, else 0.

    Each operand that is neither constant nor in the finest unit takes one rescale.
    """
    if all(same_scales(given.unit, operands[0].unit) for given in operands):
        offset = operands[0].offset if all(given.offset == operands[0].offset for given in operands) else 0
        return [replace(centred(context.build, given, offset), unit=operands[0].unit) for given in operands]
    centre = [centred(context.build, given) for given in operands]
    computed = [given for given in centre if given.value not in context.constants]
    finest = min(computed or centre, key=lambda given: given.coarsest)
    shifts = np.ceil(np.log2([finest.coarsest, 2.0**_BITS / max(finest.reach, 1)]))
    bits = max(0, int(shifts.max()))
    return [_brought(context, given, finest.unit, bits) for given in centre]


def _brought(context: RuleContext, given: Scaled, finest: Reals, bits: int) -> Scaled:
    """Return a centred value in the finest unit divided by ``2**bits``."""
    unit = np.ldexp(finest, -bits)
    array = context.constants.get(given.value)
    if array is None and same_scales(given.unit, finest):
        return replace(_shifted_left(context, given, bits), unit=unit)
    if array is None:
        context.joins.append("operands of several scales meet: it is brought to the finest")
        return brought(context.build, given, unit, context.widest)
    whole = numerics.nearest_integers(array * given.unit / unit)
    element = integers_for([float(np.abs(whole).max(initial=0))], context.widest)
    return Scaled(spread(context.build, whole, element, given.value), unit, 0, *(whole.astype(np.float64),) * 2)


def _shifted_left(context: RuleContext, given: Scaled, bits: int) -> Scaled:
    """Return the value times a power of two."""
    if not bits:
        return given
    low, high = np.ldexp(given.low, bits), np.ldexp(given.high, bits)
    wide = converted(context.build, given.value, integers_for([np.ldexp(given.reach, bits)], context.widest))
    value = context.build.add(stablehlo.MultiplyOp(wide, context.build.filled_like(1 << bits, wide)))
    return replace(given, value=value, low=low, high=high)
