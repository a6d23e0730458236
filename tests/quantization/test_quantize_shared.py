"""Float networks, as quantized ones of the shared models say them, quantized again on their own samples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qconvert import Model, convert, load, quantize
from qconvert.formats import Format
from qconvert.interpreter.program import evaluate
from qconvert.passes import make_pass
from qconvert.quantization.lifting import lift
from qconvert.quantization.target import Fallback
from qconvert.rewriting.base import run_passes
from qconvert.support.arrays import read_arrays
from qconvert.validation.sampling.samples import arguments, given_samples

pytestmark = pytest.mark.corpora

SHARED = Path("../shared/models")

LEAST = {
    "onnx/digits_cnn_int8_perchannel": 38,
    "onnx/mnist_int8_perchannel": 35,
    "onnx/transformer_block_int8": 33,
    "onnx/unet_int8": 48,
    "zoo/digits_mbv2__s8s8_pc": 35,
    "zoo/digits_cnn__wo_s8_pc": 38,
    "zoo/digits_qat_pc__as_is": 35,
    "zoo/digits_tfm__s8s8_pc_raw": 33,
}
"""Decibels of signal to quantization noise at the first output, in tosa-int8, on the samples of the calibration."""


def _float_model(name: str) -> Model:
    path = SHARED / f"{name}.onnx"
    if not path.exists():
        pytest.skip("the shared models are not there")
    model = load(path)
    module = model.module.clone()
    run_passes(module, [make_pass("dehybridize"), make_pass("fold")])
    lift(module)
    return replace(model, module=module, format=Format.STABLEHLO, opened=None)


def _first_outputs(module: Any, samples: list[dict[str, NDArray[Any]]]) -> NDArray[np.float64]:
    return np.stack([evaluate(module, list(sample.values()))[0] for sample in samples]).astype(np.float64)


@pytest.mark.parametrize("name", LEAST)
def test_quantized_again(name: str) -> None:
    model = _float_model(name)
    arrays = read_arrays(SHARED / f"{name}.npz")
    samples = given_samples(arrays, arguments(model.module, model.input_names))
    found = quantize(model, "tosa-int8", samples, fallback=Fallback.FLOAT)
    expected = _first_outputs(model.module, samples)
    noise = _first_outputs(convert(found.model).fused, samples) - expected
    assert 10 * np.log10(np.mean(expected**2) / np.mean(noise**2)) >= LEAST[name]
    assert convert(found.model, Format.ONNX).content
    convert(found.model, Format.TOSA)
