"""What is measured of a layer for the page: bars, points and elements, the same for any blocks of samples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from qconvert import Format
from qconvert.support.layered import layered
from qconvert.validation import Settings, driver, validate
from qconvert.validation.figures.details import Bar, DetailMeasure, Element, Point, Role
from qconvert.validation.figures.places import Dimension, Group
from tests.support.paths import FIXTURES

TIES = FIXTURES / "digits_cnn_pow2.onnx"
I8 = (-128, 127)


def test_figures_of_one_sample() -> None:
    reference, found = np.array([0, 5, 5, -128, 7, 7]), np.array([0, 6, 4, 127, 7, 19])
    ties = np.array([False, True, False, False, True, False])
    distances = DetailMeasure.of(reference, found, ties, (2, 3), I8).distances()
    assert distances.bars == (
        Bar(-1, -1, 1, 0),
        Bar(0, 0, 2, 1),
        Bar(1, 1, 1, 1),
        Bar(9, 16, 1, 0),
        Bar(129, 256, 1, 0),
    )
    assert distances.width == 1
    assert Point(-128, 127, 1, 1) in distances.points
    assert Point(7, 7, 1, 0) in distances.points
    assert [each.index for each in distances.largest] == [(1, 0), (1, 2), (0, 1), (0, 2)]
    assert distances.largest[2] == Element(0, (0, 1), 5, 6, True)


def test_samples_add_up_in_any_blocks(random: np.random.Generator) -> None:
    parts = []
    for _ in range(6):
        reference = random.integers(-128, 128, 500)
        found = np.clip(reference + random.integers(-9, 10, 500) * (random.random(500) < 0.05), -128, 127)
        parts.append(DetailMeasure.of(reference, found, random.random(500) < 0.1, (5, 100), I8))
    a, b, c, d, e, f = parts
    whole = a + b + c + d + e + f
    assert whole == (a + (b + c)) + ((d + e) + f)
    assert whole.samples == 6
    distances = whole.distances()
    assert sum(bar.elements for bar in distances.bars) == 3000
    assert sum(point.elements for point in distances.points) == 3000
    assert len(distances.largest) == 20
    assert {each.sample for each in distances.largest} > {0}


@pytest.mark.parametrize("storage", [I8, (0, 255), (-(1 << 15), (1 << 15) - 1), (-(1 << 31), (1 << 31) - 1), (0, 15)])
def test_figures_have_a_size_that_is_bounded(storage: tuple[int, int], random: np.random.Generator) -> None:
    reference, found = (random.integers(storage[0], storage[1] + 1, 20_000) for _ in range(2))
    distances = DetailMeasure.of(reference, found, np.zeros(20_000, np.bool_), (20_000,), storage).distances()
    assert len(distances.bars) <= 77
    assert len(distances.points) <= 600
    assert sum(point.elements for point in distances.points) == 20_000
    assert sum(point.differing for point in distances.points) == int((reference != found).sum())


@pytest.mark.slow
def test_a_validation_measures_details_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(Format.TOSA, samples=3, details=True)
    whole = validate(TIES, settings=settings)
    assert whole.details is not None
    assert "details" not in whole.json()
    assert validate(TIES, settings=replace(settings, details=False)) == replace(whole, details=None)
    for layer, found in zip(whole.layers, whole.details.layers, strict=True):
        assert (found.node, found.tensor, found.inputs) == (layer.node, layer.tensor, layer.inputs)
        assert found.distances is not None
        assert sum(bar.elements for bar in found.distances.bars) == layer.elements
        assert sum(bar.ties for bar in found.distances.bars) == layer.ties
        assert found.ports[-1].role is Role.RESULT
        assert found.ports[-1].scales is not None
    assert set(whole.details.outputs) == {output.name for output in whole.outputs}
    monkeypatch.setattr(driver, "_BLOCK_BYTES", 1)
    assert validate(TIES, settings=settings) == whole


def test_a_drawing_keeps_ranks_and_distances() -> None:
    edges = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 5), (0, 5), (4, 5)]
    drawing = layered(6, edges)
    assert [y for _, y in drawing.points] == [0, 1, 1, 2, 2, 3]
    for rank in (1, 2):
        places = sorted(x for x, y in drawing.points if y == rank)
        assert places[1] - places[0] >= 1 - 1e-9
    for (source, target), line in zip(edges, drawing.edges, strict=True):
        assert (line[0], line[-1]) == (drawing.points[source], drawing.points[target])
        assert [y for _, y in line] == list(range(int(line[0][1]), int(line[-1][1]) + 1))
    assert min(x for x, _ in drawing.points) >= 0.5 - 1e-9


def test_a_chain_is_drawn_straight_and_nothing_is_nothing() -> None:
    assert len({x for x, _ in layered(50, [(i, i + 1) for i in range(49)]).points}) == 1
    assert layered(0, []).points == ()


def test_differences_in_one_channel_are_told_first(random: np.random.Generator) -> None:
    reference = random.integers(-100, 100, (1, 16, 8, 8))
    found, ties = reference.copy(), np.zeros(reference.shape, np.bool_)
    found[:, 5] += 3
    found[0, 5, 0, 0] += 9
    ties[0, 5, 1, 1] = True
    measure = DetailMeasure.of(reference.ravel(), found.ravel(), ties.ravel(), reference.shape, I8)
    channels, *others = (measure + measure).distances().dimensions
    assert channels == Dimension(1, 16, 1, (Group(5, 128, 2, 12),))
    assert [(each.axis, each.size, len(each.groups)) for each in others] == [(2, 8, 8), (3, 8, 8)]
    assert others[0].groups[0] == Group(0, 16, 0, 12)


def test_differences_at_an_edge_are_told_by_its_dimension() -> None:
    reference = np.zeros((1, 4, 6, 6), np.int64)
    found = reference.copy()
    found[:, :, -1] = 1
    ties = np.zeros(reference.size, np.bool_)
    first, *_ = DetailMeasure.of(reference.ravel(), found.ravel(), ties, reference.shape, I8).distances().dimensions
    assert first == Dimension(2, 6, 1, (Group(5, 24, 0, 1),))


def test_indices_of_a_long_dimension_are_joined() -> None:
    count = 70_000
    found, ties = np.ones(count, np.int64), np.zeros(count, np.bool_)
    [whole] = DetailMeasure.of(np.zeros(count, np.int64), found, ties, (1, count), I8).distances().dimensions
    assert whole.width == 274
    assert len(whole.groups) <= 256
    assert sum(group.elements for group in whole.groups) == count
    found[: count - 1] = 0
    [single] = DetailMeasure.of(np.zeros(count, np.int64), found, ties, (1, count), I8).distances().dimensions
    assert single == Dimension(1, count, 1, (Group(count - 1, 1, 0, 1),))


def test_integers_of_both_sides() -> None:
    reference, found = np.array([-128, -128, 0, 5]), np.array([-128, 0, 0, 127])
    first, second = DetailMeasure.of(reference, found, np.zeros(4, np.bool_), (4,), I8).distances().integers
    assert (first.low, first.width, sum(first.counts)) == (-128, 2, 4)
    assert (first.counts[0], first.counts[64], first.counts[66]) == (2, 1, 1)
    assert len(second.counts) == 128
    assert (second.counts[0], second.counts[64], second.counts[127]) == (1, 2, 1)


@pytest.mark.slow
def test_the_channels_of_layers_are_known() -> None:
    report = validate(FIXTURES / "digits_cnn_int8.onnx", settings=Settings(Format.ONNX, samples=1, details=True))
    assert report.details is not None
    channels = {layer.node: layer.channels for layer in report.details.layers}
    assert channels["conv_3"] == channels["add_1"] == channels["maxpool_1"] == channels["gemm_1"] == 1
    assert channels["image_QuantizeLinear"] == 1, "as of the images behind it"
