"""Results of ops on late constants, computed a window at a time, so that neither operands nor floats are held whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.traits import Elementwise
from qconvert.interpreter import evaluate_op
from qconvert.ir import (
    Held,
    LateArray,
    UniformQuantizedType,
    element_type,
    flipped,
    numpy_dtype,
    quantized,
    reshaped,
    shape,
    tensor_type,
    transposed,
)

_ELEMENTS = 1 << 20
"""The number of elements that are computed at once."""

Window: TypeAlias = Callable[[int, int, int], NDArray[Any]]
"""A function that returns the elements of a range along an axis."""


def moved(op: Operation, held: LateArray) -> Held | None:
    """Return what an op makes of a constant by moving elements, None for another op."""
    if isinstance(op, stablehlo.TransposeOp):
        return transposed(held, stablehlo.permutation_of(op))
    if isinstance(op, stablehlo.ReshapeOp):
        return reshaped(held, shape(op.result))
    if isinstance(op, stablehlo.ReverseOp):
        return flipped(held, stablehlo.as_tuple(op.dimensions))
    return None


def window_of(value: SSAValue) -> Window | None:
    """Return a function of parts of a known value's elements, which does not need the module.

    None for values that are not computed element by element, and for types with scales of blocks.
    """
    owner, element = value.owner, quantized(value)
    if not isinstance(owner, Operation) or not prod(shape(value)) or (element is not None and element.is_sub_channel):
        return None
    if isinstance(owner, stablehlo.ConstantOp):
        return _of_array(owner.held)
    if isinstance(owner, stablehlo.BroadcastInDimOp):
        known = _in_memory(owner.operand)
        return None if known is None else _of_array(evaluate_op(owner, [known])[0])
    return _computed(owner) if owner.has_trait(Elementwise) and not owner.regions else None


def _computed(op: Operation) -> Window | None:
    """Return a function of parts of an elementwise op's result, None if it needs an operand as a whole."""
    whole = shape(op.results[0])
    scalars = [None if shape(operand) else _in_memory(operand) for operand in op.operands]
    windows = [window_of(operand) if shape(operand) == whole else None for operand in op.operands]
    if any(scalar is None and window is None for scalar, window in zip(scalars, windows, strict=True)) or not whole:
        return None
    part_of, dtype = _Part.of(op), numpy_dtype(element_type(op.results[0]))

    def compute(axis: int, start: int, stop: int) -> NDArray[Any]:
        operands = [
            window(axis, start, stop) if window is not None else scalar
            for window, scalar in zip(windows, scalars, strict=True)
        ]
        return evaluate_op(part_of(axis, start, stop), [array for array in operands if array is not None])[0]

    def window(axis: int, start: int, stop: int) -> NDArray[Any]:
        step = max(1, _ELEMENTS * whole[axis] // prod(whole))
        if stop - start <= step:
            return compute(axis, start, stop)
        sizes = (*whole[:axis], stop - start, *whole[axis + 1 :])
        made = np.empty(sizes, dtype)
        for at in range(start, stop, step):
            end = min(at + step, stop)
            made[(slice(None),) * axis + (slice(at - start, end - start),)] = compute(axis, at, end)
        return made

    return window


def _in_memory(value: SSAValue) -> NDArray[Any] | None:
    """Return the elements of a constant in memory, None for other values."""
    held = stablehlo.held_elements(value)
    return None if isinstance(held, LateArray) else held


def _of_array(held: Held) -> Window | None:
    if isinstance(held, LateArray):
        return held.part
    return lambda axis, start, stop: held[(slice(None),) * axis + (slice(start, stop),)]


class _Part(NamedTuple):
    """An elementwise op, of which a part along an axis can be made; it uses no value of the module."""

    op: Operation

    @classmethod
    def of(cls, op: Operation) -> _Part:
        """Return an op apart from its module."""
        block = Block(arg_types=op.operand_types)
        return cls(op.clone(dict(zip(op.operands, block.args, strict=True))))

    def __call__(self, axis: int, start: int, stop: int) -> Operation:
        """Return the op on a range of its operands."""
        op = self.op
        block = Block(arg_types=[_cut(type, axis, start, stop) for type in op.operand_types])
        results = [_cut(type, axis, start, stop) for type in op.result_types]
        made = self.op.__class__.create(
            operands=block.args, result_types=results, properties=op.properties, attributes=op.attributes
        )
        made.location = op.location
        return made


def _cut(type: Attribute, axis: int, start: int, stop: int) -> Attribute:
    """Return the type of a range along an axis; a scalar keeps its type."""
    assert isinstance(type, TensorType)
    sizes, element = type.get_shape(), type.element_type
    if not sizes:
        return type
    if isinstance(element, UniformQuantizedType) and element.quantization_dimension == axis:
        data = element.data
        cut = replace(data, scales=data.scales[start:stop], zero_points=data.zero_points[start:stop])
        element = UniformQuantizedType(cut)
    return tensor_type(element, (*sizes[:axis], stop - start, *sizes[axis + 1 :]))
