"""Values that follow from shapes, and operators that change nothing at run time."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, numpy_helper

from tests.graphs.network import Drawing, MisfitError, Raw, Shape, number
from tests.graphs.operators.registry import operator


@operator("shape")
def by_its_size(net: Drawing, x: str, shape: Shape) -> str:
    """A product with the number of elements, or with the size of a dimension."""
    if shape and net.chance(0.6):
        at = net.number(0, len(shape) - 1)
        [count] = net.add("Shape", [x], quantized=False, start=at, end=at + 1)
    else:
        [count] = net.add("Size", [x], quantized=False)
    [count] = net.add("CastLike", [count, x], quantized=False)
    [share] = net.add("Div", [x, count])
    return share


@operator("shape")
def filled(net: Drawing, x: str, shape: Shape) -> str:
    """A sum with ConstantOfShape of the value's own shape."""
    [sizes] = net.add("Shape", [x], quantized=False)
    value = numpy_helper.from_array(np.asarray([0.3], np.float32))
    [constant] = net.add("ConstantOfShape", [sizes], quantized=False, results=[("real", shape)], value=value)
    return net.add("Add", [x, constant])[0]


@operator("shape")
def counted(net: Drawing, x: str, shape: Shape) -> str:
    """A sum with Range, as positions are added."""
    if not shape:
        raise MisfitError
    bounds = [Raw(np.asarray(bound, np.int64)) for bound in (0, shape[-1], 1)]
    [positions] = net.add("Range", bounds, quantized=False)
    [positions] = net.add("Cast", [positions], quantized=False, to=TensorProto.FLOAT)
    return net.add("Add", [x, positions])[0]


@operator("shape")
def with_constant(net: Drawing, x: str, shape: Shape) -> str:
    """A product with a Constant node."""
    value = numpy_helper.from_array(net.normal(*shape[-1:]))
    [constant] = net.add("Constant", [], quantized=False, value=value)
    return net.add("Mul", [x, constant])[0]


@operator("shape")
def dropped(net: Drawing, x: str, shape: Shape) -> str:
    """Dropout, which passes everything on when it does not train."""
    return net.add("Dropout", [x, number(0.5)] if net.chance(0.5) else [x], keeps=net.chance(0.8))[0]
