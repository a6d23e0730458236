"""Gathered multiples of magnitudes as ABS."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from qconvert import numerics
from qconvert.dialects.tosa import AbsOp, GatherOp
from qconvert.dialects.tosa.quantization import i16, parameter_array
from qconvert.ir import element_type, i32, integer_range, shape
from qconvert.numerics import Rounding, ZeroPoints
from qconvert.passes.lean_tosa.gather_to_tables import source_of
from qconvert.passes.lean_tosa.steps import Chain, Integers, Step, rescaled, reshaped
from qconvert.rewriting import Pass, PassResult, builder_before, erase_dead, replace

_CODES = np.arange(-(1 << 15), 1 << 15)
_INTS, _WORDS = integer_range(i16), integer_range(i32)
_ONE = Step(1 << 30, 30, ZeroPoints(), Rounding.SINGLE_ROUND, _INTS, _WORDS)


class GatherToMagnitudes(Pass):
    """Compute 65,536 results that are rounded multiples of the magnitude, as LiteRT's 16-bit ABS.

    ::

        cast ── add 2^15 ── gather of 65,536 results

        rescale * 1 ── i32 ── abs ── rescale * m

    Each result leaves an interval for the multiple. A multiplier in the middle of all intervals is tried on all
    integers. A GATHER reads element by element from outside of the NPU, and Ethos-U55 and U65 have none.
    """

    name = "gather-to-magnitudes"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every GATHER in program order."""
        changed = [_visit(op) for op in module.walk() if isinstance(op, GatherOp)]
        if any(changed):
            erase_dead(list(module.walk()))
        return PassResult(any(changed))


def _visit(op: GatherOp) -> bool:
    values, source = parameter_array(op.values), source_of(op.indices)
    if values is None or source is None or values.shape != (1, _CODES.size, 1) or element_type(op.values) != i16:
        return False
    step = step_of_magnitudes(values.astype(np.int16).tobytes())
    if step is None:
        return False
    build = builder_before(op)
    magnitude = build.add(AbsOp(rescaled(build, Chain(source, ()), _ONE, shape(source))))
    made = rescaled(build, Chain(magnitude, ()), step, shape(magnitude), i16)
    replace(op, reshaped(build, made, shape(op.output)))
    return True


@lru_cache(maxsize=64)
def step_of_magnitudes(results: bytes) -> Step | None:
    """Return the RESCALE of magnitudes that gives the results of all 16-bit integers, if there is one."""
    expected: Integers = np.frombuffer(results, np.int16).astype(np.int64)
    magnitudes = np.abs(_CODES)
    known = (magnitudes > 0) & (expected < _INTS[1])
    if not known.any() or not np.array_equal(expected[1:], expected[:0:-1]):
        return None
    low = ((expected - 0.5) / np.maximum(magnitudes, 1))[known].max()
    high = ((expected + 0.5) / np.maximum(magnitudes, 1))[known].min()
    if not 0 < low < high:
        return None
    multiplier, shift = (int(array[0]) for array in numerics.multiplier_and_shift(np.asarray([(low + high) / 2]), 32))
    step = Step(multiplier, shift, ZeroPoints(), Rounding.SINGLE_ROUND, _WORDS, _INTS)
    return step if np.array_equal(step(magnitudes), expected) else None
