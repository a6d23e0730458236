"""Sums over several dimensions as one op: a depthwise convolution with weights of 1, or one REDUCE_SUM."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import SSAValue

from qconvert.dialects import tosa
from qconvert.dialects.tosa.quantization import is_set
from qconvert.expansion.builder import i48
from qconvert.ir import EVERY_NPU, Npu, element_type, i8, i32, is_float, shape
from qconvert.rewriting import Pass, PassResult, Refusal, erase_dead, only_user, refuse, replace
from qconvert.rewriting.placed import PlacedBuilder
from qconvert.rewriting.rescales import power_of_two

_MAX_POWER = 6
"""The largest ``k`` with ``2**k`` in a weight of 8 bits."""


@dataclass(frozen=True)
class _Sum:
    """REDUCE_SUMs in a row as one sum over the inner dimensions of (images, height, width, channels).

    ``source`` widens the integers to 32 bits and multiplies them by ``2**power``.
    """

    ops: tuple[tosa.ReduceSumOp, ...]
    sizes: tuple[int, int, int, int]
    source: tosa.RescaleOp
    power: int

    @property
    def kernel(self) -> tuple[int, int]:
        """Height and width."""
        return self.sizes[1:3]

    def is_kernel(self, npu: Npu) -> bool:
        """Return True if a depthwise convolution of an NPU may sum both dimensions of many channels."""
        return npu.convolves_sums and self.power <= _MAX_POWER and min(self.sizes[1:]) > 1 and npu.fits(*self.kernel)


@dataclass(frozen=True)
class SumsToConvolutions(Pass):
    """Sum 8- and 16-bit integers over several dimensions by one op: NPUs transpose memory for each REDUCE_SUM.

    ::

        i8 ── rescale (zero point z) ── i32 ── reduce_sum H ── reduce_sum W ── rescale

        i8 ── depthwise_conv2d (zero point z, weights 1, kernel H x W) ── rescale
        i8 ── rescale (zero point z) ── i32 ── reshape (N, H * W, C) ── reduce_sum 1 ── rescale

    The first form is for height and width within the kernels of ``npu``, if it prefers it, the second for others. Each
    form sums the same terms, ``x - z`` times a power of two. A term of ``b`` bits and a sign, and at most ``2**(31-b)``
    terms, leave no sum of a part beyond 32 bits, so that the order does not matter. Terms of 16 bits are summed in 48
    bits, and a RESCALE by 1 returns to 32.
    """

    name = "sums-to-convolutions"
    npu: Npu = EVERY_NPU

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every REDUCE_SUM of integers that another one continues."""
        refusals: list[Refusal] = []
        changed = False
        for op in [op for op in module.walk() if isinstance(op, tosa.ReduceSumOp)]:
            ops = _row(op)
            if len(ops) == 1 or isinstance(op.input.owner, tosa.ReduceSumOp) or is_float(element_type(op.input)):
                continue
            found = _sum(ops)
            if isinstance(found, str):
                refusals.append(refuse(op, found))
            else:
                self._rewrite(found)
                changed = True
        return PassResult(changed, tuple(refusals))

    def _rewrite(self, found: _Sum) -> None:
        *others, last = found.ops
        build = PlacedBuilder(last, *others)
        made = _convolved(found, build) if found.is_kernel(self.npu) else _summed(found, build)
        replace(last, build.reshape(made, shape(last.output)))
        erase_dead([found.source, *others])


def _row(op: tosa.ReduceSumOp) -> tuple[tosa.ReduceSumOp, ...]:
    """Return an op and the REDUCE_SUMs that sum its sums alone."""
    ops = [op]
    while isinstance(user := only_user(ops[-1].output), tosa.ReduceSumOp):
        ops.append(user)
    return tuple(ops)


def _sum(ops: tuple[tosa.ReduceSumOp, ...]) -> _Sum | str:
    """Return the sum that REDUCE_SUMs in a row make, or why they stay."""
    source = ops[0].input.owner
    power = power_of_two(source) if isinstance(source, tosa.RescaleOp) else None
    if power is None or not isinstance(source, tosa.RescaleOp) or is_set(source.input_unsigned):
        return "it does not sum signed integers of 8 or 16 bits less their zero point"
    sizes, axes = shape(source.output), sorted({op.axis.value.data for op in ops})
    inside = sizes[axes[0] : axes[-1] + 1]
    if prod(inside) != prod(sizes[i] for i in axes):
        return "a dimension that it does not sum is between those that it sums"
    element = element_type(source.input)
    assert isinstance(element, IntegerType)
    if element.width.data + power + (prod(inside) - 1).bit_length() >= i32.width.data:
        return "its partial sums may leave 32 bits"
    long = [size for size in inside if size != 1]
    height, width = long if len(long) == 2 else (1, prod(long))
    return _Sum(ops, (prod(sizes[: axes[0]]), height, width, prod(sizes[axes[-1] + 1 :])), source, power)


def _convolved(found: _Sum, build: PlacedBuilder) -> SSAValue:
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


def _summed(found: _Sum, build: PlacedBuilder) -> SSAValue:
    """Return the sums as one REDUCE_SUM along the second of two or three dimensions."""
    images, _, _, channels = found.sizes
    flat = build.reshape(found.source.output, (images, prod(found.kernel), *((channels,) if channels > 1 else ())))
    return build.add(tosa.ReduceSumOp(flat, 1))
