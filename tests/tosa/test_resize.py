"""tosa.resize and integer reductions in our interpreter, bit by bit against the reference model; LiteRT's resizes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block

from qconvert import Format, convert, load
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.dialects.tosa import ReduceMaxOp, ReduceMinOp, ReduceSumOp
from qconvert.engines import tosa
from qconvert.expansion.builder import TosaBuilder, i16
from qconvert.expansion.resize import past_a_power
from qconvert.interpreter import evaluate
from qconvert.ir.printing import module_text
from qconvert.ir.types import i8, i32
from qconvert.numerics import Rounding, ZeroPoints, rescale_and_clamp
from qconvert.numerics.fixed_point import divide_by_power
from tests.support.random_tosa_ops import resize
from tests.support.tflite_cases import Case, Tensor, constant
from tests.support.tosa_programs import module_of, random_inputs

RUNS, CASES_A_RUN = 3, 80


@pytest.mark.tosa
@pytest.mark.parametrize("seed", range(RUNS))
def test_resize_is_equal_to_the_reference_model(seed: int) -> None:
    rng, block, build = np.random.default_rng(seed), Block(), TosaBuilder()
    cases = [resize(rng, build, block) for _ in range(CASES_A_RUN)]
    module, inputs = module_of(block, build, cases), random_inputs(rng, block)
    for case, ours, theirs in zip(
        cases, evaluate(module, inputs), tosa.run_samples(module_text(module), [inputs])[0], strict=True
    ):
        np.testing.assert_array_equal(ours, theirs, str(case.owner))


@pytest.mark.tosa
def test_reductions_are_equal_to_the_reference_model() -> None:
    rng, block, build = np.random.default_rng(0), Block(), TosaBuilder()
    results = []
    for kind, element in ((ReduceMaxOp, i8), (ReduceMinOp, i8), (ReduceMaxOp, i16), (ReduceSumOp, i32)):
        for axis in range(3):
            argument = block.insert_arg(TensorType(element, (3, 4, 5)), len(block.args))
            results.append(build.add(kind(argument, axis)))
    module, inputs = module_of(block, build, results), random_inputs(rng, block)
    for ours, theirs in zip(evaluate(module, inputs), tosa.run_samples(module_text(module), [inputs])[0], strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("parts", [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1), (1, 4)])
def test_units_past_a_power_round_sums_of_16_bits_as_litert_does(parts: tuple[int, int]) -> None:
    """All multiples of a part of 1 in the range of i16, ties away from zero."""
    found = past_a_power(*parts)
    assert found is not None
    weight, (rows, columns) = parts[0] * parts[1], found.units
    numerators = np.arange(-(1 << 15) * weight, (1 << 15) * weight)
    sums = numerators * (rows // parts[0]) * (columns // parts[1])
    rounded = rescale_and_clamp(
        sums, 1 << 14, 14 + found.places, ZeroPoints(), (-(1 << 15), (1 << 15) - 1), Rounding.SINGLE_ROUND
    )
    away = np.sign(numerators) * ((2 * np.abs(numerators) + weight) // (2 * weight))
    np.testing.assert_array_equal(rounded, np.clip(away, -(1 << 15), (1 << 15) - 1))


@pytest.mark.parametrize("parts", [(4, 2), (2, 4), (4, 4), (8, 8), (1024, 1)])
def test_finer_sums_have_no_such_units(parts: tuple[int, int]) -> None:
    assert past_a_power(*parts) is None


@pytest.mark.parametrize("parts", [16, 64, 128])
def test_one_rescale_rounds_coarse_sums_as_litert_does(parts: int) -> None:
    """All multiples of a part of 1 in the range of i8, ties away from zero.

    The second shift is that of Vela's program for Ethos-U85, which multiplies by 2^16 instead of 2^30.
    """
    numerators = np.arange(-128 * parts, 127 * parts + 1)
    expected = divide_by_power(numerators, parts.bit_length() - 1)
    sums = numerators * ((1 << 22) // parts)
    for power in (30, 16):
        made = rescale_and_clamp(sums, 1 << power, 22 + power, ZeroPoints(), (-128, 127), Rounding.DOUBLE_ROUND)
        np.testing.assert_array_equal(made, expected)


def forms(kind: str, sizes: tuple[int, int], mode: str, given: tuple[int, int] = (4, 6)) -> list[str]:
    """The ops of a resize of TFLite's integers as TOSA, without constants and reshapes."""
    zero_point = 3 if kind == "INT8" else 0
    tensors = (Tensor((1, *found, 2), 0.05, zero_point, kind) for found in (given, sizes))
    case = Case("RESIZE_BILINEAR", [next(tensors), constant(sizes)], [next(tensors)], "ResizeBilinearOptions")
    case = replace(case, fields={mode: True} if mode else {}, version=1)
    names = [op.name for op in convert(load(case.model()), Format.TOSA, TosaOptions(Profile.INT)).module.walk()]
    return [name.removeprefix("tosa.") for name in names if name.startswith("tosa.") and "const" not in name]


@pytest.mark.parametrize(
    ("kind", "sizes", "mode", "expected"),
    [
        ("INT8", (8, 12), "", ["resize", "rescale"]),
        ("INT8", (8, 12), "HalfPixelCenters", ["resize", "rescale"]),
        ("INT8", (16, 24), "HalfPixelCenters", ["resize", "rescale"]),
        ("INT8", (4, 6), "", []),
        ("INT16", (8, 12), "HalfPixelCenters", ["resize", "rescale", "add", "rescale"]),
    ],
)
def test_resizes_by_powers_of_two_are_rounded_by_one_rescale(
    kind: str, sizes: tuple[int, int], mode: str, expected: list[str]
) -> None:
    assert forms(kind, sizes, mode) == expected


@pytest.mark.parametrize(
    ("kind", "sizes", "mode"),
    [("INT8", (8, 12), "AlignCorners"), ("INT8", (32, 48), "HalfPixelCenters"), ("INT16", (8, 12), "AlignCorners")],
)
def test_other_resizes_are_rounded_by_shifts(kind: str, sizes: tuple[int, int], mode: str) -> None:
    found = forms(kind, sizes, mode)
    assert "arithmetic_right_shift" in found
    assert "rescale" not in found


@pytest.mark.parametrize("kind", ["INT8", "INT16"])
def test_one_pixel_is_repeated_without_rounding(kind: str) -> None:
    assert forms(kind, (8, 12), "", (1, 1)) == ["resize"]
    assert len(forms(kind, (8, 12), "", (1, 2))) > 1
