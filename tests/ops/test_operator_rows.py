"""The ONNX operators of ``tests/cases``: read, written again and converted to TOSA, beside onnxruntime."""

from __future__ import annotations

from functools import cache

import pytest

from qconvert import Format, convert, load
from qconvert.engines import tosa
from qconvert.engines.modules import Program
from qconvert.support.errors import EngineError
from tests.cases import activation, elementwise, reduction
from tests.support.onnx_cases import Array, Case, ours, theirs
from tests.support.operator_rows import Row

ROWS: dict[str, Row] = {
    f"{family.__name__.rpartition('.')[2]}: {name}": row
    for family in (activation, elementwise, reduction)
    for name, row in family.ONNX.items()
}
IN_TOSA = {name: row for name, row in ROWS.items() if row.tosa is not None}


@cache
def expected(name: str) -> list[Array]:
    """Return onnxruntime's outputs of a row's model."""
    return theirs(ROWS[name].case)


@pytest.fixture(scope="module")
def answers() -> dict[str, list[list[Array]] | EngineError]:
    """Return the outputs of TOSA's reference model for every row, computed in one process."""
    texts = [convert(load(row.case.model), Format.TOSA).text for row in IN_TOSA.values()]
    feeds = [[list(row.case.feeds.values())] for row in IN_TOSA.values()]
    programs = [Program(text, fed) for text, fed in zip(texts, feeds, strict=True)]
    return dict(zip(IN_TOSA, tosa.run_many(programs), strict=True))


@pytest.mark.parametrize("name", ROWS)
def test_interpreter_equals_onnxruntime(name: str) -> None:
    row = ROWS[name]
    row.read.check(ours(row.case), expected(name))


@pytest.mark.parametrize("name", ROWS)
def test_written_model_equals_the_model_that_was_read(name: str) -> None:
    row = ROWS[name]
    converted = convert(load(row.case.model), Format.ONNX)
    assert converted.content is not None
    row.read.check(theirs(Case(converted.content, row.case.feeds)), expected(name))


@pytest.mark.tosa
@pytest.mark.parametrize("name", IN_TOSA)
def test_tosa_equals_onnxruntime(name: str, answers: dict[str, list[list[Array]] | EngineError]) -> None:
    tolerance, answer = ROWS[name].tosa, answers[name]
    assert tolerance is not None
    assert not isinstance(answer, EngineError), str(answer)
    wanted = expected(name)  # an index has 32 bits in TOSA and 64 in ONNX
    tolerance.check([array.astype(one.dtype) for array, one in zip(answer[0], wanted, strict=True)], wanted)
