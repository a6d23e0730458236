"""The text of constants as MLIR writes it: one element, a list, or hex in chunks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import TextIOWrapper

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AnyFloat, ComplexType, IntegerType
from xdsl.ir import Attribute
from xdsl.printer import Printer

from qconvert.ir.late import Held, LateArray, array_of, pieces_of, row_major
from qconvert.ir.types import Tensor

_LIST_LIMIT = 64
"""The largest number of elements written as a list."""

_CHUNK_BYTES = 1 << 18
_SMALL_BYTES = 1 << 16
_DIGIT_PAIRS = np.frombuffer(bytes(range(256)).hex().encode("ascii"), np.uint16)


def print_dense(printer: Printer, held: Held, type: Tensor) -> None:
    """Print ``dense<..> : type``: one element if all are equal, a list for up to 64 elements, else hex.

    Booleans are never written as hex, which packs them differently from version to version of MLIR.
    """
    printer.print_string("dense<")
    if held.size and is_splat(held):
        printer.print_string(_element_text(array_of(held).reshape(-1)[:1], type.element_type)[0])
    elif held.size and (held.size <= _LIST_LIMIT or held.dtype == np.bool_):
        _print_list(printer, array_of(held), type.element_type)
    elif held.size:
        _print_hex(printer, _bytes48(array_of(held)) if type.element_type == IntegerType(48) else held)
    printer.print_string("> : ")
    printer.print_attribute(type)


def _bytes48(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return the six low bytes of each element."""
    return np.asarray(array, order="C").reshape(-1, 1).view(np.uint8)[:, :6]


def is_splat(held: Held) -> bool:
    """Return whether all elements have the same bytes; the strides tell for a broadcast scalar."""
    strides = (1,) * held.ndim if isinstance(held, LateArray) else held.strides
    if all(size == 1 or stride == 0 for size, stride in zip(held.shape, strides, strict=True)):
        return True
    if held.nbytes <= _SMALL_BYTES:
        raw = array_of(held).tobytes()
        return raw == raw[: held.dtype.itemsize] * held.size
    chunks = _chunks(held, in_order=False)
    bits = next(chunks)
    first = bits[0]
    # the first elements of most arrays differ
    return bool((bits[:64] == first).all()) and bool((bits == first).all()) and all((c == first).all() for c in chunks)


def _bits(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return the elements' bits, as unsigned integers or (16 bytes) as raw bytes, without a copy."""
    kind = "V" if array.dtype.itemsize > 8 else "u"
    return array.view(np.dtype(f"{kind}{array.dtype.itemsize}"))


def _chunks(held: Held, *, in_order: bool = True) -> Iterator[NDArray[np.generic]]:
    """Yield the bits of the elements, a quarter of a MiB at a time; strided arrays are copied.

    The order is row-major, or if that does not matter the order in memory, which takes a tenth of the time.
    """
    for piece in pieces_of(held):
        is_moved = in_order and isinstance(held, LateArray)
        yield from _chunks_of(_bits(row_major(piece) if is_moved else piece), in_order=in_order)


def _chunks_of(bits: NDArray[np.generic], *, in_order: bool) -> Iterator[NDArray[np.generic]]:
    count = _CHUNK_BYTES // bits.itemsize
    if bits.flags.c_contiguous:
        flat = bits.reshape(-1)
        for start in range(0, flat.size, count):
            yield flat[start : start + count]
        return
    for chunk in np.nditer(bits, flags=("external_loop", "buffered"), order="C" if in_order else "K", buffersize=count):
        yield np.asarray(chunk, order="C")


def _print_hex(printer: Printer, held: Held) -> None:
    stream = printer.stream or sys.stdout
    if held.nbytes <= _SMALL_BYTES:
        printer.print_string(f'"0x{array_of(held).tobytes().hex()}"')
        return
    printer.print_string('"0x')
    pieces = _hex_digits(held)
    if isinstance(stream, TextIOWrapper):
        # Writing to the stream of bytes is twice as fast as writing a str.
        if not stream.write_through:
            stream.flush()
        for digits in pieces:
            stream.buffer.write(digits)
    else:
        for digits in pieces:
            stream.write(bytes(digits).decode("ascii"))
    printer.print_string('"')


def _hex_digits(held: Held) -> Iterator[memoryview]:
    """Yield the elements' bytes as hexadecimal digits, in chunks that share a buffer, so that each overwrites the last.

    A table of digit pairs takes a quarter of the time of ``binascii.hexlify``.
    """
    buffer = np.empty(min(_CHUNK_BYTES, held.nbytes), np.uint16)
    for chunk in _chunks(held):
        values = chunk.view(np.uint8)
        digits = buffer[: values.size]
        np.take(_DIGIT_PAIRS, values, out=digits, mode="wrap")
        yield digits.view(np.uint8).data


def _print_list(printer: Printer, array: NDArray[np.generic], element: Attribute) -> None:
    if array.ndim == 0:
        printer.print_string(_element_text(array.reshape(1), element)[0])
        return
    printer.print_string("[")
    if array.ndim == 1:
        printer.print_string(", ".join(_element_text(array, element)))
    else:
        printer.print_list(array, lambda row: _print_list(printer, row, element))
    printer.print_string("]")


def _element_text(array: NDArray[np.generic], element: Attribute) -> list[str]:
    """Return the texts of a row of elements, as MLIR writes them."""
    if array.dtype == np.bool_:
        return ["true" if value else "false" for value in array.tolist()]
    if isinstance(element, ComplexType):
        texts = [_float_text(part) for number in array for part in (number.real.reshape(1), number.imag.reshape(1))]
        return [f"({real},{imaginary})" for real, imaginary in zip(texts[::2], texts[1::2], strict=True)]
    if not isinstance(element, AnyFloat):
        return [str(value) for value in array.tolist()]
    return [_float_text(array[i : i + 1]) for i in range(array.size)]


def _float_text(one: NDArray[np.generic]) -> str:
    """Return MLIR's six digits if they are exact, else all digits of a double; hex bits for inf and nan."""
    with np.errstate(invalid="ignore"):  # a signalling nan warns in the cast
        value = float(one.astype(np.float64)[0])
    if not np.isfinite(value):
        return f"0x{int(_bits(one)[0]):0{2 * one.dtype.itemsize}X}"
    text = f"{value:.6e}"
    if np.asarray(float(text)).astype(one.dtype)[()] == one[0]:
        return text
    text = repr(value)
    mantissa, exponent, power = text.partition("e")
    return text if "." in mantissa else f"{mantissa}.0{exponent}{power}"
