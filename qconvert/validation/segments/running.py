"""Runs of pieces of a written program: in an engine, or in the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from qconvert import interpreter
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits
from qconvert.engines.modules import Results
from qconvert.formats import ModelFormat
from qconvert.support.arrays import Array
from qconvert.support.errors import EngineError
from qconvert.validation.segments.programs import Samples, Value, WrittenProgram


class Piece(NamedTuple):
    """Some ops of a program, by their places, what they are given and the values that they return."""

    ops: Sequence[int]
    given: Samples
    outputs: Sequence[Value]


class Runner(NamedTuple):
    """The engine that runs pieces, and its format and limits."""

    program: WrittenProgram
    to: ModelFormat
    engine: EngineName
    limits: Limits | None

    def run(
        self, pieces: Sequence[Piece], begun: Callable[[int], None] = lambda _: None, *, rewriting: bool = False
    ) -> list[Results | EngineError]:
        """Run pieces in one child process; a piece that is refused or kills it has its error as the result.

        ``begun`` is called with the number of each piece. ``rewriting`` asks for the engine's default settings.
        """
        if self.engine is EngineName.REFERENCE:
            return [self.interpreted(piece) for piece in _announced(pieces, begun)]
        programs = (self.program.piece(*piece) for piece in _announced(pieces, begun))
        return self.to.run_programs(self.engine, programs, self.limits, rewriting=rewriting)

    def interpreted(self, piece: Piece) -> Results:
        """Return a piece's results in the interpreter."""
        program = interpreter.Program(self.program.module(*piece))
        return [list(program.run(arrays)) for arrays in piece.given.arrays]

    def observe(self, ops: Sequence[int], given: Samples, outputs: Sequence[Value]) -> list[list[Array]]:
        """Return values of a program, from the interpreter where it evaluates the format's own ops.

        Raises EngineError as the engine does.
        """
        piece = Piece(ops, given, outputs)
        if self.to.is_mlir:
            return self.interpreted(piece)
        [answer] = self.run([piece])
        if isinstance(answer, EngineError):
            raise answer
        return answer


def _announced(pieces: Sequence[Piece], begun: Callable[[int], None]) -> Iterator[Piece]:
    """Yield the pieces, and call ``begun`` with the number of each."""
    for number, piece in enumerate(pieces, 1):
        begun(number)
        yield piece
