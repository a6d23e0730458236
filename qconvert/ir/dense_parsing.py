"""The parsing of ``dense<..>`` text to numpy arrays: lists, one element for all, hex or nothing.

No Python object is made per byte.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AnyFloat, ComplexType, IndexType, IntegerType, Signedness

from qconvert.ir.types import Tensor, i64, numpy_dtype
from qconvert.support.errors import ConversionError

_CHUNK = 1 << 20
_PAIR = re.compile(r"\(\s*([^\s(),]+)\s*,\s*([^\s(),]+)\s*\)|([\[\],]|[^\s\[\],]+)")
_TOKEN = re.compile(r"[\[\],]|[^\s\[\],]+")
_HEX = re.compile(r"0[xX][0-9a-fA-F]+")
_INTEGER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|[0-9]+)")
_FLOAT = re.compile(r"-?[0-9]+(?:\.[0-9]*(?:[eE][-+]?[0-9]+)?)?")
_BOOLEANS = {"true": 1, "false": 0}
_MARKS = frozenset("[],")
_LONGEST = 64
_MOST_ELEMENTS = 1 << 59


class DenseError(ValueError):
    """An error in the text of a constant."""


def literal_array(text: str, type: Tensor) -> NDArray[np.generic]:
    """Return the array of a nested list, or of one element for all (then with stride 0); raises DenseError."""
    element = type.element_type
    if isinstance(element, ComplexType):
        return _complex_array(text, type, element)
    tokens = _TOKEN.findall(text)
    elements = [part for part in tokens if part not in _MARKS]
    if isinstance(element, AnyFloat):
        flat = _floats(elements, numpy_dtype(element))
    elif isinstance(element, IntegerType | IndexType):
        flat = _integers(elements, i64 if isinstance(element, IndexType) else element)
    else:
        raise DenseError(f"a constant's elements must be integers or floats, found {element}")
    return _nested(flat, tokens, tokens != elements, type)


def _nested(flat: NDArray[np.generic], tokens: list[str], is_list: bool, type: Tensor) -> NDArray[np.generic]:
    """Return the elements in the type's shape, which the lists have; one element outside a list stands for all."""
    if is_list:
        _check_lists(tokens, len(flat), type)
        return flat.reshape(type.get_shape())
    if len(flat) != 1:
        raise DenseError("a list of elements or one element is needed in dense<..>")
    return _filled(flat, type)


def _complex_array(text: str, type: Tensor, element: ComplexType) -> NDArray[np.generic]:
    """Return the array of complex numbers, which are pairs ``(real, imaginary)``."""
    found = _PAIR.findall(text)
    if any(mark and mark not in _MARKS for _, _, mark in found):
        raise DenseError("a complex number is written as (real, imaginary)")
    parts = [part for real, imaginary, mark in found if not mark for part in (real, imaginary)]
    flat = _floats(parts, numpy_dtype(element.element_type)).view(numpy_dtype(element))
    return _nested(flat, [mark or "e" for _, _, mark in found], any(mark for _, _, mark in found), type)


def check_count(type: Tensor) -> None:
    """Raise DenseError for a shape with more elements than even an array with stride 0 can have."""
    if math.prod(max(1, size) for size in type.get_shape()) > _MOST_ELEMENTS:
        raise DenseError(f"a tensor of shape {_short(str(list(type.get_shape())))} is too large for any memory")


def _filled(flat: NDArray[np.generic], type: Tensor) -> NDArray[np.generic]:
    """Return an array that repeats one element without copies."""
    return np.broadcast_to(flat.reshape(()), type.get_shape())


def _check_lists(tokens: list[str], count: int, type: Tensor) -> None:
    """Raise DenseError unless the lists are nested as the shape requires."""
    shape = type.get_shape()
    if count != math.prod(shape):
        raise DenseError(f"{count} elements for a constant of type {type}")
    # without elements no list needs a check, and an outer dimension may be huge
    if count and "".join(part if part in _MARKS else "e" for part in tokens) != _skeleton(shape):
        raise DenseError(f"the lists are not nested as {type} needs")


def _skeleton(shape: tuple[int, ...]) -> str:
    """Return the text of a list of this shape, with ``e`` for each element."""
    text = "e"
    for size in reversed(shape):
        text = f"[{','.join([text] * size)}]"
    return text


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _floats(elements: list[str], dtype: np.dtype[np.generic]) -> NDArray[np.generic]:
    """Return floats: decimal numbers are rounded to the type, hex digits are its bits, as MLIR writes inf and nan."""
    width = dtype.itemsize * 8
    values = np.zeros(len(elements), np.float64)
    bits: dict[int, int] = {}
    for i, text in enumerate(elements):
        if _FLOAT.fullmatch(text):
            values[i] = float(text)
        elif _HEX.fullmatch(text) and len(text) <= 20 and int(text, 16) < 1 << width:
            bits[i] = int(text, 16)
        else:
            raise DenseError(f"'{_short(text)}' is not a float of {width} bits")
    with np.errstate(over="ignore"):
        array: NDArray[np.generic] = values.astype(dtype)
    raw = array.view(np.dtype(f"u{dtype.itemsize}"))
    for i, pattern in bits.items():
        raw[i] = pattern
    return array


def _integers(elements: list[str], type: IntegerType) -> NDArray[np.generic]:
    """Return integers, checked for range; a signless type takes its signed and its unsigned range, as in MLIR."""
    width = type.width.data
    signedness = type.signedness.data
    dtype = numpy_dtype(type)
    low = 0 if signedness is Signedness.UNSIGNED else -(1 << (width - 1))
    high = (1 << (width - (signedness is Signedness.SIGNED))) - 1
    wide = [_integer(text, width) for text in elements]
    for text, value in zip(elements, wide, strict=True):
        if not low <= value <= high:
            raise DenseError(f"{_short(text)} does not fit {type}")
    if width == 1:
        return np.asarray([value != 0 for value in wide], np.bool_)
    if dtype.kind == "i":
        half = 1 << (width - 1)
        wide = [((value + half) & ((1 << width) - 1)) - half for value in wide]
    return np.asarray(wide, dtype)


def _integer(text: str, width: int) -> int:
    if text in _BOOLEANS and width == 1:
        return _BOOLEANS[text]
    if not _INTEGER.fullmatch(text) or len(text) > _LONGEST:
        raise DenseError(f"'{_short(text)}' is not an integer")
    return int(text, 16 if "x" in text.lower() else 10)


def hex_array(text: str, start: int, end: int, type: Tensor, *, splat: bool = True) -> NDArray[np.generic]:
    """Return the array of the hex digits ``text[start:end]``, row-major and little-endian; raises DenseError.

    With ``splat`` one element's worth of digits stands for all. Booleans have a byte each, or (older MLIR) a bit each.
    """
    if (end - start) % 2:
        raise DenseError("hex text has an odd number of digits")
    raw = np.empty((end - start) // 2, np.uint8)
    try:
        for at, piece in _pieces(text, start, end):
            raw[at : at + len(piece) // 2] = np.frombuffer(bytes.fromhex(piece), np.uint8)
    except ValueError as error:
        raise DenseError("hex text has a character that is not a hex digit") from error
    array = _typed(raw, type)
    if not splat and array.size and not any(array.strides) and array.size != 1:
        raise DenseError(f"1 element for a constant of type {type}")
    return array


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    for position in range(start, end, _CHUNK):
        yield (position - start) // 2, text[position : min(position + _CHUNK, end)]


def _typed(raw: NDArray[np.uint8], type: Tensor) -> NDArray[np.generic]:
    element, count = type.element_type, math.prod(type.get_shape())
    if not isinstance(element, AnyFloat | IntegerType | IndexType | ComplexType):
        raise DenseError(f"a constant's elements must be integers or floats, found {element}")
    dtype = numpy_dtype(element)
    if dtype == np.bool_:
        if raw.size not in (1, count) and raw.size == (count + 7) // 8:
            raw = np.unpackbits(raw, bitorder="little")[:count]
        return _shaped(raw != 0, type)
    size = 6 if element == IntegerType(48) else dtype.itemsize
    if raw.size % size:
        raise DenseError(f"{raw.size} bytes are not a whole number of elements of {element}")
    array: NDArray[np.generic] = raw.view(dtype) if size == dtype.itemsize else _widened(raw.reshape(-1, size))
    if isinstance(element, IntegerType) and element.width.data < 8:
        array = narrowed(raw, element)
    return _shaped(array, type)


def _shaped(flat: NDArray[np.generic], type: Tensor) -> NDArray[np.generic]:
    if flat.size == 1:
        return _filled(flat, type)
    if flat.size != math.prod(type.get_shape()):
        raise DenseError(f"{flat.size} elements for a constant of type {type}")
    return flat.reshape(type.get_shape())


def _widened(raw: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return signed integers of fewer than eight bytes, given as one row of bytes each."""
    missing = 8 - raw.shape[1]
    shifted = np.pad(raw, ((0, 0), (missing, 0))).reshape(-1).view(np.int64)
    return np.asarray(shifted >> (8 * missing), np.int64)


def narrowed(raw: NDArray[np.uint8], type: IntegerType) -> NDArray[np.generic]:
    """Return elements narrower than 8 bits from the low bits of one byte each; the high bits are ignored."""
    width = type.width.data
    low = np.asarray(raw & np.uint8((1 << width) - 1))
    if type.signedness.data is Signedness.UNSIGNED:
        return low
    half = np.int8(1 << (width - 1))
    return np.asarray((low.view(np.int8) ^ half) - half)


def checked_dtype(type: Tensor) -> None:
    """Raise DenseError if the IR does not compute with a constant's elements."""
    try:
        numpy_dtype(type.element_type)
    except ConversionError as error:
        raise DenseError(error.found) from error
