"""Random graphs full of transposes compute the same after the pass, and it comes to an end on all of them."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np
import pytest
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo.movement import TransposeOp
from qconvert.interpreter import evaluate
from qconvert.ir.types import f32, shape
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.passes.layout.sink_transposes import SinkTransposes
from qconvert.rewriting.base import run_passes
from tests.support.parameters import few

SHAPE = (1, 3, 2, 4)


class Graph:
    """A function of one argument, grown op by op; all values are small whole numbers, so that every sum is exact."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.block = Block(arg_types=[stablehlo.ConstantOp.of(np.zeros(SHAPE, np.float32), f32).output.type])
        self.build = OpBuilder()
        self.values: list[SSAValue] = [self.block.args[0]]

    def pick(self) -> SSAValue:
        return self.values[self.random.integers(max(0, len(self.values) - 4), len(self.values))]

    def constant(self, *sizes: int) -> SSAValue:
        return self.build.constant(self.random.integers(-2, 3, sizes).astype(np.float32), f32)

    def transpose(self) -> SSAValue:
        value = self.pick()
        return self.build.add(TransposeOp(value, [int(i) for i in self.random.permutation(len(shape(value)))]))

    def binary(self) -> SSAValue:
        value = self.pick()
        same = [other for other in self.values if shape(other) == shape(value)]
        choices = [*same, self.constant(*shape(value))]
        other = choices[self.random.integers(len(choices))]
        return self.build.add(stablehlo.MaximumOp(value, other))

    def broadcast(self) -> SSAValue:
        value = self.pick()
        axis = int(self.random.integers(len(shape(value))))
        other = self.build.add(stablehlo.BroadcastInDimOp(self.constant(shape(value)[axis]), shape(value), [axis]))
        return self.build.add(stablehlo.MinimumOp(other, value))

    def reshape(self) -> SSAValue:
        value = self.pick()
        sizes = list(shape(value))
        if len(sizes) > 2 and self.random.integers(3):
            i = int(self.random.integers(len(sizes) - 1))
            sizes[i : i + 2] = [sizes[i] * sizes[i + 1]]
        else:
            i = int(self.random.integers(len(sizes)))
            factor = 2 if sizes[i] % 2 == 0 else 1
            sizes[i : i + 1] = [factor, sizes[i] // factor]
        return self.build.add(stablehlo.ReshapeOp(value, sizes[:6] if prod(sizes[:6]) == prod(sizes) else shape(value)))

    def concatenate(self) -> SSAValue:
        value = self.pick()
        axis = int(self.random.integers(len(shape(value))))
        same = [other for other in self.values if shape(other) == shape(value)]
        if prod(shape(value)) > 100:
            return value
        return self.build.add(stablehlo.ConcatenateOp([value, same[self.random.integers(len(same))]], axis))

    def reduce(self) -> SSAValue:
        value = self.pick()
        if len(shape(value)) < 3:
            return value
        body = stablehlo.binary_body(stablehlo.MaximumOp, f32)
        axis = int(self.random.integers(len(shape(value))))
        return self.build.add(stablehlo.ReduceOp(value, self.build.filled(-9.0, f32), [axis], [body]))

    def pool(self) -> SSAValue:
        value = self.pick()
        sizes = [int(self.random.integers(1, size + 1)) for size in shape(value)]
        body = stablehlo.binary_body(stablehlo.MaximumOp, f32)
        window = stablehlo.Window.of(sizes, padding=[(int(size > 1), 0) for size in sizes])
        return self.build.add(stablehlo.ReduceWindowOp(value, self.build.filled(-9.0, f32), window, [body]))

    def product(self) -> SSAValue:
        value = self.pick()
        rank = len(shape(value))
        axis = int(self.random.integers(rank))
        numbers = stablehlo.DotDimensionNumbers(lhs_contracting_dimensions=(axis,), rhs_contracting_dimensions=(0,))
        dot = self.build.add(stablehlo.DotGeneralOp(value, self.constant(shape(value)[axis], 2), numbers))
        low, high = self.build.filled(-3.0, f32), self.build.filled(3.0, f32)
        return self.build.add(stablehlo.ClampOp(low, dot, high))

    def module(self, count: int) -> ModuleOp:
        kinds: list[Callable[[], SSAValue]] = [
            self.transpose, self.transpose, self.transpose, self.binary, self.broadcast, self.reshape, self.reshape,
            self.concatenate, self.reduce, self.pool, self.product,
        ]  # fmt: skip
        for _ in range(count):
            self.values.append(kinds[self.random.integers(len(kinds))]())
        results = self.values[-3:]
        self.block.add_ops([*self.build.ops, ReturnOp(*results)])
        type = FunctionType.from_lists([self.block.args[0].type], [value.type for value in results])
        return ModuleOp([FuncOp("main", type, Region(self.block))])


@pytest.mark.quick(16)
@pytest.mark.parametrize("seed", few(range(150), 50))
def test_random_graphs_keep_every_number(seed: int) -> None:
    module = Graph(seed).module(25)
    run_passes(module, [DeadCodeElimination()])
    (value,) = [np.random.default_rng(seed).integers(-3, 4, SHAPE).astype(np.float32)]
    expected = evaluate(module, [value])
    run_passes(module, [SinkTransposes(), DeadCodeElimination()])
    for before, after in zip(expected, evaluate(module, [value]), strict=True):
        np.testing.assert_array_equal(after, before)
