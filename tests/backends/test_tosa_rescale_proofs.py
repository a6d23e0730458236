"""Ops of 8 bits between ``tosa.rescale``, held to their float32 arithmetic on every input."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert.backends.stablehlo import QuantizedAs, StableHloOptions
from qconvert.backends.stablehlo.emit import emit, lower
from qconvert.dialects.tosa import RescaleOp
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale import QuantLegalizeToTosaRescale
from qconvert.rewriting import OpProof
from qconvert.rewriting.base import run_passes
from qconvert.rewriting.prover import Reference
from tests.backends.test_tosa_proofs import CORRECTED, UNPROVED, Op
from tests.support.parameters import few

RESCALES = StableHloOptions(quantized_as=QuantizedAs.RESCALES)


def differences(op: Op, *, proves: bool) -> np.ndarray:
    plain = op.module
    run_passes(plain, [QuantLegalizeToTosaRescale()])
    written = lower(op.module, RESCALES) if proves else plain
    assert any(isinstance(made, RescaleOp) for made in written.walk())
    [expected], [found] = evaluate(op.module, op.inputs), evaluate(written, op.inputs)
    return np.abs(found.astype(int) - expected)


@pytest.mark.parametrize("op", few(CORRECTED, 4))
def test_corrected_scales_give_the_float_arithmetic_on_every_input(op: Op) -> None:
    assert differences(op, proves=False).any()
    assert not differences(op, proves=True).any()
    assert not Reference(op.question).ties.any()


@pytest.mark.parametrize(("op", "holds"), [(CORRECTED[1], True), (UNPROVED[0], False)])
def test_proofs_are_reported(op: Op, holds: bool) -> None:
    [found] = emit(op.module, RESCALES).proofs
    assert found.nodes == (f"{op.name}_1",)
    assert found.proof is not None
    assert found.proof.holds == holds


def test_ops_that_are_refused_or_cannot_be_tried_have_no_proof() -> None:
    element = "!quant.uniform<i8:f32, 0.1:3>"
    module = parse_module(
        f"func.func @main(%x: tensor<4xf32>) -> tensor<2x2x{element}> {{\n"
        f'  %q = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x{element}> loc("begins")\n'
        f'  %d = stablehlo.divide %q, %q : tensor<4x{element}> loc("div")\n'
        f'  %r = stablehlo.reshape %d : (tensor<4x{element}>) -> tensor<2x2x{element}> loc("moves")\n'
        f"  return %r : tensor<2x2x{element}>\n}}"
    )
    assert emit(module, RESCALES).proofs == (OpProof(("begins",)), OpProof(("div",)))
