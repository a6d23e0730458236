"""Validation of some samples at a time: the figures of all samples together."""

from __future__ import annotations

from pathlib import Path

import pytest

from qconvert.engines.base import EngineName
from qconvert.validation import Settings, driver, validate
from tests.support.paths import FIXTURES, MLP

CNN = FIXTURES / "digits_cnn_int8.onnx"
SETTINGS = Settings(samples=7, bisect=True)


@pytest.mark.parametrize("model", [MLP, CNN], ids=lambda path: path.stem)
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


def test_a_part_has_the_samples_of_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_BLOCK_BYTES", 1)
    parts = [validate(CNN, settings=Settings(part=part)) for part in (range(3), range(3, 7))]
    assert [part.samples for part in parts] == [3, 4]
    whole = validate(CNN, settings=Settings(samples=7))
    for i, layer in enumerate(whole.layers):
        assert layer.elements == sum(part.layers[i].elements for part in parts)
        assert layer.ties == sum(part.layers[i].ties for part in parts)


def test_the_time_left_is_that_of_the_samples_that_are_done() -> None:
    measured = validate_some()
    assert driver._remaining(10, None, 3.0) == ""
    assert driver._remaining(10, measured, 4.0) == "2 of 10 samples, about 16 s left: "
    assert driver._remaining(10_000, measured, 4.0) == "2 of 10,000 samples, about 333 min left: "


def validate_some() -> driver.Measured:
    """Return what was measured on two samples."""
    return driver.Measured(2, (), (), {}, {})
