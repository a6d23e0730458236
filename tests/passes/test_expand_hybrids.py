"""Hybrid ops in float and integer ops: the floats of LiteRT's kernels, and what LiteRT has no kernel for."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.passes.fusion.expand_hybrids import ExpandHybrids
from qconvert.rewriting import run_passes
from qconvert.support.errors import ConversionError

ROWS = 40


def product(asymmetric: bool, weights: str = "i8:f32:1, {0.5,0.25,0.125}") -> str:
    arithmetic = f"#qconvert.arithmetic<litert, 32, DOUBLE_ROUND, 64, 0{', asymmetric' * asymmetric}>"
    x, w, result = f"tensor<{ROWS}x7xf32>", f"tensor<7x3x!quant.uniform<{weights}>>", f"tensor<{ROWS}x3xf32>"
    return f"""func.func @main(%x: {x}, %w: {w}) -> {result} {{
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      {{qconvert.arithmetic = {arithmetic}}} : ({x}, {w}) -> {result} loc("p")
  return %0 : {result}
}}"""


def rows() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Return rows of all signs and magnitudes, one of zeros, one with ties of 127 steps."""
    random = np.random.default_rng(2)
    made = random.normal(random.choice([-2, 0, 2], (ROWS, 1)), 1, (ROWS, 7)) * 10.0 ** random.uniform(-5, 5, (ROWS, 1))
    made[0], made[1] = 0, [127, 63.5, -63.5, 0.5, -0.5, 1.5, 0]
    return made.astype(np.float32)


@pytest.mark.parametrize("asymmetric", [False, True])
def test_the_ops_compute_the_kernels_floats(asymmetric: bool) -> None:
    weights = np.random.default_rng(3).integers(-127, 128, (7, 3)).astype(np.int8)
    [expected] = evaluate(parse_module(product(asymmetric)), [rows(), weights])
    module = parse_module(product(asymmetric))
    run_passes(module, [ExpandHybrids()])
    [found] = evaluate(module, [rows(), weights])
    assert (np.abs(found - expected).max(axis=1) <= 2e-6 * np.abs(expected).max(axis=1)).all()
    assert not found[0].any()


@pytest.mark.parametrize("weights", ["i4:f32, 0.5", "i8:f32, 0.5:3"])
def test_weights_without_a_kernel_are_refused_by_the_node(weights: str) -> None:
    module = parse_module(product(False, weights))
    with pytest.raises(ConversionError, match=r"node 'p'.*LiteRT's hybrid kernels take symmetric 8-bit weights, found"):
        run_passes(module, [ExpandHybrids()])
