"""Calibration of whole models: ranges equal to those of the interpreter, whatever the model was read from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, TensorType

from qconvert.api import load
from qconvert.dialects.quant_region import RegionOp
from qconvert.frontends.mlir import load_text
from qconvert.ir.types import f32
from qconvert.quantization.calibration import run
from qconvert.quantization.calibration.run import calibrate
from qconvert.quantization.calibration.samples import read_samples
from qconvert.quantization.calibration.statistics import Statistics, read_statistics
from qconvert.quantization.fusion.driver import FuseKernels
from qconvert.quantization.names import boundary_values
from qconvert.quantization.ranges import Range
from qconvert.rewriting import run_passes
from qconvert.support.errors import ConversionError, QConvertError, UsageError

Array = NDArray[Any]

DIGITS = load("fixtures/float/digits_cnn.onnx")
SAMPLES = Path("fixtures/digits_calibration.npz")
IMAGES: Array = np.load(SAMPLES)["image"]

TEXT = """
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32>
    attributes {input_names = ["x", "y"]} {
  %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32> loc("spread")
  %1 = stablehlo.divide %x, %0 : tensor<2x3xf32> loc("quotient")
  %2 = stablehlo.add %1, %x : tensor<2x3xf32> loc("total")
  return %2 : tensor<2x3xf32>
}
"""
RUNS: Array = np.random.default_rng(1).normal(size=(20, 2, 3)).astype(np.float32)
DIVISOR: Array = np.array([1, 2, 4], np.float32)


@pytest.fixture(scope="module")
def small() -> ModuleOp:
    return load_text(TEXT, "text")


def test_what_leaves_a_node_is_observed() -> None:
    found = calibrate(DIGITS.module, SAMPLES, model=DIGITS.sha256)
    assert list(found.values) == list(boundary_values(DIGITS.module))
    assert found.values["image"] == Range(float(IMAGES.min()), float(IMAGES.max()))
    assert found.values["relu_1"].maximum == found.values["conv_1"].maximum
    assert found.values["clip_1"] == Range(0.0, 6.0)
    assert (found.samples, found.model) == (256, DIGITS.sha256)


def test_values_inside_regions_are_observed(small: ModuleOp) -> None:
    fused = small.clone()
    run_passes(fused, [FuseKernels()])
    samples = {"x": RUNS, "y": DIVISOR}
    assert any(isinstance(op, RegionOp) for op in fused.walk())
    assert calibrate(fused, samples).values == calibrate(small, samples).values


def test_ranges_are_those_of_numpy(small: ModuleOp) -> None:
    found = calibrate(small, {"x": RUNS, "y": DIVISOR}, axes={"total": 1, "quotient": 0})
    quotient = RUNS / DIVISOR
    total = quotient + RUNS
    columns = tuple((float(total[..., i].min()), float(total[..., i].max())) for i in range(3))
    rows = tuple((float(quotient[:, i].min()), float(quotient[:, i].max())) for i in range(2))
    assert found.values == {
        "x": Range(float(RUNS.min()), float(RUNS.max())),
        "y": Range(1.0, 4.0),
        "spread": Range(1.0, 4.0),
        "quotient": Range(float(quotient.min()), float(quotient.max()), 0, rows),
        "total": Range(float(total.min()), float(total.max()), 1, columns),
    }


@pytest.mark.slow
@pytest.mark.parametrize("method", ["minmax", "moving-average", "percentile=99", "mse", "entropy"])
def test_batches_and_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch, small: ModuleOp, method: str) -> None:
    source = {"x": RUNS[:6], "y": DIVISOR}
    expected = calibrate(small, source, method=method)
    monkeypatch.setattr(run, "_BATCH_BYTES", 50)
    said: list[tuple[int, int | None]] = []
    assert calibrate(small, source, method=method, progress=lambda *now: said.append(now)) == expected
    assert said[-1] == (18, 18)
    assert len(said) > 12
    assert said == sorted(said)


def test_what_onnx_lacks_is_interpreted() -> None:
    text = TEXT.replace("stablehlo.divide", "stablehlo.atan2")
    found = calibrate(load_text(text, "text"), {"x": RUNS, "y": DIVISOR}).values
    angle = np.arctan2(RUNS, DIVISOR)
    assert found["quotient"].maximum == pytest.approx(float(angle.max()))
    assert found["total"].minimum == pytest.approx(float((angle + RUNS).min()))


def test_a_few_values_by_name(small: ModuleOp) -> None:
    assert list(calibrate(small, {"x": RUNS, "y": DIVISOR}, values=["quotient"]).values) == ["quotient"]


@pytest.mark.slow
def test_the_same_values_from_text(tmp_path: Path) -> None:
    """StableHLO text of a model gives the ranges of the model."""
    from qconvert.api import convert
    from qconvert.formats import Format

    path = tmp_path / "digits.stablehlo.mlir"
    converted = convert(DIGITS, Format.STABLEHLO)
    path.write_text(converted.text)
    found, expected = calibrate(load(path).module, SAMPLES), calibrate(DIGITS.module, SAMPLES)
    shared = found.values.keys() & expected.values.keys()
    assert {"image", "gemm_1", "add_1", "maxpool_1"} <= shared
    for name in shared:
        for side in ("minimum", "maximum"):
            np.testing.assert_allclose(getattr(found.values[name], side), getattr(expected.values[name], side), 1e-5)


@pytest.mark.corpora
def test_a_float_tflite_model() -> None:
    path = Path("../shared/models/tflite/tflm_sine_float.tflite")
    if not path.exists():
        pytest.skip("the shared models are not there")
    model = load(path)
    [name] = model.input_names
    x = np.linspace(0, 2 * np.pi, 200, dtype=np.float32).reshape(200, 1, 1)
    found = calibrate(model.module, {name: x}, method="percentile=100").values
    [last] = [value for key, value in found.items() if key.startswith("StatefulPartitionedCall")]
    assert found[name].maximum == pytest.approx(2 * np.pi)
    assert last.minimum == pytest.approx(-1, abs=0.15)
    assert last.maximum == pytest.approx(1, abs=0.15)


@pytest.mark.slow
def test_a_value_that_is_not_finite_is_named(small: ModuleOp) -> None:
    x = RUNS.copy()
    y = np.ones((20, 3), np.float32)
    y[7, 1] = 0
    with pytest.raises(ConversionError, match=r"node 'quotient': in run 7 of .* is -?inf, .*Look at") as error:
        calibrate(small, {"x": x, "y": y})
    assert error.value.node == "quotient"


def test_a_constant_that_is_not_finite() -> None:
    module = load_text(
        """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
          %0 = stablehlo.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32> loc("factor")
          %1 = stablehlo.multiply %x, %0 : tensor<2xf32> loc("scaled")
          return %1 : tensor<2xf32>
        }""",
        "text",
    )
    with pytest.raises(
        ConversionError, match=r"node 'scaled': .* is nan, .* It is computed of a constant that has such"
    ):
        calibrate(module, {"arg0": np.ones((3, 2), np.float32)})


def test_unknown_values(small: ModuleOp) -> None:
    source = {"x": RUNS, "y": DIVISOR}
    with pytest.raises(UsageError, match=r"the model has no float value z to observe; it has "):
        calibrate(small, source, values=["z"])
    with pytest.raises(UsageError, match="the model has no float value z to observe; it has x, y, spread, quo"):
        calibrate(small, source, axes={"z": 0})
    with pytest.raises(UsageError, match="'total' has 2 dimensions, there is no axis 2"):
        calibrate(small, source, axes={"total": 2})


# samples ----------------------------------------------------------------------------------------------------------

INPUTS = {"x": TensorType(f32, [2, 3]), "y": TensorType(f32, [3])}
ONE = {"x": INPUTS["x"]}


def _read(source: Any, inputs: Any = INPUTS) -> list[dict[str, Array]]:
    samples = read_samples(source, inputs)
    found = [dict(sample) for sample in samples]
    again = [dict(sample) for sample in samples]
    assert samples.count in (None, len(found))
    assert str(found) == str(again)
    return found


def _saved(tmp_path: Path, **arrays: Array) -> Path:
    np.savez(tmp_path / "samples.npz", **arrays)  # type: ignore[arg-type]
    return tmp_path / "samples.npz"


@pytest.mark.parametrize("shape", [(5, 2, 3), (10, 3)])
def test_an_archive(tmp_path: Path, shape: tuple[int, ...]) -> None:
    x = np.arange(30, dtype=np.float32)
    found = _read(_saved(tmp_path, x=x.reshape(shape), y=DIVISOR, label=np.arange(5)))
    assert len(found) == 5
    np.testing.assert_array_equal(np.stack([sample["x"] for sample in found]), x.reshape(5, 2, 3))
    assert all(np.array_equal(sample["y"], DIVISOR) for sample in found)


def test_a_folder(tmp_path: Path) -> None:
    for i in (2, 0, 1):
        np.save(tmp_path / f"image{i}.npy", np.full((2, 3) if i else (3, 2, 3), i, np.float32))
    assert [int(sample["x"].max()) for sample in _read(tmp_path, ONE)] == [0, 0, 0, 1, 2]


def test_an_iterable() -> None:
    def samples() -> Iterator[dict[str, Array]]:
        yield from ({"x": x, "y": DIVISOR} for x in RUNS)

    for source in (samples(), list(samples())):
        assert len(_read(source)) == 20


def _wrong(**arrays: Array) -> Callable[[Path], Path]:
    return lambda folder: _saved(folder, **arrays)


def _folder_with(name: str, content: bytes) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(content)
        return folder

    return make


NAN = np.where(np.arange(6).reshape(2, 3) == 4, np.nan, 0).astype(np.float32)


@pytest.mark.parametrize(
    ("make", "inputs", "message"),
    [
        (_wrong(x=RUNS), INPUTS, r"samples.npz: there is no array for input y; there are x"),
        (_wrong(x=RUNS[:0], y=DIVISOR), INPUTS, "samples.npz: there are no samples to calibrate on"),
        (_wrong(x=RUNS.astype(np.float64), y=DIVISOR), INPUTS, r"input 'x' takes float32, found float64; convert it"),
        (
            _wrong(x=RUNS[..., :2], y=DIVISOR),
            INPUTS,
            r"input 'x' has the shape \[20, 2, 2\]; it may be \[2, 3\] for .*, \[samples, 2, 3\] or \[samples, 3\] for",
        ),
        (_wrong(x=RUNS[0, :1], y=DIVISOR), INPUTS, "input 'x': 1 samples do not fill batches of 2"),
        (
            _wrong(x=RUNS, y=np.ones((3, 3), np.float32)),
            INPUTS,
            "the inputs have different numbers of samples: 20 for x, 3 for y",
        ),
        (_wrong(x=NAN), ONE, r"input 'x': element \[1, 1\] is nan"),
        (lambda folder: folder, ONE, "there are no .npy files to calibrate on"),
        (lambda folder: folder, INPUTS, "a folder of .npy files is for a model with one input, this model has x, y"),
        (_folder_with("a.npy", b"no array"), ONE, "a.npy: this is not an .npy file of a plain array"),
        (_folder_with("a.npy", b""), ONE, "a.npy: this is not an .npy file of a plain array"),
        (lambda folder: folder / "none.npz", ONE, "none.npz: cannot be read: No such file"),
        (lambda _: [], ONE, "there are no samples to calibrate on"),
        (lambda _: [{"x": RUNS[0]}, {"y": RUNS[0]}], ONE, "sample 1: there is no array for input x; there are y"),
    ],
)
def test_samples_that_do_not_fit(tmp_path: Path, make: Any, inputs: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        list(read_samples(make(tmp_path), inputs))


# the statistics file ----------------------------------------------------------------------------------------------


def test_statistics_survive_their_file(tmp_path: Path, small: ModuleOp) -> None:
    source = {"x": RUNS, "y": DIVISOR}
    found = calibrate(small, source, method="percentile=99.5", axes={"total": 1}, model="abc")
    found.save(tmp_path / "stats.json")
    assert read_statistics(tmp_path / "stats.json") == found
    calibrate(small, source, method="percentile=99.5", axes={"total": 1}, model="abc").save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "stats.json").read_bytes()


def _file(**changes: Any) -> str:
    whole = {"version": 1, "method": "minmax", "samples": 2, "values": {"x": {"minimum": 0, "maximum": 1}}}
    return json.dumps({key: value for key, value in {**whole, **changes}.items() if value is not None})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "this is not valid JSON"),
        ("[]", "the file must be a table of names and values"),
        (_file(versoin=1), "unknown key 'versoin'; allowed are version, values, method, samples, model"),
        (_file(values=None), "the file: values must be there"),
        (_file(version=2), "version 2 is not read, only version 1"),
        (_file(method="median"), "there is no calibration method 'median'"),
        (_file(method=3), "method must be a string"),
        (_file(samples=-1), "samples must be a count, found -1"),
        (_file(model=1), "model must be a SHA-256"),
        (
            _file(values={"x": {"minimun": 0, "maximum": 1}}),
            "'x': unknown key 'minimun'; allowed are minimum, max",
        ),
        (_file(values={"x": {"minimum": 0}}), "values, 'x': maximum must be there"),
        (_file(values={"x": {"minimum": "0", "maximum": 1}}), "values, 'x': a number is needed, found '0'"),
        (_file(values={"x": {"minimum": True, "maximum": 1}}), "values, 'x': a number is needed, found True"),
        (_file(values={"x": {"minimum": 2, "maximum": 1}}), r"'x': the minimum 2.0 is above the maximum 1.0"),
        (_file(values={"x": {"minimum": float("nan"), "maximum": 1}}), "'x': the range from nan to 1.0 is not finite"),
        (_file(values={"x": {"minimum": 0, "maximum": float("inf")}}), "from 0.0 to inf is not finite"),
        (_file(values={"x": {"minimum": 0, "maximum": 10**400}}), "beyond a float's range"),
        (_file(values={"x": {"minimum": 0, "maximum": 1, "axis": 0}}), "axis and slices are given together"),
        (_file(values={"x": {"minimum": 0, "maximum": 1, "axis": -1}}), "axis must be a dimension's number, found -1"),
        (
            _file(values={"x": {"minimum": 0, "maximum": 1, "axis": 0, "slices": [1]}}),
            "must be a list of .minimum",
        ),
    ],
)
def test_a_file_that_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "stats.json"
    path.write_text(text)
    with pytest.raises(QConvertError, match=rf"stats.json: .*{message}"):
        read_statistics(path)


def test_statistics_that_are_not_finite() -> None:
    with pytest.raises(UsageError, match="not finite"):
        Statistics({"x": Range(float("nan"), 1.0)})
