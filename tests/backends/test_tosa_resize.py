"""Linear resizing as TOSA's RESIZE on the reference model, against our interpreter's floats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from qconvert import Format, convert, load
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.backends.tosa.decompose import DecomposeToFloats
from qconvert.dialects.composite.base import CompositeOp
from qconvert.dialects.composite.resize import Coordinates
from qconvert.engines import tosa
from qconvert.engines.modules import Program
from qconvert.interpreter import evaluate
from qconvert.rewriting.base import run_passes
from qconvert.support.errors import EngineError

INTEGERS = TosaOptions(Profile.INT)
SHAPES = (((1, 3, 4, 6), (2, 3)), ((2, 4, 6, 3), (1, 2)), ((2, 5, 3), (1,)), ((4, 2, 6), (0, 2)))


def resize(
    shape: tuple[int, ...], axes: tuple[int, ...], scales: list[float], mode: Coordinates, source: str, target: str
) -> str:
    """One quantized resize as a module; sizes are rounded down."""
    sizes = list(shape)
    for axis, scale in zip(axes, scales, strict=True):
        sizes[axis] = int(np.float32(sizes[axis]) * np.float32(scale))
    before, after = (
        f"tensor<{''.join(f'{size}x' for size in given)}{element}>"
        for given, element in ((shape, source), (sizes, target))
    )
    factors = ", ".join(repr(float(np.float32(scale))) for scale in scales)
    return (
        f"func.func @main(%x: {before}) -> {after} {{\n"
        f'  %0 = "qconvert.resize"(%x) <{{axes = array<i64: {", ".join(map(str, axes))}>,'
        f" coordinates = #qconvert<coordinates {mode}>, scales = array<f64: {factors}>}}> : ({before}) -> {after}\n"
        f"  return %0 : {after}\n}}"
    )


@dataclass(frozen=True)
class Case:
    """A resize between quantized types, the same with real results, and its operand."""

    text: str
    real: str
    target_scale: float
    operand: np.ndarray


def random_resize(rng: np.random.Generator) -> Case:
    """Any mode, up or down, with the operand's quantization or another."""
    shape, axes = SHAPES[rng.integers(len(SHAPES))]
    scales = [float(rng.choice([2.0, 3.0, 1.5, 0.5, 1.0, 2.5])) for _ in axes]
    element, dtype = [("i8", np.int8), ("i16", np.int16)][rng.integers(2)]
    mode = list(Coordinates)[rng.integers(len(Coordinates))]
    source = f"!quant.uniform<{element}:f32, 0.05:{rng.integers(-100, 100)}>"
    other = f"!quant.uniform<{element}:f32, 0.0633:{rng.integers(-100, 100)}>"
    is_same, limits = bool(rng.random() < 0.5), np.iinfo(dtype)
    operand = rng.integers(limits.min, limits.max + 1, shape, dtype)
    text, real = (resize(shape, axes, scales, mode, source, to) for to in (source if is_same else other, "f32"))
    return Case(text, real, 0.05 if is_same else 0.0633, operand)


def from_tie(case: Case) -> np.ndarray:
    """How many steps each result is away from the middle between two steps."""
    steps = evaluate(load(case.real.encode()).module, [case.operand])[0] / case.target_scale
    return np.abs(steps - np.floor(steps) - 0.5)


@pytest.mark.tosa
def test_integer_resize_differs_at_ties_alone() -> None:
    """Where float32 cannot tell the side of the middle, that is, in 16 bits up to 1/100 of a step from it."""
    rng = np.random.default_rng(0)
    cases = [random_resize(rng) for _ in range(200)]
    programs = [
        Program(convert(load(case.text.encode()), Format.TOSA, INTEGERS).text, [[case.operand]]) for case in cases
    ]
    for case, found in zip(cases, tosa.run_many(programs), strict=True):
        assert not isinstance(found, EngineError), (found, case.text)
        steps = np.abs(found[0][0].astype(int) - evaluate(load(case.text.encode()).module, [case.operand])[0])
        assert steps.max() <= 1, case.text
        assert not steps[from_tie(case) > 0.01].any(), case.text


@pytest.mark.parametrize("scale", [1.0009765, 300.0])
def test_scales_that_resize_cannot_say_become_floats(scale: float) -> None:
    eight = "!quant.uniform<i8:f32, 0.05>"
    module = load(resize((1, 4096, 2), (1,), [scale], Coordinates.HALF_PIXEL, eight, eight).encode()).module
    run_passes(module, [DecomposeToFloats()])
    assert not any(isinstance(op, CompositeOp) for op in module.walk())
