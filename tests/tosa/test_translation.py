"""Every integer op of TOSA in StableHLO gives the same integers, in our interpreter and in StableHLO's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

from qconvert.dialects import tosa
from qconvert.engines import stablehlo
from qconvert.expansion.builder import TosaBuilder
from qconvert.interpreter import evaluate
from qconvert.interpreter.core import main_function
from qconvert.ir import f32, module_text
from qconvert.numerics import Rounding
from qconvert.passes.rescaling.tosa_legalize_to_stablehlo import TosaLegalizeToStablehlo
from qconvert.passes.rescaling.tosa_legalize_to_stablehlo.translation import TRANSLATIONS
from qconvert.passes.rescaling.tosa_rescale_legalize_to_stablehlo import TosaRescaleLegalizeToStablehlo
from qconvert.rewriting import run_passes
from qconvert.support.errors import ConversionError
from tests.support.random_tosa_ops import EVERY, Kind
from tests.support.tosa_floats import OF_FLOATS, float_program
from tests.support.tosa_programs import argument, extremes, module_of, random_inputs
from tests.support.tosa_rescales import inputs_of, random_case, rescale_module

CASES = 100


def translated(module: ModuleOp) -> ModuleOp:
    """The module in StableHLO's ops alone."""
    module = module.clone()
    run_passes(module, [TosaLegalizeToStablehlo(), TosaRescaleLegalizeToStablehlo()])
    return module


def check_equal(module: ModuleOp, samples: list[list[NDArray[Any]]]) -> None:
    """Raises AssertionError where results differ."""
    made = translated(module)
    ran = stablehlo.run_samples(module_text(made, locations=False), samples)
    for sample, theirs in zip(samples, ran, strict=True):
        for expected, ours, other in zip(evaluate(module, sample), evaluate(made, sample), theirs, strict=True):
            np.testing.assert_array_equal(ours, expected)
            np.testing.assert_array_equal(other, expected)
            assert ours.dtype == expected.dtype


@pytest.mark.stablehlo
@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_translation_gives_the_same_integers(kind: Kind) -> None:
    rng, block, build = np.random.default_rng(1), Block(), TosaBuilder()
    module = module_of(block, build, [kind(rng, build, block) for _ in range(CASES)])
    function = main_function(module)
    check_equal(module, [random_inputs(rng, function.body.block), extremes(rng, function.body.block)])


@pytest.mark.stablehlo
def test_rescales_give_the_same_integers() -> None:
    """Those of 48 bits follow convolutions and matrix products of 16-bit integers."""
    rng = np.random.default_rng(2)
    cases = [random_case(rng, (8, 16, 32)) for _ in range(CASES)]
    exact = [case for case in cases if case.rounding is not Rounding.INEXACT_ROUND]
    check_equal(rescale_module(exact), [inputs_of(exact)])


def test_floats_have_the_same_values() -> None:
    module, inputs = float_program()
    for found, expected in zip(evaluate(translated(module), inputs), evaluate(module, inputs), strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.slow
def test_random_programs_use_every_op() -> None:
    rng, block, build = np.random.default_rng(1), Block(), TosaBuilder()
    for kind in EVERY:
        for _ in range(CASES):
            kind(rng, build, block)
    assert set(TRANSLATIONS) <= OF_FLOATS | {type(op) for op in build.ops}


def test_an_op_without_a_form_in_stablehlo_is_refused() -> None:
    block, build = Block(), TosaBuilder()
    module = module_of(block, build, [build.add(tosa.ErfOp(argument(block, f32, (2,))))])
    with pytest.raises(ConversionError, match="StableHLO has no error function"):
        translated(module)


@pytest.mark.parametrize("kind", [tosa.MaximumOp, tosa.MinimumOp])
def test_an_op_that_ignores_nan_is_refused(kind: type[tosa.ExtremeOp]) -> None:
    block, build = Block(), TosaBuilder()
    x = argument(block, f32, (2,))
    op = kind(x, x)
    op.properties["nan_mode"] = tosa.NanModeAttr(tosa.NanMode.IGNORE)
    module = module_of(block, build, [build.add(op)])
    with pytest.raises(ConversionError, match=f"{op.name}: StableHLO's ops do not ignore NaN"):
        translated(module)
