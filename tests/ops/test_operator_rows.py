"""The ONNX operators of ``tests/cases``: read, written again and converted to TOSA, beside onnxruntime."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest

from qconvert import Format, convert, load
from qconvert.engines import tosa
from qconvert.engines.modules import Program
from qconvert.support.errors import EngineError
from tests.cases import (
    activation,
    block_quantized,
    comparison,
    contraction,
    conversion,
    dynamic_range,
    elementwise,
    indexing,
    movement,
    normalization,
    reduction,
    resize,
    sequence,
    shape,
    window,
)
from tests.support.litert_reference import signless
from tests.support.onnx_cases import Array, Case, ours, theirs
from tests.support.operator_rows import Row
from tests.support.parameters import few_of_each

FAMILIES = (
    activation,
    block_quantized,
    comparison,
    contraction,
    conversion,
    dynamic_range,
    elementwise,
    indexing,
    movement,
    normalization,
    reduction,
    resize,
    sequence,
    shape,
    window,
)
ROWS: dict[str, Row] = {
    f"{family.__name__.rpartition('.')[2]}: {name}": row for family in FAMILIES for name, row in family.ONNX.items()
}
IN_TOSA = {name: row for name, row in ROWS.items() if row.tosa is not None}


def with_few_quick(quick: int) -> list[Any]:
    """Return the names of all rows: ``make check`` tries so many of each operator that are not one of many."""
    many = [pytest.param(name, marks=pytest.mark.slow) for name, row in ROWS.items() if row.is_one_of_many]
    telling = (name for name, row in ROWS.items() if not row.is_one_of_many)
    return few_of_each(telling, quick, lambda name: tuple(re.findall(r"\w+", name)[:2])) + many


@cache
def expected(name: str) -> list[Array]:
    """Return onnxruntime's outputs of a row's model."""
    return theirs(ROWS[name].case)


@pytest.fixture(scope="module")
def answers(request: pytest.FixtureRequest) -> dict[str, list[list[Array]] | EngineError]:
    """Return the outputs of TOSA's reference model for the rows that are selected, computed in one process."""
    tests = [item for item in request.session.items if isinstance(item, pytest.Function)]
    names = [test.callspec.params["name"] for test in tests if test.function is test_tosa_equals_onnxruntime]
    rows = [IN_TOSA[name] for name in names]
    texts = [convert(load(row.case.model), Format.TOSA).text for row in rows]
    feeds = [[signless(row.case.feeds.values())] for row in rows]
    programs = [Program(text, fed) for text, fed in zip(texts, feeds, strict=True)]
    return dict(zip(names, tosa.run_many(programs), strict=True))


@pytest.mark.parametrize("name", with_few_quick(20))
@pytest.mark.quick(1180)
def test_interpreter_equals_onnxruntime(name: str) -> None:
    row = ROWS[name]
    row.read.check(ours(row.case), expected(name))


@pytest.mark.parametrize("name", with_few_quick(6))
@pytest.mark.quick(300)
def test_written_model_equals_the_model_that_was_read(name: str) -> None:
    row = ROWS[name]
    converted = convert(load(row.case.model), Format.ONNX)
    assert converted.content is not None
    (row.written or row.read).check(theirs(Case(converted.content, row.case.feeds)), expected(name))


@pytest.mark.tosa
@pytest.mark.xdist_group("TOSA of operators")  # their answers are computed together, once
@pytest.mark.parametrize("name", IN_TOSA)
def test_tosa_equals_onnxruntime(name: str, answers: dict[str, list[list[Array]] | EngineError]) -> None:
    tolerance, answer = ROWS[name].tosa, answers[name]
    assert tolerance is not None
    assert not isinstance(answer, EngineError), str(answer)
    wanted = expected(name)
    tolerance.check([in_type(array, one.dtype) for array, one in zip(answer[0], wanted, strict=True)], wanted)


def in_type(array: Array, dtype: np.dtype[Any]) -> Array:
    """Return TOSA's result in ONNX's type: unsigned integers have their bits, 64-bit ones have 32 bits in TOSA."""
    return array.view(dtype) if dtype.kind == "u" and array.itemsize == dtype.itemsize else array.astype(dtype)
