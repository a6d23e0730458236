"""Trial runs that observe the ranges of values at ``quant.stats_ref`` ops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp

from qconvert.dialects.quant_ops import StatisticsRefOp, slice_count
from qconvert.interpreter.core import dequantize, main_function
from qconvert.interpreter.implementation import Array
from qconvert.interpreter.program import evaluate
from qconvert.ir import tensor
from qconvert.support.errors import ConversionError


@dataclass(frozen=True)
class ObservedRange:
    """The smallest and largest real value observed, and the range of each slice if an ``axis`` is given.

    ``slices`` has a (minimum, maximum) for each element of the dimensions from ``axis`` on, in row-major order.
    """

    minimum: float
    maximum: float
    axis: int | None = None
    slices: tuple[tuple[float, float], ...] = ()

    def union(self, other: ObservedRange) -> ObservedRange:
        """Return the range of both.

        Raises ConversionError if their slices differ in axis or number.
        """
        if (self.axis, len(self.slices)) != (other.axis, len(other.slices)):
            raise ConversionError(
                f"cannot merge ranges of {len(self.slices)} slices at axis {self.axis} "
                f"and {len(other.slices)} slices at axis {other.axis}"
            )
        pairs = zip(self.slices, other.slices, strict=True)
        return ObservedRange(
            min(self.minimum, other.minimum),
            max(self.maximum, other.maximum),
            self.axis,
            tuple((min(a[0], b[0]), max(a[1], b[1])) for a, b in pairs),
        )


def observe_ranges(
    module: ModuleOp, samples: Iterable[Sequence[Array]], axes: Mapping[str, int] | None = None
) -> dict[str, ObservedRange]:
    """Evaluate ``@main`` on samples and return the range for each key of its ``quant.stats_ref`` ops.

    A sample has the arguments of @main in order; quantized values count as the reals that they represent. ``axes``
    gives the axis of keys whose slices have ranges of their own. All uses of a key share its range. A key with only
    empty tensors has no range. Raises ConversionError for an axis that a tensor does not have and for values that are
    not finite.
    """
    observed: dict[str, ObservedRange] = {}
    trial, refs = _trial(module)
    for inputs in samples:
        for ref, values in zip(refs, evaluate(trial, inputs), strict=True):
            key = ref.key.data
            found = _range_of(ref, dequantize(values, tensor(ref.arg)), (axes or {}).get(key))
            if found is not None:
                observed[key] = observed[key].union(found) if key in observed else found
    return observed


def _trial(module: ModuleOp) -> tuple[ModuleOp, list[StatisticsRefOp]]:
    """Return a copy of a module whose @main returns the operands of its ``stats_ref`` ops, and these ops."""
    trial = module.clone()
    block = main_function(trial).body.block
    refs = [op for op in block.ops if isinstance(op, StatisticsRefOp)]
    if block.last_op is not None:
        block.erase_op(block.last_op)
    block.add_op(ReturnOp(*(ref.arg for ref in refs)))
    return trial, refs


def _range_of(ref: StatisticsRefOp, values: Array, axis: int | None) -> ObservedRange | None:
    """Return the range of one value in one run; None for an empty tensor."""
    key = ref.key.data
    if axis is not None and not 0 <= axis < values.ndim:
        raise ConversionError(f"key '{key}': axis {axis} is out of range for rank {values.ndim}")
    if not values.size:
        return None
    if not np.isfinite(values).all():
        raise ConversionError(f"key '{key}': a value is infinite or not a number, so that the tensor has no range")
    minimum, maximum = float(values.min()), float(values.max())
    if axis is None:
        return ObservedRange(minimum, maximum)
    rows = values.reshape(-1, slice_count(values.shape, axis))
    slices = zip(rows.min(axis=0).astype(float), rows.max(axis=0).astype(float), strict=True)
    return ObservedRange(minimum, maximum, axis, tuple((float(low), float(high)) for low, high in slices))
