"""Linear enlargements as depthwise convolutions, for NPUs without linear RESIZE."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as replace_fields
from math import gcd, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert.backends.ethos_u.forms.steps import SHIFTS, Step, step_of
from qconvert.backends.ethos_u.npu import EVERY_NPU, Npu
from qconvert.dialects import tosa
from qconvert.ir import element_type, i8, i32, integer_range, shape
from qconvert.numerics import Rounding
from qconvert.rewriting import Pass, PassResult, erase_dead, only_user, replace, rewrite_or_refuse
from qconvert.rewriting.placed import PlacedBuilder

_POWER = 30
"""The binary logarithm of the multiplier of a RESCALE by a power of two."""
_LARGEST_WEIGHT = 127
_MOST_PHASES = 4


class _Phase(NamedTuple):
    """Results at one offset from the operand's elements: the first element of a kernel, and its weights."""

    first: int
    weights: NDArray[np.int64]


@dataclass(frozen=True)
class ResizesToConvolutions(Pass):
    """Enlarge 8-bit images 2 or 4 times by a depthwise convolution for each phase of the result.

    ::

        resize BILINEAR %x (H, W), 2 times ── rescale by 1 / weight, DOUBLE_ROUND

        %1 = concat of %x and its outermost rows and columns
        %2, %3, %4, %5 = depthwise_conv2d %1, kernels 2 x 2 ── rescale, DOUBLE_ROUND
        reshape (concat of pixels (concat of features %2, %3), (concat of features %4, %5))

    Result ``2 * i + a`` lies at the same distance from the operand's element ``i`` for all ``i``, so it is a sum by the
    same weights, times a power of two that a shift takes away. There must be two results, or four, for each element:
    an enlargement with aligned corners has fewer. SINGLE_ROUND depends on the product alone. DOUBLE_ROUND
    adds 1 to a sum or subtracts it, which decides ties; a multiple of 2 or more does not become a tie.
    """

    name = "resizes-to-convolutions"
    npu: Npu = EVERY_NPU

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every linear RESIZE of 8-bit integers."""
        found = [op for op in module.walk() if isinstance(op, tosa.ResizeOp) and element_type(op.output) == i32]
        return rewrite_or_refuse(found, self._obstacle, _rewrite)

    def _obstacle(self, op: tosa.ResizeOp) -> str | None:
        """Return why a RESIZE stays, or None."""
        if self.npu.interpolates:
            return "NPUs compute it"
        rows, columns = _phases_of(op)
        if rows is None or columns is None or len(rows) * len(columns) == 1:
            return "it does not enlarge by 2 or 4"
        step = _rounding_of(op)
        if step is None:
            return "its sums are not rounded to 8 bits alone"
        factor = _scale(rows, columns)
        if not factor:
            return "its weights need more than 8 bits"
        return None if _moved(step, op, _total(rows, columns, factor)).shift in SHIFTS else "no shift would be left"


def _phases_of(op: tosa.ResizeOp) -> tuple[list[_Phase] | None, list[_Phase] | None]:
    """Return the phases of rows and those of columns."""
    rows, columns = (_phases(*row) for row in zip(op.samplings, shape(op.input)[1:3], strict=True))
    return rows, columns


def _phases(sampling: tosa.Sampling, size: int) -> list[_Phase] | None:
    """Return the phases of an enlargement by 1, 2 or 4, with weights less their common powers of two, or None."""
    unit, step = sampling.unit, sampling.step
    if unit % step or unit // step not in (1, 2, _MOST_PHASES) or sampling.resized(size) != size * (unit // step):
        return None
    found = [divmod(i * step + sampling.offset, unit) for i in range(unit // step)]
    if any(first not in (-1, 0) for first, _ in found):
        return None
    divisor = gcd(unit & -unit, *(part for _, part in found))
    return [_Phase(first, np.array([unit - part, part] if part else [unit]) // divisor) for first, part in found]


def _scale(rows: list[_Phase], columns: list[_Phase]) -> int:
    """Return a factor on all weights, which makes sums multiples of 4 or 2; 0 if they would not fit into 8 bits."""
    largest = max(phase.weights.max() for phase in rows) * max(phase.weights.max() for phase in columns)
    return next((factor for factor in (4, 2) if factor * largest <= _LARGEST_WEIGHT), 0)


def _rounding_of(op: tosa.ResizeOp) -> Step | None:
    """Return the step that makes i8 of the sums, which no other op reads, if it rounds sums of more units alike.

    SINGLE_ROUND does. DOUBLE_ROUND does for multiples of 2 or more over their weight.
    """
    user = only_user(op.output)
    step = step_of(user) if isinstance(user, tosa.RescaleOp) else None
    if step is None or step.gives != integer_range(i8) or step.rounding is Rounding.SINGLE_ROUND:
        return step if step is not None and step.gives == integer_range(i8) else None
    is_average = step.multiplier == 1 << _POWER and 1 << (step.shift - _POWER) == _weight(op)
    divisor = prod(gcd(sampling.unit, sampling.step, sampling.offset) for sampling in op.samplings)
    return step if is_average and divisor > 1 else None


def _total(rows: list[_Phase], columns: list[_Phase], factor: int) -> int:
    """Return the sum of the weights of a kernel."""
    return factor * int(rows[0].weights.sum() * columns[0].weights.sum())


def _moved(step: Step, op: tosa.ResizeOp, weight: int) -> Step:
    """Return the step for sums by another weight, which differs by a power of two."""
    return replace_fields(step, shift=step.shift + weight.bit_length() - _weight(op).bit_length())


def _weight(op: tosa.ResizeOp) -> int:
    return prod(sampling.unit for sampling in op.samplings)


def _rewrite(op: tosa.ResizeOp) -> None:
    user, step, sizes = only_user(op.output), _rounding_of(op), shape(op.input)
    rows, columns = _phases_of(op)
    assert user is not None
    assert step is not None
    assert rows is not None
    assert columns is not None
    build, factor = PlacedBuilder(user, op), _scale(rows, columns)
    step = _moved(step, op, _total(rows, columns, factor))
    image = _bordered(build, _bordered(build, op.input, 1, rows), 2, columns)
    lines: list[SSAValue] = []
    for row in rows:
        parts = [
            _summed(build, _window(build, image, sizes, (row, column), (rows, columns)), (row, column), factor, step)
            for column in columns
        ]
        line = build.add(tosa.ConcatOp(parts, 3)) if len(parts) > 1 else parts[0]
        lines.append(build.reshape(line, (1, 1, sizes[0] * sizes[1], sizes[2] * len(columns) * sizes[3])))
    made = build.add(tosa.ConcatOp(lines, 3)) if len(lines) > 1 else lines[0]
    replace(user, build.reshape(made, shape(op.output)))
    erase_dead([op])


def _first(phases: list[_Phase]) -> int:
    return min(phase.first for phase in phases)


def _bordered(build: PlacedBuilder, image: SSAValue, axis: int, phases: list[_Phase]) -> SSAValue:
    """Repeat the outermost elements along an axis where kernels reach beyond them."""
    last, sizes = shape(image)[axis] - 1, [1 if i == axis else size for i, size in enumerate(shape(image))]
    first, end = (build.slice(image, [at if i == axis else 0 for i in range(4)], sizes) for at in (0, last))
    before = [first] if _first(phases) < 0 else []
    behind = [end] if any(phase.first + phase.weights.size > 1 for phase in phases) else []
    return build.add(tosa.ConcatOp([*before, image, *behind], axis)) if before or behind else image


def _window(
    build: PlacedBuilder,
    image: SSAValue,
    sizes: tuple[int, ...],
    found: tuple[_Phase, _Phase],
    phases: tuple[list[_Phase], list[_Phase]],
) -> SSAValue:
    """Return the part of a bordered image that the kernel of a row's and a column's phase reads."""
    starts = [phase.first - _first(every) for phase, every in zip(found, phases, strict=True)]
    reach = [size + phase.weights.size - 1 for size, phase in zip(sizes[1:3], found, strict=True)]
    return build.slice(image, (0, *starts, 0), (sizes[0], *reach, sizes[3]))


def _summed(build: PlacedBuilder, image: SSAValue, phases: tuple[_Phase, _Phase], factor: int, step: Step) -> SSAValue:
    """Return an image summed by the products of two phases' weights, and rounded."""
    row, column = phases
    features, weights = shape(image)[-1], factor * np.multiply.outer(row.weights, column.weights)
    kernel = np.broadcast_to(weights[:, :, None, None], (*weights.shape, features, 1))
    parameters = (build.constant(kernel, i8), build.constant(np.zeros(features, np.int64), i32))
    operands = (image, *parameters, build.zero_point(0, i8), build.zero_point(0, i8))
    sums = build.add(tosa.DepthwiseConv2DOp(operands, tosa.ConvWindow((0, 0, 0, 0), (1, 1), (1, 1)), i32))
    scale = np.asarray([step.multiplier], np.int32), np.asarray([step.shift], np.int8)
    made = tosa.RescaleOp.by(sums, scale, i8, step.zero_points, build.parameter, rounding=step.rounding)
    return build.add(made)
