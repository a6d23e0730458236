"""Validation of some samples at a time: the figures of all samples together."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count as endless
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from qconvert.backends.base import Emission, WriteOptions
from qconvert.engines.base import EngineName
from qconvert.formats import FORMATS, Format, ModelFormat
from qconvert.validation import Measured, Settings, driver, validate
from qconvert.validation.reference import Chosen
from qconvert.validation.sampling.samples import InOrder, Sample
from qconvert.validation.steps import Steps, remaining
from tests.support.paths import FIXTURES, MLP

CNN = FIXTURES / "digits_cnn_int8.onnx"
SETTINGS = Settings(samples=7, bisect=True)
BY = Chosen(EngineName.ONNXRUNTIME, "disabled")


@pytest.mark.quick(1)
@pytest.mark.parametrize("model", [MLP, CNN], ids=lambda path: path.stem)
@pytest.mark.slow
def test_blocks_have_the_figures_of_all_samples(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = validate(model, settings=SETTINGS)
    steps: list[str] = []
    monkeypatch.setattr(driver, "_BLOCK_BYTES", 1)
    assert validate(model, settings=SETTINGS, progress=steps.append) == whole
    assert whole.layers
    reference = [step for step in steps if step.endswith(f"running {EngineName.ONNXRUNTIME}")]
    assert len(reference) == SETTINGS.samples
    assert reference[0] == "running onnxruntime"
    assert reference[1].startswith("1 of 7 samples, about ")


def test_all_blocks_are_of_one_file_and_its_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[ModuleOp] = []
    emit = FORMATS[Format.STABLEHLO].emit

    def counted(_: ModelFormat, module: ModuleOp, options: WriteOptions, **more: Any) -> Emission:
        written.append(module)
        return emit(module, options, **more)

    monkeypatch.setattr(type(FORMATS[Format.STABLEHLO]), "emit", counted)
    monkeypatch.setattr(driver, "_BLOCK_BYTES", 1)
    steps: list[str] = []
    assert validate(CNN, settings=Settings(samples=3), progress=steps.append).layers
    assert len(written) == 1
    assert len([step for step in steps if step.endswith("looking for the layers in the file")]) == 1


@pytest.mark.slow
def test_a_part_has_the_samples_of_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_BLOCK_BYTES", 1)
    parts = [validate(CNN, settings=Settings(part=part)) for part in (range(3), range(3, 7))]
    assert [part.samples for part in parts] == [3, 4]
    whole = validate(CNN, settings=Settings(samples=7))
    for i, layer in enumerate(whole.layers):
        assert layer.elements == sum(part.layers[i].elements for part in parts)
        assert layer.ties == sum(part.layers[i].ties for part in parts)


def test_samples_in_rising_order_are_drawn_once() -> None:
    starts: list[int] = []

    def draw(first: int) -> Iterator[Sample]:
        starts.append(first)
        return ({"x": np.array(number)} for number in endless(first))

    samples = InOrder(draw)
    found = [[int(sample["x"]) for sample in samples(part)] for part in (range(5, 7), range(7, 8), range(20, 22))]
    assert found == [[5, 6], [7], [20, 21]]
    assert starts == [5]
    assert [int(sample["x"]) for sample in samples(range(3, 5))] == [3, 4]
    assert starts == [5, 3]


@pytest.mark.parametrize("together", [1, 2])
def test_the_time_left_is_that_of_the_samples_that_are_done(together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, shown = iter([0.0, 100.0, 108.0, 112.0, 116.0]), list[str]()
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    steps = Steps(shown.append, 10 * together)
    steps("reading")
    steps.begin(together)
    for _ in range(3 * together):
        steps.counted(Measured(2, BY, (), (), {}, {}))
    assert shown == [
        "reading",
        f"{2 * together} of {10 * together} samples, about 32 s left: comparing samples",
        f"{4 * together} of {10 * together} samples, about 12 s left: comparing samples",
        f"{6 * together} of {10 * together} samples, about 8 s left: comparing samples",
    ]


def test_after_a_tenth_the_time_left_is_within_a_fifth(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes take 7 s for a block; the second starts 3 s later, and both take 10 s for their first block."""
    blocks, shown, now = 100, list[str](), [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    ends = [10.0 + 7.0 * (i // 2) + 3.0 * (i % 2) for i in range(blocks)]
    steps = Steps(shown.append, 7 * blocks)
    steps.begin(2)
    for end in ends:
        now[0] = end
        steps.counted(Measured(7, BY, (), (), {}, {}))
    tenth = blocks // 10
    text = next(text for text in shown if text.startswith(f"{7 * tenth} of 700 samples"))
    left = float(text.partition("about ")[2].partition(" s")[0])
    assert left == pytest.approx(ends[-1] - ends[tenth - 1], rel=0.2)


def test_the_time_left_is_shown_in_seconds_or_minutes() -> None:
    assert remaining(10_000, 2, 149) == "2 of 10,000 samples, about 149 s left: "
    assert remaining(10_000, 2, 20_000) == "2 of 10,000 samples, about 333 min left: "
