"""Checks that verifiers of several dialects share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from qconvert.ir import (
    CalibratedQuantizedType,
    Tensor,
    UniformQuantizedType,
    described,
    expressed,
    is_float,
    numpy_dtype,
    tensor,
)
from qconvert.numerics import largest_finite
from qconvert.support.errors import ConversionError


def check(condition: bool, constraint: str, message: str, *found: object) -> None:
    """Raise VerifyException naming the specification's constraint, such as ``dot_general (C14)``, unless it holds.

    ``found`` fills the message's ``{}``. Give types there and not in an f-string: the text of a per-axis type takes
    longer than all checks together.
    """
    if not condition:
        shown = [described(each) if isinstance(each, Attribute) else each for each in found]
        raise VerifyException(f"{constraint}: {message.format(*shown) if found else message}")


def check_quantized(name: str, type: Tensor) -> None:
    """Check a type's scales, axis or blocks, against the tensor's shape, too; raises VerifyException."""
    element, shape = type.element_type, type.get_shape()
    if isinstance(element, CalibratedQuantizedType) and element.data.quantization_dimension is not None:
        _check_slices(name, shape, element.data.quantization_dimension, len(element.data.slices))
    if not isinstance(element, UniformQuantizedType):
        return
    _check_range(name, element)
    if element.is_sub_channel:
        _check_blocks(name, shape, element)
    if element.quantization_dimension is None:
        return
    axis = element.quantization_dimension
    if not 0 <= axis < len(shape):
        raise VerifyException(f"{name}: quantized type (C12): dimension {axis} of a tensor of rank {len(shape)}")
    count = len(element.data.scales)
    if shape[axis] != count:
        raise VerifyException(f"{name}: quantized type (C13): {count} scales for a dimension of size {shape[axis]}")


def _check_range(name: str, element: UniformQuantizedType) -> None:
    """Check that the expressed type holds the least and the largest scale (C4)."""
    expressed_type = element.expressed_type
    dtype = numpy_dtype(expressed_type)
    for scale in element.data.scale_range:
        if scale > largest_finite(dtype) or not np.float64(scale).astype(dtype):
            raise VerifyException(f"{name}: quantized type (C4): scale {scale} is out of the range of {expressed_type}")


def _check_slices(name: str, shape: Sequence[int], axis: int, count: int) -> None:
    """Check that there is a range for each element of a dimension."""
    if axis >= len(shape):
        raise VerifyException(f"{name}: calibrated type: dimension {axis} of a tensor of rank {len(shape)}")
    if shape[axis] != count:
        raise VerifyException(f"{name}: calibrated type: {count} ranges for a dimension of size {shape[axis]}")


def _check_blocks(name: str, shape: Sequence[int], element: UniformQuantizedType) -> None:
    """Check that blocks tile the tensor, with a scale each; a dimension without a block size is one block."""
    for dimension, size in element.data.block_sizes:
        if dimension >= len(shape) or size < 1 or shape[dimension] % size:
            raise VerifyException(f"{name}: blocks of {size} do not divide dimension {dimension} of {list(shape)}")
    sizes = dict(element.data.block_sizes)
    expected = tuple(extent // sizes[i] if i in sizes else 1 for i, extent in enumerate(shape))
    if element.data.block_shape != expected:
        raise VerifyException(f"{name}: {element.data.block_shape} scales, but the number of blocks is {expected}")


def check_dimensions(dimensions: Sequence[int], rank: int) -> None:
    """Raise ConversionError unless the dimensions are different ones of a tensor of that rank."""
    if len(set(dimensions)) != len(dimensions) or not all(0 <= i < rank for i in dimensions):
        raise ConversionError(f"{list(dimensions)} are not different dimensions of a tensor of rank {rank}")


def check_sizes(rank: int, *lists: Sequence[object]) -> None:
    """Raise ConversionError unless each list has one entry for every dimension."""
    for values in lists:
        if len(values) != rank:
            raise ConversionError(f"{len(values)} entries for a tensor of rank {rank}")


def check_expressed(name: str, values: Sequence[SSAValue]) -> None:
    """Check that values, quantized or not, stand for values of one type; raises VerifyException."""
    types = [tensor(value).element_type for value in values]
    first = expressed(types[0])
    if any(expressed(type) != first for type in types[1:]):
        raise VerifyException(f"{name}: element types {', '.join(map(str, types))} do not go together")


def check_real(name: str, values: Sequence[SSAValue]) -> None:
    """Check that values, quantized or not, stand for floats of one type; raises VerifyException."""
    check_expressed(name, values)
    element = tensor(values[0]).element_type
    check(is_float(expressed(element)), name, "floats or quantized values are needed, found {}", element)


def check_broadcasts(name: str, given: SSAValue, value: SSAValue) -> None:
    """Check that a value broadcasts to another one's shape, trailing dimensions aligned; raises VerifyException."""
    sizes, full = tensor(given).get_shape(), tensor(value).get_shape()
    pairs = zip(reversed(sizes), reversed(full), strict=False)
    if len(sizes) > len(full) or not all(size in (1, extent) for size, extent in pairs):
        raise VerifyException(f"{name}: {given.type} does not broadcast to {value.type}")
