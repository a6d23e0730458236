"""Networks of well-known architectures from end to end: the written file in its own tool, beside onnxruntime."""

from __future__ import annotations

from functools import cache
from itertools import cycle, product

import numpy as np
import pytest

from networks import NETWORKS, Style, float_model, quantized, samples
from qconvert import ConversionError, Format, load, quantize, validate
from qconvert.api import Model
from qconvert.validation import Settings

FORMATS = (Format.TOSA, Format.TFLITE, Format.ONNX, Format.STABLEHLO_INT)
_OF_ONE_DIMENSION = ("audio_cnn", "tcn")
"""TFLite has no convolution over one spatial dimension."""
_UNQUANTIZED = ("convnext", "encoder", "vision_transformer", "lstm")
"""The target of TFLite has no kernel for their LayerNormalization or LSTM."""


@cache
def _quantized(name: str, style: Style) -> bytes:
    model = float_model(name)
    return quantized(model, style, samples(model, 6))


def _check(model: Model, name: str, to: Format) -> None:
    if to is Format.TFLITE and name in _OF_ONE_DIMENSION:
        with pytest.raises(ConversionError, match="TFLite convolves images of two spatial dimensions"):
            validate(model, settings=Settings(to))
        return
    report = validate(model, settings=Settings(to))
    assert report.passed, report.failures
    assert report.outputs[0].distinct > 2


_FORMS = list(product(Style, FORMATS))


@pytest.mark.slow
@pytest.mark.tosa
@pytest.mark.litert
@pytest.mark.stablehlo
@pytest.mark.parametrize(("name", "form"), list(zip(NETWORKS, cycle(_FORMS), strict=False)))
def test_a_network_is_the_same_from_end_to_end(name: str, form: tuple[Style, Format]) -> None:
    """Styles and formats take turns."""
    _check(load(_quantized(name, form[0])), name, form[1])


@pytest.mark.long
@pytest.mark.parametrize(("style", "to"), _FORMS)
@pytest.mark.parametrize("name", NETWORKS)
def test_every_form_of_a_network(name: str, style: Style, to: Format) -> None:
    _check(load(_quantized(name, style)), name, to)


@pytest.mark.long
@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("name", [name for name in NETWORKS if name not in _UNQUANTIZED])
def test_a_network_that_qconvert_quantizes(name: str, to: Format) -> None:
    model = float_model(name)
    feeds = samples(model, 6)
    calibration = {key: np.stack([feed[key] for feed in feeds]) for key in feeds[0]}
    _check(quantize(load(model.SerializeToString()), "tflite-int8", calibration).model, name, to)
