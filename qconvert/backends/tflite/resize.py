"""RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR."""

from __future__ import annotations

import numpy as np
import tflite

from qconvert.backends.tflite.gathered import nearest_options
from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width, emits
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.composite import Coordinates
from qconvert.ir import element_type, shape
from qconvert.rewriting import inverse, is_identity, only_user

_CORNERS = {
    Coordinates.ALIGN_CORNERS: (True, False),
    Coordinates.HALF_PIXEL: (False, True),
    Coordinates.PYTORCH_HALF_PIXEL: (False, True),
    Coordinates.ASYMMETRIC: (False, False),
}
"""The options AlignCorners and HalfPixelCenters."""


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
    image = write.transpose(write.requantized(write[op.operand], element_type(op.result)), order)
    output = write.result(op.result)
    made = output if is_identity(order) else write.derived(output, "resized", [output.shape[i] for i in order])
    inputs = [image, write.integers(made.shape[1:3], "sizes")]
    version = 3 if options.fields["HalfPixelCenters"] else by_width(made, 2, 4)
    write.operator(tflite.BuiltinOperator.RESIZE_BILINEAR, inputs, made, options, version=version)
    return made if made is output else write.transpose(made, inverse(order), output)


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
