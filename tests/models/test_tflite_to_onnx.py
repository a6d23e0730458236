"""Real .tflite models beside the repository as ONNX in onnxruntime, beside LiteRT's reference kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import checker

from qconvert import EngineName, Format, OnnxOptions, convert, load, validate
from qconvert.backends.onnx import Style
from qconvert.engines import litert
from qconvert.engines.litert import Resolver
from qconvert.ir.types import quantized, shape
from qconvert.validation import Settings
from qconvert.validation.layers import Family
from qconvert.validation.sampling.samples import arguments
from tests.support.onnx_cases import reference_session
from tests.support.paths import SHARED_MODELS

pytestmark = [pytest.mark.corpora, pytest.mark.litert]

FOLDER = SHARED_MODELS / "tflite"
MODELS = sorted(FOLDER.glob("*.tflite"))
CLASSIFIERS = ("mlc_kws_ref_model", "mlc_pretrainedResnet_quant")
EQUAL = (
    *CLASSIFIERS,
    "mlc_model_ToyCar_quant_fullint_micro_intio",
    "tflm_hello_world_int8",
    "tflm_micro_speech_lstm",
    "tflm_micro_speech_quantized",
)
"""Integer models of 8 bits: with exact rounding every element is LiteRT's."""
OPTIONS = {
    "qdq": OnnxOptions(),
    "qoperator": OnnxOptions(style=Style.QOPERATOR),
    "exact": OnnxOptions(exact_rounding=True),
}
SAMPLES = 100

Array = NDArray[Any]


@pytest.mark.usual(36)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_every_layer_is_within_a_step(path: Path, options: OnnxOptions) -> None:
    """Two in an LSTM, whose differences come back with every time step; by default the outputs are near, too."""
    content = convert(load(path), Format.ONNX, options).content
    assert content is not None
    checker.check_model(content)
    report = validate(path, settings=Settings(Format.ONNX, EngineName.ONNXRUNTIME, options, samples=4))
    assert not [failure for failure in report.failures if failure.startswith("layer") or options == OnnxOptions()]
    for layer in report.layers:
        assert layer.max_lsb <= (2 if layer.family is Family.RECURRENT else 1)


def drawn(name: str, *, near: bool) -> list[dict[str, Array]]:
    """Integers of the whole range, or around the zero point."""
    model, rng = load(FOLDER / f"{name}.tflite"), np.random.default_rng(0)
    ((given, argument),) = arguments(model.module, model.input_names).items()
    element = quantized(argument)
    assert element is not None
    sizes = (SAMPLES, *shape(argument))
    values = rng.normal(element.zero_point, 12, sizes) if near else rng.integers(-128, 128, sizes)
    return [{given: sample} for sample in np.clip(np.rint(values), -128, 127).astype(np.int8)]


def scores(samples: list[dict[str, Array]]) -> Array:
    return np.stack([next(iter(sample.values())).reshape(-1) for sample in samples]).astype(int)


def of_onnx(name: str, samples: list[dict[str, Array]], options: OnnxOptions) -> Array:
    content = convert(load(FOLDER / f"{name}.tflite"), Format.ONNX, options).content
    assert content is not None
    session = reference_session(content)
    return np.stack([session.run(None, sample)[0].reshape(-1) for sample in samples]).astype(int)


def of_litert(name: str, samples: list[dict[str, Array]], resolver: Resolver) -> Array:
    return scores(litert.run_samples((FOLDER / f"{name}.tflite").read_bytes(), samples, resolver=resolver))


def present(name: str) -> None:
    if not (FOLDER / f"{name}.tflite").exists():
        pytest.skip(f"{name}.tflite is not here")


@pytest.mark.parametrize("near", [False, True], ids=["whole range", "near zero"])
@pytest.mark.parametrize("name", EQUAL)
def test_exact_rounding_has_every_element(name: str, near: bool) -> None:
    """The class is the same, so, wherever the reference is sure of it, and where it is not."""
    present(name)
    samples = drawn(name, near=near)
    expected = of_litert(name, samples, Resolver.REFERENCE)
    np.testing.assert_array_equal(of_onnx(name, samples, OPTIONS["exact"]), expected)


@pytest.mark.parametrize("style", ["qdq", "qoperator"])
@pytest.mark.parametrize("near", [False, True], ids=["whole range", "near zero"])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_one_rounding_names_the_class_as_often_as_litert_itself(name: str, near: bool, style: str) -> None:
    """Of the samples whose reference leads by more than a step; LiteRT's default kernels round once, too."""
    present(name)
    samples = drawn(name, near=near)
    expected, default = (of_litert(name, samples, resolver) for resolver in Resolver)
    second, first = np.sort(expected, axis=1)[:, -2:].T
    sure = first - second > 1
    found = of_onnx(name, samples, OPTIONS[style])
    agreed, own = ((each.argmax(1) == expected.argmax(1))[sure].sum() for each in (found, default))
    assert agreed >= own
    assert agreed >= 0.96 * sure.sum()
