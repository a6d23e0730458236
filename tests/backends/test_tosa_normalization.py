"""Softmax in TOSA's integers on the reference model, against our interpreter's floats."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert import Format, convert, load
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.backends.tosa.decompose import DecomposeToFloats
from qconvert.dialects.composite import SoftmaxOp
from qconvert.engines import tosa
from qconvert.engines.modules import Program
from qconvert.interpreter import evaluate
from qconvert.rewriting.base import run_passes
from qconvert.support.errors import EngineError

INTEGERS = TosaOptions(Profile.INT)
COUNTS = (2, 3, 10, 64, 1000)
TARGETS = ((1 / 255, -128), (1 / 256, -128), (1 / 128, 0))


def softmax(shape: tuple[int, ...], axis: int, source: str, target: str) -> str:
    """One quantized softmax as a module."""
    before, after = (
        f"tensor<{''.join(f'{size}x' for size in shape)}!quant.uniform<{element}>>" for element in (source, target)
    )
    return (
        f"func.func @main(%x: {before}) -> {after} {{\n"
        f'  %0 = "qconvert.softmax"(%x) <{{axis = {axis} : i64}}>'
        f" {{qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>}} : ({before}) -> {after}\n"
        f"  return %0 : {after}\n}}"
    )


def random_softmax(rng: np.random.Generator) -> tuple[str, np.ndarray]:
    """Any axis, length, scale and zero point, with values in all of the range or close together."""
    axis = int(rng.integers(3))
    shape = [2, 5, 3]
    shape[axis] = int(rng.choice(COUNTS))
    scale = float(np.float32(rng.choice([0.003, 0.015, 0.05, 0.2, 1.0]) * rng.uniform(0.7, 1.4)))
    target, zero_point = TARGETS[rng.integers(len(TARGETS))]
    text = softmax(
        tuple(shape), axis, f"i8:f32, {scale!r}:{rng.integers(-128, 128)}", f"i8:f32, {target!r}:{zero_point}"
    )
    return text, np.clip(rng.normal(0, rng.choice([5, 40, 100]), shape), -128, 127).astype(np.int8)


@pytest.mark.tosa
def test_integer_softmax_is_within_one_step() -> None:
    rng = np.random.default_rng(0)
    cases = [random_softmax(rng) for _ in range(60)]
    programs = [Program(convert(load(text.encode()), Format.TOSA, INTEGERS).text, [[x]]) for text, x in cases]
    differing = total = 0
    for (text, x), found in zip(cases, tosa.run_many(programs), strict=True):
        assert not isinstance(found, EngineError), found
        steps = np.abs(found[0][0].astype(int) - evaluate(load(text.encode()).module, [x])[0])
        assert steps.max() <= 1, text
        differing, total = differing + np.count_nonzero(steps), total + steps.size
    assert differing / total < 0.0001


@pytest.mark.parametrize(("width", "is_kept"), [(8, True), (16, False)])
def test_softmax_of_wider_integers_becomes_floats(width: int, is_kept: bool) -> None:
    module = load(softmax((2, 3), 1, f"i{width}:f32, 0.1", "i8:f32, 0.0078125").encode()).module
    run_passes(module, [DecomposeToFloats()])
    assert any(isinstance(op, SoftmaxOp) for op in module.walk()) is is_kept
