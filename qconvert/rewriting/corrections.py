"""Corrections of scales by less than a millionth, with which exact multipliers round as float32 does.

An integer form of ``f(a * scale_a, ...) / scale_result`` with exact multipliers is the real function. The reference is
its float32 computation, whose errors move some results across the halfway point between two integers. Each input gives
two linear inequalities for the relative corrections ``x`` of two scales: its real result, moved by ``slopes @ x``, must
stay above the halfway point below the reference's integer, and below the halfway point above it. With a correction that
satisfies all of them, the real function itself rounds as the reference does.

Where none does, the rounding of operands on a common scale may move the few inputs that still differ: it is another
error for each integer of an operand. :func:`guesses` are corrections close to the best one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.interpreter.exact import scales_of
from qconvert.ir import Tensor, UniformQuantizedType, quantized_element, tensor, with_element
from qconvert.rewriting.prover import Mask, Reference

Vector = NDArray[np.float64]

_NEAR = 2.0**-8
"""The distance in LSB from a halfway point beyond which no correction moves a result across it."""
_STEP = 2.0**-20
_MARGINS = (2.0**-24, 2.0**-21, 2.0**-19, 2.0**-17)
"""Distances in LSB that results keep from halfway points, for the rounding of the multipliers."""
_MOST_STEPS = 200
_LARGEST = 2.0**-10
"""The largest relative correction: float32's errors need far less, and a far point is no solution."""
_EXCESSES = (2.0**-20, 2.0**-19, 2.0**-18, 2.0**-17, 2.0**-16)
"""Distances in LSB by which results of a correction that is not exact may pass halfway points, in order."""
_SPREAD = 2.0**-25
_GUESSES = 120


def corrections(reference: Reference) -> Iterator[tuple[float, float]]:
    """Yield factors for the scales of the computed operand and the result, the ones with the largest margin first."""
    slopes, slacks = _inequalities(reference)
    found: list[Vector] = []
    for margin in _MARGINS:
        point = _solution(slopes, slacks - margin)
        if point is None or np.abs(point).max() > _LARGEST:
            break
        found.append(point)
    for operand, result in reversed(found):
        yield 1 + float(operand), 1 + float(result)


def corrected_type(value: SSAValue, factor: float) -> Tensor:
    """Return a value's type with its scale, as the expressed type holds it, multiplied by a factor."""
    element = quantized_element(value)
    [scale] = scales_of(element)
    made = UniformQuantizedType.per_tensor(element.storage, scale * factor, element.zero_point, element.expressed_type)
    return with_element(tensor(value), made)


def guesses(reference: Reference) -> Iterator[tuple[float, float]]:
    """Yield factors for the two scales around those that come closest to satisfying all inequalities."""
    slopes, slacks = _inequalities(reference)
    found = (_solution(slopes, slacks + excess) for excess in _EXCESSES)
    best = next((point for point in found if point is not None and np.abs(point).max() <= _LARGEST), np.zeros(2))
    for moved in np.random.default_rng(0).normal(best, _SPREAD, (_GUESSES, 2)):
        yield 1 + float(moved[0]), 1 + float(moved[1])


def close_to_ties(reference: Reference) -> Mask:
    """Return a mask of the inputs whose real results are so close to a tie that corrections may matter."""
    quotients = reference.quotients()
    return np.asarray(np.abs(quotients - np.floor(quotients) - 0.5) < _NEAR)


def _inequalities(reference: Reference) -> tuple[NDArray[np.float64], Vector]:
    """Return the inequalities ``slopes @ x <= slacks`` of the inputs near a halfway point that are no ties."""
    quotients, element = reference.quotients(), reference.question.result
    with np.errstate(invalid="ignore"):  # quotients by 0 have no slope
        moved = (reference.quotients(1 + _STEP) - quotients) / _STEP
    slopes = np.stack([moved, -quotients], axis=-1)
    whole = reference.expected.astype(np.float64) - element.zero_point
    above, below = whole + 0.5 - quotients, quotients - (whole - 0.5)
    is_open = [reference.expected < element.storage.maximum, reference.expected > element.storage.minimum]
    near = [free & ~reference.ties & (slack < _NEAR) for free, slack in zip(is_open, (above, below), strict=True)]
    return np.concatenate([slopes[near[0]], -slopes[near[1]]]), np.concatenate([above[near[0]], below[near[1]]])


def _solution(slopes: NDArray[np.float64], slacks: Vector) -> Vector | None:
    """Return a point that satisfies all inequalities, by projection on the one that fails most; None if none is found.

    Source: Agmon, "The relaxation method for linear inequalities", 1954.
    """
    sizes = np.linalg.norm(slopes, axis=1)
    if (slacks[sizes == 0] < 0).any():
        return None
    slopes, slacks = slopes[sizes > 0] / sizes[sizes > 0, None], slacks[sizes > 0] / sizes[sizes > 0]
    point = np.zeros(2)
    for _ in range(_MOST_STEPS):
        left = slacks - slopes @ point
        if left.size == 0 or left.min() >= 0:
            return point
        worst = int(left.argmin())
        point += 1.5 * left[worst] * slopes[worst]
    return None
