"""Sums of 8- and 16-bit integers over several dimensions, which are REDUCE_SUMs in a row."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import IntegerType, ModuleOp

from qconvert.dialects import tosa
from qconvert.dialects.tosa.quantization import is_set
from qconvert.ir import element_type, i32, is_float, shape
from qconvert.rewriting import PassResult, Refusal, only_user, refuse
from qconvert.rewriting.rescales import power_of_two


class Sum(NamedTuple):
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


def visit_sums(module: ModuleOp, rewrite: Callable[[Sum], bool]) -> PassResult:
    """Call ``rewrite``, which returns True if it changes ops, with every sum of integers by several REDUCE_SUMs."""
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
            changed |= rewrite(found)
    return PassResult(changed, tuple(refusals))


def _row(op: tosa.ReduceSumOp) -> tuple[tosa.ReduceSumOp, ...]:
    """Return an op and the REDUCE_SUMs that sum its sums alone."""
    ops = [op]
    while isinstance(user := only_user(ops[-1].output), tosa.ReduceSumOp):
        ops.append(user)
    return tuple(ops)


def _sum(ops: tuple[tosa.ReduceSumOp, ...]) -> Sum | str:
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
        return "its partial sums may exceed 32 bits"
    long = [size for size in inside if size != 1]
    height, width = long if len(long) == 2 else (1, prod(long))
    return Sum(ops, (prod(sizes[: axes[0]]), height, width, prod(sizes[axes[-1] + 1 :])), source, power)
