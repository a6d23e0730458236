"""Ops of 8 bits between ``tosa.rescale``, held to their float32 arithmetic on every input."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert.backends.stablehlo import QuantizedAs, StableHloOptions
from qconvert.backends.stablehlo.emit import lower
from qconvert.dialects.tosa import RescaleOp
from qconvert.interpreter import evaluate
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale import QuantLegalizeToTosaRescale
from qconvert.rewriting.base import run_passes
from qconvert.rewriting.prover import Reference
from tests.backends.test_tosa_proofs import CORRECTED, Op
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
