"""LiteRT's QUANTIZE of floats in explicit operators: the float32 quotient, halves away from zero.

::

    x ── Div scale ── q        |q| ── Floor ── n         n + (|q| - n >= 0.5), the sign of q
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from onnx import TensorProto, helper

from qconvert.backends.onnx.lowering import ComputedTensor, ConstantTensor, Layout, Tensor, Writer
from qconvert.dialects import stablehlo
from qconvert.ir import UniformQuantizedType, numpy_dtype, quantized_element
from qconvert.passes.rescaling.tabulate import quantizes_as_litert


def quantized_as_litert(op: stablehlo.UniformQuantizeOp, write: Writer) -> Tensor | None:
    """Write LiteRT's QUANTIZE of floats if exact rounding is asked for; return None for any other op."""
    if write.forms is None or not quantizes_as_litert(op):
        return None
    real, element = write.real(op.operand), quantized_element(op.result)
    if isinstance(real, ConstantTensor):
        return None
    scale = _parameter(element, element.scales, "scale", real.layout, write)
    rounded = _half_away(write.node("Div", [real.name, scale]), op, write)
    if not element.has_zero_zero_point:
        zero_point = _parameter(element, element.zero_points, "zero_point", real.layout, write)
        rounded = write.node("Add", [rounded, zero_point])
    bounds = [write.scalar(bound, op.operand, "bound") for bound in (element.storage.minimum, element.storage.maximum)]
    clipped = write.node("Clip", [rounded, *bounds])
    kind = helper.np_dtype_to_tensor_dtype(numpy_dtype(element))
    name = write.node("Cast", [clipped], output=write.tensor_name(op.result), to=kind)
    write.litert_ops += 1
    return ComputedTensor(name, real.layout, stored=True, repeated=real.repeated)


def _half_away(quotient: str, op: stablehlo.UniformQuantizeOp, write: Writer) -> str:
    """Write the nearest integer; the rest of a magnitude is exact, so that no half is made or lost."""
    size = write.node("Abs", [quotient])
    whole = write.node("Floor", [size])
    rest = write.node("Sub", [size, whole])
    is_up = write.node("Not", [write.node("Less", [rest, write.scalar(0.5, op.operand, "half")])])
    up = write.node("Add", [whole, write.node("Cast", [is_up], to=TensorProto.FLOAT)])
    return write.node("Mul", [up, write.node("Sign", [quotient])])


def _parameter(element: UniformQuantizedType, values: ArrayLike, role: str, layout: Layout, write: Writer) -> str:
    """Return an initializer of float32 with one number, or one for each slice, that broadcasts against the tensor."""
    array = np.asarray(element.broadcast(np.asarray(values), (1,) * len(layout)), np.float32)
    return write.initializer(array.transpose(layout) if array.ndim else array, role)
