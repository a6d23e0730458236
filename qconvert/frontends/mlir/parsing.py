"""Parsing of MLIR text: constants become arrays, locations at the end of a file are read first, errors are short.

Text is untrusted: nesting is counted before recursion starts, and every error is a located ConversionError.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NoReturn, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    FileLineColLoc,
    Float80Type,
    Float128Type,
    FusedLoc,
    IntegerType,
    LocationAttr,
    ModuleOp,
    NoneAttr,
    TensorType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.parser.core import ForwardDeclaredValue
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from qconvert.frontends.mlir.aliases import Extent, extent, simplified
from qconvert.frontends.mlir.context import make_context
from qconvert.frontends.mlir.lexing import ModuleLexer, too_deep
from qconvert.ir import (
    PLAIN_WIDTHS,
    AnyQuantizedType,
    CalibratedQuantizedType,
    Elements,
    ElementsAttr,
    Tensor,
    i64,
    in_text,
    node_names,
    numpy_dtype,
)
from qconvert.ir.dense_parsing import (
    DenseError,
    check_count,
    checked_dtype,
    hex_array,
    literal_array,
)
from qconvert.support.errors import ConversionError
from qconvert.support.limits import budget

_MOST_BITS = (1 << 24) - 1
_EXCERPT = 120
_MESSAGE = 300
# All are possessive, because backtracking on a string that is not closed takes exponential time.
_TENSOR = re.compile(r'tensor<[^<>"]*+(?:<[^<>"]*+(?:<[^<>"]*+>[^<>"]*+)*+>[^<>"]*+)*+>')
_LOCATION_ALIAS = re.compile(r"#loc\d*\s*=")
_RESOURCE = re.compile(r'([A-Za-z_][\w$.]*+)\s*:\s*"0x([0-9a-fA-F]*+)"')
_RESOURCES = "{-#"
_ALIGNMENT_DIGITS = 8  # a resource begins with four bytes for its alignment
_CLEARER = {
    "Could not parse entire input!": "an op is needed here",
    "in block definition": "an op or a closing brace is needed here",
    "Expected shape type": "an element type such as f32 is needed here",
}
"""Replacements for xDSL's messages that are unclear to users."""


class ModuleParser(Parser):
    """xDSL's parser with array-backed constants and without names of SSA values, which are not part of a module."""

    def __init__(self, context: Context, text: str, name: str, *, open_sizes: bool = False) -> None:
        super().__init__(context, "", name)
        self._parser_state = ParserState(ModuleLexer(Input(text, name)))
        self._open_sizes = open_sizes
        self._hoisted: dict[str, int] = {}
        self._resources: dict[str, tuple[int, int]] | None = None
        self._tensors: dict[str, Attribute] = {}
        self._lines = (0, 1)
        self._is_constant = False
        self._statements: list[int] = []
        self._first_uses: dict[str, int] = {}
        self._forward_uses: dict[SSAValue, UnresolvedOperand] = {}
        self._aliases: dict[int, Extent] = {}
        self._expanded = 0
        self._named = 0

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        """Parse a whole file; ``#loc`` aliases, which MLIR writes at its end, are read first."""
        self._hoist_locations()
        module = super().parse_module(allow_implicit_module)
        if len(module.body.blocks) != 1:
            self.raise_error("a module has one block of ops")
        return module

    def parse_operation(self) -> Operation:
        """Parse an op; without a named location its location is its place in the text."""
        start = self._current_token.span.start
        line, column = self._line_and_column(start)
        self._statements.append(start)
        op = super().parse_operation()
        self._statements.pop()
        _modernise(op)
        if not node_names(op.location):
            op.location = in_text(self.lexer.input.name, line, column)
        if not self._statements:
            self._check_defined()
        return op

    def _check_defined(self) -> None:
        """Raise ParseError for a used value that is not defined, or defined only in its user's region."""
        if self.forward_ssa_references:
            name = next(iter(self.forward_ssa_references))
            self.raise_error(f"no value %{name} is defined here", self._first_uses[name])
        for value, use in self._forward_uses.items():
            if value.uses:
                self.raise_error(f"no value %{use.operand_name} is defined here", use.span.start)

    def _line_and_column(self, position: int) -> tuple[int, int]:
        """Return the line and column of an op; ops come in order, so that lines are counted once."""
        text, (known, line) = self.lexer.input.content, self._lines
        line += text.count("\n", known, position)
        self._lines = (position, line)
        return line, position - text.rfind("\n", 0, position)

    def _get_op_by_name(self, name: str) -> type[Operation]:
        found = self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack)
        if found is None:
            self.raise_error(f"unknown op '{name}'", self._statements[-1])
        return found

    def resolve_operand(self, operand: UnresolvedOperand, type: Any) -> Any:
        """Resolve a use of a value that may be defined later; the place of its first use is kept for messages."""
        self._first_uses.setdefault(operand.operand_name, operand.span.start)
        value = super().resolve_operand(operand, type)
        if isinstance(value, ForwardDeclaredValue):
            self._forward_uses.setdefault(value, operand)
        return value

    def _hoist_locations(self) -> None:
        text, start = self.lexer.input.content, self.pos
        found = text.find("\n#loc")
        while found >= 0:
            if _LOCATION_ALIAS.match(text, found + 1):
                self._resume_from(found + 1)
                name = self._current_token.text
                self._define_alias()
                self._hoisted[name] = self.pos
            found = text.find("\n#loc", found + 1)
        self._resume_from(start)

    def _parse_alias_def(self) -> None:
        end = self._hoisted.pop(self._current_token.text, None)
        if end is None:
            self._define_alias()
        else:
            self._resume_from(end)

    def _define_alias(self) -> None:
        """Parse an alias and measure what it stands for."""
        start = self.pos
        super()._parse_alias_def()  # type: ignore[no-untyped-call]
        name, value = next(reversed(self.attribute_aliases.items()))
        size = self._aliases[id(value)] = extent(value, self._aliases)
        if not isinstance(value, LocationAttr):
            self._within("levels", size.levels, f"{name} has {{:,}} levels", start)
            self._within("attributes", size.total, f"{name} stands for {{:,}} attributes and types", start)

    def _parse_extended_type_or_attribute(self, *arguments: Any, **keywords: Any) -> Any:
        """Parse a type or attribute that may be an alias; all that aliases stand for is counted."""
        start = self.pos
        found = super()._parse_extended_type_or_attribute(*arguments, **keywords)
        used = self._aliases.get(id(found))
        if used is not None and not isinstance(found, LocationAttr):
            self._expanded += used.total
            self._within("attributes", self._expanded, "aliases stand for {:,} attributes and types", start)
        return found

    def _within(self, limit: str, asked: int, what: str, position: int) -> None:
        """Raise ParseError at a position if more is asked for than a limit of the budget."""
        try:
            budget().check(limit, asked, what.format(asked))
        except ConversionError as error:
            self.raise_error(str(error), position)

    def _parse_location(self) -> Any:
        """Parse a location; what is behind its names is kept only if it is small."""
        start = self.pos
        found = simplified(self._parse_whole_location(), self._aliases)
        if isinstance(found, FusedLoc):
            self._named += len(node_names(found))
            self._within("locations", self._named, "locations have {:,} names", start)
        return found

    def _parse_whole_location(self) -> Any:
        """Parse a location, also two forms that xDSL lacks: fused with metadata, and a range, whose start is kept."""
        if self.parse_optional_keyword("fused") is not None:
            if self.parse_optional_punctuation("<") is not None:
                self.parse_attribute()
                self.parse_punctuation(">")
            parts = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
            return FusedLoc(ArrayAttr(parts), NoneAttr())
        found = super()._parse_location()
        if isinstance(found, FileLineColLoc) and self.parse_optional_keyword("to") is not None:
            self.parse_optional_integer(allow_boolean=False, allow_negative=False)
            self.parse_punctuation(":")
            self.parse_integer(allow_boolean=False, allow_negative=False)
        return found

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        super()._register_ssa_definition(name, values, span)
        for value in values:
            value.name_hint = None

    def _parse_dialect_type_or_attribute_body(self, *arguments: Any, **keywords: Any) -> Any:
        with_position = self.pos
        try:
            return super()._parse_dialect_type_or_attribute_body(*arguments, **keywords)
        except VerifyException as error:
            self.raise_error(str(error), with_position)

    def _parse_optional_integer_or_float_type(self) -> Any:
        """Parse an integer or float type; refuse wide integers and floats at once, before any computation."""
        start = self.pos
        type = super()._parse_optional_integer_or_float_type()
        if isinstance(type, IntegerType) and type.width.data > _MOST_BITS:
            self.raise_error(f"an integer type has at most {_MOST_BITS} bits", start)
        if isinstance(type, Float80Type | Float128Type):
            self.raise_error(f"{type} is not supported: floats have at most 64 bits", start)
        return type

    def _parse_optional_builtin_parametrized_type(self) -> Any:
        """Parse a type; the text of a tensor type, which repeats often, is parsed once."""
        token, content = self._current_token.span, self.lexer.input.content
        match = _TENSOR.match(content, token.start)
        if match is None:
            return super()._parse_optional_builtin_parametrized_type()
        known = self._tensors.get(match[0])
        if known is not None:
            self._resume_from(match.end())
            return known
        type = super()._parse_optional_builtin_parametrized_type()
        is_whole = not content[match.end() : self.pos].strip()  # the parser read no more than the match
        if type is not None and is_whole and not self._is_constant:
            self._tensors[match[0]] = type
        return type

    def _parse_tensor_attrs(self) -> Any:
        """Parse a tensor type; raise ParseError for unknown ranks, and for unknown sizes where they are not read."""
        start = self.pos
        type = super()._parse_tensor_attrs()
        if not isinstance(type, TensorType):
            self.raise_error("a tensor of unknown rank", start)
        if not self._open_sizes and DYNAMIC_INDEX in type.get_shape():
            self.raise_error("a tensor with a dimension of unknown size; fix every dimension before conversion", start)
        self._check_tensor(type, start)
        return type

    def _check_tensor(self, type: Tensor, start: int) -> None:
        """Raise ParseError for a type that no array can have."""
        try:
            check_count(type)
            self._check_width(type.element_type)
            if not isinstance(type.element_type, AnyQuantizedType | CalibratedQuantizedType):
                numpy_dtype(type.element_type)
        except ConversionError as error:
            self.raise_error(error.found, start)
        except (DenseError, VerifyException) as error:
            self.raise_error(str(error), start)

    def _check_width(self, element: Attribute) -> None:
        """Raise DenseError for plain integers of a storage's width; a constant may hold them."""
        if isinstance(element, IntegerType) and element.width.data not in PLAIN_WIDTHS and not self._is_constant:
            raise DenseError(f"elements of type {element} are not supported here")

    def _parse_builtin_dense_attr(self) -> Any:
        """Parse ``<..> : tensor<..>`` after ``dense``."""
        text, start = self.lexer.input.content, self._current_token.span.end
        self.parse_punctuation("<", " after dense")
        if self._current_token.kind is MLIRTokenKind.STRING_LIT:
            span = self._consume_token().span
            self.parse_punctuation(">", " in dense attribute")
            type = self._parse_constant_type()
            if not text.startswith(("0x", "0X"), span.start + 1):
                self.raise_error("the string of a constant must start with 0x", span)
            return self._elements(type, lambda: hex_array(text, span.start + 3, span.end - 1, type), span.start)
        end = text.find(">", start)
        if end < 0:
            self.raise_error("dense< is not closed", start)
        self._resume_from(end)
        self.parse_punctuation(">")
        type = self._parse_constant_type()
        literal = text[start:end]
        if not literal.strip():
            return self._elements(type, lambda: hex_array("", 0, 0, type), start)
        return self._elements(type, lambda: literal_array(literal, type), start)

    def _parse_constant_type(self) -> Tensor:
        self.parse_punctuation(":", " in dense attribute")
        start, self._is_constant = self.pos, True
        type = self.parse_type()
        self._is_constant = False
        if not isinstance(type, TensorType):
            self.raise_error(f"a constant must be a tensor, found {type}", start)
        if DYNAMIC_INDEX in type.get_shape():
            self.raise_error(f"a constant must have known sizes, found {type}", start)
        return cast(Tensor, type)

    def _elements(self, type: Tensor, read: Any, position: int) -> ElementsAttr:
        try:
            checked_dtype(type)
            return ElementsAttr(Elements(read(), type))
        except DenseError as error:
            self.raise_error(str(error), position)

    def _parse_builtin_dense_resource_attr(self) -> Any:
        """Parse ``<name> : tensor<..>`` after ``dense_resource``; the data stands at the end of the file."""
        start = self.pos
        self.parse_punctuation("<", " in dense_resource attribute")
        name = self.parse_identifier(context_msg=" for resource handle")
        self.parse_punctuation(">", " in dense_resource attribute")
        type = self._parse_constant_type()
        found = self._resource(name)
        if found is None:
            self.raise_error(f"dense_resource<{name}> has no data in this file; write the module with its data", start)
        text, (first, end) = self.lexer.input.content, found
        first += _ALIGNMENT_DIGITS
        return self._elements(type, lambda: hex_array(text, first, end, type, splat=False), start)

    def _resource(self, name: str) -> tuple[int, int] | None:
        """Return the start and end of a resource's hex digits in the text, or None."""
        if self._resources is None:
            text = self.lexer.input.content
            section = text.rfind(_RESOURCES)
            found = _RESOURCE.finditer(text, section) if section >= 0 else ()
            self._resources = {match[1]: match.span(2) for match in found}
        return self._resources.get(name)

    def _parse_file_metadata_dictionary(self) -> Any:
        """Skip the resources; each is read at its use."""
        end = self.lexer.input.content.find("#-}", self.pos)
        if end < 0:
            self.raise_error("{-# is not closed")
        self._resume_from(end + len("#-}"))


def _modernise(op: Operation) -> None:
    """Turn lists of integers as older StableHLO has them, ``dense<1> : tensor<1xi64>``, into ``array<i64: 1>``."""
    for name, value in op.properties.items():
        if isinstance(value, ElementsAttr) and name not in ("value", "padding") and value.type.element_type == i64:
            array = value.array
            if array.ndim == 1:
                op.properties[name] = DenseArrayBase.from_list(i64, array.tolist())


def parse_module(text: str, file: str = "<text>", *, open_sizes: bool = False) -> ModuleOp:
    """Parse MLIR text in pretty or generic form; the module is not verified.

    With ``open_sizes`` dimensions may have unknown sizes, which the caller replaces.
    Raises ConversionError with ``file:line:column``, the problem and at most 120 characters around it.
    """
    limits = budget()
    place = too_deep(text, limits.nesting)
    if place is not None:
        _refuse(text, file, place, f"nested more than {limits.nesting} deep")
    parser = None
    try:
        parser = ModuleParser(make_context(), text, file, open_sizes=open_sizes)
        return parser.parse_module()
    except ParseError as error:
        _refuse(text, file, error.span.start, error.msg)
    except (VerifyException, ConversionError) as error:
        _refuse(text, file, parser.pos if parser else 0, str(error))
    except RecursionError:
        _refuse(text, file, parser.pos if parser else 0, "nested too deeply")
    except (ValueError, LookupError, AssertionError, ArithmeticError, AttributeError, TypeError, RuntimeError) as error:
        # xDSL's own parsers index, convert and assert before they check untrusted text
        _refuse(text, file, parser.pos if parser else 0, f"not understood: {str(error) or type(error).__name__}")


def _refuse(text: str, file: str, position: int, message: str) -> NoReturn:
    """Raise a ConversionError for one place in the text."""
    position = min(max(position, 0), len(text))
    span = Span(position, position, Input(text, file))
    _, line, column = span.get_location()
    begin = max(text.rfind("\n", 0, position) + 1, position - _EXCERPT // 2)
    end = text.find("\n", position)
    excerpt = text[begin : min(len(text) if end < 0 else end, begin + _EXCERPT)].strip()
    first = " ".join(message.split())[:_MESSAGE].removesuffix(".")
    first = _CLEARER.get(first, first)
    raise ConversionError(f"{first}, at '{excerpt}'" if excerpt else first, file=f"{file}:{line}:{column}")
