"""Sums over several dimensions as one op: a depthwise convolution with weights of 1, or one REDUCE_SUM."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt, prod

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from qconvert.backends.ethos_u.forms.steps import behind_reshapes, readers_of
from qconvert.backends.ethos_u.forms.sums import Sum, visit_sums
from qconvert.backends.ethos_u.npu import EVERY_NPU, Npu
from qconvert.dialects import tosa
from qconvert.expansion.builder import i48
from qconvert.ir import element_type, i8, i32, shape
from qconvert.rewriting import Pass, PassResult, erase_dead, replace
from qconvert.rewriting.placed import PlacedBuilder

_MAX_POWER = 6
"""The largest ``k`` with ``2**k`` in a weight of 8 bits."""


@dataclass(frozen=True)
class SumsToConvolutions(Pass):
    """Sum 8- and 16-bit integers over several dimensions by one op: NPUs transpose memory for each REDUCE_SUM.

    ::

        i8 ── rescale (zero point z) ── i32 ── reduce_sum H ── reduce_sum W ── rescale

        i8 ── depthwise_conv2d (zero point z, weights 1, kernel H x W) ── rescale
        i8 ── reshape (N, H * W, C) ── rescale (zero point z) ── i32 ── reduce_sum 1 ── rescale
        i8 ── reshape (N, A, B) ── rescale (zero point z) ── i32 ── reduce_sum 1 ── reduce_sum 2 ── rescale

    The first form is for height and width within the kernels of ``npu``, the second for others, and for NPUs that
    transpose for a REDUCE_SUM in less time than a depthwise convolution takes, unless the operand is copied first.
    There the RESCALE, next to the sum, is free. On such NPUs the third form sums all elements in two steps of about
    equal length: one step has no two sums to compute side by side.

    Each form sums the same terms, ``x - z`` times a power of two. A term of ``b`` bits and a sign, and at most
    ``2**(31-b)`` terms, leave no sum of a part beyond 32 bits, so that the order does not matter. Terms of 16 bits are
    summed in 48 bits, and a RESCALE by 1 returns to 32.
    """

    name = "sums-to-convolutions"
    npu: Npu = EVERY_NPU

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every REDUCE_SUM of integers that another one continues."""
        return visit_sums(module, self._rewrite)

    def _rewrite(self, found: Sum) -> bool:
        *others, last = found.ops
        build = PlacedBuilder(last, *others)
        is_kernel = found.power <= _MAX_POWER and min(found.sizes[1:]) > 1 and self.npu.fits(*found.kernel)
        is_kernel &= not (self.npu.sums_at_once and _is_in_lines(found.source.input))
        made = _convolved(found, build) if is_kernel else _summed(found, build, in_two=self._takes_two(found))
        replace(last, build.reshape(made, shape(last.output)))
        erase_dead([found.source, *others])
        return True

    def _takes_two(self, found: Sum) -> bool:
        """Return True for a sum of all elements; of several images, all their sums are computed side by side."""
        return self.npu.sums_at_once and found.sizes[0] == found.sizes[-1] == 1


def _is_in_lines(value: SSAValue) -> bool:
    """Return True if NPUs transpose a value without a copy; other ops that read it want another layout."""
    source = behind_reshapes(value)
    return isinstance(source.owner, Block) or len(list(readers_of(source))) == 1


def _convolved(found: Sum, build: PlacedBuilder) -> SSAValue:
    """Return the sums as a depthwise convolution."""
    image, channels = build.reshape(found.source.input, found.sizes), found.sizes[-1]
    accumulator = tosa.accumulator_element(element_type(image))
    weight = np.broadcast_to(np.int8(1 << found.power), (*found.kernel, channels, 1))
    bias = np.zeros(channels, np.int64)
    parameters = (build.constant(weight, i8), build.constant(bias, accumulator))
    operands = (image, *parameters, found.source.input_zp, build.zero_point(0, i8))
    window = tosa.ConvWindow((0, 0, 0, 0), (1, 1), (1, 1))
    made = build.add(tosa.DepthwiseConv2DOp(operands, window, accumulator))
    return build.rescale(made, 1.0, i32) if accumulator == i48 else made


def _summed(found: Sum, build: PlacedBuilder, *, in_two: bool) -> SSAValue:
    """Return the sums as one REDUCE_SUM along the second of two or three dimensions, or as two."""
    images, _, _, channels = found.sizes
    count = prod(found.kernel)
    inner = _divisor(count) if in_two else channels
    rows = count * channels // inner
    flat = build.reshape(found.source.input, (images, rows, *((inner,) if inner > 1 else ())))
    wide = build.add(tosa.RescaleOp((flat, *found.source.operands[1:]), i32))
    made = build.add(tosa.ReduceSumOp(wide, 1))
    return made if inner == channels else build.add(tosa.ReduceSumOp(made, 2))


def _divisor(count: int) -> int:
    """Return the largest divisor up to the square root."""
    return next(found for found in range(isqrt(count), 0, -1) if count % found == 0)
