"""Tokens of MLIR text: strings of any length and nesting of any depth are scanned in linear time."""

from __future__ import annotations

import re

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Span, Token
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind, StringLiteral

# All are possessive, because backtracking on a string that is not closed takes exponential time.
_BRACKET = re.compile(r'"|//[^\n]*+|->|[(\[{<]|[)\]}>]')
_ANY_STRING = re.compile(r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?')
_STRING = re.compile(r'"[^"\\\n\v\f]*+(?:\\(?:["nt\\]|[0-9A-Fa-f]{2})[^"\\\n\v\f]*+)*+"')


def _plain_string_end(text: str, start: int) -> int | None:
    """Return the end of the string that starts here, or None if it has an escape or a line break."""
    end = text.find('"', start + 1)
    if end < 0 or any(text.find(mark, start, end) >= 0 for mark in "\\\n\v\f"):
        return None
    return end + 1


class ModuleLexer(MLIRLexer):
    """xDSL's lexer with strings scanned once in linear time, because a constant may have hundreds of megabytes."""

    def _lex_string_literal(self, start_pos: int) -> Token[MLIRTokenKind]:
        end = _plain_string_end(self.input.content, start_pos)
        if end is not None:
            self.pos = end
            return Token(MLIRTokenKind.STRING_LIT, Span(start_pos, end, self.input))
        match = _STRING.match(self.input.content, start_pos)
        if match is None:
            raise ParseError(Span(start_pos, start_pos, self.input), "a string that is not closed or a wrong escape")
        self.pos = match.end()
        span: Span[str] = Span(start_pos, self.pos, self.input)
        return Token(MLIRTokenKind.STRING_LIT if self._is_text(span) else MLIRTokenKind.BYTES_LIT, span)

    def _is_text(self, span: Span[str]) -> bool:
        """Return True if escapes, if any, are UTF-8, as MLIR writes names that are not ASCII."""
        if self.input.content.find("\\", span.start, span.end) < 0:
            return True
        try:
            StringLiteral.from_span(span).bytes_contents.decode()
        except UnicodeDecodeError:
            return False
        return True


def too_deep(text: str, deepest: int) -> int | None:
    """Return the place of the first bracket that is nested deeper, or None; nothing recurses."""
    depth, position = 0, 0
    while (match := _BRACKET.search(text, position)) is not None:
        position, first = match.end(), text[match.start()]
        if first == '"':
            position = _plain_string_end(text, match.start()) or _end_of_string(text, match.start())
        elif first in "([{<":
            depth += 1
            if depth > deepest:
                return match.start()
        elif first in ")]}>":
            depth = max(0, depth - 1)  # an unmatched closing bracket must not lower later depths
    return None


def _end_of_string(text: str, start: int) -> int:
    """Return the end of a string with escapes or, if it is not closed, of its line."""
    match = _ANY_STRING.match(text, start)
    assert match is not None
    return match.end()
