"""The forms movement operators are written in, evaluated by the real StableHLO interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from qconvert.backends.stablehlo.emit import emit
from qconvert.dialects.stablehlo import ConcatenateOp
from qconvert.engines import stablehlo as engine
from qconvert.engines.base import EngineName, engine_info
from qconvert.engines.modules import Program
from qconvert.ir.printing import module_text
from qconvert.ir.types import shape
from qconvert.support.errors import EngineError
from tests.support.onnx_cases import Case, Known, imported, one_op, ours, random

SCALES = Known(np.asarray([1, 1, 1.7, 0.6], np.float32))


def ints(*values: int) -> Known:
    return Known(np.asarray(values, np.int64))


def resized(**attributes: Any) -> Case:
    return one_op("Resize", [random(1, 2, 5, 7), None, SCALES], opset=19, **attributes)


CASES = {
    "largest": one_op("ArgMax", [random(3, 7)], axis=1),
    "last smallest of bytes": one_op("ArgMin", [random(3, 7, dtype=np.uint8)], axis=0, select_last_index=1),
    "gather at run time": one_op("Gather", [random(4, 3), np.asarray([[-1, 2], [0, -4]])], axis=0),
    "gather known": one_op("Gather", [random(9, 3), ints(3, 1, 4, 1, 5, 0, 2, 6)], axis=0),
    "gather elements": one_op("GatherElements", [random(4, 3), np.asarray([[0, -1, 2], [1, 1, 0]])], axis=0),
    "slice backwards": one_op("Slice", [random(9, 3), ints(8), ints(0), ints(0), ints(-2)]),
    "reflect": one_op("Pad", [random(4, 5), ints(2, 3, 1, 0)], mode="reflect"),
    "crop and pad": one_op("Pad", [random(4, 5, dtype=np.int8), ints(-1, 3, 1, 0)]),
    "cast": one_op("Cast", [random(20)], to=6),
    "cast to 4 bits": one_op("Cast", [random(20)], to=22, opset=25),
    **{f"cast to float8 {to}": one_op("Cast", [random(20)], to=to) for to in (17, 18, 19, 20)},
    "to boolean": one_op("Cast", [np.asarray([0, 0.5, -2], np.float32)], to=9),
    "where": one_op("Where", [random(4, 1, dtype=np.bool_), random(3), random(4, 3, seed=1)]),
    "compare": one_op("GreaterOrEqual", [random(9, dtype=np.uint8), random(9, seed=1, dtype=np.uint8)]),
    "nearest": resized(mode="nearest"),
    "linear": resized(mode="linear"),
    "linear of half precision": one_op(
        "Resize", [random(1, 2, 5, 7, dtype=np.float16), None, SCALES], opset=19, mode="linear"
    ),
}


@pytest.fixture(scope="module")
def evaluated() -> dict[str, Any]:
    """All cases in one child process."""
    info = engine_info(EngineName.STABLEHLO)
    if info.version is None:
        pytest.skip(f"the stablehlo engine is missing: {info.hint}")
    programs = [
        Program(module_text(emit(imported(case)).module), [list(case.feeds.values())]) for case in CASES.values()
    ]
    return dict(zip(CASES, engine.run_many(programs), strict=True))


@pytest.mark.stablehlo
@pytest.mark.parametrize("name", CASES)
def test_real_evaluator_agrees(name: str, evaluated: dict[str, Any]) -> None:
    found = evaluated[name]
    assert not isinstance(found, EngineError), str(found)
    for array, expected in zip(found[0], ours(CASES[name]), strict=True):
        np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize("mode", ["reflect", "edge", "wrap"])
def test_borders_are_around_the_whole_value(mode: str) -> None:
    """No element of the inside belongs to a border, so that NPUs copy the inside at once."""
    module = imported(one_op("Pad", [random(4, 5), ints(0, 3, 0, 2)], mode=mode))
    (joined,) = (op for op in module.walk() if isinstance(op, ConcatenateOp))
    assert [shape(value)[1] for value in joined.inputs] == [3, 5, 2]
