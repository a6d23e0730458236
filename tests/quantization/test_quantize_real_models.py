"""Float networks other than the digits' quantized: MNIST beside onnxruntime's quantizer, and .tflite files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tflite
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from qconvert import UsageError, convert, load, quantize
from qconvert.backends.onnx import OnnxOptions
from qconvert.backends.onnx.emit import emit
from qconvert.engines import onnxruntime, tosa
from qconvert.formats import Format
from qconvert.interpreter.program import evaluate
from qconvert.passes import make_pass
from qconvert.quantization.lifting import lift
from qconvert.rewriting.base import run_passes
from tflite_writer import Operator, Tensor, write_model

Array = NDArray[Any]

SAMPLES = Path("fixtures/digits_calibration.npz")
SHARED = Path("../shared/models")


def _share(logits: list[Array], labels: Array) -> float:
    return float(np.mean(np.concatenate(logits).argmax(axis=-1) == labels))


@pytest.mark.corpora
@pytest.mark.tosa
def test_float_mnist(tmp_path: Path) -> None:
    """The network that the shared quantized one says, in floats, on enlarged digits: as good in int8."""
    path = SHARED / "onnx" / "mnist_int8_perchannel.onnx"
    if not path.exists():
        pytest.skip("the shared models are not there")
    source = load(path)
    module = source.module.clone()
    run_passes(module, [make_pass("fold")])
    lift(module)
    content = emit(module, OnnxOptions()).file
    assert content is not None
    model = load(content)
    [name], [result] = model.input_names, model.output_names
    samples = {name: _enlarged(np.load(SAMPLES)["image"])}
    test = np.load(SHARED / "onnx" / "digits_test.npz")
    images, labels = _enlarged(test["image"]), test["label"]

    def share(model: bytes) -> float:
        runs = onnxruntime.run_samples(model, [{name: image} for image in images])
        return _share([run[result] for run in runs], labels)

    least = max(share(content) - 0.005, share(_peer(content, samples, tmp_path)))
    for target in ("tosa-int8", "tflite-int8"):
        quantized_model = quantize(model, target, samples).model
        written = convert(quantized_model, Format.ONNX).content
        assert written is not None
        assert share(written) >= least
        results = tosa.run_samples(convert(quantized_model, Format.TOSA).text, [[image] for image in images])
        assert _share([logits for (logits,) in results], labels) >= least


class _Reader(CalibrationDataReader):
    def __init__(self, feeds: Iterable[dict[str, Array]]) -> None:
        self._feeds = iter(feeds)

    def get_next(self) -> dict[str, Array] | None:
        return next(self._feeds, None)


def _peer(model: bytes, samples: dict[str, Array], folder: Path) -> bytes:
    """What onnxruntime's quantizer makes of a float model and the same samples: int8, weights per channel."""
    source, made = folder / "float.onnx", folder / "peer.onnx"
    source.write_bytes(model)
    [(name, images)] = samples.items()
    reader = _Reader({name: image} for image in images)
    quant_pre_process(source, source, skip_optimization=True, skip_symbolic_shape=True)
    quantize_static(
        source, made, reader, weight_type=QuantType.QInt8, activation_type=QuantType.QInt8, per_channel=True
    )
    return made.read_bytes()


def _enlarged(images: Array) -> Array:
    """Digits of 8 x 8 in 0..1 as MNIST has them: 20 x 20 by bilinear interpolation, within 28 x 28, in 0..255."""
    at = np.clip((np.arange(20) + 0.5) * 8 / 20 - 0.5, 0, 7)
    low = np.minimum(at.astype(int), 6)
    weights = np.zeros((20, 8), np.float32)
    weights[np.arange(20), low] = 1 - (at - low)
    weights[np.arange(20), low + 1] = at - low
    large = weights @ images.reshape(-1, 8, 8) @ weights.T * 255
    return np.pad(large, ((0, 0), (4, 4), (4, 4)))[:, None, None].astype(np.float32)


@pytest.mark.corpora
@pytest.mark.litert
def test_a_float_tflite_network() -> None:
    """Keyword spotting: int8 by us beside LiteRT's own floats, on random spectrograms."""
    path = SHARED / "tflite" / "mlc_kws_ref_model_float32.tflite"
    if not path.exists():
        pytest.skip("the shared models are not there")
    from qconvert.engines import litert

    model = load(path)
    [name], [result] = model.input_names, model.output_names
    rng = np.random.default_rng(0)
    samples = rng.normal(0, 1, (40, 1, 49, 10, 1)).cumsum(axis=2).astype(np.float32)
    found = quantize(model, "tflite-int8", {name: samples[:24]})
    assert found.report.fully_quantized
    fused = convert(found.model, Format.STABLEHLO).module
    expected = litert.run_samples(path.read_bytes(), [{name: sample} for sample in samples[24:]])
    agreed = [
        evaluate(fused, [s])[0].argmax() == e[result].argmax() for s, e in zip(samples[24:], expected, strict=True)
    ]
    assert np.mean(agreed) >= 0.8


def _noted(low: float, high: float) -> bytes:
    """A sigmoid behind a product of a constant in a .tflite file that notes ranges."""
    x = Tensor("x", (1, 8), "float32", range=(low, high))
    twice = Tensor("twice", (1, 8), "float32", range=(-4.0, 4.0))
    y = Tensor("y", (1, 8), "float32")
    two = Tensor("two", (1, 8), "float32", data=np.full((1, 8), 2, np.float32))

    def none(kind: str) -> Callable[[Any], int]:
        def write(build: Any) -> int:
            getattr(tflite, f"{kind}Start")(build)
            return int(getattr(tflite, f"{kind}End")(build))

        return write

    options = tflite.BuiltinOptions
    product = Operator(tflite.BuiltinOperator.MUL, 1, options.MulOptions, none("MulOptions"), [x, two], twice)
    absent = Operator(tflite.BuiltinOperator.LOGISTIC, 1, options.NONE, none("AbsOptions"), [twice], y)
    return write_model(product, absent)


def test_a_tflite_file_notes_ranges() -> None:
    model = load(_noted(-2.0, 2.0))
    found = quantize(model, "tflite-int8")
    assert found.report.fully_quantized
    x = np.linspace(-2, 2, 8, dtype=np.float32)[None]
    (ours,) = evaluate(convert(found.model).module, [x])
    np.testing.assert_allclose(ours, 1 / (1 + np.exp(-2 * x)), atol=0.02)
    assert "range" not in convert(model).text
    seen = quantize(model, "tflite-int8", {"x": x / 4})
    (ours,) = evaluate(convert(seen.model).module, [x])
    np.testing.assert_allclose(ours[:, -3:], 1 / (1 + np.exp(-1)), atol=0.02)
    with pytest.raises(UsageError, match="tensor 'x': the range from nan to 2"):
        quantize(load(_noted(np.nan, 2.0)), "tflite-int8")
