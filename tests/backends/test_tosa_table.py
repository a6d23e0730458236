"""Functions of one 16-bit value that TOSA has ops for, though the IR lists their 65,536 results."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp

from qconvert.backends.tosa import TosaOptions
from qconvert.backends.tosa.emit import lower
from qconvert.dialects import composite, tosa
from qconvert.interpreter import evaluate
from qconvert.ir import Storage, UniformQuantizedType, tensor_type

CODES = np.arange(-(1 << 15), 1 << 15)
INT16 = UniformQuantizedType.per_tensor(Storage.full(16, signed=True), 0.01, 0)


def listed(results: NDArray[np.int64]) -> ModuleOp:
    """A function that looks up the result of each of 65,536 integers."""
    type = tensor_type(INT16, (1, CODES.size))
    function = FuncOp("main", FunctionType.from_lists([type], [type]))
    block = function.body.block
    lookup = composite.LookupOp(block.args[0], results.astype(np.int16), INT16)
    block.add_ops([lookup, ReturnOp(lookup)])
    return ModuleOp([function])


def kinds(module: ModuleOp, results: NDArray[np.int64]) -> set[type]:
    """The classes of the ops of its TOSA, which must give all results."""
    lowered = lower(module, TosaOptions())
    np.testing.assert_array_equal(evaluate(lowered, [CODES.astype(np.int16)[None]])[0][0], results)
    return {type(op) for op in lowered.walk()}


@pytest.mark.parametrize("factor", [1.0, 0.5, 0.3937, 3.1])
def test_multiples_of_magnitudes_are_abs(factor: float) -> None:
    """LiteRT's ABS rounds halves away from zero; a result that leaves 16 bits is clamped."""
    results = np.minimum(np.floor(np.abs(CODES) * factor + 0.5), 32767).astype(np.int64)
    found = kinds(listed(results), results)
    assert tosa.AbsOp in found
    assert not {tosa.GatherOp, tosa.TableOp} & found


def test_multiples_are_rescaled() -> None:
    results = np.floor(CODES * 0.123456 + 0.5).astype(np.int64)
    found = kinds(listed(results), results)
    assert tosa.RescaleOp in found
    assert not {tosa.AbsOp, tosa.GatherOp, tosa.TableOp} & found


def test_other_magnitudes_are_looked_up() -> None:
    """One integer that is another one, another multiple of negative integers, a square."""
    almost = np.abs(CODES) // 2
    almost[40000] += 1
    for results in (almost, np.where(CODES < 0, -CODES // 3, CODES // 2), CODES * CODES >> 16):
        found = {type(op) for op in lower(listed(results), TosaOptions()).walk()}
        assert tosa.AbsOp not in found
        assert {tosa.GatherOp, tosa.TableOp} & found
