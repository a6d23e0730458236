"""A decoder of a language model with quantized weights: one layer is compared with onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from safetensors.numpy import load_file

from benchmarks.decoder import Sizes, write_decoder
from benchmarks.measure import anonymous_peak_of
from qconvert import load
from qconvert.api.inspection import inspect_model
from qconvert.dialects.stablehlo import UniformDequantizeOp
from qconvert.ir import shape
from qconvert.ir.quant_parameters import CompactNumbers
from tests.support.commands import qconvert

SMALL = Sizes(layers=1, width=64, heads=4, inner=128, words=50, tokens=8)


@pytest.mark.quick(1)
@pytest.mark.parametrize("int4", [False, True])
@pytest.mark.parametrize("to", ["stablehlo", "stablehlo-int"])
@pytest.mark.slow
def test_a_layer_computes_what_onnxruntime_does(to: str, int4: bool, tmp_path: Path) -> None:
    model, program, weights = tmp_path / "decoder.onnx", tmp_path / "p.mlir", tmp_path / "w.safetensors"
    write_decoder(model, SMALL, int4=int4)
    qconvert("convert", model, "--to", to, "-o", program, "--weights", weights)
    assert {"embed.weight", "layers.0.attention.q.weight", "layers.0.down.weight", "lm_head.weight"} <= load_file(
        weights
    ).keys()
    np.savez(tmp_path / "in.npz", tokens=np.random.default_rng(0).integers(0, SMALL.words, (4, SMALL.tokens)))
    shown = qconvert("validate", model, program, "--to", to, "--inputs", tmp_path / "in.npz", "--min-sqnr", "100")
    assert shown.stdout.rstrip().endswith("passed")


@pytest.mark.slow
def test_the_scales_of_blocks_are_described_by_their_range(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scales of a large decoder are millions: no format that ``inspect`` tries lists them."""
    write_decoder(tmp_path / "decoder.onnx", SMALL, int4=True)

    def listed(_: CompactNumbers) -> NoReturn:
        pytest.fail("the scales of blocks are listed one by one")

    monkeypatch.setattr(CompactNumbers, "__iter__", listed)
    model = load(tmp_path / "decoder.onnx")
    found = inspect_model(model, targets=True)
    assert len(found.targets) == 6
    inner, width = SMALL.inner, SMALL.width
    weights = next(node.weights[0] for node in found.nodes if node.weights and node.weights[0].shape == (inner, width))
    [scales] = (
        op.operand.type.element_type.data.scales
        for op in model.module.walk()
        if isinstance(op, UniformDequantizeOp) and shape(op.operand) == (inner, width)
    )
    assert (weights.element, weights.zero_points) == ("i4", (0, 0))
    assert weights.scales == (np.min(scales), np.max(scales))


@pytest.mark.slow
@pytest.mark.parametrize("int4", [False, True])
def test_a_large_decoder_needs_little_memory(int4: bool, tmp_path: Path) -> None:
    model = tmp_path / "decoder.onnx"
    write_decoder(model, Sizes(layers=4), int4=int4)
    out = ("-o", str(tmp_path / "p.mlir"), "--weights", str(tmp_path / "w.safetensors"))
    assert anonymous_peak_of("qconvert", "convert", str(model), *out) < 250
    assert anonymous_peak_of("qconvert", "inspect", str(model)) < 450
