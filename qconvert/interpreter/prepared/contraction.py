"""``convolution`` and ``dot_general`` of integers by a constant: one product of matrices of floats, exactly.

The proof that floats are exact: a partial sum has some of the products of one result element, in any order. Its
magnitude is at most the largest magnitude of an input times the sum of the magnitudes of a feature's weights. Below
2^24 every integer is a float32, below 2^53 a float64. So every product and every sum, fused or not, is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo.linear_algebra import DotOp
from qconvert.interpreter.contraction import Contraction, accumulator_scale, centred
from qconvert.interpreter.implementation import Array, Constants, Prepared, prepares
from qconvert.interpreter.prepared.accumulation import Accumulation, accumulation
from qconvert.interpreter.sliding import windows
from qconvert.ir import numpy_dtype, quantized, shape

_BLOCK = 1 << 17
"""The number of elements of a window matrix, and of sums, that are held at once: half a megabyte of float32."""


def _prepared(op: Contraction, matrices: Array, constants: Constants, axis: int) -> tuple[Array, Accumulation] | None:
    """Return weights, (groups, features of a group, depth), as floats, and what becomes of the sums.

    Storage integers are multiplied as they are. The zero point's product with a feature's weights is a part of the
    bias. None stands for sums that no float holds, and for operands whose sums need no single scale.
    """
    element = quantized(op.lhs)
    if element is None or not element.is_per_tensor:
        return None
    wide = matrices.astype(np.int64)
    magnitudes = int(np.abs(wide).sum(axis=-1).max(initial=0))
    limits = np.iinfo(numpy_dtype(element).name)
    largest = max(int(limits.max), -int(limits.min))
    dtype = numerics.exact_float_dtype(largest * magnitudes)
    if dtype is None:
        return None
    offset = -element.zero_point * wide.sum(axis=-1).reshape(-1, 1)
    after = accumulation(op, constants, axis, (largest + abs(element.zero_point)) * magnitudes, offset)
    return None if after is None else (np.asarray(matrices, dtype, order="C"), after)


@prepares(stablehlo.ConvolutionOp)
def convolution(op: stablehlo.ConvolutionOp, constants: Constants) -> Prepared | None:
    """Prepare a convolution whose kernel is constant, without gaps in the image and without groups of batches."""
    weights, numbers, window = constants.get(op.rhs), op.numbers, op.window
    is_plain = (
        accumulator_scale(op) is not None
        and op.batch_groups == 1
        and {*window.lhs_dilation} == {1}
        and min(map(min, window.padding)) >= 0
    )
    if weights is None or not weights.size or not prod(shape(op.result)) or not numbers.input_spatial or not is_plain:
        return None
    kernel = centred(weights, op.rhs).transpose(
        numbers.kernel_output_feature, numbers.kernel_input_feature, *numbers.kernel_spatial
    )
    if op.window_reversal is not None:
        kernel = np.flip(kernel, [2 + i for i, is_flipped in enumerate(op.window_reversal.get_values()) if is_flipped])
    matrices = kernel.reshape(op.groups, kernel.shape[0] // op.groups, -1)
    found = _prepared(op, matrices, constants, numbers.output_feature)
    element = quantized(op.lhs)
    if found is None or element is None:
        return None
    weights, after = found
    order = (numbers.output_batch, numbers.output_feature, *numbers.output_spatial)
    compute = _Convolution(
        weights,
        after,
        element.zero_point,
        op.window,
        kernel.shape[2:],
        (numbers.input_batch, numbers.input_feature, *numbers.input_spatial),
        tuple(shape(op.result)[i] for i in order),
        tuple(np.argsort(order).tolist()),
    )
    return Prepared(after.ops, (op.lhs,), compute, weights.nbytes)


def _is_plain(op: stablehlo.ConvolutionOp) -> bool:
    """Return True for a convolution over space without gaps in the image, cropped edges and groups of batches."""
    window = op.window
    has_gaps = any(step > 1 for step in window.lhs_dilation)
    is_cropped = any(edge < 0 for edges in window.padding for edge in edges)
    return bool(window.padding) and op.batch_groups == 1 and not has_gaps and not is_cropped


@dataclass(frozen=True)
class _Convolution:
    """A convolution; images and results are in memory as (batch, features, spatial).

    ``fill`` is the integer around an image. ``image_order`` are an image's dimensions in that order, ``result_order``
    the places of a result's dimensions in it.

    Windows without strides over one feature are taken over whole rows of the padded image, so that all windows of a
    position in the kernel lie behind each other. The windows that leave a row are computed, and dropped.
    """

    weights: Array
    after: Accumulation
    fill: int
    window: stablehlo.ConvolutionWindow
    sizes: tuple[int, ...]
    image_order: tuple[int, ...]
    shape: tuple[int, ...]
    result_order: tuple[int, ...]

    def __call__(self, operands: Sequence[Array]) -> Array:
        """Return the result."""
        result = np.empty(self.shape, self.after.dtype)
        for image, target in zip(operands[0].transpose(self.image_order), result, strict=True):
            self._convolve(image, target)
        return result.transpose(self.result_order)

    @cached_property
    def _takes_rows(self) -> bool:
        is_depthwise = len(self.weights) > 1 and self.weights.shape[-1] == prod(self.sizes)
        return is_depthwise and all(step == 1 for step in self.window.strides)

    def _convolve(self, image: Array, result: Array) -> None:
        """Compute the sums of some rows of the result at a time, of which some fewer rows of windows at a time."""
        features, rows, *rest = result.shape
        view = self._windows(self._padded(image))
        step = min(rows, max(1, _BLOCK // (features * prod(rest))))
        held = np.empty((features, step, *rest), self.weights.dtype)
        for first in range(0, rows, step):
            target = result[:, first : first + step]
            sums = held[:, : target.shape[1]]
            self._sum(view[self._rows(first, first + step)], sums)
            self.after.store(sums.reshape(features, -1), target.reshape(features, -1))

    def _sum(self, view: Array, sums: Array) -> None:
        """Multiply the windows by the weights."""
        groups, outputs, depth = self.weights.shape
        rest = view.shape[2 + len(self.sizes) :]
        valid = tuple(slice(0, size) for size in sums.shape[2:])
        step = min(sums.shape[1], max(1, _BLOCK // (groups * depth * prod(rest))))
        matrix = np.empty((*view.shape[: 1 + len(self.sizes)], step, *rest), self.weights.dtype)
        for first in range(0, sums.shape[1], step):
            target = sums[:, first : first + step]
            part = matrix[self._rows(0, target.shape[1])]
            np.copyto(part, view[self._rows(first, first + step)])
            columns = part.reshape(groups, depth, -1)
            if rest == sums.shape[2:]:
                np.matmul(self.weights, columns, out=target.reshape(groups, outputs, -1))
            else:
                wide = np.matmul(self.weights, columns).reshape(*target.shape[:2], *rest)
                target[...] = wide[(..., *valid)]

    def _rows(self, first: int, end: int) -> tuple[Any, ...]:
        """Return the index of rows of windows in an array of windows."""
        return (..., slice(first, end), *[slice(None)] * (len(self.sizes) - 1))

    def _padded(self, image: Array) -> Array:
        """Return an image with its zero point around, and a row more for windows that leave the last row."""
        padding = self.window.padding
        if not any(map(any, padding)) and not self._takes_rows:
            return image
        sizes = [size + sum(edges) for size, edges in zip(image.shape[1:], padding, strict=True)]
        sizes[0] += self._takes_rows
        wide = np.full((image.shape[0], *sizes), self.fill, image.dtype)
        inner = [slice(low, low + size) for size, (low, _) in zip(image.shape[1:], padding, strict=True)]
        wide[(slice(None), *inner)] = image
        return wide

    def _windows(self, image: Array) -> Array:
        """Return a view of (features, positions in a window, windows)."""
        count, dilations = len(self.sizes), self.window.rhs_dilation
        if not self._takes_rows:
            view = windows(image, self.sizes, self.window.strides, dilations, first=1)
            return view.transpose(0, *range(1 + count, 1 + 2 * count), *range(1, 1 + count))
        first, *steps = image.strides
        kernel_steps = [step * dilation for step, dilation in zip(steps, dilations, strict=True)]
        shape = (image.shape[0], *self.sizes, self.shape[2], *image.shape[2:])
        return as_strided(image, shape, (first, *kernel_steps, *steps), writeable=False)


@prepares(stablehlo.DotGeneralOp, DotOp)
def dot_general(op: stablehlo.DotGeneralOp, constants: Constants) -> Prepared | None:
    """Prepare a product of matrices whose right one is constant, without batches."""
    weights, numbers = constants.get(op.rhs), op.numbers
    if weights is None or accumulator_scale(op) is None or numbers.rhs_batching_dimensions:
        return None
    if not weights.size or not prod(shape(op.result)):
        return None
    free, contracted = numbers.rhs_free(weights.ndim), numbers.rhs_contracting_dimensions
    lhs_free = numbers.lhs_free(len(shape(op.lhs)))
    if len(free) != 1:
        return None
    matrix = centred(weights, op.rhs).transpose(*free, *contracted).reshape(1, weights.shape[free[0]], -1)
    found = _prepared(op, matrix, constants, len(lhs_free))
    if found is None:
        return None
    compute = _Product(found[0][0], found[1], (*lhs_free, *numbers.lhs_contracting_dimensions), shape(op.result))
    return Prepared(found[1].ops, (op.lhs,), compute, found[0].nbytes)


@dataclass(frozen=True)
class _Product:
    """A product of matrices; ``order`` are the left operand's dimensions, the contracted ones last."""

    weights: Array
    after: Accumulation
    order: tuple[int, ...]
    shape: tuple[int, ...]

    def __call__(self, operands: Sequence[Array]) -> Array:
        """Return the result."""
        features, depth = self.weights.shape
        left = operands[0].transpose(self.order).astype(self.weights.dtype, order="C").reshape(-1, depth)
        result = np.empty((features, len(left)), self.after.dtype)
        self.after.store(np.matmul(self.weights, left.T), result)
        return result.T.reshape(self.shape)
