"""``convolution`` and ``dot_general``: scales of channels that are summed go into the weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from qconvert import numerics
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo import ConvolutionOp, DotGeneralOp
from qconvert.ir.types import integer_type, shape
from qconvert.passes.rescaling.push_rescales.rules import Site, pushes
from qconvert.passes.rescaling.push_rescales.scaled import (
    Reals,
    Scaled,
    along,
    centred,
    integers_for,
    one,
    scaled,
    widened,
)
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale.rules import computed
from qconvert.rewriting.accumulation import Contraction, products_summed
from qconvert.support.errors import ConversionError

GUARD_BITS = 5
"""Bits that weights have more where they take the scales of channels.

What is rounded then is half a 32nd of the weights' own step, counted in the integers that a rescale would have given.
"""

_WIDTHS = (8, 16, 32, 64)
_LARGEST_WEIGHT = 2.0**62


class _Layout(ABC):
    """Where the dimensions of a contraction with constant weights are."""

    @property
    @abstractmethod
    def summed(self) -> tuple[int, ...]:
        """The dimensions of the activation along which scales can go into the weights."""

    @abstractmethod
    def on_weights(self, numbers: Reals) -> Reals:
        """Numbers along ``summed`` in an array that broadcasts against the weights."""

    @abstractmethod
    def on_result(self, numbers: Reals) -> Reals:
        """Numbers on the weights, summed up for each output, in an array that broadcasts against the result."""

    @abstractmethod
    def apart(self, unit: Reals) -> Reals | None:
        """The result's unit, where no output sums operands of several units."""


@dataclass(frozen=True)
class _Convolution(_Layout):
    op: ConvolutionOp

    @property
    def summed(self) -> tuple[int, ...]:
        """The input features."""
        return (self.op.numbers.input_feature,)

    def on_weights(self, numbers: Reals) -> Reals:
        """Input features of an output's group by outputs."""
        numbers_, sizes = self.op.numbers, shape(self.op.rhs)
        inputs, outputs = sizes[numbers_.kernel_input_feature], sizes[numbers_.kernel_output_feature]
        grouped = np.broadcast_to(numbers.reshape(-1), self.op.groups * inputs).reshape(self.op.groups, inputs)
        table = np.repeat(grouped, outputs // self.op.groups, axis=0)
        axes = numbers_.kernel_output_feature, numbers_.kernel_input_feature
        wanted = [size if i in axes else 1 for i, size in enumerate(sizes)]
        return (table if axes[0] < axes[1] else table.T).reshape(wanted)

    def on_result(self, numbers: Reals) -> Reals:
        """One number for each output feature."""
        kept = self.op.numbers.kernel_output_feature
        sums = numbers.sum(axis=tuple(i for i in range(numbers.ndim) if i != kept))
        return self._outputs(sums)

    def _outputs(self, numbers: Reals) -> Reals:
        wanted = [1] * len(shape(self.op.result))
        wanted[self.op.numbers.output_feature] = -1
        return numbers.reshape(wanted)

    def apart(self, unit: Reals) -> Reals | None:
        """One for each output, where the features of a group have one unit."""
        grouped = np.broadcast_to(unit.reshape(-1), shape(self.op.lhs)[self.summed[0]]).reshape(self.op.groups, -1)
        if (grouped != grouped[:, :1]).any():
            return None
        return self._outputs(
            np.repeat(grouped[:, 0], shape(self.op.result)[self.op.numbers.output_feature] // len(grouped))
        )


@dataclass(frozen=True)
class _Product(_Layout):
    op: DotGeneralOp

    @property
    def summed(self) -> tuple[int, ...]:
        """The contracting dimensions."""
        return self.op.numbers.lhs_contracting_dimensions

    def on_weights(self, numbers: Reals) -> Reals:
        """The numbers where the weights have the same contracting dimensions."""
        taken = self.op.numbers.rhs_contracting_dimensions
        moved = numbers.transpose([*self.summed, *(i for i in range(numbers.ndim) if i not in self.summed)])
        sizes = moved.shape[: len(taken)]
        order = np.argsort(taken)
        wanted = [1] * len(shape(self.op.rhs))
        for axis, size in zip(taken, sizes, strict=True):
            wanted[axis] = size
        return moved.reshape(sizes).transpose(order).reshape(wanted)

    def on_result(self, numbers: Reals) -> Reals:
        """Numbers for batches and columns."""
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
        """One unit for all."""
        return one(float(unit.flat[0]), len(shape(self.op.result))) if unit.size == 1 else None


@pushes(ConvolutionOp, DotGeneralOp)
def contract(op: Contraction, site: Site) -> Scaled:
    """The contraction of what was not rescaled, in integers that hold its sums."""
    lhs = centred(site.build, site.scaled(op.lhs))
    weights = site.constants.get(op.rhs)
    if weights is None:
        return _activations(op, site, lhs, centred(site.build, site.scaled(op.rhs)))
    layout = _Convolution(op) if isinstance(op, ConvolutionOp) else _Product(op)
    if set(along(lhs.unit)) - set(layout.summed):
        raise ConversionError("its operand's scales vary along what it does not sum")
    ends = _summed_range(lhs, layout.summed)
    unit, array = _folded(layout, lhs.unit, np.maximum(-ends[0], ends[1]), np.broadcast_to(weights, shape(op.rhs)))
    norm = layout.on_result(np.abs(array).astype(np.float64))
    integers_for([lhs.reach * float(norm.max(initial=0))], 64)  # what those can prove who know no channels
    low, high = _sums(layout, array, *ends)
    reaches = [lhs.reach, float(np.abs(array).max(initial=0)), float(-low.min(initial=0)), float(high.max(initial=0))]
    element = integers_for(reaches, site.widest)
    operands = [widened(site.build, lhs.value, element), _narrow_constant(site.build, array, element)]
    return scaled(computed(site.build, op, operands, element), unit, 0, (low, high), lhs.limits)


def _summed_range(lhs: Scaled, summed: tuple[int, ...]) -> tuple[Reals, Reals]:
    """Bounds of the operand along what is summed, with the 0 of padding."""
    others = tuple(i for i in range(lhs.low.ndim) if i not in summed)
    low, high = lhs.low.min(axis=others, keepdims=True), lhs.high.max(axis=others, keepdims=True)
    return np.minimum(low, 0), np.maximum(high, 0)


def _sums(layout: _Layout, array: NDArray[np.int64], low: Reals, high: Reals) -> tuple[Reals, Reals]:
    """Bounds of each output's sum, and of each sum on the way to it."""
    low, high = layout.on_weights(low), layout.on_weights(high)
    positive, negative = np.maximum(array, 0).astype(np.float64), np.minimum(array, 0).astype(np.float64)
    return layout.on_result(positive * low + negative * high), layout.on_result(positive * high + negative * low)


def _folded(
    layout: _Layout, unit: Reals, reach: Reals, weights: NDArray[np.integer[Any]]
) -> tuple[Reals, NDArray[np.int64]]:
    """The result's unit, and weights that bring operands of several units to it."""
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
    """Weights held in the fewest bits, as ``element``."""
    largest = max(int(array.max(initial=0)), -int(array.min(initial=0)) - 1)
    width = next(width for width in _WIDTHS if largest < 1 << (width - 1))
    held = integer_type(width, signed=True)
    return widened(build, build.constant(array.astype(f"int{width}"), held), element)


def _activations(op: Contraction, site: Site, lhs: Scaled, rhs: Scaled) -> Scaled:
    """A product of two computed operands, of one unit each."""
    if lhs.unit.size > 1 or rhs.unit.size > 1:
        raise ConversionError("its operands have several scales, and neither is constant")
    rank = len(shape(op.result))
    reach = lhs.reach * rhs.reach * products_summed(op)
    element = integers_for([lhs.reach, rhs.reach, reach], site.widest)
    operands = [widened(site.build, given.value, element) for given in (lhs, rhs)]
    unit = one(float(lhs.unit.flat[0] * rhs.unit.flat[0]), rank)
    value = computed(site.build, op, operands, element)
    return Scaled(value, unit, 0, one(-reach, rank), one(reach, rank))
