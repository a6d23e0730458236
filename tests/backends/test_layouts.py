"""One op between transposes, in every order of dimensions: each format's own runtime gives the interpreter's numbers.

A form that only some orders have, such as a broadcast whose dimensions do not rise, is written wrongly for these alone.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from qconvert import Format, convert, load
from qconvert.api import Model
from qconvert.api.running import run
from qconvert.engines.base import EngineName
from qconvert.interpreter import evaluate
from qconvert.ir.types import f32
from qconvert.support.errors import ConversionError
from tests.support.layout_programs import FLOATS, MOVEMENTS, Q8, program

RUNTIMES = {
    Format.TOSA: EngineName.TOSA,
    Format.TFLITE: EngineName.LITERT,
    Format.ONNX: EngineName.ONNXRUNTIME,
    Format.STABLEHLO: EngineName.STABLEHLO,
}
REFUSED = {
    Format.TOSA: {"gather in front"},
    Format.ONNX: {"gather in front"},
    Format.TFLITE: {"convolution", "gather in front", "sum from 2", "pool from 1", "windowed sum from 2"},
    Format.STABLEHLO: set[str](),
}
"""Ops that a format has in no order of dimensions, or only where the features are last."""

NEEDS_IMAGES = {"pool", "windowed sum"}
"""Ops that TFLite has for values of four dimensions only."""

NOT_IN_JAXLIB = {"scales of channels", "convolution"}
"""jaxlib's reference takes scales of the last dimension only, and ends at convolutions in some orders of dimensions."""


def orders(rank: int) -> list[tuple[int, ...]]:
    """All orders of few dimensions, every seventh of five."""
    listed = list(permutations(range(rank)))
    return listed[::7] if rank > 4 else listed


def answer(module: ModuleOp, argument: NDArray[np.generic], to: Format) -> list[NDArray[np.generic]]:
    """Return what the format's own runtime computes: for TFLite and ONNX from the written file."""
    model = Model(module, Format.STABLEHLO, "layouts.mlir")
    if to in (Format.TFLITE, Format.ONNX):
        content = convert(model, to).content
        assert content is not None
        model = load(content if isinstance(content, bytes) else content.joined())
    return list(run(model, {model.input_names[0]: argument}, engine=RUNTIMES[to]).values())


def check(module: ModuleOp, argument: NDArray[np.generic], to: Format) -> None:
    expected = evaluate(module.clone(), [argument])
    for order, one, other in zip(range(len(expected)), expected, answer(module, argument, to), strict=True):
        np.testing.assert_array_equal(other, one, err_msg=f"order {order}")


def _is_refused(name: str, rank: int, to: Format) -> bool:
    return name in REFUSED[to] or (to is Format.TFLITE and name in NEEDS_IMAGES and rank != 4)


def _is_tried(name: str, rank: int, to: Format) -> bool:
    if rank == 5 and (name not in MOVEMENTS or name in NEEDS_IMAGES):
        return False
    ranks = (4,) if name == "convolution" else (3, 4, 5) if to in (Format.TOSA, Format.TFLITE) else (3,)
    return rank in ranks and not (to is Format.STABLEHLO and name in NOT_IN_JAXLIB)


def _marks(to: Format, *, is_slow: bool = False) -> list[pytest.MarkDecorator]:
    own = {Format.TOSA: pytest.mark.tosa, Format.TFLITE: pytest.mark.litert, Format.STABLEHLO: pytest.mark.stablehlo}
    return [*([own[to]] if to in own else []), *([pytest.mark.slow] if is_slow else [])]


CASES = [
    pytest.param(name, rank, to, marks=_marks(to, is_slow=rank > 3))
    for name in FLOATS
    for rank in (3, 4, 5)
    for to in RUNTIMES
    if _is_tried(name, rank, to)
]


@pytest.mark.parametrize(("name", "rank", "to"), CASES)
def test_floats(name: str, rank: int, to: Format) -> None:
    module, argument = program(FLOATS[name], orders(rank), f32, seed=rank)
    if _is_refused(name, rank, to):
        with pytest.raises(ConversionError):
            answer(module, argument, to)
    else:
        check(module, argument, to)


@pytest.mark.parametrize("to", [pytest.param(to, marks=_marks(to)) for to in (Format.TOSA, Format.TFLITE)])
@pytest.mark.parametrize("name", MOVEMENTS)
def test_quantized(name: str, to: Format) -> None:
    module, argument = program(FLOATS[name], orders(4), Q8)
    if _is_refused(name, 4, to):
        with pytest.raises(ConversionError):
            answer(module, argument, to)
    else:
        check(module, argument, to)
