"""MLIR text of modules, with source names as locations."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO, StringIO, TextIOWrapper
from typing import IO

from xdsl.dialects.builtin import DenseArrayBase, FusedLoc, ModuleOp, NameLoc, UnknownLoc
from xdsl.ir import Attribute, Operation, TypeAttribute
from xdsl.printer import Printer


class ModulePrinter(Printer):
    """xDSL's printer, with the text of types and integer lists made once, and locations only for named ops."""

    def __init__(self, stream: IO[str], *, locations: bool = False, generic: bool = False) -> None:
        super().__init__(stream)
        self.locations, self.generic = locations, generic
        self._texts: dict[Attribute, str] = {}
        self._words = Printer()

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        """Write text; xDSL's printer also counts columns, which only its diagnostics need."""
        if self.stream is None or "\n" in text:
            super().print_string(text, indent=indent)
        else:
            self.stream.write(text)

    def print_string_literal(self, string: str) -> None:
        """Write quoted text; xDSL's printer writes it letter by letter, which only escapes need."""
        if string.isascii() and string.isprintable() and '"' not in string and "\\" not in string:
            self.print_string(f'"{string}"')
        else:
            super().print_string_literal(string)

    def print_attribute(self, attribute: Attribute) -> None:
        """Print an attribute; the text of a type or an integer list is made once."""
        if isinstance(attribute, TypeAttribute | DenseArrayBase):
            self.print_string(self._text(attribute))
        else:
            super().print_attribute(attribute)

    def _text(self, attribute: Attribute) -> str:
        """Return an attribute's text, made once for all that are equal: half the time of printing."""
        text = self._texts.get(attribute)
        if text is None:
            stream = self._words.stream = StringIO()
            self._words.print_attribute(attribute)
            text = self._texts[attribute] = stream.getvalue()
        return text

    def print_attr_dict(self, attr_dict: Mapping[str, Attribute]) -> None:
        """Print attributes by name, as MLIR keeps them."""
        super().print_attr_dict(dict(sorted(attr_dict.items())))

    def print_op(self, op: Operation) -> None:
        """Print an op and, if asked, the source nodes it stands for as ``loc("name")``."""
        generic = self.print_generic_format
        self.print_generic_format = self.generic or getattr(op, "generic_only", False)
        super().print_op(op)
        self.print_generic_format = generic
        if self.locations and isinstance(op.location, NameLoc):
            self.print_string(" ")
            self.print_attribute(op.location)
        elif self.locations and isinstance(op.location, FusedLoc):
            self.print_string(f" {self._text(op.location)}")


def location_text(location: Attribute) -> str:
    """Return the location of an op as MLIR prints it: ``loc("name")``, or ``loc(unknown)`` for an op without a name."""
    stream = StringIO()
    Printer(stream).print_attribute(location if isinstance(location, NameLoc | FusedLoc) else UnknownLoc())
    return stream.getvalue()


def write_module(module: ModuleOp, stream: IO[str], *, locations: bool = True) -> None:
    """Write a module's text, ending with a line break; large constants go to the stream in pieces."""
    ModulePrinter(stream, locations=locations).print_op(module)
    stream.write("\n")


def module_text(module: ModuleOp, locations: bool = True) -> str:
    """Return a module's text as one string."""
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
