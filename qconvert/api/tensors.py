"""Tensors as ``inspect`` describes them: shape, element type, scales and zero points, size in memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ComplexType,
    IntegerType,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.ir import TENSOR, UniformQuantizedType, complex_part, tensor
from qconvert.numerics import unrepeated


@dataclass(frozen=True)
class TensorInfo:
    """A tensor: its name in the source if that is known, its shape with None for an open size, and its elements.

    ``element`` is the type in memory: ``i8``, ``ui8``, ``f32``. A quantized tensor has one scale and zero point, or one
    for each slice along ``axis``; where blocks of elements have their own, the smallest and the largest. Other tensors
    have no scale. ``bytes`` is the size in memory, None for an open shape: elements of less than a byte are packed, and
    those that a constant repeats count once.
    """

    name: str | None
    shape: tuple[int | None, ...]
    element: str
    scales: tuple[float, ...] = ()
    zero_points: tuple[int, ...] = ()
    axis: int | None = None
    bytes: int | None = None

    def __str__(self) -> str:
        sizes = "x".join("?" if size is None else str(size) for size in self.shape)
        return f"{sizes} {self.element}".lstrip()

    @property
    def scale(self) -> str:
        """The scale for a table: the smallest and the largest of several; empty for a tensor without one."""
        return " to ".join(dict.fromkeys(f"{scale:.6g}" for scale in _ends(self.scales)))

    @property
    def zero_point(self) -> str:
        """The zero point for a table: the smallest and the largest of several; empty for a tensor without one."""
        return " to ".join(dict.fromkeys(map(str, _ends(self.zero_points))))


_Number = TypeVar("_Number", int, float)


def _ends(numbers: Sequence[_Number]) -> tuple[_Number, ...]:
    """Return the smallest and the largest number, nothing for no numbers; blocks may have millions of them."""
    array = np.asarray(numbers)
    return (array.min().item(), array.max().item()) if array.size else ()


def describe_tensor(value: SSAValue, name: str | None = None) -> TensorInfo:
    """Return the description of a value; a value that is no tensor (a token, a tuple) has its type and no size.

    ``name`` replaces the name that the op of the value has for it.
    """
    if not isinstance(value.type, TensorType):
        return TensorInfo(name, (), str(value.type))
    element: Attribute = value.type.element_type
    sizes = value.type.get_shape()
    tag = value.owner.attributes.get(TENSOR) if isinstance(value.owner, Operation) else None
    found = TensorInfo(
        name or (tag.data if isinstance(tag, StringAttr) else None),
        tuple(None if size == DYNAMIC_INDEX else size for size in sizes),
        str(element.data.storage if isinstance(element, UniformQuantizedType) else element),
        bytes=None if DYNAMIC_INDEX in sizes else (_elements(value) * _bits(element) + 7) // 8,
    )
    if not isinstance(element, UniformQuantizedType):
        return found
    of = element.data
    return replace(
        found,
        scales=_ends(of.scales) if of.block_sizes else tuple(of.scales),
        zero_points=_ends(of.zero_points) if of.block_sizes else tuple(of.zero_points),
        axis=of.quantization_dimension,
    )


def is_weight(op: Operation | Block) -> bool:
    """Return True if a value's owner is a constant of tensors."""
    return isinstance(op, stablehlo.ConstantOp | tosa.ConstOp)


def _elements(value: SSAValue) -> int:
    """Return the number of elements in memory; a constant that repeats elements needs each once."""
    held = value.owner.held if isinstance(value.owner, stablehlo.ConstantOp | tosa.ConstOp) else None
    return unrepeated(held).size if isinstance(held, np.ndarray) else math.prod(tensor(value).get_shape())


def _bits(element: Attribute) -> int:
    """Return the width of an element in memory; truth values take a byte, others (an index) a machine word."""
    if isinstance(element, UniformQuantizedType):
        return element.storage.width
    if isinstance(element, ComplexType):
        return 2 * _bits(complex_part(element))
    if isinstance(element, IntegerType):
        return 8 if element.width.data == 1 else element.width.data
    return int(element.size * 8) if isinstance(element, AnyFloat) else 64
