"""The pattern of a layer's differences: each is planted in generated layers, in every storage, and is named."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from qconvert import Format, convert, load, save, validate
from qconvert.formats import FORMATS
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.support.counting import counted
from qconvert.validation import Settings
from qconvert.validation import layers as layers_of
from qconvert.validation.causes import Cause, CauseMeasure, Compared, Pattern, cause_of
from qconvert.validation.figures.report import LayerReport
from qconvert.validation.limits.limits import failure_of, limit_for
from qconvert.validation.limits.ties import Rounded
from qconvert.validation.measuring.floats import measure_node
from qconvert.validation.rendering.forms import junit
from qconvert.validation.rendering.github import markdown
from tests.support.paths import FIXTURES
from tests.support.planted_faults import network, planted_fault
from tests.support.reports import report_of

Array = NDArray[Any]
SAMPLES = 4


class Shape(NamedTuple):
    """The shape of a layer's result and the dimension of its channels."""

    sizes: tuple[int, ...]
    channel: int

    def of(self, channel: int) -> tuple[slice | int, ...]:
        """Return the index of a channel."""
        return (*(slice(None) for _ in range(self.channel)), channel)


CHANNELS_FIRST, CHANNELS_LAST = Shape((1, 16, 7, 9), 1), Shape((1, 7, 9, 16), 3)
SEQUENCE, SQUARE, VECTOR = Shape((2, 20, 24), 2), Shape((1, 8, 12, 12), 1), Shape((1, 40), 1)
SHAPES = [CHANNELS_FIRST, CHANNELS_LAST, SEQUENCE, SQUARE, VECTOR]
IMAGES = SHAPES[:-1]


class Storage(NamedTuple):
    """The integers of a quantized type."""

    bits: int
    is_signed: bool

    @property
    def range(self) -> tuple[int, int]:
        """The least and the largest integer."""
        low = -(1 << self.bits - 1) if self.is_signed else 0
        return low, low + (1 << self.bits) - 1

    @property
    def zero_point(self) -> int:
        """A zero point that is not in the middle."""
        low, high = self.range
        return low + (high - low + 1) * 3 // 8

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of arrays, as layers are compared: 4 bits are held in 64."""
        return np.dtype(np.int64 if self.bits == 4 else f"{'int' if self.is_signed else 'uint'}{self.bits}")

    def integers(self, real: Array, low: float = -np.inf, high: float = np.inf) -> Array:
        """Return real values in LSB, clamped, as integers; halves become even."""
        bounded = np.clip(np.rint(np.clip(real, low, high)) + self.zero_point, *self.range)
        return np.asarray(bounded.astype(self.dtype))


STORAGES = [Storage(8, True), Storage(16, False), Storage(8, False), Storage(16, True)]
ALL_STORAGES = [*STORAGES, Storage(4, True), Storage(4, False), Storage(8, True)]


class Layer(NamedTuple):
    """Real values in LSB, and a share of ties that are rounded the other way in what is found."""

    shape: Shape
    storage: Storage
    ties: float
    seed: int

    def reals(self, sample: int) -> Array:
        """Return the values of a sample; a part of them are ties."""
        draw = np.random.default_rng([self.seed, sample])
        reals = draw.normal(0, 2.0 ** (self.storage.bits - 3), self.shape.sizes)
        return np.where(draw.random(reals.shape) < self.ties, np.floor(reals) + 0.5, reals)

    def measure(self, reference: Callable[[Array], Array], found: Callable[[Array], Array]) -> CauseMeasure:
        """Return the measure of all samples; None differ where the functions give the same."""
        return reduce(add, (self.sample(i, reference, found) for i in range(SAMPLES)))

    def sample(self, i: int, reference: Callable[[Array], Array], found: Callable[[Array], Array]) -> CauseMeasure:
        """Return the measure of a sample."""
        reals = self.reals(i)
        fraction = np.abs(reals - np.floor(reals) - 0.5)
        expected, given = reference(reals), found(reals)
        moved = np.random.default_rng([self.seed, i, 1]).random(reals.shape) < 0.5
        low, high = given.min(), given.max()
        wide = given.astype(np.int64) + np.where(np.rint(reals) > reals, -1, 1)
        noise = (fraction == 0) & moved & (wide >= low) & (wide <= high) & (expected == given)
        given = np.where(noise, wide, given).astype(given.dtype)
        counted = Rounded(fraction == 0, lambda: fraction <= 1 / 8)
        a, b = expected.reshape(-1), given.reshape(-1)
        places = np.flatnonzero(a != b)
        apart = b[places].astype(np.int64) - a[places].astype(np.int64)
        storage = self.storage
        sample = Compared(a, b, self.shape.sizes, self.shape.channel, 0.625, storage.zero_point, storage.range)
        return CauseMeasure.of(sample, places, *counted.explained(places, apart))

    def cause(self, reference: Callable[[Array], Array], found: Callable[[Array], Array]) -> Cause:
        """Return the cause that is named."""
        measure = self.measure(reference, found)
        plain = 0 if measure.plain is None else measure.plain.elements
        assert plain + measure.rounded + measure.inaccurate > 0
        return cause_of(measure, SAMPLES * int(np.prod(self.shape.sizes)), 9.0)


def made(shapes: Sequence[Shape], storages: Sequence[Storage] = STORAGES) -> list[Layer]:
    """Return a layer of each shape in every second storage, without ties and with them."""
    pairs = [(shape, storage) for i, shape in enumerate(shapes) for storage in storages[i % 2 :: 2]]
    return [Layer(*pair, (0.0, 0.05)[i // 2 % 2], i) for i, pair in enumerate(pairs)]


layers = pytest.mark.parametrize("layer", made(SHAPES), ids=str)
narrow_layers = pytest.mark.parametrize("layer", made(SHAPES, ALL_STORAGES), ids=str)
image_layers = pytest.mark.parametrize("layer", made(IMAGES), ids=str)


def only_in(layer: Layer, channel: int, change: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Return a function that changes the real values of one channel, before they are rounded."""

    def found(reals: Array) -> Array:
        other, place = reals.copy(), layer.shape.of(channel)
        other[place] = change(other[place])
        return layer.storage.integers(other)

    return found


@layers
@pytest.mark.parametrize("offset", [5.0, -7.0, 2.4, -12.5, 40.0])
def test_an_offset(layer: Layer, offset: float) -> None:
    cause = layer.cause(layer.storage.integers, lambda reals: layer.storage.integers(reals + offset))
    assert cause.pattern is Pattern.OFFSET, cause
    assert cause.amount is not None
    assert abs(cause.amount - offset) <= 1
    assert cause.channels == ()
    assert ("higher" if offset > 0 else "lower") in cause.sentence


@image_layers
@pytest.mark.parametrize("offset", [5.0, -7.6, 1.0, -0.6])
def test_an_offset_of_one_channel(layer: Layer, offset: float) -> None:
    cause = layer.cause(layer.storage.integers, only_in(layer, 3, lambda reals: reals + offset))
    assert (cause.pattern, cause.channels) == (Pattern.OFFSET, (3,)), cause
    assert cause.amount is not None
    assert abs(cause.amount - offset) <= 1


@image_layers
def test_an_offset_of_each_channel(layer: Layer) -> None:
    size = layer.shape.sizes[layer.shape.channel]
    offsets = np.linspace(-9.0, 12.0, size).reshape(-1, *[1] * (len(layer.shape.sizes) - layer.shape.channel - 1))
    cause = layer.cause(layer.storage.integers, lambda reals: layer.storage.integers(reals + offsets))
    assert (cause.pattern, cause.amount) == (Pattern.OFFSET, None), cause
    assert "each channel by an offset of its own" in cause.sentence


@layers
@pytest.mark.parametrize("factor", [1.5, 0.5, 2.0, 1.1, 0.0])
def test_a_factor(layer: Layer, factor: float) -> None:
    cause = layer.cause(layer.storage.integers, lambda reals: layer.storage.integers(reals * factor))
    assert cause.pattern is Pattern.FACTOR, cause
    assert cause.amount is not None
    assert abs(cause.amount - factor) <= 0.05
    assert "times as large" in cause.sentence


@image_layers
@pytest.mark.parametrize("factor", [1.5, 0.5, 0.25])
def test_a_factor_of_one_channel_of_rectified_values(layer: Layer, factor: float) -> None:
    storage, scaled = layer.storage, only_in(layer, 3, lambda reals: np.maximum(reals, 0) * factor)
    cause = layer.cause(
        lambda reals: storage.integers(reals, 0), lambda reals: np.maximum(scaled(reals), storage.integers(reals * 0))
    )
    assert (cause.pattern, cause.channels) == (Pattern.FACTOR, (3,)), cause
    assert cause.amount is not None
    assert abs(cause.amount - factor) <= 0.05 * factor
    assert f"all in channel 3, {cause.amount:.7g} times as large" in cause.sentence


@narrow_layers
@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize("ends", [(0.0, np.inf), (-np.inf, 0.4), (-0.3, 0.3)])
def test_a_bound(layer: Layer, ends: tuple[float, float], is_kept: bool) -> None:
    storage = layer.storage
    low, high = (np.rint(end * (1 << storage.bits - 2)) for end in ends)
    clamped, plain = (lambda reals: storage.integers(reals, low, high)), storage.integers
    cause = layer.cause(clamped, plain) if is_kept else layer.cause(plain, clamped)
    assert cause.pattern is Pattern.BOUND, cause
    stops = " and ".join(f"{end + storage.zero_point:.6g}" for end in (low, high) if np.isfinite(end))
    assert f"where the {'reference' if is_kept else 'file'} stops at {stops} and" in cause.sentence


@image_layers
@pytest.mark.parametrize("axes", [(0, 1, 3, 2), (0, 3, 1, 2), (0, 2, 3, 1)])
def test_an_order_of_dimensions(layer: Layer, axes: tuple[int, ...]) -> None:
    shape = layer.shape.sizes
    axes = axes if len(shape) == 4 else (0, 2, 1)
    integers = layer.storage.integers
    cause = layer.cause(integers, lambda reals: integers(reals).transpose(axes).reshape(shape))
    assert cause.pattern is Pattern.ORDER, cause
    moved = [axis for axis, source in enumerate(axes) if axis != source]
    exchanged = f"dimensions {moved[0]} and {moved[1]} exchanged"
    assert (exchanged if len(moved) == 2 else f"in the order {list(axes)}") in cause.sentence


@layers
@pytest.mark.parametrize(
    ("sources", "told"),
    [
        ({2: 5, 5: 2}, "channels 2 and 5 are exchanged"),
        ({4: 1}, "channel 4 holds the values of 1"),
        ({0: 2, 1: 0, 2: 1}, "channel 0 holds the values of 2, 1 holds the values of 0, 2 holds the values of 1"),
    ],
)
def test_channels_in_another_order(layer: Layer, sources: dict[int, int], told: str) -> None:
    def moved(reals: Array) -> Array:
        integers = layer.storage.integers(reals)
        found = integers.copy()
        for channel, source in sources.items():
            found[layer.shape.of(channel)] = integers[layer.shape.of(source)]
        return found

    cause = layer.cause(layer.storage.integers, moved)
    assert (cause.pattern, cause.channels) == (Pattern.ORDER, tuple(sources)), cause
    assert told in cause.sentence


@narrow_layers
@pytest.mark.parametrize("upwards", [0.0, 0.5])
def test_rounding(layer: Layer, upwards: float) -> None:
    tied = layer._replace(ties=0.1)
    cause = tied.cause(tied.storage.integers, lambda reals: tied.storage.integers(reals + 0.1 * upwards))
    assert cause.pattern is Pattern.ROUNDING, cause
    assert cause.sentence.endswith("by 1 LSB, at ties or near them: rounding")


def test_the_sentence_counts_all_elements_that_differ_and_those_that_rounding_explains() -> None:
    layer = Layer(CHANNELS_FIRST, Storage(8, True), 0.05, 0)
    found = only_in(layer, 3, lambda x: x + 9)
    measure = layer.measure(layer.storage.integers, found)
    assert measure.plain is not None
    assert measure.rounded
    others = measure.plain.elements
    told = f"{others + measure.rounded:,} elements differ, {measure.rounded:,} of them by rounding; the others, all in"
    assert f"{told} channel 3, 8 to 10 LSB higher: an offset" in layer.cause(layer.storage.integers, found).sentence


@image_layers
def test_one_channel_without_another_pattern(layer: Layer) -> None:
    draw = np.random.default_rng(layer.seed)
    wrong = only_in(layer, 3, lambda reals: draw.normal(0, 2.0 ** (layer.storage.bits - 3), reals.shape))
    cause = layer.cause(layer.storage.integers, wrong)
    assert (cause.pattern, cause.channels) == (Pattern.CHANNEL, (3,)), cause
    assert ", all in channel 3, by up to 9 LSB" in cause.sentence


def of_noise(layer: Layer, reals: Array) -> Array:
    noise = np.random.default_rng(layer.seed).normal(0, 4, reals.shape)
    return reals + noise


def of_two_halves(layer: Layer, reals: Array) -> Array:
    other = reals + 6
    other[layer.shape.of(slice(None, None, 2))] = (reals * 1.5)[layer.shape.of(slice(None, None, 2))]
    return other


def of_another_layer(layer: Layer, reals: Array) -> Array:
    draw = np.random.default_rng([layer.seed, *reals.view(np.uint64).reshape(-1)[:1]])
    return draw.permutation(reals.reshape(-1)).reshape(reals.shape)


def of_scattered_steps(layer: Layer, reals: Array) -> Array:
    draw = np.random.default_rng(layer.seed)
    return np.rint(reals) + draw.integers(-1, 2, reals.shape) * (draw.random(reals.shape) < 0.4)


@layers
@pytest.mark.parametrize("mixture", [of_noise, of_two_halves, of_another_layer, of_scattered_steps])
def test_no_pattern(layer: Layer, mixture: Callable[[Layer, Array], Array]) -> None:
    cause = layer.cause(layer.storage.integers, lambda reals: layer.storage.integers(mixture(layer, reals)))
    assert (cause.pattern, cause.channels, cause.amount) == (Pattern.NONE, (), None), cause
    assert "% of all, by up to 9 LSB, without a pattern" in cause.sentence


def test_a_single_element_is_no_pattern() -> None:
    layer = Layer(CHANNELS_FIRST, STORAGES[0], 0.0, 1)

    expected = layer.storage.integers(layer.reals(0))
    given = expected.copy()
    given[0, 3, 2, 2] ^= 64
    sample = Compared(expected.reshape(-1), given.reshape(-1), expected.shape, 1, 0.625, 0, layer.storage.range)
    nothing = np.zeros(1, np.bool_)
    cause = cause_of(CauseMeasure.of(sample, np.flatnonzero(sample.reference != sample.found), nothing, nothing), 1, 64)
    assert (cause.pattern, cause.differing) == (Pattern.NONE, 1)
    assert cause.sentence.startswith("1 element differs, ")


@image_layers
@pytest.mark.parametrize("factor", [1.5, 0.5])
def test_a_factor_with_an_offset_of_each_channel(layer: Layer, factor: float) -> None:
    size = layer.shape.sizes[layer.shape.channel]
    offsets = np.linspace(-9.0, 8.0, size).reshape(-1, *[1] * (len(layer.shape.sizes) - layer.shape.channel - 1))
    cause = layer.cause(layer.storage.integers, lambda reals: layer.storage.integers(factor * reals + offsets))
    assert cause.pattern is Pattern.FACTOR, cause
    assert cause.amount is not None
    assert abs(cause.amount - factor) <= 0.05
    assert "times as large but for an offset, as of a bias" in cause.sentence


@image_layers
def test_a_factor_of_each_channel(layer: Layer) -> None:
    size = layer.shape.sizes[layer.shape.channel]
    factors = np.linspace(0.3, 0.8, size).reshape(-1, *[1] * (len(layer.shape.sizes) - layer.shape.channel - 1))
    cause = layer.cause(layer.storage.integers, lambda reals: layer.storage.integers(factors * reals))
    assert (cause.pattern, cause.amount) == (Pattern.FACTOR, None), cause
    assert ", each channel 0." in cause.sentence


@layers
def test_samples_add_up_in_any_blocks(layer: Layer) -> None:
    integers = layer.storage.integers
    scaled = only_in(layer, 3, lambda reals: 1.5 * reals + 2)
    a, b, c, d = (layer.sample(i, integers, scaled) for i in range(SAMPLES))
    assert ((a + b) + c) + d == a + ((b + c) + d) == (a + b) + (c + d)
    assert d + (c + (b + a)) == a + b + c + d


def of_floats(change: Callable[[Array], Array], *, is_rectified: bool = False) -> Cause:
    """Return the cause of a change of floats of channels first."""
    found: list[CauseMeasure] = []
    for seed in range(SAMPLES):
        reals = np.random.default_rng(seed).normal(0, 3, CHANNELS_FIRST.sizes).astype(np.float32)
        reference = np.maximum(reals, 0) if is_rectified else reals
        given = change(reals).astype(np.float32)
        module = parse_module(FLOATS.replace("SHAPE", "x".join(map(str, reals.shape))))
        layer = layers_of.Layer("y", ("x",), module, "n", ("n",), layers_of.Family.ELEMENTWISE, 0, (0, 0), channel=1)
        differences = measure_node(layer, [[reals]], [reference], [[given]])
        assert differences.causes is not None
        found.append(differences.causes)
    return cause_of(reduce(add, found), SAMPLES * reals.size, 0.5)


FLOATS = """func.func @main(%0: tensor<SHAPExf32>) -> tensor<SHAPExf32> { func.return %0 : tensor<SHAPExf32> }"""
ONLY_3 = np.arange(16).reshape(1, 16, 1, 1) == 3


@pytest.mark.parametrize(
    ("change", "pattern", "sentence"),
    [
        (
            lambda x: x + 0.25,
            Pattern.OFFSET,
            "4,032 elements differ, 0.25 higher: an offset, of a zero point or a bias",
        ),
        (lambda x: x * 1.5, Pattern.FACTOR, "times as large: a scale"),
        (lambda x: np.where(ONLY_3, 1.5 * x + 1, x), Pattern.FACTOR, "all in channel 3, 1.5 times as large but for an"),
        (lambda x: np.minimum(x, 2), Pattern.BOUND, "where the file stops at 2 and the reference goes on"),
        (lambda x: x[:, ::-1], Pattern.ORDER, "the channels are in another order, channel 0 holds the values of 15"),
        (lambda x: x.transpose(0, 1, 3, 2).reshape(x.shape), Pattern.ORDER, "dimensions 2 and 3 exchanged"),
        (lambda x: x * np.float32(1 + 1e-6), Pattern.FLOATS, "within the accuracy of float arithmetic"),
        (lambda x: np.where(ONLY_3, np.nan, x), Pattern.CHANNEL, "252 elements differ, all in channel 3"),
        (lambda x: np.where(ONLY_3, np.inf, x), Pattern.CHANNEL, "252 elements differ, all in channel 3"),
        (lambda x: np.sin(7 * x), Pattern.NONE, "100% of all, by up to 0.5, without a pattern"),
    ],
)
def test_floats(change: Callable[[Array], Array], pattern: Pattern, sentence: str) -> None:
    cause = of_floats(change)
    assert cause.pattern is pattern, cause
    assert sentence in cause.sentence


def test_a_dropped_relu_of_floats() -> None:
    cause = of_floats(lambda x: x, is_rectified=True)
    assert cause.pattern is Pattern.BOUND
    assert "where the reference stops at 0 and the file goes on" in cause.sentence


@pytest.mark.slow
@pytest.mark.parametrize("to", [Format.TFLITE, Format.TOSA])
@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("bias", ", all in channel 5, 1 LSB higher: an offset, of a zero point or a bias"),
        ("swapped channels", ", all in channels 2 and 5, by up to 52 LSB"),
        ("bound of a clamp", ", where the file stops at 31 and the reference goes on: a clamp, a ReLU"),
        ("scale of a channel", ", all in channel 3, 1.5 times as large: a scale"),
        ("transposed weights", "of all, by up to 52 LSB, without a pattern"),
    ],
)
def test_a_report_tells_the_cause_of_a_planted_fault(tmp_path: Path, kind: str, sentence: str, to: Format) -> None:
    source, file = tmp_path / "model.onnx", tmp_path / f"other{FORMATS[to].suffix}"
    onnx.save(network(), source)
    save(convert(load(planted_fault(kind).SerializeToString()), to), file)
    report = validate(source, file, settings=Settings(to, samples=8))
    assert not report.passed
    told = [failure for failure in report.failures if sentence in failure]
    assert told, report.failures
    [cause] = [layer.cause for layer in report.layers if layer.cause is not None and sentence in layer.cause.sentence]
    assert len(cause.sentence) <= 150
    assert sentence in " ".join(str(report).split())
    assert sentence in markdown([report]).replace("\\", "")


@pytest.mark.slow
def test_a_report_has_the_cause_of_each_layer_that_differs() -> None:
    report = validate(FIXTURES / "digits_cnn_uint8.onnx", settings=Settings(Format.TFLITE, samples=4))
    causes = {layer["node"]: layer["cause"] for layer in json.loads(report.json())["layers"]}
    assert {node for node, cause in causes.items() if cause is not None} == {
        layer.node for layer in report.layers if layer.exact < 1
    }
    found = [cause for cause in causes.values() if cause is not None]
    assert found
    for cause in found:
        assert cause["pattern"] == "rounding"
        assert cause["sentence"].startswith(counted(cause["differing"], "element"))


def test_the_failure_of_a_layer_tells_its_cause() -> None:
    cause = Cause(Pattern.CHANNEL, "40 elements differ, all in channel 3, by up to 9 LSB", 40, (3,))
    layer = LayerReport("conv_6", ("conv_6",), "Conv", "contraction", "y", 0.5, 0.5, 9, 80, 0, cause=cause)
    failure = failure_of(layer, limit_for(layers_of.Family.CONTRACTION, 8))
    assert failure is not None
    assert failure.endswith(f"the limit is 1; {cause.sentence}")
    assert cause.sentence in junit(replace(report_of(["a"]), layers=(layer,), failures=(failure,)))
