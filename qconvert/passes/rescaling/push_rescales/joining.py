"""Operands of several scales brought to the finest one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.passes.rescaling.push_rescales.rescaling import brought
from qconvert.passes.rescaling.push_rescales.rules import Site
from qconvert.passes.rescaling.push_rescales.scaled import (
    SAME_SCALE,
    Reals,
    Scaled,
    centred,
    integers_for,
    spread,
    widened,
)

_BITS = 16
"""A join keeps this many bits of its finest operand: 8-bit integers are shifted left before the others join them.

So is what has been shifted left to be joined: by as much as it had been.
"""


def joined(site: Site, operands: Sequence[Scaled]) -> list[Scaled]:
    """All operands in one unit and with one offset, which is that of the first if it is of all.

    One rescale for each operand that is neither constant nor in the finest unit.
    """
    if all(same(given.unit, operands[0].unit) for given in operands):
        offset = operands[0].offset if all(given.offset == operands[0].offset for given in operands) else 0
        return [replace(centred(site.build, given, offset), unit=operands[0].unit) for given in operands]
    centre = [centred(site.build, given) for given in operands]
    computed = [given for given in centre if given.value not in site.constants]
    finest = min(computed or centre, key=lambda given: given.coarsest)
    shifts = np.ceil(np.log2([finest.coarsest, 2.0**_BITS / max(finest.reach, 1)]))
    bits = max(0, int(shifts.max()))
    return [_brought(site, given, finest.unit, bits) for given in centre]


def same(first: Reals, second: Reals) -> bool:
    """Whether two values have one unit each, or for each channel."""
    return bool((np.abs(first - second) <= SAME_SCALE * second).all())


def _brought(site: Site, given: Scaled, finest: Reals, bits: int) -> Scaled:
    """A centred value in the finest unit less ``bits`` bits."""
    unit = np.ldexp(finest, -bits)
    array = site.constants.get(given.value)
    if array is None and same(given.unit, finest):
        return replace(_shifted_left(site, given, bits), unit=unit)
    if array is None:
        site.joins.append("operands of several scales meet: it is brought to the finest")
        return brought(site.build, given, unit, site.widest)
    whole = numerics.nearest_integers(array * given.unit / unit)
    element = integers_for([float(np.abs(whole).max(initial=0))], site.widest)
    return Scaled(spread(site.build, whole, element, given.value), unit, 0, *(whole.astype(np.float64),) * 2)


def _shifted_left(site: Site, given: Scaled, bits: int) -> Scaled:
    """The value times a power of two."""
    if not bits:
        return given
    low, high = np.ldexp(given.low, bits), np.ldexp(given.high, bits)
    wide = widened(site.build, given.value, integers_for([np.ldexp(given.reach, bits)], site.widest))
    value = site.build.add(stablehlo.MultiplyOp(wide, site.build.filled_like(1 << bits, wide)))
    return replace(given, value=value, low=low, high=high)
