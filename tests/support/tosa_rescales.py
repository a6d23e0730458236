"""Random rescales as modules of many: one argument and one result each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType, ModuleOp, TensorType
from xdsl.ir import Block

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.tosa import ConstOp, RescaleOp
from qconvert.ir.types import i8, i32, numpy_dtype
from qconvert.numerics import Rounding
from tests.support.tosa_programs import module_of

Array = NDArray[Any]
SHAPE = (5, 4)
_ZERO = {16: (0, -(1 << 15))}


@dataclass(frozen=True)
class Case:
    """The integers of one rescale, and values that TOSA defines a result for."""

    source: int
    target: int
    multiplier: Array
    shift: Array
    input_zp: int
    output_zp: int
    rounding: Rounding
    input_unsigned: bool
    output_unsigned: bool
    values: Array


def random_case(rng: np.random.Generator, sources: tuple[int, ...] = (8, 16, 32, 48)) -> Case:
    """Any types, flags, rounding, multipliers and shifts; half the values lie at the ends of what is defined."""
    source, target = int(rng.choice(sources)), int(rng.choice([8, 16, 32]))
    scale32 = source != 48 and rng.random() < 0.7
    unsigned = [width < 32 and max(source, target) < 32 and rng.random() < 0.3 for width in (source, target)]
    unsigned[1] = unsigned[1] and not unsigned[0]
    count = SHAPE[-1] if rng.random() < 0.5 else 1
    multiplier = rng.integers(0, 1 << (31 if scale32 else 15), count)
    shift = rng.integers(8, 63, count)
    modes = list(Rounding) if scale32 else [Rounding.SINGLE_ROUND, Rounding.INEXACT_ROUND]
    zero_points = [_zero_point(rng, width, flag) for width, flag in zip((source, target), unsigned, strict=True)]
    element = np.int32 if scale32 else np.int16
    return Case(
        source,
        target,
        multiplier.astype(element),
        shift.astype(np.int8),
        *zero_points,
        modes[rng.integers(len(modes))],
        *unsigned,
        _values(rng, source, unsigned[0], zero_points[0], multiplier, shift, scale32),
    )


def _zero_point(rng: np.random.Generator, width: int, unsigned: bool) -> int:
    if width == 8:
        return int(rng.integers(-128, 128))
    return int(rng.choice(_ZERO[width])) if width == 16 and unsigned else 0


def _values(
    rng: np.random.Generator,
    width: int,
    unsigned: bool,
    zero_point: int,
    multiplier: Array,
    shift: Array,
    scale32: bool,
) -> Array:
    """Storage integers whose distance from the zero point is in the range that the shift allows."""
    low, high = (0, (1 << width) - 1) if unsigned else (-(1 << (width - 1)), (1 << (width - 1)) - 1)
    zero = zero_point & ((1 << width) - 1) if unsigned else zero_point
    reach = (1 << (shift.astype(np.int64) - 1)) if scale32 else ((1 << 30) << shift) // np.maximum(multiplier, 1)
    reach = np.where((reach <= 0) | (reach > 1 << 47), 1 << 47, reach)
    lowest, highest = np.maximum(low, zero - reach), np.minimum(high, zero + reach - 1)
    values = rng.integers(lowest, highest + 1, SHAPE)
    ends = rng.random(SHAPE)
    values = np.where(ends < 0.2, lowest, np.where(ends > 0.8, highest, values))
    dtype = numpy_dtype(IntegerType(width))
    return values.astype(np.uint64).astype(f"u{dtype.itemsize}").view(dtype)


def inputs_of(cases: list[Case]) -> list[Array]:
    """The arguments of the cases' module."""
    return [case.values for case in cases if case.source != 48]


def rescale_module(cases: list[Case]) -> ModuleOp:
    """A module whose @main rescales its arguments one by one; integers of 48 bits are constants, as no array is."""
    block = Block(arg_types=[TensorType(IntegerType(case.source), SHAPE) for case in cases if case.source != 48])
    build, arguments = OpBuilder(), iter(block.args)
    results = []
    for case in cases:
        wide = case.source == 48
        argument = build.add(ConstOp.of(case.values, IntegerType(48))) if wide else next(arguments)
        source, target = IntegerType(case.source), IntegerType(case.target)
        constants = (
            (case.multiplier, i32 if case.multiplier.dtype == np.int32 else IntegerType(16)),
            (case.shift, i8),
            (np.array([case.input_zp]).astype(numpy_dtype(source)), source),
            (np.array([case.output_zp]).astype(numpy_dtype(target)), target),
        )
        operands = [argument, *(build.add(ConstOp.of(array, element)) for array, element in constants)]
        op = RescaleOp(
            operands,
            target,
            per_channel=case.multiplier.size > 1,
            rounding_mode=case.rounding,
            input_unsigned=case.input_unsigned,
            output_unsigned=case.output_unsigned,
        )
        results.append(build.add(op))
    return module_of(block, build, results)
