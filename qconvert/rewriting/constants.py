"""Constants: found behind other ops, read, and converted to other quantized types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Block, Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo.base import permuted_axis
from qconvert.interpreter import evaluate_op
from qconvert.ir import (
    Held,
    LateArray,
    UniformQuantizedType,
    array_of,
    combined,
    computed,
    element_type,
    first_long,
    is_one_element,
    numpy_dtype,
    quantized,
    shape,
    transposed,
)
from qconvert.rewriting.windows import moved, window_of


def constant_of(value: SSAValue) -> stablehlo.ConstantOp | None:
    """Return the op of a constant; None if the value is not a constant."""
    return value.owner if isinstance(value.owner, stablehlo.ConstantOp) else None


def is_known(value: SSAValue) -> bool:
    """Return whether a value is a constant, possibly behind a dequantize or a broadcast. Nothing is computed."""
    owner = value.owner
    if isinstance(owner, stablehlo.UniformDequantizeOp | stablehlo.BroadcastInDimOp):
        return is_known(owner.operand)
    return isinstance(owner, stablehlo.ConstantOp)


def known_array(value: SSAValue) -> NDArray[Any] | None:
    """Return the elements of a constant, also behind a dequantize or a broadcast; None for any other value.

    Broadcast elements are not copied.
    """
    owner = value.owner
    if isinstance(owner, stablehlo.ConstantOp):
        return owner.array
    if isinstance(owner, stablehlo.UniformDequantizeOp | stablehlo.BroadcastInDimOp):
        inner = known_array(owner.operand)
        return None if inner is None else evaluate_op(owner, [inner])[0]
    return None


def known_result(op: Operation) -> Held:
    """Return the elements of the result of an op on known values: late if a constant behind its operands is late."""
    makers = [_maker(operand) for operand in op.operands]
    late = next((held for operand in op.operands if isinstance(held := _held_behind(operand), LateArray)), None)
    if late is None:
        return evaluate_op(op, [make() for make in makers])[0]
    arranged = moved(op, late) if constant_of(op.operands[0]) is not None else None
    if arranged is not None:
        return arranged
    apart, result = _apart(op), op.results[0]
    sizes, window = shape(result), window_of(result)

    def make() -> NDArray[Any]:
        if window is not None:
            return window(first_long(sizes), 0, sizes[first_long(sizes)])
        return evaluate_op(apart, [of_operand() for of_operand in makers])[0]

    return LateArray(sizes, numpy_dtype(element_type(result)), make, late.recent, window)


def _apart(op: Operation) -> Operation:
    """Return a copy of an op that uses no value of the module, so that the module can change."""
    block = Block(arg_types=op.operand_types)
    return op.clone(dict(zip(op.operands, block.args, strict=True)))


def _maker(value: SSAValue) -> Callable[[], NDArray[Any]]:
    """Return a function of the elements of a known value, which does not need the module."""
    owner = value.owner
    if isinstance(owner, stablehlo.ConstantOp):
        held = owner.held
        return lambda: array_of(held)
    assert isinstance(owner, Operation)
    inner, apart = _maker(owner.operands[0]), _apart(owner)
    return lambda: evaluate_op(apart, [inner()])[0]


def _held_behind(value: SSAValue) -> Held:
    owner = value.owner
    if isinstance(owner, stablehlo.ConstantOp):
        return owner.held
    assert isinstance(owner, Operation)
    return _held_behind(owner.operands[0])


def splat(value: SSAValue) -> float | None:
    """Return the number that all elements of a constant have, behind any broadcast; None if they differ.

    The constant must not be quantized.
    """
    owner = value.owner
    if isinstance(owner, stablehlo.BroadcastInDimOp):
        return splat(owner.operand)
    if not isinstance(owner, stablehlo.ConstantOp) or quantized(value) is not None or owner.held.size == 0:
        return None
    array: NDArray[Any] = owner.array
    if array.size > 1 and any(array.strides) and not (array == array.flat[0]).all():
        return None
    return float(array.flat[0])


def transposed_constant(constant: stablehlo.ConstantOp, permutation: Sequence[int]) -> stablehlo.ConstantOp:
    """Return a detached constant in another order of dimensions, without the name of the source's tensor."""
    element = permuted_axis(element_type(constant.output), permutation)
    return stablehlo.ConstantOp.of(transposed(constant.held, permutation), element)


def shifted_constant(
    constant: stablehlo.ConstantOp, source: UniformQuantizedType, element: UniformQuantizedType
) -> stablehlo.ConstantOp:
    """Return a detached constant of the same real values in a type of the same scales.

    The integers change by the difference of the zero points.

    The new integers must fit the new storage. A splat stays a single element.
    """
    held, dtype = constant.held, numpy_dtype(element)
    shifts = element.zero_points - source.zero_points

    def shifted(array: NDArray[Any], along: NDArray[Any]) -> NDArray[Any]:
        # Sums wrap in the new type. The result is right if it fits, as each step is exact modulo the type's range.
        moved = np.asarray(array.astype(dtype))
        return np.asarray(moved + along.astype(dtype)) if shifts.any() else moved

    if source.is_per_tensor and is_one_element(held):
        one = shifted(array_of(held)[(slice(0, 1),) * held.ndim], shifts.reshape(()))
        made = stablehlo.ConstantOp.of(np.broadcast_to(one, held.shape), element)
    elif source.is_sub_channel:
        whole = computed(held, lambda array: shifted(array, element.broadcast(shifts, array.shape)), dtype)
        made = stablehlo.ConstantOp.of(whole, element)
    else:
        along = element.broadcast(shifts, held.shape)
        made = stablehlo.ConstantOp.of(
            combined(held, along.reshape(along.shape or (1,) * held.ndim), shifted, dtype), element
        )
    made.attributes.update(constant.attributes)
    made.location = constant.location
    return made
