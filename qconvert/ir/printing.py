"""MLIR text of modules: constants as hex in chunks, each type's text made once, source names as locations."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO, TextIOWrapper
from itertools import cycle
from typing import IO

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AnyFloat, DenseArrayBase, FusedLoc, IntegerType, ModuleOp, NameLoc, UnitAttr
from xdsl.ir import Attribute, Operation, TypeAttribute
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRLexer

from qconvert.ir.attributes import ElementsAttr

_LIST_LIMIT = 64
_CHUNK_BYTES = 1 << 18
_SMALL_BYTES = 1 << 16
_THREADED_BYTES = 1 << 22
_DIGIT_PAIRS = np.frombuffer(bytes(range(256)).hex().encode("ascii"), np.uint16)
_PLAIN = frozenset(range(0x20, 0x7F)) - {ord('"'), ord("\\")}


@dataclass(eq=False, repr=False)
class ModulePrinter(Printer):
    """xDSL's printer with the text of every type and integer list kept, and locations only where they say a name."""

    locations: bool = field(default=False, kw_only=True)
    generic: bool = field(default=False, kw_only=True)
    _texts: dict[int, tuple[Attribute, str]] = field(default_factory=dict[int, tuple[Attribute, str]], init=False)
    _equal_texts: dict[Attribute, str] = field(default_factory=dict[Attribute, str], init=False)
    _words: Printer = field(default_factory=Printer, init=False)

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        """Write straight to the stream where the text has no line break."""
        if "\n" in text:
            super().print_string(text, indent=indent)
        else:
            self._current_column += len(text)
            (self.stream or sys.stdout).write(text)

    def print_attribute(self, attribute: Attribute) -> None:
        """Print an attribute; a type or an integer list is put into text once."""
        if isinstance(attribute, TypeAttribute | DenseArrayBase):
            self.print_string(self._text(attribute))
        else:
            super().print_attribute(attribute)

    def print_op_with_default_format(self, op: Operation) -> None:
        """Print what follows an op's name, at once where nothing in it is large: pieces cost more than their text."""
        names = [self._ssa_values.get(operand) for operand in op.operands]
        if len(op.results) != 1 or op.regions or op.successors or None in names:
            super().print_op_with_default_format(op)
            return
        self.print_string(f"({', '.join(f'%{name}' for name in names)})")
        if op.properties:
            self._print_properties(op.properties)
        attributes = f" {self._dictionary(op.attributes)}" if op.attributes else ""
        types = ", ".join(map(self._text, op.operand_types))
        self.print_string(f"{attributes} : ({types}) -> {self._text(op.results[0].type)}")

    def _print_properties(self, properties: Mapping[str, Attribute]) -> None:
        """Print properties, at once but for those that are large."""
        small = {name: attribute for name, attribute in properties.items() if not _is_large(attribute)}
        if len(small) == len(properties):
            self.print_string(f" <{self._dictionary(properties)}>")
            return
        for i, name in enumerate(sorted(properties)):
            self.print_string(", " if i else " <{")
            if name in small:
                self.print_string(self._entry(name, properties[name]))
            else:
                self.print_string(f"{_quoted(name)} = ")
                self.print_attribute(properties[name])
        self.print_string("}>")

    def _dictionary(self, attributes: Mapping[str, Attribute]) -> str:
        """The text of attributes by name, as MLIR keeps them."""
        return f"{{{', '.join(self._entry(name, attributes[name]) for name in sorted(attributes))}}}"

    def _entry(self, name: str, attribute: Attribute) -> str:
        return _quoted(name) if isinstance(attribute, UnitAttr) else f"{_quoted(name)} = {self._text(attribute)}"

    def _text(self, attribute: Attribute) -> str:
        """An attribute's text, made once for all that are equal."""
        known = self._texts.get(id(attribute))
        if known is None:
            # the attribute is kept beside its text so that its id stays its own
            known = self._texts[id(attribute)] = (attribute, self._made_text(attribute))
        return known[1]

    def _made_text(self, attribute: Attribute) -> str:
        text = self._equal_texts.get(attribute)
        if text is None:
            stream = self._words.stream = StringIO()
            self._words.print_attribute(attribute)
            text = self._equal_texts[attribute] = stream.getvalue()
        return text

    def print_bytes_literal(self, bytestring: bytes) -> None:
        """Print a quoted string, at once where nothing needs an escape."""
        if _PLAIN.issuperset(bytestring):
            self.print_string(f'"{bytestring.decode("ascii")}"')
        else:
            super().print_bytes_literal(bytestring)

    def print_attr_dict(self, attr_dict: Mapping[str, Attribute]) -> None:
        """Print attributes by name, as MLIR keeps them."""
        super().print_attr_dict(dict(sorted(attr_dict.items())))

    def print_op(self, op: Operation) -> None:
        """Print an op and, if asked, the source nodes it stands for as ``loc("name")``."""
        generic = self.print_generic_format
        self.print_generic_format = self.generic or getattr(op, "generic_only", False)
        super().print_op(op)
        self.print_generic_format = generic
        if self.locations and isinstance(op.location, NameLoc | FusedLoc):
            self.print_string(f" {self._text(op.location)}")


def _quoted(name: str) -> str:
    """A property's or attribute's name, in quotes where MLIR needs them."""
    return name if MLIRLexer.bare_identifier_regex.fullmatch(name) else f'"{name}"'


def _is_large(attribute: Attribute) -> bool:
    """Whether an attribute's text is written in pieces."""
    return isinstance(attribute, ElementsAttr) and attribute.array.size > _LIST_LIMIT


def write_module(module: ModuleOp, stream: IO[str], *, locations: bool = True) -> None:
    """Write a module's text, ending with a line break; large constants go to the stream in pieces."""
    ModulePrinter(stream, locations=locations).print_op(module)
    stream.write("\n")


def module_text(module: ModuleOp, locations: bool = True) -> str:
    """A module's text as one string."""
    stream = StringIO()
    write_module(module, stream, locations=locations)
    return stream.getvalue()


def op_text(op: Operation) -> str:
    """One op's text without locations, for messages and tests."""
    stream = StringIO()
    ModulePrinter(stream).print_op(op)
    return stream.getvalue()


def print_elements(printer: Printer, attribute: ElementsAttr) -> None:
    """``dense<..> : type``: one element where all are equal, a list up to 64 elements, else hex.

    Booleans are never written as hex, which packs them differently from version to version of MLIR.
    """
    array, type = attribute.array, attribute.type
    printer.print_string("dense<")
    if array.size and is_splat(array):
        printer.print_string(_element_text(array.reshape(-1)[:1], type.element_type)[0])
    elif array.size and (array.size <= _LIST_LIMIT or array.dtype == np.bool_):
        _print_list(printer, array, type.element_type)
    elif array.size:
        _print_hex(printer, _bytes48(array) if type.element_type == IntegerType(48) else array)
    printer.print_string("> : ")
    printer.print_attribute(type)


def _bytes48(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """The six low bytes of each element."""
    return np.ascontiguousarray(array).reshape(-1, 1).view(np.uint8)[:, :6]


def is_splat(array: NDArray[np.generic]) -> bool:
    """Whether all elements have the same bytes; found by stride where the array is a broadcast scalar."""
    if all(size == 1 or stride == 0 for size, stride in zip(array.shape, array.strides, strict=True)):
        return True
    if array.nbytes <= _SMALL_BYTES:
        raw = array.tobytes()
        return raw == raw[: array.itemsize] * array.size
    chunks = _chunks(array)
    bits = next(chunks)
    first = bits[0]
    # most arrays that are no splat show it at once
    return bool((bits[:64] == first).all()) and bool((bits == first).all()) and all((c == first).all() for c in chunks)


def _bits(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """The elements as unsigned integers of the same width, in place."""
    return array.view(np.dtype(f"u{array.dtype.itemsize}"))


def _chunks(array: NDArray[np.generic]) -> Iterator[NDArray[np.generic]]:
    """The bits of the elements in row-major order, a quarter of a MiB at a time; copied only out of strided arrays."""
    bits = _bits(array)
    count = _CHUNK_BYTES // bits.itemsize
    if bits.flags.c_contiguous:
        flat = bits.reshape(-1)
        for start in range(0, flat.size, count):
            yield flat[start : start + count]
        return
    for chunk in np.nditer(bits, flags=("external_loop", "buffered"), order="C", buffersize=count):
        yield np.ascontiguousarray(chunk)


def _print_hex(printer: Printer, array: NDArray[np.generic]) -> None:
    stream = printer.stream or sys.stdout
    if array.nbytes <= _SMALL_BYTES:
        printer.print_string(f'"0x{array.tobytes().hex()}"')
        return
    printer.print_string('"0x')
    pieces = _hex_digits(array) if array.nbytes < _THREADED_BYTES else _ahead(_hex_digits(array, buffers=2))
    if isinstance(stream, TextIOWrapper):
        # Straight to the bytes below the text: twice as fast as through a str.
        if not stream.write_through:
            stream.flush()
        for digits in pieces:
            stream.buffer.write(digits)
    else:
        for digits in pieces:
            stream.write(bytes(digits).decode("ascii"))
    printer.print_string('"')


def _hex_digits(array: NDArray[np.generic], buffers: int = 1) -> Iterator[memoryview]:
    """The elements' bytes as hexadecimal digits, chunk by chunk in buffers that later chunks overwrite in turn.

    A table of digit pairs takes a quarter of the time of ``binascii.hexlify``.
    """
    turns = cycle(np.empty((buffers, min(_CHUNK_BYTES, array.nbytes)), np.uint16))
    for chunk, buffer in zip(_chunks(array), turns, strict=False):
        values = chunk.view(np.uint8)
        digits = buffer[: values.size]
        np.take(_DIGIT_PAIRS, values, out=digits, mode="wrap")
        yield digits.view(np.uint8).data


def _ahead(pieces: Iterator[memoryview]) -> Iterator[memoryview]:
    """The same pieces, the next one made in a thread while one is used."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, pieces, None)
        while (piece := coming.result()) is not None:
            coming = pool.submit(next, pieces, None)
            yield piece


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
    """The texts of a row of elements, as MLIR writes them."""
    if array.dtype == np.bool_:
        return ["true" if value else "false" for value in array.tolist()]
    if not isinstance(element, AnyFloat):
        return [str(value) for value in array.tolist()]
    return [_float_text(array[i : i + 1]) for i in range(array.size)]


def _float_text(one: NDArray[np.generic]) -> str:
    """MLIR's six digits where they say the value exactly, else all of a double's, and hex bits for inf and nan."""
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
