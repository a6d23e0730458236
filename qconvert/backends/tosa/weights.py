"""The elements of constants as TOSA's flatbuffers hold them, and modules without them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from math import prod

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import IsTerminator

from qconvert.backends.flatbuffer import LARGEST
from qconvert.dialects import stablehlo, tosa
from qconvert.ir import (
    ElementsAttr,
    Held,
    LateArray,
    byte_pieces,
    describe,
    numpy_dtype,
    packed_pieces,
    shape,
    windows_of,
)
from qconvert.support.errors import ConversionError

ALIGNMENT = 8
"""``force_align`` of all data in the schema. The sizes of data are multiples of it, too."""

_SHOWN_BYTES = 1 << 14
"""The largest constant whose elements stay in a module without weights."""

_NARROW, _WIDE = 4, 48
_LEAST_INT4 = -7


def check_size(module: ModuleOp) -> None:
    """Raise ConversionError if a module's constants are more than a flatbuffer holds. Nothing is read."""
    check_limit(sum(file_size(op.values) for op in module.walk() if isinstance(op, tosa.ConstOp)))


def check_source(module: ModuleOp) -> None:
    """Raise ConversionError if the weights of a module to convert are more than a flatbuffer holds. Nothing is read.

    Half a byte is counted for each element of a constant that is multiplied by computed values for an output, behind
    ops that keep the number of elements.
    """
    constants = [op for op in module.walk() if isinstance(op, stablehlo.ConstantOp)]
    if sum(op.held.size for op in constants) // 2 <= LARGEST:
        return
    products, sizes = _products(module), dict[Hashable, int]()
    for op in constants:
        if _is_multiplied(op.output, products):
            origin = op.held.origin if isinstance(op.held, LateArray) else None
            sizes[id(op.value.data) if origin is None else origin] = op.held.size // 2
    check_limit(sum(sizes.values()), "more than ")


def _products(module: ModuleOp) -> set[Operation]:
    """Return the contractions of a module that depend on an argument and that an output depends on."""
    ops, fixed, needed = list(module.walk()), set[SSAValue](), set[SSAValue]()
    for op in ops:
        if not op.regions and fixed.issuperset(op.operands):
            fixed.update(op.results)
    found = set[Operation]()
    for op in reversed(ops):
        if op.regions or op.has_trait(IsTerminator) or not needed.isdisjoint(op.results):
            needed.update(op.operands)
            if isinstance(op, stablehlo.ContractionOp) and fixed.isdisjoint(op.results):
                found.add(op)
    return found


def _is_multiplied(value: SSAValue, products: set[Operation]) -> bool:
    """Return True if one of these contractions takes a value, itself or behind ops that keep the number of elements."""
    users = [use.operation for use in value.uses]
    kept = [op.results[0] for op in users if len(op.operands) == 1 and len(op.results) == 1]
    return not products.isdisjoint(users) or any(
        prod(shape(result)) == prod(shape(value)) and _is_multiplied(result, products)
        for result in kept
        if isinstance(result.type, TensorType)
    )


def check_limit(size: int, least: str = "") -> None:
    """Raise ConversionError for a file of more bytes than a flatbuffer holds."""
    if size > LARGEST:
        raise ConversionError(
            f"the .tosa file would have {least}{size:,} bytes, a flatbuffer has at most {LARGEST:,} (2 GiB)",
            hint="Write TOSA's text (.tosa.mlir), which has no limit",
        )


def without_weights(module: ModuleOp) -> ModuleOp:
    """Return a copy of a module that is valid if the module is: each large constant is one number everywhere.

    The type and the shape of a constant are checked when it is made, its integers of 4 bits by :func:`check_int4`.
    """
    copy = module.clone()
    for op in copy.walk():
        if isinstance(op, tosa.ConstOp) and op.held.nbytes > _SHOWN_BYTES:
            op.properties["values"] = _splat(op.values)
    return copy


def _splat(values: ElementsAttr) -> ElementsAttr:
    """Return the first element everywhere, which may be a shift, of which none is 0; 0 for a late array."""
    held, element = values.held, values.type.element_type
    one = held.flat[:1].reshape(()) if isinstance(held, np.ndarray) else np.zeros((), numpy_dtype(element))
    return ElementsAttr.of(np.broadcast_to(one, held.shape), element)


def _width(element: Attribute) -> int:
    return element.width.data if isinstance(element, IntegerType) else 0


def _size(values: ElementsAttr) -> int:
    """Return the number of bytes of a constant's elements."""
    count, width = values.held.size, _width(values.type.element_type)
    if width == _NARROW:
        return -(-count // 2)
    return count * _WIDE // 8 if width == _WIDE else values.held.nbytes


def file_size(values: ElementsAttr) -> int:
    """Return the number of bytes of a constant in a file."""
    return -(-_size(values) // ALIGNMENT) * ALIGNMENT


def file_pieces(values: ElementsAttr) -> Iterator[memoryview]:
    """Yield a constant's bytes: two integers of 4 bits share a byte, those of 48 bits take six; zeros fill up."""
    width = _width(values.type.element_type)
    if width == _NARROW:
        yield from packed_pieces(values.held, _NARROW)
    elif width == _WIDE:
        yield from _low_bytes(values.held)
    else:
        yield from byte_pieces(values.held)
    yield memoryview(bytes(-_size(values) % ALIGNMENT))


def _low_bytes(held: Held) -> Iterator[memoryview]:
    for window in windows_of(held):
        yield (
            np.asarray(window.view(np.uint8).reshape(-1, window.itemsize)[:, : _WIDE // 8], order="C").reshape(-1).data
        )


def check_int4(op: tosa.ConstOp) -> None:
    """Raise ConversionError for -8 in a constant of 4 bits: TOSA specification 1.0, "Number formats"."""
    if _width(op.values.type.element_type) != _NARROW:
        return
    if any((window < _LEAST_INT4).any() for window in windows_of(op.held)):
        raise ConversionError("the integer -8 is in a constant of 4 bits, TOSA's begin at -7", node=describe(op))
