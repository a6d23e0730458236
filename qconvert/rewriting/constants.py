"""Constants: found behind other ops, read, and converted to other quantized types."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.interpreter import evaluate_op
from qconvert.ir import UniformQuantizedType, numpy_dtype, quantized


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


def splat(value: SSAValue) -> float | None:
    """Return the number that all elements of a constant have, behind any broadcast; None if they differ.

    The constant must not be quantized.
    """
    owner = value.owner
    if isinstance(owner, stablehlo.BroadcastInDimOp):
        return splat(owner.operand)
    if not isinstance(owner, stablehlo.ConstantOp) or quantized(value) is not None or owner.array.size == 0:
        return None
    array: NDArray[Any] = owner.array
    if array.size > 1 and any(array.strides) and not (array == array.flat[0]).all():
        return None
    return float(array.flat[0])


def shifted_constant(
    constant: stablehlo.ConstantOp, source: UniformQuantizedType, element: UniformQuantizedType
) -> stablehlo.ConstantOp:
    """Return a detached constant of the same real values in a type of the same scales.

    The integers change by the difference of the zero points.

    The new integers must fit the new storage. A splat stays a single element.
    """
    array, dtype = constant.array, numpy_dtype(element)
    is_splat = source.is_per_tensor and array.size > 0 and not any(array.strides)
    work = array[(slice(0, 1),) * array.ndim] if is_splat else array
    # Sums wrap in the new type. The result is right if it fits, because each step is exact modulo the type's range.
    moved = np.asarray(work.astype(dtype))
    shifts = element.zero_points - source.zero_points
    if shifts.any():
        moved = np.asarray(moved + element.broadcast(shifts, array.shape).astype(dtype))
    made = stablehlo.ConstantOp.of(np.broadcast_to(moved, array.shape) if is_splat else moved, element)
    made.attributes.update(constant.attributes)
    made.location = constant.location
    return made
