"""The second model's layers alone, fed with the first model's values, and the smallest piece that still differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from qconvert.api.macs import run_limits
from qconvert.engines.modules import Program
from qconvert.formats import FORMATS
from qconvert.frontends.base import Cutter, Piece
from qconvert.support.errors import EngineError, UsageError
from qconvert.support.files import write_whole
from qconvert.validation.compare import Array
from qconvert.validation.comparison.matching import Match
from qconvert.validation.comparison.numbers import PairMeasure, carried
from qconvert.validation.comparison.oracles import Arrays, Oracle
from qconvert.validation.comparison.pair import Pair
from qconvert.validation.comparison.sides import Side
from qconvert.validation.limits import Limits
from qconvert.validation.samples import Sample


@dataclass(frozen=True)
class AlonePiece:
    """The piece of the second model for one layer, its inputs for each sample, and the differences of its output."""

    match: Match
    piece: Piece
    inputs: Sequence[Sample]
    expected: Sequence[Array]
    measure: PairMeasure


def pieces_alone(pair: Pair, runs: Sequence[tuple[Arrays, Arrays]], timeout: float | None) -> list[AlonePiece]:
    """Run each layer of the second model on the first model's values for some samples, in the first model's order.

    Raises UsageError if the second model cannot be cut, EngineError if its runtime refuses a piece.
    """
    side = pair.second
    cut, runtime = FORMATS[side.format].cutter(side.content), side.runtime
    if cut is None or runtime is None:
        raise UsageError(
            f"{side.file} is {side.format}, computed by {side.oracle}, and cannot be cut into layers. B must be an "
            "ONNX model in onnxruntime: exchange A and B; 'qconvert validate' runs the layers of a conversion alone"
        )
    found = list(_pieces(pair, cut, runs))
    programs = [Program(each.content, [list(sample.values()) for sample in inputs]) for _, each, inputs in found]
    rewrites = side.oracle is Oracle.ONNXRUNTIME_OPTIMISED
    answers = FORMATS[side.format].run_programs(runtime.engine, programs, run_limits(timeout), rewriting=rewrites)
    alone = []
    for (match, each, inputs), answer in zip(found, answers, strict=True):
        if isinstance(answer, EngineError):
            raise answer
        tensor = pair.of(match)[1].value.tensor
        results = [(run[0], {tensor: result[0]}) for run, result in zip(runs, answer, strict=True)]
        expected = [second_value(pair, match, run) for run in runs]
        alone.append(AlonePiece(match, each, inputs, expected, pair.measure(match, results)))
    return alone


def _pieces(
    pair: Pair, cut: Cutter, runs: Sequence[tuple[Arrays, Arrays]]
) -> Iterator[tuple[Match, Piece, list[Sample]]]:
    """Yield the piece of each matched layer of the second model, with the first model's values for its inputs."""
    places = {pair.of(match)[1].value.tensor: match for match in pair.matches}
    for tensor, match in places.items():
        others = [name for name in (*places, *pair.second.outline.inputs) if name != tensor]
        names = cut.inputs(tensor, others)
        if names:
            inputs = [{name: _argument(pair, name, places.get(name), run) for name in names} for run in runs]
            yield match, cut.piece(inputs[0], (tensor, pair.of(match)[1].array)), inputs


def _argument(pair: Pair, name: str, match: Match | None, run: tuple[Arrays, Arrays]) -> Array:
    """Return the first model's value for a tensor of the second, or an input of the second."""
    return run[1][name] if match is None else second_value(pair, match, run)


def second_value(pair: Pair, match: Match, run: tuple[Arrays, Mapping[str, Array]]) -> Array:
    """Return the first model's value of a match as the second model holds it."""
    first, second = pair.of(match)
    moved = match.alignment.held(run[0][first.value.tensor], second.array.shape)
    if moved.dtype == second.array.dtype and (
        first.element == second.element or None in (first.element, second.element)
    ):
        return moved
    return carried(moved, first.element, second.element, second.array.dtype)


def smallest_piece(alone: Sequence[AlonePiece], limits: Limits, side: Side) -> AlonePiece:
    """Return the piece of the fewest nodes that differs, the first of them; raises UsageError if none does."""
    differing = [each for each in alone if each.measure.differs(limits)]
    if not differing:
        raise UsageError(f"{side.file}: fed with the first model's values, no layer differs alone: nothing to reduce")
    return min(differing, key=lambda each: each.piece.nodes)


def write_piece(alone: AlonePiece, path: Path) -> None:
    """Write a piece as an ONNX model, and beside it an .npz file with its inputs and ``expected``, its right output.

    The arrays have a sample for each element of the first dimension.
    """
    write_whole(path, lambda stream: stream.write(alone.piece.content))
    arrays = {name: np.stack([sample[name] for sample in alone.inputs]) for name in alone.inputs[0]}
    arrays["expected"] = np.stack(alone.expected)
    write_whole(path.with_suffix(".npz"), lambda stream: np.savez(stream, **arrays))
