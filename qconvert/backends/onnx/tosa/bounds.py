"""Bounds of integers, by which a rescale knows whether it stays in 64 bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from qconvert.backends.onnx.lowering import Writer
from qconvert.dialects import tosa
from qconvert.dialects.tosa.quantization import parameter_array
from qconvert.ir import Held, element_type, is_float, shape, slabs_of

_STEPS = 6
"""Number of ops in a row whose bounds are followed; before them a value has the bounds of its type."""


def reach(value: SSAValue, write: Writer, steps: int = _STEPS) -> int:
    """Return a bound of the magnitude of a value's integers, from the ops that make them or from their type."""
    element = element_type(value)
    assert isinstance(element, IntegerType)
    most: int = write.reaches.get(value, 1 << (element.width.data - 1))
    known = parameter_array(value)
    if known is not None:
        return _largest(known)
    owner = value.owner
    rule = _REACHES.get(type(owner)) if isinstance(owner, Operation) else None
    if rule is None or not steps:
        return most
    found: int = min(most, rule(owner, lambda operand: reach(operand, write, steps - 1)))
    return found


Known = Callable[[SSAValue], int]


def _largest(array: NDArray[Any]) -> int:
    """Return the largest magnitude of integers."""
    return max(abs(int(array.max(initial=0))), abs(int(array.min(initial=0))))


def _centred(value: SSAValue, zero_point: SSAValue, of: Known) -> int:
    return of(value) + of(zero_point)


def _of_convolution(op: tosa.ConvolutionOp | tosa.TransposeConv2DOp, of: Known) -> int:
    """Return the largest factor times the number of products, or times the sums of the constant weights."""
    weight, zero_point = parameter_array(op.weight), parameter_array(op.weight_zp)
    outputs = (2, 3) if isinstance(op, tosa.DepthwiseConv2DOp) else (0,)
    if weight is None or zero_point is None:
        count = int(np.prod([size for i, size in enumerate(shape(op.weight)) if i not in outputs]))
        total = count * _centred(op.weight, op.weight_zp, of)
    else:
        total = of_weights(weight, int(zero_point.item()), outputs)
    return total * _centred(op.input, op.input_zp, of) + of(op.bias)


def of_weights(weights: Held, zero_point: int, outputs: tuple[int, ...]) -> int:
    """Return the largest sum of magnitudes of an output's weights minus their zero point."""
    others = tuple(i for i in range(weights.ndim) if i not in outputs)
    sums = (np.abs(slab.astype(np.int64) - zero_point).sum(axis=others) for slab in slabs_of(weights, outputs[0]))
    return max((int(found.max(initial=0)) for found in sums), default=0)


def _of_product(op: tosa.MatMulOp, of: Known) -> int:
    return shape(op.a)[2] * _centred(op.a, op.a_zp, of) * _centred(op.b, op.b_zp, of)


def _of_mul(op: tosa.MulOp, of: Known) -> int:
    return of(op.input1) * of(op.input2)


def _of_sum(op: tosa.BinaryOp, of: Known) -> int:
    return of(op.input1) + of(op.input2)


def _of_total(op: tosa.ReduceSumOp, of: Known) -> int:
    return shape(op.input)[op.axis.value.data] * of(op.input)


def _of_operand(op: Operation, of: Known) -> int:
    """Return the bound of the first operand; floats have none."""
    element = element_type(op.operands[0])
    return 1 << 62 if is_float(element) else of(op.operands[0])


def _of_rescale(op: tosa.RescaleOp, of: Known) -> int:
    """Return the operand's bound times the largest factor, for integers with a sign."""
    multiplier, shift = (parameter_array(value) for value in (op.multiplier, op.shift))
    if multiplier is None or shift is None or tosa.is_set(op.input_unsigned):
        return 1 << 62
    factors = multiplier.astype(np.float64) / np.ldexp(1.0, shift.astype(np.int32))
    return int(_centred(op.input, op.input_zp, of) * float(factors.max(initial=0))) + 2 + of(op.output_zp)


_REACHES: dict[type[Operation], Callable[[Any, Known], int]] = {
    tosa.AbsOp: _of_operand,
    tosa.AddOp: _of_sum,
    tosa.CastOp: _of_operand,
    tosa.Conv2DOp: _of_convolution,
    tosa.Conv3DOp: _of_convolution,
    tosa.DepthwiseConv2DOp: _of_convolution,
    tosa.GatherOp: _of_operand,
    tosa.MatMulOp: _of_product,
    tosa.MulOp: _of_mul,
    tosa.ReduceMaxOp: _of_operand,
    tosa.ReduceSumOp: _of_total,
    tosa.RescaleOp: _of_rescale,
    tosa.ReshapeOp: _of_operand,
    tosa.SliceOp: _of_operand,
    tosa.SubOp: _of_sum,
    tosa.TransposeConv2DOp: _of_convolution,
    tosa.TransposeOp: _of_operand,
}
"""The bounds of results from bounds of operands."""
