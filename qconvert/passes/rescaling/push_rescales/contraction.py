"""``convolution`` and ``dot_general``: scales of channels that are summed go into the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from qconvert import numerics
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo import ConvolutionOp, DotGeneralOp
from qconvert.ir import integer_type, shape
from qconvert.passes.rescaling.push_rescales.rules import RuleContext, pushes
from qconvert.passes.rescaling.push_rescales.scaled import (
    Reals,
    Scaled,
    along,
    centred,
    integers_for,
    one,
    scaled,
)
from qconvert.rewriting import Contraction, computed, converted, products_summed
from qconvert.support.errors import ConversionError

GUARD_BITS = 5
"""Additional bits of weights that contain the scales of channels.

The weights are then rounded to 1/32 of their own LSB.
"""

_WIDTHS = (8, 16, 32, 64)
_LARGEST_WEIGHT = 2.0**62


@dataclass(frozen=True)
class _Convolution:
    """The dimensions of a convolution with constant weights.

    ``summed`` are the dimensions of the activation along which scales can go into the weights. ``on_weights`` returns
    numbers along ``summed`` in an array that broadcasts against the weights. ``on_result`` returns numbers on the
    weights, summed for each output, in an array that broadcasts against the result. ``apart`` returns the result's
    unit, or None if an output sums operands of several units.
    """

    op: ConvolutionOp

    @property
    def summed(self) -> tuple[int, ...]:
        """The input feature dimension."""
        return (self.op.numbers.input_feature,)

    def on_weights(self, numbers: Reals) -> Reals:
        """Return numbers by input feature of an output's group, and by output."""
        numbers_, sizes = self.op.numbers, shape(self.op.rhs)
        inputs, outputs = sizes[numbers_.kernel_input_feature], sizes[numbers_.kernel_output_feature]
        grouped = np.broadcast_to(numbers.reshape(-1), self.op.groups * inputs).reshape(self.op.groups, inputs)
        table = np.repeat(grouped, outputs // self.op.groups, axis=0)
        axes = numbers_.kernel_output_feature, numbers_.kernel_input_feature
        wanted = [size if i in axes else 1 for i, size in enumerate(sizes)]
        return (table if axes[0] < axes[1] else table.T).reshape(wanted)

    def on_result(self, numbers: Reals) -> Reals:
        """Return one number for each output feature."""
        kept = self.op.numbers.kernel_output_feature
        sums = numbers.sum(axis=tuple(i for i in range(numbers.ndim) if i != kept))
        return self._outputs(sums)

    def _outputs(self, numbers: Reals) -> Reals:
        wanted = [1] * len(shape(self.op.result))
        wanted[self.op.numbers.output_feature] = -1
        return numbers.reshape(wanted)

    def apart(self, unit: Reals) -> Reals | None:
        """Return one unit for each output if the features of each group have one unit."""
        grouped = np.broadcast_to(unit.reshape(-1), shape(self.op.lhs)[self.summed[0]]).reshape(self.op.groups, -1)
        if (grouped != grouped[:, :1]).any():
            return None
        return self._outputs(
            np.repeat(grouped[:, 0], shape(self.op.result)[self.op.numbers.output_feature] // len(grouped))
        )


@dataclass(frozen=True)
class _Product:
    """The dimensions of a ``dot_general`` with constant weights, with the methods of :class:`_Convolution`."""

    op: DotGeneralOp

    @property
    def summed(self) -> tuple[int, ...]:
        """The contracting dimensions."""
        return self.op.numbers.lhs_contracting_dimensions

    def on_weights(self, numbers: Reals) -> Reals:
        """Return the numbers along the weights' contracting dimensions."""
        taken = self.op.numbers.rhs_contracting_dimensions
        moved = numbers.transpose([*self.summed, *(i for i in range(numbers.ndim) if i not in self.summed)])
        sizes = moved.shape[: len(taken)]
        order = np.argsort(taken)
        wanted = [1] * len(shape(self.op.rhs))
        for axis, size in zip(taken, sizes, strict=True):
            wanted[axis] = size
        return moved.reshape(sizes).transpose(order).reshape(wanted)

    def on_result(self, numbers: Reals) -> Reals:
        """Return numbers for batches and columns."""
        wanted = [1] * len(shape(self.op.result))
        dims, free = self.op.numbers, self.op.numbers.rhs_free(numbers.ndim)
        batch = dims.rhs_batching_dimensions
        sums = numbers.sum(axis=dims.rhs_contracting_dimensions, keepdims=True)
        kept = sums.transpose([*batch, *free, *dims.rhs_contracting_dimensions])
        places = [*range(len(batch)), *range(len(wanted) - len(free), len(wanted))]
        for place, size in zip(places, kept.shape, strict=False):
            wanted[place] = size
        return np.asarray(kept.reshape(wanted))

    def apart(self, unit: Reals) -> Reals | None:
        """Return the unit if there is only one."""
        return one(float(unit.flat[0]), len(shape(self.op.result))) if unit.size == 1 else None


_Layout: TypeAlias = _Convolution | _Product


@pushes(ConvolutionOp, DotGeneralOp)
def contract(op: Contraction, context: RuleContext) -> Scaled:
    """Return the contraction of values that were not rescaled, in integers that hold its sums."""
    lhs = centred(context.build, context.scaled(op.lhs))
    weights = context.constants.get(op.rhs)
    if weights is None:
        return _activations(op, context, lhs, centred(context.build, context.scaled(op.rhs)))
    layout = _Convolution(op) if isinstance(op, ConvolutionOp) else _Product(op)
    if set(along(lhs.unit)) - set(layout.summed):
        raise ConversionError("its operand has several scales along a dimension that it does not sum")
    ends = _summed_range(lhs, layout.summed)
    unit, array = _folded(layout, lhs.unit, np.maximum(-ends[0], ends[1]), np.broadcast_to(weights, shape(op.rhs)))
    norm = layout.on_result(np.abs(array).astype(np.float64))
    integers_for([lhs.reach * float(norm.max(initial=0))], 64)  # the bound without knowledge of single channels
    low, high = _sums(layout, array, *ends)
    reaches = [lhs.reach, float(np.abs(array).max(initial=0)), float(-low.min(initial=0)), float(high.max(initial=0))]
    element = integers_for(reaches, context.widest)
    operands = [converted(context.build, lhs.value, element), _narrow_constant(context.build, array, element)]
    return scaled(computed(context.build, op, operands, element), unit, 0, (low, high), lhs.limits)


def _summed_range(lhs: Scaled, summed: tuple[int, ...]) -> tuple[Reals, Reals]:
    """Return bounds of the operand along the summed dimensions; they include 0 for padding."""
    others = tuple(i for i in range(lhs.low.ndim) if i not in summed)
    low, high = lhs.low.min(axis=others, keepdims=True), lhs.high.max(axis=others, keepdims=True)
    return np.minimum(low, 0), np.maximum(high, 0)


def _sums(layout: _Layout, array: NDArray[np.int64], low: Reals, high: Reals) -> tuple[Reals, Reals]:
    """Return bounds of each output's sum, and of each partial sum."""
    low, high = layout.on_weights(low), layout.on_weights(high)
    positive, negative = np.maximum(array, 0).astype(np.float64), np.minimum(array, 0).astype(np.float64)
    return layout.on_result(positive * low + negative * high), layout.on_result(positive * high + negative * low)


def _folded(
    layout: _Layout, unit: Reals, reach: Reals, weights: NDArray[np.integer[Any]]
) -> tuple[Reals, NDArray[np.int64]]:
    """Return the result's unit, and weights that scale operands of several units to it."""
    apart = layout.apart(unit)
    if apart is not None:
        return apart, weights.astype(np.int64)
    farthest = float(reach.max())
    finest = np.ldexp(float((reach * unit).max()) / farthest if farthest else float(unit.max()), -GUARD_BITS)
    real = weights * layout.on_weights(unit) / finest
    if np.abs(real).max(initial=0) >= _LARGEST_WEIGHT:
        raise ConversionError("the scales of its operand's channels are too far apart for its weights")
    rank = layout.on_result(np.zeros((1,) * weights.ndim)).ndim
    return one(float(finest), rank), numerics.nearest_integers(real)


def _narrow_constant(build: OpBuilder, array: NDArray[np.int64], element: IntegerType) -> SSAValue:
    """Return weights as ``element``, held in a constant of the fewest bits."""
    largest = max(int(array.max(initial=0)), -int(array.min(initial=0)) - 1)
    width = next(width for width in _WIDTHS if largest < 1 << (width - 1))
    narrow = integer_type(width, signed=True)
    return converted(build, build.constant(array.astype(f"int{width}"), narrow), element)


def _activations(op: Contraction, context: RuleContext, lhs: Scaled, rhs: Scaled) -> Scaled:
    """Return the product of two computed operands, each with a single unit."""
    if lhs.unit.size > 1 or rhs.unit.size > 1:
        raise ConversionError("its operands have several scales, and neither is constant")
    rank = len(shape(op.result))
    reach = lhs.reach * rhs.reach * products_summed(op)
    element = integers_for([lhs.reach, rhs.reach, reach], context.widest)
    operands = [converted(context.build, given.value, element) for given in (lhs, rhs)]
    unit = one(float(lhs.unit.flat[0] * rhs.unit.flat[0]), rank)
    value = computed(context.build, op, operands, element)
    return Scaled(value, unit, 0, one(-reach, rank), one(reach, rank))
