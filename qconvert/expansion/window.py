"""Pools over two dimensions, and averages as LiteRT computes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from qconvert.dialects import composite, stablehlo, tosa
from qconvert.expansion.builder import i16
from qconvert.expansion.expander import Expander
from qconvert.expansion.registry import expands, follows_of
from qconvert.ir import Arithmetic, element_type, i32, quantized, shape
from qconvert.numerics import Rounding
from qconvert.support.errors import ConversionError

Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Pool:
    """A pool over two dimensions, and the order of dimensions that makes them the middle two of four.

    ``sizes`` and ``window`` are in that order.
    """

    permutation: tuple[int, ...]
    sizes: tuple[int, ...]
    window: tosa.ConvWindow


def image_of(op: stablehlo.ReduceWindowOp, build: Expander, pool: Pool) -> SSAValue:
    """Return the operand with the pooled dimensions in the middle of four."""
    image = build.reshape(build[op.inputs[0]], _of_rank_4(shape(op.inputs[0]), 1))
    return build.transpose(image, pool.permutation)


def pooled(op: stablehlo.ReduceWindowOp, build: Expander, pool: Pool, made: SSAValue) -> SSAValue:
    """Return a pool's result with its dimensions in the IR's order."""
    made = build.transpose(made, np.argsort(pool.permutation).tolist())
    return build.reshape(made, shape(op.results[0]))


def _of_rank_4(values: Sequence[Entry], fill: Entry) -> tuple[Entry, ...]:
    """Return the values, padded to four with ``fill``."""
    return (*values, *(fill for _ in range(4 - len(values))))


def pool_of(op: stablehlo.ReduceWindowOp) -> Pool:
    """Return a pool over two dimensions.

    Raises ConversionError for more dimensions and for dilations.
    """
    window, sizes = op.window, _of_rank_4(shape(op.inputs[0]), 1)
    extents, steps = (_of_rank_4(values, 1) for values in (window.size, window.strides))
    padding, rank = _of_rank_4(window.padding, (0, 0)), len(sizes)
    if any(step != 1 for step in (*window.dilations, *window.base_dilations)):
        raise ConversionError("TOSA's pools do not support dilations")
    pooled = [i for i in range(rank) if extents[i] > 1 or steps[i] > 1 or any(padding[i])]
    others = [i for i in range(rank) if i not in pooled]
    if rank != 4 or len(pooled) > 2:
        raise ConversionError(f"TOSA pools over two of four dimensions, found {len(pooled)} of {rank}")
    while len(pooled) < 2:
        pooled.append(others.pop(1))
    pooled.sort()
    pads: list[int] = []
    for i in pooled:
        low, high = padding[i]
        pads += [low, high - (sizes[i] + low + high - extents[i]) % steps[i]]
    strides, kernel = (tuple(values[i] for i in pooled) for values in (steps, extents))
    return Pool((others[0], *pooled, others[1]), kernel, tosa.ConvWindow(tuple(pads), strides, (1, 1)))


@expands(stablehlo.ReduceWindowOp)
def average(op: stablehlo.ReduceWindowOp, build: Expander) -> SSAValue:
    """Average the stored integers, zero point included, by AVG_POOL2D: it rounds ties away from zero."""
    pool = pool_of(op)
    if max(pool.window.pad) > 0 or quantized(op.inputs[0]) != quantized(op.results[0]):
        raise ConversionError("LiteRT's average must keep its type and have no padding")
    image, pads = build.cropped(image_of(op, build, pool), pool.window.pad)
    window = tosa.ConvWindow(pads, pool.window.stride, pool.window.dilation)
    return pooled(op, build, pool, averaged(build, image, pool.sizes, window, follows_of(op)))


def averaged(
    build: Expander, image: SSAValue, sizes: tuple[int, ...], window: tosa.ConvWindow, follows: Arithmetic
) -> SSAValue:
    """Average by AVG_POOL2D.

    LiteRT rounds ties of unsigned integers up. These integers are made non-negative again, in 16 bits.
    """
    held, half = element_type(image), 0
    if follows.rounding is Rounding.SINGLE_ROUND:
        assert isinstance(held, IntegerType)
        half = 1 << (held.width.data - 1)
        image = build.add(tosa.CastOp(build.offset(build.add(tosa.CastOp(image, i32)), half), i16))
    zero_points = [build.zero_point(0, element_type(image)) for _ in range(2)]
    made = build.add(tosa.AvgPool2DOp((image, *zero_points), sizes, window, i32))
    if not half:
        return made
    return build.add(tosa.CastOp(build.offset(build.add(tosa.CastOp(made, i32)), -half), held))


@expands(composite.AveragePoolOp)
def average_inside(op: composite.AveragePoolOp, build: Expander) -> SSAValue:
    """Average the stored integers, zero point included, by AVG_POOL2D, which counts no padding."""
    window, pads = op.window, list[int]()
    for axis in (1, 2):
        low, _ = window.padding[axis]
        reach = (shape(op.result)[axis] - 1) * window.strides[axis] + window.size[axis]
        pads += [low, reach - shape(op.operand)[axis] - low]
    image, kept = build.cropped(build[op.operand], pads)
    made = tosa.ConvWindow(kept, window.strides[1:3], (1, 1))
    return averaged(build, image, window.size[1:3], made, follows_of(op))
