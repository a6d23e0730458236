"""Parts of tensors: neighbours by SLICE, elements at even distances by SLICE, MAX_POOL2D or RESIZE, others by GATHER.

Elements are copied by few reads of many elements each, so an op is written on as few dimensions as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
from xdsl.ir import SSAValue

from qconvert.backends.tosa.accelerator import Accelerator
from qconvert.backends.tosa.level import MAX_RANK
from qconvert.backends.tosa.lowering import Lowering, lowers
from qconvert.backends.tosa.nearest import LARGEST_SIZE, Positions, nearest_sampling
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.constants import constant_array
from qconvert.expansion.builder import i16
from qconvert.expansion.expander import tosa_element
from qconvert.ir import element_type, f32, i8, shape
from qconvert.support.errors import ConversionError

_MOST_RUNS = 8
"""The most SLICEs that replace a GATHER."""


class _Run(NamedTuple):
    """Elements of a dimension: ``taken`` of ``size``, from ``start`` on, one of every ``step``."""

    size: int
    start: int
    taken: int
    step: int = 1

    @property
    def window(self) -> int | None:
        """The least position of ``taken`` times ``step`` neighbours that contain the elements, or None."""
        least = max(0, self.start - self.step + 1)
        return least if least + self.taken * self.step <= self.size else None

    @property
    def reach(self) -> int:
        """The number of neighbours from the first element to the last."""
        return (self.taken - 1) * self.step + 1


@lowers(stablehlo.SliceOp)
def slice_(op: stablehlo.SliceOp, lower: Lowering) -> SSAValue:
    """Lower to SLICE; with steps to one SLICE of a reshape, or if that is not enough to MAX_POOL2D of one element."""
    starts, steps = (stablehlo.as_tuple(given) for given in (op.start_indices, op.strides))
    rows = zip(shape(op.operand), starts, shape(op.result), steps, strict=True)
    runs = [_Run(size, start, taken, step if taken > 1 else 1) for size, start, taken, step in rows]
    value, stepping = lower.whole(op.operand), [run for run in runs if run.step > 1]
    if not stepping:
        return lower.slice(value, starts, shape(op.result))
    if all(run.size == run.taken * run.step for run in stepping):
        return lower.reshape(_strided(lower, value, runs), shape(op.result))
    pools = element_type(value) in (i8, i16) and max(run.step for run in stepping) <= lower.accelerator.copied_step
    if not pools and all(run.window is not None for run in runs):
        return lower.reshape(_strided(lower, value, runs), shape(op.result))
    value = lower.slice(value, starts, [run.reach for run in runs])
    value = (_pooled if pools else _padded)(lower, value, [run.step for run in runs])
    return lower.reshape(value, shape(op.result))


def _strided(lower: Lowering, value: SSAValue, runs: Sequence[_Run]) -> SSAValue:
    """Return one SLICE; a step becomes a dimension of its own, of which SLICE takes one element.

    Where the steps do not divide a dimension, a SLICE before that takes a part that they divide.
    """
    split = [part for run in runs for part in _split(run)]
    if any(run.step > 1 and run.taken * run.step != run.size for run in runs) or len(_merged(split)) > MAX_RANK:
        cut = [_window_of(run) for run in runs]
        value = lower.slice(value, [part.start for part in cut], [part.taken for part in cut])
        rows = zip(runs, cut, strict=True)
        runs = [_Run(part.taken, run.start - part.start, run.taken, run.step) for run, part in rows]
        split = [part for run in runs for part in _split(run)]
    merged = _merged(split)
    value = lower.reshape(value, [run.size for run in merged])
    return lower.slice(value, [run.start for run in merged], [run.taken for run in merged])


def _window_of(run: _Run) -> _Run:
    """Return the neighbours that contain a run."""
    return run if run.step == 1 else _Run(run.size, run.window or 0, run.taken * run.step)


def _split(run: _Run) -> tuple[_Run, ...]:
    """Return a run, or with a step two runs: one of all windows of ``step`` elements, and one of an element of each."""
    if run.step == 1:
        return (run,)
    return _Run(run.taken, 0, run.taken), _Run(run.step, run.start, 1)


def _merged(runs: Sequence[_Run]) -> list[_Run]:
    """Merge neighbouring dimensions whose elements are one run: some hardware copies three dimensions at once."""
    found = [runs[-1]]
    for run in reversed(runs[:-1]):
        inner = found[0]
        if inner.taken == inner.size or run.taken == 1:
            start, taken = run.start * inner.size + inner.start, run.taken * inner.taken
            found[0] = _Run(run.size * inner.size, start, taken)
        else:
            found.insert(0, run)
    return found


def _pooled(lower: Lowering, value: SSAValue, steps: Sequence[int]) -> SSAValue:
    """Return elements at steps, from the first to the last, by maxima of one element; two dimensions at once."""
    axis = 0
    while axis < len(steps):
        if steps[axis] > 1:
            count = 1 + (axis + 1 < len(steps) and steps[axis + 1] > 1)
            value = _pooled_along(lower, value, axis, steps[axis : axis + count])
            axis += count
        else:
            axis += 1
    return value


def _pooled_along(lower: Lowering, value: SSAValue, axis: int, steps: Sequence[int]) -> SSAValue:
    """Pool one dimension, of which the dimensions in front become the rows, or two neighbouring ones."""
    sizes, end = shape(value), axis + len(steps)
    outer, inner = prod(sizes[:axis]), prod(sizes[end:])
    image = (outer, *sizes[axis:end], inner) if len(steps) > 1 else (1, outer, sizes[axis], inner)
    rows = lower.reshape(value, image)
    window = tosa.ConvWindow((0, 0, 0, 0), (*(1,) * (2 - len(steps)), *steps), (1, 1))
    made = lower.add(tosa.MaxPool2DOp(rows, (1, 1), window))
    return lower.reshape(made, (*sizes[:axis], *shape(made)[3 - len(steps) : 3], *sizes[end:]))


def _padded(lower: Lowering, value: SSAValue, steps: Sequence[int]) -> SSAValue:
    """Return elements at steps, beginning with the first, by a SLICE of a PAD."""
    sizes = shape(value)
    rests = [-size % step for size, step in zip(sizes, steps, strict=True)]
    if any(rests):
        fill = lower.constant(np.zeros(1), element_type(value))
        value = lower.add(tosa.PadOp(value, lower.shape([pad for rest in rests for pad in (0, rest)]), fill))
    rows = zip(shape(value), steps, strict=True)
    return _strided(lower, value, [_Run(size, 0, size // step, step) for size, step in rows])


class _Selection(NamedTuple):
    """Elements at known positions along one dimension of a value."""

    operand: SSAValue
    axis: int
    positions: Positions

    @property
    def is_run(self) -> bool:
        """True if the elements are neighbours in order."""
        return np.array_equal(self.positions, self.positions[0] + np.arange(self.positions.size))

    def sampling(self, accelerator: Accelerator) -> tosa.Sampling | None:
        """Return the sampling of RESIZE that selects these elements, or None."""
        return nearest_sampling(self.positions, shape(self.operand)[self.axis], shortest=accelerator.resizes)


@lowers(stablehlo.GatherOp)
def gather(op: stablehlo.GatherOp, lower: Lowering) -> SSAValue:
    """Lower to a selection of slices along one dimension: SLICE and RESIZE are faster than GATHER."""
    axis, made = _axis_of(op), None
    if taken := _selection(op):
        pair = _pair(taken)
        if pair and (lower.accelerator.resizes or not taken.is_run):
            made = _resized(pair, lower)
        if made is None:
            made = _run(taken, lower) if taken.is_run else _resized([taken], lower) or _joined(taken, lower)
    return _gathered(op, axis, lower) if made is None else lower.reshape(made, shape(op.result))


def _axis_of(op: stablehlo.GatherOp) -> int:
    """Return the dimension along which whole slices are taken; raises ConversionError if there is no such dimension."""
    numbers, sizes, rank = op.dimension_numbers.data, shape(op.operand), len(shape(op.start_indices))
    [axis] = numbers.collapsed_slice_dims if len(numbers.collapsed_slice_dims) == 1 else [-1]
    whole = tuple(1 if i == axis else size for i, size in enumerate(sizes))
    offsets = (*range(max(axis, 0)), *range(axis + rank, len(sizes) - 1 + rank))
    plain = axis >= 0 and (numbers.offset_dims, numbers.start_index_map) == (offsets, (axis,))
    if not plain or numbers.index_vector_dim != rank or stablehlo.as_tuple(op.slice_sizes) != whole:
        raise ConversionError("TOSA gathers whole slices along one dimension only")
    return axis


def _selection(op: stablehlo.GatherOp) -> _Selection | None:
    """Return what an op selects, or None if the positions are computed, none, or not in the operand."""
    axis, array = _axis_of(op), constant_array(op.start_indices)
    if array is None or not array.size or array.min() < 0 or array.max() >= shape(op.operand)[axis]:
        return None
    return _Selection(op.operand, axis, array.reshape(-1).astype(np.int64))


def _pair(taken: _Selection) -> list[_Selection] | None:
    """Return a selection and the one of its operand along a dimension beside it, the operand's first, or None.

    Planes would become images, which are resized one by one.
    """
    owner = taken.operand.owner
    before = _selection(owner) if isinstance(owner, stablehlo.GatherOp) else None
    if before is None or abs(before.axis - taken.axis) != 1 or len(shape(before.operand)) != len(shape(taken.operand)):
        return None
    sizes, first = shape(taken.operand), min(before.axis, taken.axis)
    are_planes = prod(sizes[:first]) > 1 and prod(sizes[first + 2 :]) == 1
    return None if are_planes else [before, taken]


def _run(taken: _Selection, lower: Lowering) -> SSAValue:
    """Return SLICE of neighbours."""
    starts, sizes = [0] * len(shape(taken.operand)), list(shape(taken.operand))
    starts[taken.axis], sizes[taken.axis] = int(taken.positions[0]), taken.positions.size
    return lower.slice(lower.whole(taken.operand), starts, sizes)


def _joined(taken: _Selection, lower: Lowering) -> SSAValue | None:
    """Return CONCAT of few SLICEs of neighbours, or None if they are too many or too small."""
    ends = np.flatnonzero(np.diff(taken.positions) != 1) + 1
    elements = prod(shape(taken.operand)) // shape(taken.operand)[taken.axis] * taken.positions.size
    if ends.size >= _MOST_RUNS or elements < lower.accelerator.least_slice * (ends.size + 1):
        return None
    runs = [taken._replace(positions=run) for run in np.split(taken.positions, ends)]
    return lower.add(tosa.ConcatOp([_run(run, lower) for run in runs], taken.axis))


def _gathered(op: stablehlo.GatherOp, axis: int, lower: Lowering) -> SSAValue:
    """Return GATHER of the operand with the dimension in front.

    The indices' dimensions take its place in the result.
    """
    sizes, rank = shape(op.operand), len(shape(op.start_indices))
    others = [i for i in range(len(sizes)) if i != axis]
    taken, rest = shape(op.start_indices), [sizes[i] for i in others]
    front = lower.transpose(lower.whole(op.operand), [axis, *others])
    values = lower.reshape(front, (1, sizes[axis], prod(rest)))
    indices = lower.reshape(lower.whole(op.start_indices), (1, prod(taken)))
    made = lower.reshape(lower.add(tosa.GatherOp(values, indices)), (*taken, *rest))
    order = (*range(rank, rank + axis), *range(rank), *range(rank + axis, rank + len(rest)))
    return lower.transpose(made, order)


def _resized(parts: Sequence[_Selection], lower: Lowering) -> SSAValue | None:
    """Return RESIZE of one dimension or two neighbouring ones, or None if RESIZE does not take positions or sizes."""
    source, found = parts[0].operand, {part.axis: part.sampling(lower.accelerator) for part in parts}
    samplings = [sampling for _, sampling in sorted(found.items()) if sampling is not None]
    if tosa_element(element_type(source)) not in (i8, i16, f32) or len(samplings) < len(parts):
        return None
    value, sizes, first, count = lower.whole(source), shape(source), min(found), len(parts)
    outer, inner = sizes[:first], sizes[first + count :]
    if count == 1:
        if prod(outer) > LARGEST_SIZE:
            return None
        samplings.insert(0, tosa.Sampling(1, 1, 0, 0))
        image = lower.reshape(value, (1, prod(outer), sizes[first], prod(inner)))
    else:
        image = lower.reshape(value, (prod(outer), *sizes[first : first + 2], prod(inner)))
    return lower.add(tosa.ResizeOp(image, *samples(lower, *samplings), tosa.ResizeMode.NEAREST_NEIGHBOR))


def samples(lower: Lowering, rows: tosa.Sampling, columns: tosa.Sampling) -> tuple[SSAValue, SSAValue, SSAValue]:
    """Return scale, offset and border of a RESIZE."""
    return (
        lower.shape((rows.unit, rows.step, columns.unit, columns.step)),
        lower.shape((rows.offset, columns.offset)),
        lower.shape((rows.border, columns.border)),
    )
