"""The multipliers, shifts and zero points that StableHLO's own pass is tested for, and what its two passes compute.

Reads a checkout of openxla/stablehlo at STABLEHLO_CHECKOUT. ``div`` is the exception: the pass of that project rescales
a quotient by s_l * s_r / s_out, where the arithmetic asks for s_l / (s_r * s_out), and without fractional bits.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from qconvert.dialects.tosa import RescaleOp
from qconvert.dialects.tosa.quantization import parameter_array
from qconvert.frontends.mlir import load_text
from qconvert.interpreter import evaluate
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale import QuantLegalizeToTosaRescale
from qconvert.passes.rescaling.tosa_rescale_legalize_to_stablehlo import TosaRescaleLegalizeToStablehlo
from qconvert.rewriting.base import run_passes
from tests.support.text_cases import inputs_for

Numbers: TypeAlias = tuple[int, ...]

pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif("STABLEHLO_CHECKOUT" not in os.environ, reason="needs a checkout at STABLEHLO_CHECKOUT"),
]

FUNCTIONS = ("add", "sub", "mul", "max", "min", "abs", "compareGE", "compareLT")
CONSTANT = re.compile(r'%\[\[(\w+):\.\+\]\] = "tosa\.const"\(\) <\{values = dense<(-?\d+)>')
RESCALE = re.compile(
    r"= tosa\.rescale (%arg\d|%\[\[V\d\]\]), %\[\[(\w+)\]\], %\[\[(\w+)\]\], %\[\[(\w+)\]\], %\[\[(\w+)\]\]"
)


def section(file: str, function: str) -> str:
    folder = Path(os.environ["STABLEHLO_CHECKOUT"]) / "stablehlo" / "conversions" / "tosa" / "tests"
    parts = (folder / file).read_text().split("// -----")
    return next(part for part in parts if f"func.func @{function}(" in part)


def expected_numbers(text: str) -> list[Numbers]:
    constants = {name: int(value) for name, value in CONSTANT.findall(text)}
    return [tuple(constants[name] for name in found[1:]) for found in RESCALE.findall(text)]


def numbers(module: ModuleOp) -> list[Numbers]:
    """Multiplier, shift, input and output zero point of every rescale."""
    rescales = [op for op in module.walk() if isinstance(op, RescaleOp)]
    arrays = [[parameter_array(value) for value in op.operands[1:]] for op in rescales]
    return [tuple(int(array[0]) for array in operands if array is not None) for operands in arrays]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_same_multipliers_shifts_and_zero_points(function: str) -> None:
    text = section("legalize_quant_ops_to_tosa_rescale.mlir", function)
    module = load_text(text, function)
    [result] = run_passes(module, [QuantLegalizeToTosaRescale()])
    assert result.refusals == ()
    wanted = expected_numbers(text)
    assert len(wanted) >= 2
    assert sorted(numbers(module)) == sorted(wanted)
    ops = [op for op in module.walk() if isinstance(op, RescaleOp)]
    returned = next(op for op in module.walk() if op.name == "func.return")
    assert function.startswith("compare") or returned.operands[0].owner in ops
    assert not any(op.name == "stablehlo.bitcast_convert" for op in module.walk())


def test_a_rescale_computes_what_that_projects_lowering_spells() -> None:
    module = load_text(section("legalize_tosa_rescale_to_stablehlo.mlir", "rescale"), "rescale")
    run_passes(module, [TosaRescaleLegalizeToStablehlo()])
    values = inputs_for(module, 0)
    value = values[0].astype(np.int64)
    assert np.array_equal(evaluate(module, values)[0], ((value + 1) * 1431655765 + (1 << 12)) >> 13)


def test_the_interpreted_sum() -> None:
    folder = Path(os.environ["STABLEHLO_CHECKOUT"]) / "stablehlo" / "conversions" / "tosa" / "tests"
    text = (folder / "rescale_interpreter.mlir").read_text()
    without_check = re.sub(r"%3 = .*\n\s*return .*\n", "return %result : tensor<2x2xf32>\n", text)
    module = load_text(without_check.replace("() -> tensor<i1>", "() -> tensor<2x2xf32>"), "sum")
    run_passes(module, [QuantLegalizeToTosaRescale(), TosaRescaleLegalizeToStablehlo()])
    [found] = evaluate(module, [])
    np.testing.assert_allclose(found, np.full((2, 2), 1.05), rtol=1e-6)
