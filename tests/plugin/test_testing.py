"""The helpers of ``qconvert.testing``, on an operator that everybody knows."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert.engines.base import EngineName
from qconvert.support.errors import ConversionError
from qconvert.testing import Quantization, assert_outputs, one_operator, outputs, stablehlo_text

X = np.linspace(-8, 8, 33, dtype=np.float32).reshape(1, 33)


def test_an_operator_in_float() -> None:
    model = one_operator("LeakyRelu", [X], attributes={"alpha": 0.5})
    assert_outputs(model, [X], [np.where(X < 0, X * np.float32(0.5), X)])
    with pytest.raises(AssertionError, match="Mismatched elements: 16 / 33"):
        assert_outputs(model, [X], [X])


def test_an_operator_between_quantizers() -> None:
    quantization = Quantization(scale=0.125, zero_point=-3)
    model = one_operator("Sub", [X, X[:, ::-1]], quantization=quantization)
    (found,) = outputs(model, [X, X[:, ::-1]])
    np.testing.assert_allclose(found, np.clip(2 * X, -15.625, 16.25), atol=0.25)
    assert "stablehlo.subtract" in stablehlo_text(model)
    assert "!quant.uniform<i8:f32, 0.125:-3>" in stablehlo_text(model)


def test_an_operator_of_another_domain() -> None:
    with pytest.raises(ConversionError, match=r"com\.example\.Nothing is not supported in opset 3"):
        stablehlo_text(one_operator("Nothing", [X], domain="com.example", domain_version=3))


@pytest.mark.stablehlo
def test_the_same_through_a_real_engine() -> None:
    model = one_operator("Relu", [X], quantization=Quantization(0.125))
    assert_outputs(model, [X], outputs(model, [X]), EngineName.STABLEHLO)
