"""Networks of well-known architectures from end to end: the written file in its own tool, beside onnxruntime."""

from __future__ import annotations

from itertools import cycle, product

import pytest

from networks import NETWORKS
from networks.forms import FORMS, Form, model_of
from qconvert import ConversionError, Format, Settings, load, validate

_FORMATS = (Format.TOSA, Format.TFLITE, Format.ONNX, Format.STABLEHLO_INT)
_OF_ONE_DIMENSION = ("audio_cnn", "tcn")
"""TFLite has no convolution over one spatial dimension."""
_WAYS = list(product(FORMS, _FORMATS))


def _check(name: str, form: Form, to: Format) -> None:
    model = load(model_of(name, form))
    if to is Format.TFLITE and name in _OF_ONE_DIMENSION:
        with pytest.raises(ConversionError, match="TFLite convolves images of two spatial dimensions"):
            validate(model, settings=Settings(to))
        return
    report = validate(model, settings=Settings(to))
    assert report.passed, report.failures
    assert report.outputs[0].distinct > 2


@pytest.mark.slow
@pytest.mark.tosa
@pytest.mark.litert
@pytest.mark.stablehlo
@pytest.mark.parametrize(("name", "way"), list(zip(NETWORKS, cycle(_WAYS), strict=False)))
def test_a_network_is_the_same_from_end_to_end(name: str, way: tuple[Form, Format]) -> None:
    """Forms and formats take turns."""
    _check(name, *way)


@pytest.mark.long
@pytest.mark.parametrize(("form", "to"), _WAYS)
@pytest.mark.parametrize("name", NETWORKS)
def test_every_form_of_a_network(name: str, form: Form, to: Format) -> None:
    _check(name, form, to)


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NETWORKS)
def test_every_form_of_a_network_in_quantized_types_of_stablehlo(name: str, form: Form) -> None:
    _check(name, form, Format.STABLEHLO)
