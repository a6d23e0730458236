"""Fake quantization in float arithmetic, as training frameworks export it, rewritten to quantize and dequantize."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.interpreter import evaluate_op
from qconvert.ir import (
    ARITHMETIC,
    ONNX_ARITHMETIC,
    Storage,
    UniformQuantizedType,
    element_type,
    f32,
    is_float,
    numpy_dtype,
)
from qconvert.rewriting import Pass, PassResult, builder_before, erase_dead, replace

_WIDTHS = (8, 16)
_SAME = 2.0**-22
"""Largest relative difference between a scale and the inverse of the reciprocal in the model: two roundings of f32."""


@dataclass(frozen=True)
class _FakeQuantization:
    """The parts of a fake quantization: its input, scales, zero points, bounds and order of rounding.

    A constant ``source`` is already divided by the scale, because importers fold the division.
    """

    source: SSAValue | NDArray[Any]
    scale: NDArray[Any]
    zero_point: NDArray[Any]
    bounds: tuple[float, float]
    adds_before_rounding: bool


class RaiseFakeQuant(Pass):
    """Replace the arithmetic of fake quantization by quantize and dequantize ops.

    ::

        x ── / s ── round ── + zp ── clamp ── - zp ── * s

        x ── uniform_quantize ── q ── uniform_dequantize

    The zero point may be missing. It may be added before the rounding (StableHLO's order) or after it (ONNX's order).
    The division may be a multiplication by ``1 / s``. There is one scale, or one for each slice of a dimension. The
    bounds are integers that 8 or 16 bits hold.
    """

    name = "raise-fake-quant"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every multiplication, because fake quantization ends with one."""
        changed = False
        for op in [op for op in module.walk() if isinstance(op, stablehlo.MultiplyOp)]:
            found = _fake_quantization(op)
            element = None if found is None else _element(found)
            if found is None or element is None:
                continue
            build = builder_before(op)
            replace(op, build.add(stablehlo.UniformDequantizeOp(_quantized(build, found, element), f32)))
            changed = True
        if changed:
            erase_dead(list(module.walk()))
        return PassResult(changed)


def _quantized(build: OpBuilder, found: _FakeQuantization, element: UniformQuantizedType) -> SSAValue:
    """Return the quantized values: computed, or a constant for a constant source."""
    source = found.source
    if isinstance(source, SSAValue):
        quantize = stablehlo.UniformQuantizeOp(source, element)
        if not found.adds_before_rounding:
            quantize.attributes[ARITHMETIC] = ONNX_ARITHMETIC
        return build.add(quantize)
    formula = numerics.quantize_stablehlo if found.adds_before_rounding else numerics.quantize_onnx
    zero_points = element.broadcast(element.zero_points, source.shape)
    low, high = element.storage.minimum, element.storage.maximum
    return build.constant(formula(source, 1.0, zero_points, low, high, numpy_dtype(element)), element)


def _constant(value: SSAValue) -> NDArray[Any] | None:
    """Return a constant's elements, broadcast to the value's shape; None for a computed value."""
    owner = value.owner
    if isinstance(owner, stablehlo.ConstantOp):
        return owner.array
    if not isinstance(owner, stablehlo.BroadcastInDimOp):
        return None
    inner = _constant(owner.operand)
    return None if inner is None else evaluate_op(owner, [inner])[0]


def _by_constant(value: SSAValue, *kinds: type[Operation]) -> tuple[SSAValue, NDArray[Any], Operation] | None:
    """Return the other operand and the constant of an op of the given kinds, and the op.

    In sums and products the constant may come first.
    """
    op = value.owner
    if not isinstance(op, kinds):
        return None
    lhs, rhs = op.operands
    constant = _constant(rhs)
    if constant is not None:
        return lhs, numerics.unrepeated(constant), op
    swapped = _constant(lhs) if isinstance(op, stablehlo.AddOp | stablehlo.MultiplyOp) else None
    return None if swapped is None else (rhs, numerics.unrepeated(swapped), op)


def _offset(value: SSAValue, kind: type[Operation], other: type[Operation]) -> tuple[SSAValue, NDArray[Any]]:
    """Return an operand and the constant that ``kind`` adds to it and ``other`` subtracts; 0 without such an op."""
    found = _by_constant(value, kind, other)
    if found is None:
        return value, np.zeros((), np.float32)
    inner, constant, op = found
    return inner, constant if isinstance(op, kind) else -constant


def _fake_quantization(op: stablehlo.BinaryOp) -> _FakeQuantization | None:
    """Return the parts of a fake quantization that ends with ``op``; None if it is something else."""
    scaled = _by_constant(op.result, stablehlo.MultiplyOp)
    if scaled is None or not is_float(element_type(op.result)) or not scaled[1].size:
        return None
    value, taken = _offset(scaled[0], stablehlo.SubtractOp, stablehlo.AddOp)
    bounded = _bounds(value)
    if bounded is None:
        return None
    value, added = _offset(bounded[0], stablehlo.AddOp, stablehlo.SubtractOp)
    if not isinstance(value.owner, stablehlo.RoundNearestEvenOp):
        return None
    value, before = _offset(value.owner.operand, stablehlo.AddOp, stablehlo.SubtractOp)
    steps = _constant(value)
    source = _quotient(value, scaled[1]) if steps is None else steps
    zero_point = before if before.any() else added
    both = before.any() and added.any()
    if source is None or both or not bool(np.all(zero_point == taken)):
        return None
    return _FakeQuantization(source, scaled[1], np.asarray(taken), bounded[1], bool(before.any()))


def _quotient(value: SSAValue, scale: NDArray[Any]) -> SSAValue | None:
    """Return the value that is divided by the scale, or multiplied with its reciprocal."""
    found = _by_constant(value, stablehlo.DivideOp, stablehlo.MultiplyOp)
    if found is None:
        return None
    source, constant, op = found
    with np.errstate(all="ignore"):  # a ratio that is not finite is not a scale
        divisor = constant if isinstance(op, stablehlo.DivideOp) else 1 / constant.astype(np.float64)
        ratio = np.divide(*np.broadcast_arrays(divisor, scale.astype(np.float64)))
    return source if np.abs(ratio - 1).max() <= _SAME else None


def _bounds(value: SSAValue) -> tuple[SSAValue, tuple[float, float]] | None:
    """Return the operand of a clamp with its lower and upper bound."""
    op = value.owner
    if isinstance(op, stablehlo.ClampOp):
        ends = [_constant(end) for end in (op.operands[0], op.operands[2])]
        held = [numerics.unrepeated(end) for end in ends if end is not None and end.size]
        if len(held) < 2 or any(end.min() != end.max() for end in held):
            return None
        low, high = (float(end.flat[0]) for end in held)
        return op.operands[1], (low, high)
    return None


def _element(found: _FakeQuantization) -> UniformQuantizedType | None:
    """Return the quantized type; None if the parameters are not valid for a type."""
    low, high = found.bounds
    storage = _storage(low, high)
    scales, axis = _along_one(found.scale)
    zero_points = np.broadcast_to(_along_one(found.zero_point)[0], scales.shape)
    usable = bool((np.isfinite(scales) & (scales > 0)).all() and (zero_points == np.trunc(zero_points)).all())
    if storage is None or axis is None or not usable or found.scale.dtype != np.float32:
        return None
    if zero_points.min() < storage.minimum or zero_points.max() > storage.maximum:
        return None
    if scales.size == 1:
        return UniformQuantizedType.per_tensor(storage, float(scales[0]), int(zero_points[0]))
    return UniformQuantizedType.per_axis(storage, scales, zero_points.astype(np.int64), axis)


def _storage(low: float, high: float) -> Storage | None:
    """Return the narrowest of 8 and 16 bits that holds the integers between two bounds."""
    if not low < high or low != np.trunc(low) or high != np.trunc(high):
        return None
    for width in _WIDTHS:
        for signed in (True, False):
            least, most = Storage.limits(width, signed=signed)
            if least <= low and high <= most:
                return Storage(width, signed, int(low), int(high))
    return None


def _along_one(array: NDArray[Any]) -> tuple[NDArray[Any], int | None]:
    """Return the values along the only dimension in which an array varies, and the dimension (0 if none)."""
    varying = [i for i in range(array.ndim) if array.shape[i] > 1 and _varies(array, i)]
    if len(varying) > 1:
        return array.reshape(-1)[:1], None
    index: tuple[Any, ...] = tuple(slice(None) if i in varying else 0 for i in range(array.ndim))
    return np.atleast_1d(array[index]), varying[0] if varying else 0


def _varies(array: NDArray[Any], axis: int) -> bool:
    return bool((array != np.take(array, [0], axis)).any())
