"""Figures of real models that are written as TFLite: classes, accuracy and equal outputs in LiteRT's kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from qconvert.api import convert, load
from qconvert.engines import child, onnxruntime, wire
from qconvert.engines.base import EngineName
from qconvert.engines.litert import Resolver
from qconvert.formats import Format
from qconvert.support.arrays import read_arrays
from qconvert.validation import Settings, validate
from qconvert.validation.figures.metrics import same_top1
from qconvert.validation.measuring.outputs_and_layers import output_lsbs
from tests.support.paths import FIXTURES, IMAGES, SHARED_MODELS

pytestmark = [pytest.mark.litert, pytest.mark.slow]

Arrays: TypeAlias = dict[str, NDArray[Any]]


class Runs(NamedTuple):
    """The outputs of each sample, in order: onnxruntime's and LiteRT's, with the size of 1 LSB of each output."""

    expected: list[list[NDArray[Any]]]
    found: list[list[NDArray[Any]]]
    lsbs: list[float]

    def share(self, output: int = 0) -> float:
        """Return the share of equal elements of an output."""
        return float(np.mean(self._steps(output) < 0.5))

    def max_lsb(self, output: int = 0) -> int:
        """Return the largest difference of an output."""
        return round(float(self._steps(output).max()))

    def classes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the best class of each sample, onnxruntime's and LiteRT's."""
        first, second = (np.array([np.argmax(run[0]) for run in runs]) for runs in (self.expected, self.found))
        return first, second

    def _steps(self, output: int) -> NDArray[np.float64]:
        one, other = (np.array([run[output] for run in runs], np.float64) for runs in (self.expected, self.found))
        steps: NDArray[np.float64] = np.abs(one - other) / self.lsbs[output]
        return steps


def run(path: Path, samples: list[Arrays], resolver: Resolver) -> Runs:
    if not path.exists():
        pytest.skip(f"{path} is absent")
    model = load(path)
    converted = convert(model, Format.TFLITE)
    assert converted.content is not None
    task = wire.Message({"resolver": str(resolver)}, (), converted.content, tuple(samples))
    answer = child.run_task(EngineName.LITERT, task)
    found = [[sample[name] for name in model.output_names] for sample in answer.samples]
    expected = [[outputs[name] for name in model.output_names] for outputs in onnxruntime.run_samples(path, samples)]
    return Runs(expected, found, [lsb or 1.0 for lsb in output_lsbs(converted.fused)])


def digits(path: Path) -> tuple[list[Arrays], NDArray[Any]]:
    """The images as inputs of a model, and their labels."""
    images = IMAGES if path.is_relative_to(FIXTURES) else SHARED_MODELS / "onnx" / IMAGES.name
    if not path.exists() or not images.exists():
        pytest.skip(f"{path} is absent")
    arrays = read_arrays(images)
    (name,) = load(path).input_names
    return [{name: image[np.newaxis]} for image in arrays["image"]], arrays["label"]


BOTH = pytest.mark.parametrize("resolver", Resolver)


@BOTH
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("onnx/digits_cnn_int8_perchannel", marks=pytest.mark.corpora),
        pytest.param("onnx/digits_cnn_uint8", marks=pytest.mark.corpora),
        pytest.param("zoo/digits_mbv2__s8s8_pc", marks=pytest.mark.corpora),
        pytest.param("zoo/digits_cnn__s16s8_sym", marks=pytest.mark.corpora),
    ],
)
def test_all_digits_have_onnxruntimes_class(name: str, resolver: Resolver) -> None:
    path = SHARED_MODELS / f"{name}.onnx"
    samples, labels = digits(path)
    expected, found = run(path, samples, resolver).classes()
    np.testing.assert_array_equal(found, expected)
    assert np.mean(found == labels) >= 0.9899  # 393 of 397


@BOTH
@pytest.mark.parametrize("name", ["digits_cnn_int8", "digits_mlp_uint8"])
def test_digits_of_the_fixtures_differ_only_where_onnxruntime_is_not_sure(name: str, resolver: Resolver) -> None:
    path = FIXTURES / f"{name}.onnx"
    samples, labels = digits(path)
    runs = run(path, samples, resolver)
    sure = [same_top1(*pair, runs.lsbs[0]) for pair in ((e[0], f[0]) for e, f in zip(*runs[:2], strict=True))]
    assert not any(counts for _, counts in sure)
    assert sum(agree for agree, _ in sure) >= len(samples) - (resolver is Resolver.REFERENCE)
    assert np.mean(runs.classes()[1] == labels) >= 0.975


@pytest.mark.corpora
@BOTH
def test_squeezenet_is_onnxruntimes(resolver: Resolver) -> None:
    path = SHARED_MODELS / "onnx" / "squeezenet_int8.onnx"
    assert run(path, photos(path), resolver).share() >= 0.998


@pytest.mark.corpora
def test_mobilenet_is_onnxruntimes_in_the_default_kernels() -> None:
    path = SHARED_MODELS / "zoo" / "digits_mbv2__s8s8_pc.onnx"
    assert run(path, digits(path)[0], Resolver.DEFAULT).share() >= 0.995


@pytest.mark.corpora
def test_boxes_of_faces_are_within_two_steps_in_the_default_kernels() -> None:
    path = SHARED_MODELS / "onnx" / "ultraface_uint8.onnx"
    runs = run(path, photos(path), Resolver.DEFAULT)
    assert (runs.max_lsb(0), runs.max_lsb(1)) <= (1, 2)
    assert runs.share(1) >= 0.999


def photos(path: Path) -> list[Arrays]:
    """The four samples of a model, which are kept with it."""
    if not path.exists():
        pytest.skip(f"{path} is absent")
    arrays = read_arrays(path.with_suffix(".npz"))
    (name,) = load(path).input_names
    return [{name: arrays[f"in_{i}/{name}"]} for i in range(4)]


@pytest.mark.corpora
@pytest.mark.parametrize(
    "name", ["onnx/unet_int8", "zoo/digits_mbv2__qop_u8s8_pc", "zoo/digits_tfm__u8u8_pt", "zoo/digits_cnn__s16s8_sym"]
)
def test_every_layer_is_within_the_limits(name: str) -> None:
    path = SHARED_MODELS / f"{name}.onnx"
    if not path.exists():
        pytest.skip(f"{path} is absent")
    report = validate(path, settings=Settings(to=Format.TFLITE, engine=EngineName.LITERT, samples=4))
    assert report.passed, report.failures
    assert all(layer.rewritten is not None for layer in report.layers)
