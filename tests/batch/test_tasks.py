"""Tasks: their models, and that the key changes with all that decides a result."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest

from qconvert.backends.tosa.options import HalfRounding
from qconvert.batch.plan import Inputs, Plan, read_plan
from qconvert.batch.tasks import Task, file_hash, model_hash, models_of, source_of, tasks_of
from qconvert.formats import Format
from qconvert.support.errors import UsageError
from qconvert.validation import Limits
from tests.support.paths import MLP

PLAN = Plan(models=("*.onnx",), targets=(Format.TOSA,))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.onnx", "a.onnx"):
        (tmp_path / name).write_bytes(MLP.read_bytes())
    np.savez(tmp_path / "a.npz", x=np.zeros(1))
    return tmp_path


def test_models_are_named_from_the_plan(folder: Path) -> None:
    assert models_of(PLAN, folder) == ["a.onnx", "b.onnx"]
    assert models_of(replace(PLAN, models=("b.onnx", "*.onnx")), folder) == ["b.onnx", "a.onnx"]
    assert models_of(replace(PLAN, exclude=("a*",), models=(f"{folder}/*.onnx", "*.onnx")), folder) == [
        f"{folder}/a.onnx",
        f"{folder}/b.onnx",
        "b.onnx",
    ]
    (folder / "plans").mkdir()
    assert models_of(replace(PLAN, models=("../*.onnx",)), folder / "plans") == ["../a.onnx", "../b.onnx"]


@pytest.mark.parametrize(
    ("plan", "error"),
    [
        (replace(PLAN, models=("*.tflite",)), r"models: no file matches '\*\.tflite'"),
        (replace(PLAN, models=("a**",)), r"models: 'a\*\*' is not a pattern: '\*\*' must stand alone between slashes"),
        (replace(PLAN, exclude=("*.onnx",)), "exclude: no model is left"),
        (replace(PLAN, inputs=Inputs(file="{model}.npz")), "b.npz: cannot be read: No such file"),
    ],
)
def test_what_is_missing_is_named(plan: Plan, error: str, folder: Path) -> None:
    with pytest.raises(UsageError, match=error):
        tasks_of(plan, folder)


def _only(plan: Plan, folder: Path) -> Task:
    [task] = tasks_of(replace(plan, models=("a.onnx",)), folder)
    return task


@pytest.mark.parametrize(
    "other",
    [
        replace(PLAN, targets=(Format.STABLEHLO,)),
        replace(PLAN, inputs=Inputs(seed=1)),
        replace(PLAN, inputs=Inputs(samples=1)),
        replace(PLAN, inputs=Inputs(file="a.npz")),
        replace(PLAN, limits=Limits(max_lsb=1)),
        replace(PLAN, options={Format.TOSA: {"rounding": str(HalfRounding.EVEN)}}),
        replace(PLAN, dims={"N": 1}),
        replace(PLAN, timeout=1.0),
    ],
)
def test_the_key_has_what_decides_the_result(other: Plan, folder: Path) -> None:
    task = _only(PLAN, folder)
    assert task.key == _only(replace(PLAN, memory="1G", options={Format.ONNX: {"opset": 20}}), folder).key
    assert task.key != _only(other, folder).key
    assert task.key != replace(task, versions={**task.versions, "qconvert": "9"}).key


def test_the_hash_has_the_external_data(folder: Path) -> None:
    model = onnx.load(MLP)
    onnx.save(model, folder / "c.onnx", save_as_external_data=True, location="c.bin", size_threshold=0)
    first = model_hash(source_of("c.onnx", folder))
    data = folder / "c.bin"
    content = data.read_bytes()
    data.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert model_hash(source_of("c.onnx", folder)) != first
    data.write_bytes(content)
    assert model_hash(source_of("c.onnx", folder)) == first
    data.unlink()
    assert model_hash(source_of("c.onnx", folder)) not in (first, file_hash(folder / "c.onnx"))


def test_a_file_that_is_no_model_has_a_hash(folder: Path) -> None:
    (folder / "a.onnx").write_bytes(b"no model")
    assert len(tasks_of(PLAN, folder)) == 2


def test_a_wrong_pattern_is_named_with_its_line(folder: Path) -> None:
    plan = folder / "plan.toml"
    plan.write_text('targets = ["tosa"]\nmodels = ["*.tflite"]')
    assert read_plan(plan).models == ("*.tflite",)
