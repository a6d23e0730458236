"""The smallest piece of a file that computes otherwise than the source, as a file with its inputs."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np

from qconvert.api import load
from qconvert.formats import check_name
from qconvert.support.errors import UsageError
from qconvert.support.files import write_whole
from qconvert.validation.case import Case
from qconvert.validation.segments.cutting import Segments


def write_smallest(segments: Segments, case: Case, tensors: Collection[str], path: Path) -> None:
    """Write the piece of the fewest ops that makes one of the tensors of the source, the first of them.

    It gets the reference's tensors as inputs. Beside it is an .npz file with these and ``expected``, what the piece
    should give, on each sample of the case. Raises UsageError if there is no such piece,
    or for a name of another format.
    """
    pieces = {layer.tensor: piece for layer, piece in zip(segments.layers, segments.pieces(case), strict=True)}
    wrong = [tensor for tensor in pieces if tensor in tensors]
    if not wrong:
        raise UsageError(f"{case.file.file}: from the reference's tensors, no layer differs alone: nothing to reduce")
    tensor = min(wrong, key=lambda each: len(pieces[each].ops))
    program = segments.program.piece(*pieces[tensor])
    check_name(path, case.to)
    relation = segments.plan.cuts[tensor].relation
    expected = [relation.written(run[tensor]) for run in case.reference.tensors]
    content = segments.program.file(program, expected[:1])
    names = load(content).input_names
    arrays = {name: np.stack([row[i] for row in program.samples]) for i, name in enumerate(names)}
    arrays["expected"] = np.stack(expected)
    write_whole(path, lambda stream: stream.write(content))
    write_whole(path.with_suffix(".npz"), lambda stream: np.savez(stream, **arrays))
