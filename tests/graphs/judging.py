"""Decides whether differences between a file's results and the source's are ones that its layers' rounding explains.

The source's program is evaluated several times, and each layer's integers are moved by 1 LSB where the layer's family
allows it: at exact ties, and in a share of the elements of a layer whose arithmetic the format cannot choose. The file
must lie within the worst of these runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from qconvert import Format
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.traits import Contraction
from qconvert.interpreter.core import evaluate_op, main_function
from qconvert.ir import quantized
from qconvert.numerics import LEVELS, dynamic_range, is_tie
from qconvert.validation.layers import Family
from qconvert.validation.limits.float_error import error_of_floats
from qconvert.validation.limits.limits import LIMITS, WIDE_SHARE
from qconvert.validation.limits.litert_limits import KERNEL_LIMITS, has_kernel, rounded_twice, without_kernel
from qconvert.validation.limits.rounded_ties import FLOAT_TIE_TOLERANCE, rounded_ties, rounds
from qconvert.validation.whole.moves import DIRECTIONS, Direction
from tests.graphs.case import Kind, Outcome
from tests.graphs.network import Array

RUNS = 16
_MARGIN_DB = 3.0
_FLOAT_NOISE = 2.0**-20
_BESIDE = 0.75
"""Integers on both sides of a tie are half an LSB from it, the next ones three times as far."""
_OFTEN = 0.5
"""The share of the runs in which a function of LiteRT has no error of its kernel."""
_FLOAT_LIMIT = 1e-4
"""The relative difference of floats that a sum in another order explains."""


@dataclass
class Distance:
    """How far results lie from the expected ones: the error's energy by the signal's, and the largest difference."""

    noise: float = 0.0
    signal: float = 0.0
    largest: float = 0.0
    differing: int = 0
    elements: int = 0

    def add(self, one: Array, other: Array, unit: float) -> None:
        """Add a pair of arrays; ``unit`` is 1 LSB."""
        a, b = np.asarray(one, np.float64), np.asarray(other, np.float64)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        apart = np.where(same, 0.0, np.nan_to_num(a - b, nan=1e30, posinf=1e30, neginf=-1e30))
        self.noise += float((apart**2).sum())
        self.signal += float((np.nan_to_num(b - b.mean()) ** 2).sum()) if b.size else 0.0
        self.largest = max(self.largest, float(np.abs(apart).max(initial=0.0)) / unit)
        self.differing += int((~same).sum())
        self.elements += a.size

    @property
    def sqnr(self) -> float:
        """The signal's energy over the error's, in decibels."""
        if self.noise == 0:
            return math.inf
        return 10 * math.log10(max(self.signal, 1e-30) / self.noise)

    def __str__(self) -> str:
        return f"SQNR {self.sqnr:.1f} dB, {self.differing} of {self.elements} differ, by up to {self.largest:.4g} LSB"


def judged(
    found: Sequence[Sequence[Array]],
    expected: Sequence[Sequence[Array]],
    fused: Callable[[], ModuleOp],
    inputs: Sequence[Sequence[Array]],
    to: Format,
    *,
    is_exact: bool = False,
) -> Outcome:
    """Compare a file's results with the source's: equal, explained or wrong; ``is_exact``: integers must be equal."""
    for ours, theirs in zip(found, expected, strict=True):
        if len(ours) != len(theirs):
            return Outcome(Kind.WRONG, f"{len(ours)} results, {len(theirs)} are expected")
        for a, b in zip(ours, theirs, strict=True):
            if a.shape != b.shape or a.dtype.kind != b.dtype.kind:
                return Outcome(Kind.WRONG, f"{a.dtype}{a.shape} instead of {b.dtype}{b.shape}")
    if all(_is_equal(a, b) for pair in zip(found, expected, strict=True) for a, b in zip(*pair, strict=True)):
        return Outcome(Kind.EQUAL)
    return _explained(found, expected, fused(), inputs, None if is_exact else to)


def _is_equal(one: Array, other: Array) -> bool:
    return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))


def _explained(
    found: Sequence[Sequence[Array]],
    expected: Sequence[Sequence[Array]],
    fused: ModuleOp,
    inputs: Sequence[Sequence[Array]],
    to: Format | None,
) -> Outcome:
    units, worst = _units(fused), list[list[Distance]]()
    for number, unit in enumerate(units):
        distance = _distance(found, expected, unit, number)
        if distance.differing == 0 or _is_float_noise(distance, expected, unit, number):
            continue
        if to is None:
            return Outcome(Kind.WRONG, f"output {number}: {distance}; it must be equal")
        worst = worst or _perturbed(fused, inputs, to, units)
        limit = worst[number]
        lowest, largest = min(each.sqnr for each in limit), max(each.largest for each in limit)
        if distance.sqnr < lowest - _MARGIN_DB or distance.largest > 2 * largest:
            return Outcome(Kind.WRONG, f"output {number}: {distance}; the limit is {lowest:.1f} dB, {largest:.4g} LSB")
    return Outcome(Kind.EXPLAINED)


def _units(module: ModuleOp) -> list[float | None]:
    """Return 1 LSB of each result of ``@main``: 1 for integers, the scale of what is dequantized, None for floats."""
    returned = main_function(module).body.block.last_op
    assert returned is not None
    return [_unit(value) for value in returned.operands]


def _unit(value: SSAValue) -> float | None:
    if quantized(value) is not None:
        return 1.0
    owner = value.owner
    element = quantized(owner.operands[0]) if isinstance(owner, Operation) and owner.operands else None
    if element is not None and element.is_per_tensor and "dequantize" in getattr(owner, "name", ""):
        return float(element.scale)
    return None if str(value.type).endswith(("f32>", "f16>", "bf16>")) else 1.0


def _distance(
    found: Sequence[Sequence[Array]], expected: Sequence[Sequence[Array]], unit: float | None, at: int
) -> Distance:
    distance = Distance()
    for ours, theirs in zip(found, expected, strict=True):
        distance.add(ours[at], theirs[at], unit or 1.0)
    return distance


def _is_float_noise(distance: Distance, expected: Sequence[Sequence[Array]], unit: float | None, at: int) -> bool:
    arrays = [np.asarray(each[at], np.float64) for each in expected]
    largest = max(float(np.abs(array[np.isfinite(array)]).max(initial=0.0)) for array in arrays)
    if unit is None:
        return distance.largest <= _FLOAT_LIMIT * max(largest, 1e-3)
    return distance.largest <= 1e-5 * max(1.0, largest / unit)  # a dequantized result, whose last bit may differ


def _perturbed(
    fused: ModuleOp, inputs: Sequence[Sequence[Array]], to: Format, units: Sequence[float | None]
) -> list[list[Distance]]:
    """Return, for each result, the distances of the perturbed runs from the plain one."""
    rng = np.random.default_rng(0)
    plain = [_evaluated(fused, arrays, lambda _, __, result: result) for arrays in inputs]
    found: list[list[Distance]] = [[] for _ in units]
    for run in range(RUNS):
        direction = DIRECTIONS[run % len(DIRECTIONS)]
        moved = [_evaluated(fused, arrays, partial(_moved, rng, direction, to)) for arrays in inputs]
        for number, unit in enumerate(units):
            found[number].append(_distance(moved, plain, unit, number))
    return found


def _evaluated(
    module: ModuleOp, inputs: Sequence[Array], change: Callable[[Operation, list[Array], Array], Array]
) -> list[Array]:
    block = main_function(module).body.block
    values: dict[SSAValue, Array] = dict(zip(block.args, inputs, strict=True))
    for op in block.ops:
        operands = [values[operand] for operand in op.operands]
        if isinstance(op, ReturnOp):
            return operands
        results = evaluate_op(op, operands)
        values.update(zip(op.results, results, strict=True))
        if op.results:
            values[op.results[0]] = change(op, operands, results[0])
    raise AssertionError("@main returns nothing")


def _moved(
    rng: np.random.Generator, direction: Direction, to: Format, op: Operation, operands: list[Array], result: Array
) -> Array:
    """Return a layer's result with the elements moved that may be, each by 1 LSB in a direction."""
    if not op.operands or result.size == 0:
        return result
    if result.dtype.kind == "f":
        return np.asarray(result * (1 + rng.uniform(-1, 1, result.shape) * _FLOAT_NOISE), result.dtype)
    if isinstance(op, composite.DynamicRangeQuantizeOp):
        scale, _ = dynamic_range(operands[0])
        steps = rng.integers(-1, 2, result.shape) * is_tie(operands[0] / np.float64(scale), FLOAT_TIE_TOLERANCE)
        return np.clip(result.astype(np.int64) + steps, 0, LEVELS).astype(result.dtype)
    if has_kernel(op) and rng.random() < _OFTEN:
        result = without_kernel(op, operands)
    element = quantized(op.results[0])
    if element is None or not (rounds(op) or op.has_trait(Contraction) or isinstance(op, stablehlo.ClampOp)):
        return result
    is_clamp = isinstance(op, stablehlo.ClampOp)
    places = _bound_ties(op, operands, result) if is_clamp else _places(rng, to, op, operands, result)
    steps = rng.integers(0, 2, result.shape) * 2 - 1 if direction is Direction.ANY else direction.value
    moved = result.astype(np.int64) + np.where(places, steps, 0)
    return np.clip(moved, element.storage.minimum, element.storage.maximum).astype(result.dtype)


def _bound_ties(op: Operation, operands: list[Array], result: Array) -> Array:
    """Return a mask of the elements at a bound of a clamp that is halfway between two integers of the result."""
    element, ties = quantized(op.results[0]), np.zeros(result.shape, np.bool_)
    assert element is not None
    for bound, array in ((op.operands[0], operands[0]), (op.operands[2], operands[2])):
        source = quantized(bound)
        if source is not None and source.is_per_tensor and element.is_per_tensor:
            quotients = (array.astype(np.float64) - source.zero_point) * source.scale / element.scale
            ties |= is_tie(quotients) & (np.abs(result - element.zero_point - quotients) < _BESIDE)
    return ties


def _places(rng: np.random.Generator, to: Format, op: Operation, operands: list[Array], result: Array) -> Array:
    """Return a mask of the elements that a run moves: ties, and a share at random."""
    element = quantized(op.results[0])
    assert element is not None
    is_wide = element.storage.width > 8
    margin = error_of_floats(op, operands, result) if is_wide else 0.0
    ties = rounded_ties(op, operands, margin) if rounds(op) else np.zeros(result.shape, np.bool_)
    few = rng.random(result.shape) < _share(op, to, is_wide=is_wide)
    few.flat[int(rng.integers(result.size))] |= op.has_trait(Contraction) or to is Format.TFLITE
    return np.asarray(ties | few)


def _share(op: Operation, to: Format, *, is_wide: bool) -> float:
    """Return the share of a layer's elements that may differ besides ties."""
    family = Family.CONTRACTION if op.has_trait(Contraction) else Family.ELEMENTWISE
    if to is Format.TFLITE:
        return 0.5 if is_wide else max(1 - KERNEL_LIMITS[family].exact, rounded_twice(op))
    return max(1 - LIMITS[family].exact_non_ties, 1 - WIDE_SHARE if is_wide else 0.0)
