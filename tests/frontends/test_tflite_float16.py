"""Weights that the file holds in 16-bit floats and an operator widens, as TFLite's float16 quantization leaves them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import flatbuffers
import numpy as np
import pytest
import tflite

from qconvert import convert, load
from qconvert.engines import litert
from qconvert.interpreter import evaluate
from tests.support.paths import FIXTURES


@pytest.fixture(scope="module")
def maker() -> Iterator[ModuleType]:
    """The script that knows how to write a fully connected layer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FIXTURES))
        yield import_module("make_fake_quant")


def _no_options(build: flatbuffers.Builder) -> int:
    tflite.DequantizeOptionsStart(build)
    return int(tflite.DequantizeOptionsEnd(build))


@pytest.mark.litert
def test_widened_weights_are_folded(maker: ModuleType) -> None:
    rng = np.random.default_rng(0)
    weights, offsets = rng.normal(size=(5, 8)).astype(np.float16), rng.normal(size=5).astype(np.float32)
    held = maker.Tensor("held", (5, 8), "float16", data=weights)
    widened = maker.Tensor("widened", (5, 8), "float32")
    kinds = tflite.BuiltinOperator.DEQUANTIZE, 3, tflite.BuiltinOptions.DequantizeOptions
    inputs = [maker.Tensor("x", (2, 8), "float32"), widened, maker.Tensor("bias", (5,), "float32", data=offsets)]
    product = maker.dense(inputs, maker.Tensor("y", (2, 5), "float32"), has_relu=False)
    data = maker.write_model(maker.Operator(*kinds, _no_options, [held], widened), product)
    converted = convert(load(data))
    assert "f16" not in converted.text
    assert "stablehlo.transpose" not in converted.text
    x = rng.normal(size=(2, 8)).astype(np.float32)
    np.testing.assert_allclose(evaluate(converted.module, [x])[0], litert.run(data, {"x": x})["y"], rtol=1e-5)
