"""MLIR text of modules, with source names as locations."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO, StringIO, TextIOWrapper
from typing import IO

from xdsl.dialects.builtin import DenseArrayBase, FusedLoc, ModuleOp, NameLoc, UnitAttr
from xdsl.ir import Attribute, Operation, TypeAttribute
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRLexer

from qconvert.ir.constants import ElementsAttr
from qconvert.ir.dense_printing import LIST_LIMIT

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
    return isinstance(attribute, ElementsAttr) and attribute.array.size > LIST_LIMIT


def write_module(module: ModuleOp, stream: IO[str], *, locations: bool = True) -> None:
    """Write a module's text, ending with a line break; large constants go to the stream in pieces."""
    ModulePrinter(stream, locations=locations).print_op(module)
    stream.write("\n")


def module_text(module: ModuleOp, locations: bool = True) -> str:
    """A module's text as one string."""
    stream = StringIO()
    write_module(module, stream, locations=locations)
    return stream.getvalue()


def write_encoded(module: ModuleOp, stream: IO[bytes]) -> None:
    """Write a module's text in UTF-8; large constants go to the stream in pieces."""
    text = TextIOWrapper(stream, "utf-8", write_through=True)
    write_module(module, text)
    text.detach()


def module_bytes(module: ModuleOp) -> bytes:
    """Return a module's text in UTF-8."""
    stream = BytesIO()
    write_encoded(module, stream)
    return stream.getvalue()


def op_text(op: Operation) -> str:
    """One op's text without locations, for messages and tests."""
    stream = StringIO()
    ModulePrinter(stream).print_op(op)
    return stream.getvalue()
