"""Transposed convolutions as convolutions with a set of output features for each phase of the stride."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import tosa
from qconvert.dialects.tosa.base import listed
from qconvert.dialects.tosa.quantization import is_set, parameter_array
from qconvert.ir import element_type, is_float, shape, tensor, with_shape
from qconvert.rewriting import Pass, PassResult, erase_dead, only_user, rebuilt, replace, rewrite_or_refuse
from qconvert.rewriting.placed import PlacedBuilder

_MAX_JOINED = 64
"""The largest number of tensors that CONCAT joins (TOSA specification 1.0, level 8k: MAX_TENSOR_LIST_SIZE)."""

_Tail: TypeAlias = tosa.RescaleOp | tosa.ClampOp


class _Windows(NamedTuple):
    """A convolution along one dimension that gives some phases of a transposed convolution's result.

    ``taps`` has for each phase the kernel's element under each element of a window, or -1 for none. ``low`` and
    ``high`` are the padding; negative padding crops.
    """

    taps: NDArray[np.intp]
    low: int
    high: int


@dataclass(frozen=True)
class _Dimension:
    """A dimension of a transposed convolution; ``before`` is the ``out_pad`` in front of its result."""

    size: int
    kernel: int
    stride: int
    before: int
    result: int

    @property
    def count(self) -> int:
        """The number of windows: each gives one element of each phase."""
        return -(-self.result // self.stride)

    def windows(self, phases: Sequence[int]) -> _Windows | None:
        """Return the windows for elements ``stride * i + phase`` of the result, None if they are wider than the kernel.

        The kernel's element ``k`` adds input ``j`` to element ``stride * j + k + before``. So element ``stride * i +
        phase`` has the terms with ``k = phase - before`` modulo the stride and ``j = i + (phase - before - k) /
        stride``: each window starts at the same distance from ``i``. Each window reaches the input, as NPUs need it.
        """
        places = [(phase - self.before - np.arange(self.kernel)) for phase in phases]
        terms = [
            (row, int(place) // self.stride, k)
            for row, distances in enumerate(places)
            for k, place in enumerate(distances)
            if place % self.stride == 0
        ]
        offsets = [offset for _, offset, _ in terms]
        first, last = min(*offsets, self.size - self.count), max(*offsets, 0)
        if last - first >= self.kernel:
            return None
        taps = np.full((len(phases), last - first + 1), -1, np.intp)
        for row, offset, k in terms:
            taps[row, offset - first] = k
        return _Windows(taps, -first, self.count - 1 + last - (self.size - 1))


class TransposedToConvolutions(Pass):
    """Compute TRANSPOSE_CONV2D by CONV2Ds, behind which a RESCALE fuses, and which all NPUs have.

    ::

        transpose_conv2d (stride 1 x s) ── rescale

        conv2d (s * outputs, the kernel's elements by their place modulo s) ── rescale ── reshape (W * s, outputs)

    An output feature of the convolution is a feature of the source at one phase of the stride. The sums have the same
    products; the weights' zero point stands where a phase has fewer of them. Rows of a stride that is larger than 1
    are phases as well: one convolution for each phase. CONCAT puts a row of each beside the others, so NPUs write the
    results of each convolution where they belong, and copy nothing. One convolution for more rows than CONCAT joins
    has a TRANSPOSE behind it.

    ::

        transpose_conv2d (stride 2 x 1) ── (H, W, outputs)

        concat of columns %even, %odd ── (H / 2, 2 * W, outputs) ── reshape (H, W, outputs)
    """

    name = "transposed-to-convolutions"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every transposed convolution of integers."""
        found = [op for op in module.walk() if isinstance(op, tosa.TransposeConv2DOp)]
        integers = [op for op in found if not is_float(element_type(op.input))]
        return rewrite_or_refuse(integers, _obstacle, _rewrite)


def _row_phases(rows: _Dimension) -> list[range]:
    """Return the phases of rows that one convolution computes, for each convolution."""
    if rows.stride <= _MAX_JOINED:
        return [range(phase, phase + 1) for phase in range(rows.stride)]
    return [range(rows.stride)]


def _obstacle(op: tosa.TransposeConv2DOp) -> str | None:
    """Return why an op stays, or None."""
    rows, columns = dimensions = _dimensions(op)
    if any(parameter_array(value) is None for value in (op.weight, op.bias, op.weight_zp)):
        return "its weights are computed"
    if any(dimension.stride > dimension.kernel for dimension in dimensions):
        return "its stride is larger than its kernel"
    taken = [*((rows, phases) for phases in _row_phases(rows)), (columns, range(columns.stride))]
    if any(side.windows(phases) is None for side, phases in taken):
        return "it pads its result by so much that the windows become larger than its kernel"
    return None


def _rewrite(op: tosa.TransposeConv2DOp) -> None:
    tail = _tail(op)
    last = tail[-1] if tail else op
    build = PlacedBuilder(last, op, *tail[:-1])
    rows, columns = _dimensions(op)
    every = range(columns.stride)
    parts = [_phases(op, build, (phases, every), tail) for phases in _row_phases(rows)]
    made = build.add(tosa.ConcatOp(parts, 2)) if len(parts) > 1 else _interleaved(build, parts[0], rows.stride)
    sizes = shape(op.output)
    whole = (sizes[0], rows.count * rows.stride, columns.count * columns.stride, sizes[3])
    made = build.slice(build.reshape(made, whole), (0, 0, 0, 0), sizes)
    replace(last, made)
    erase_dead([op, *tail[:-1]])


def _dimensions(op: tosa.TransposeConv2DOp) -> tuple[_Dimension, _Dimension]:
    """Return height and width."""
    pads, strides = listed(op.out_pad, 4), listed(op.stride, 2)
    given, kernel, made = shape(op.input), shape(op.weight), shape(op.output)
    height, width = (_Dimension(given[i], kernel[i], strides[i - 1], pads[2 * i - 2], made[i]) for i in (1, 2))
    return height, width


def _tail(op: tosa.TransposeConv2DOp) -> list[_Tail]:
    """Return the RESCALEs and CLAMPs that alone use the result, the first one first."""
    found: list[_Tail] = []
    value: SSAValue = op.output
    while isinstance(user := only_user(value), tosa.RescaleOp | tosa.ClampOp) and user.operands[0] is value:
        found.append(user)
        value = user.output
    return found


def _phases(
    op: tosa.TransposeConv2DOp, build: PlacedBuilder, phases: tuple[Sequence[int], Sequence[int]], tail: list[_Tail]
) -> SSAValue:
    """Return phases of the result as features (row's phase, column's phase, feature), with RESCALEs and CLAMPs."""
    found = [side.windows(chosen) for side, chosen in zip(_dimensions(op), phases, strict=True)]
    windows = [window for window in found if window is not None]
    image, pads = build.cropped(op.input, [pad for window in windows for pad in (window.low, window.high)])
    weight, bias, zero_point = map(_array, (op.weight, op.bias, op.weight_zp))
    count = len(phases[0]) * len(phases[1])
    operands = (
        image,
        build.constant(_laid_out(weight, windows, int(zero_point.item())), element_type(op.weight)),
        build.constant(np.tile(np.broadcast_to(bias, shape(op.output)[3]), count), op.acc_type),
        op.input_zp,
        op.weight_zp,
    )
    made = build.add(tosa.Conv2DOp(operands, tosa.ConvWindow(pads, (1, 1), (1, 1)), op.acc_type))
    for step in tail:
        made = build.add(_repeated(build, step, made, count))
    return made


def _array(value: SSAValue) -> NDArray[Any]:
    """Return the elements of a constant."""
    array = parameter_array(value)
    assert array is not None
    return array


def _laid_out(weight: NDArray[Any], windows: Sequence[_Windows], fill: int) -> NDArray[Any]:
    """Return weights of (row's phase * column's phase * outputs, height, width, inputs); ``fill`` where no tap is."""
    filled = np.pad(weight, ((0, 0), (0, 1), (0, 1), (0, 0)), constant_values=fill)  # -1 is the element behind the last
    rows, columns = (window.taps for window in windows)
    picked = filled[:, rows[:, :, None, None], columns[None, None]].transpose(1, 3, 0, 2, 4, 5)
    return picked.reshape(-1, rows.shape[1], columns.shape[1], weight.shape[3])


def _repeated(build: PlacedBuilder, step: _Tail, value: SSAValue, count: int) -> Operation:
    """Return a RESCALE or CLAMP on several phases at once."""
    operands = [value, *step.operands[1:]]
    if isinstance(step, tosa.RescaleOp) and is_set(step.per_channel):
        for place in (1, 2):
            given = operands[place]
            operands[place] = build.parameter(np.tile(_array(given), count), element_type(given))
    return rebuilt(step, operands, [with_shape(tensor(step.output), shape(value))])


def _interleaved(build: PlacedBuilder, made: SSAValue, stride: int) -> SSAValue:
    """Return an image whose features hold ``stride`` rows with each row by itself."""
    images, rows, width, features = shape(made)
    apart = build.reshape(made, (images * rows, width, stride, features // stride))
    return build.transpose(apart, (0, 2, 1, 3))
