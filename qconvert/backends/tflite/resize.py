"""RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR."""

from __future__ import annotations

import numpy as np
import tflite
from xdsl.ir import Attribute

from qconvert.backends.tflite.gathered import nearest_options
from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width, emits
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.composite import Coordinates
from qconvert.expansion.registry import follows_litert
from qconvert.ir import Storage, UniformQuantizedType, element_type, f32, quantized, shape
from qconvert.rewriting import inverse, is_identity, only_user

_CORNERS = {
    Coordinates.ALIGN_CORNERS: (True, False),
    Coordinates.HALF_PIXEL: (False, True),
    Coordinates.PYTORCH_HALF_PIXEL: (False, True),
    Coordinates.ASYMMETRIC: (False, False),
}
"""The options AlignCorners and HalfPixelCenters."""

_WIDE = Storage.full(16, signed=True)


def resize_options(op: composite.ResizeOp) -> Options | None:
    """Return the options of RESIZE_BILINEAR, None for positions that LiteRT does not compute."""
    axes, sizes, target = stablehlo.as_tuple(op.axes), shape(op.operand), shape(op.result)
    mode, flags = op.coordinates.data, _CORNERS.get(op.coordinates.data)
    if flags is None or len(sizes) != 4 or len(axes) > 2:
        return None
    divides = all(
        np.float32(factor) == np.float32(target[axis] / sizes[axis])
        for axis, factor in zip(axes, op.factors, strict=True)
    )
    if mode is not Coordinates.ALIGN_CORNERS and not divides:
        return None
    if mode is Coordinates.PYTORCH_HALF_PIXEL and any(target[axis] == 1 for axis in axes):
        return None
    return Options("ResizeBilinearOptions", {"AlignCorners": flags[0], "HalfPixelCenters": flags[1]})


@emits(composite.ResizeOp)
def resize(op: composite.ResizeOp, write: Writer) -> Tensor:
    """Write RESIZE_BILINEAR of images with their two dimensions in the middle."""
    options, axes = resize_options(op), list(stablehlo.as_tuple(op.axes))
    assert options is not None
    others = [i for i in range(4) if i not in axes]
    while len(axes) < 2:
        axes.append(others.pop(1))
    order = (others[0], *sorted(axes), others[1])
    output, element = write.result(op.result), _interpolated(op)
    image = write.transpose(_as(write[op.operand], element, write), order)
    is_direct = is_identity(order) and element == output.element
    made = output if is_direct else write.derived(output, "resized", [output.shape[i] for i in order], element)
    inputs = [image, write.integers(made.shape[1:3], "sizes")]
    version = 3 if options.fields["HalfPixelCenters"] else by_width(made, 2, 4)
    write.operator(tflite.BuiltinOperator.RESIZE_BILINEAR, inputs, made, options, version=version)
    if is_direct:
        return made
    if element == output.element:
        return write.transpose(made, inverse(order), output)
    return write.requantized(write.transpose(made, inverse(order)), output.element, output)


def _as(tensor: Tensor, element: Attribute, write: Writer) -> Tensor:
    if element == f32 and tensor.quantization is not None:
        return write.dequantized(tensor, write.derived(tensor, "dequantized", tensor.shape, f32))
    return write.requantized(tensor, element)


def _interpolated(op: composite.ResizeOp) -> Attribute:
    """Return the type that is interpolated, from which the result is requantized if its scale is another.

    It holds all values of the operand, which may lie outside the result's range; 8 bits get 7 more bits of precision.
    LiteRT's kernels of integers round the distance of two positions to 10 bits; where that moves positions, floats are
    interpolated, unless the source is LiteRT's.
    """
    given, result = element_type(op.operand), element_type(op.result)
    element = quantized(op.operand)
    if element is None or follows_litert(op):
        return given
    if not _has_exact_steps(op):
        return f32
    if given == result or element.storage.width > 8 or not element.is_per_tensor:
        return given
    return UniformQuantizedType.per_tensor(_WIDE, element.scale * 2.0**-7)


_POSITION_BITS = 10
"""Bits behind the point of positions in LiteRT's kernels of integers."""


def _has_exact_steps(op: composite.ResizeOp) -> bool:
    """Return True if the distance of two positions has no more bits than LiteRT's kernels of integers keep."""
    sizes, target = shape(op.operand), shape(op.result)
    is_aligned = op.coordinates.data is Coordinates.ALIGN_CORNERS
    bits = _POSITION_BITS - int(_CORNERS[op.coordinates.data][1])  # half pixels take half of a distance
    for axis in stablehlo.as_tuple(op.axes):
        aligned = is_aligned and target[axis] > 1
        numerator, denominator = (size - 1 if aligned else size for size in (sizes[axis], target[axis]))
        if (numerator << bits) % denominator:
            return False
    return True


def nearest(op: stablehlo.GatherOp, write: Writer) -> Tensor | None:
    """Write RESIZE_NEAREST_NEIGHBOR for one or two gathers that enlarge an image as it does, else return None."""
    after = only_user(op.result)
    both = [op, after] if isinstance(after, stablehlo.GatherOp) and after.operand is op.result else [op]
    for ops in (both, [op]):
        fields = nearest_options(ops)
        if fields is not None:
            output, options = write.result(ops[-1].result), Options("ResizeNearestNeighborOptions", fields)
            inputs = [write[op.operand], write.integers(output.shape[1:3], "sizes")]
            version = 3 if any(fields.values()) else by_width(output, 2, 4)
            write.operator(tflite.BuiltinOperator.RESIZE_NEAREST_NEIGHBOR, inputs, output, options, version=version)
            write.define(ops[-1].result, output)
            return output
    return None
