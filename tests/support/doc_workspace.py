"""The files that commands in the documentation name, as a reader would have them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx

from qconvert import Format, convert, load, save
from tests.support.npu_models import looks_up
from tests.support.paths import FIXTURES, IMAGES, ROOT

CNN = FIXTURES / "digits_cnn_int8.onnx"
PLAN = """models = ["models/*.onnx"]
targets = ["tosa"]
inputs.samples = 4
dims.N = 1
"""
CHIP = """name = "my-chip"
fallback = "float"

[ports]
act = { storage = "i8" }
weights = { storage = "i8<-127:127>", symmetric = true }
bias = { storage = "i32", symmetric = true }

[[kernel]]
names = ["convolution"]
inputs = ["act", "weights", "bias"]
optional = 1
outputs = ["act"]
rule = "multiplier_accumulator_scale"
"""
CHECKED = """func.func @main() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %0, dense<[1, 2]> : tensor<2xi32>
  func.return
}
"""


def make(folder: Path) -> None:
    """Write the files of a reader's folder."""
    (folder / "fixtures").symlink_to(FIXTURES)
    for name in ("model", "model_qdq", "optimised", "quantized", "large", "models/keyword", "models/detector"):
        _copy(CNN, folder / f"{name}.onnx")
    for name in ("float", "models/keyword_float"):
        _copy(FIXTURES / "float" / "digits_cnn.onnx", folder / f"{name}.onnx")
    for name in ("test_images", "test"):
        _copy(IMAGES, folder / f"{name}.npz")
    _copy(FIXTURES / "digits_calibration.npz", folder / "samples.npz")
    _samples(folder)
    model = load(CNN, dims={"N": 1})
    for name in ("model.tflite", "model.stablehlo.mlir", "model.mlir", "model.tosa"):
        form = {".tflite": Format.TFLITE, ".tosa": Format.TOSA}.get(Path(name).suffix, Format.STABLEHLO)
        save(convert(model, form), folder / name)
    save(convert(load(folder / "float.onnx", dims={"N": 1}), Format.TFLITE), folder / "float.tflite")
    for name, text in (("tests.mlir", CHECKED), ("plan.toml", PLAN), ("my_chip.toml", CHIP)):
        (folder / name).write_text(text)
    (folder / "looks_up.onnx").write_bytes(looks_up().SerializeToString())
    _broken(folder / "broken.onnx")


def run(command: str | list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in the folder, as bash does; return its status and all that it prints."""
    paths = [str(Path(sys.executable).parent), os.environ["PATH"]]
    changed: Mapping[str, str] = {"PATH": os.pathsep.join(paths), "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    arguments = ["bash", "-c", command] if isinstance(command, str) else command
    return subprocess.run(
        arguments,
        cwd=folder,
        env={**os.environ, **changed},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=280,
        check=False,
    )


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(exist_ok=True)
    shutil.copyfile(source, target)


def _samples(folder: Path) -> None:
    with np.load(IMAGES) as arrays:
        images = arrays["image"]
    for name in ("images", "models/keyword", "models/detector"):
        np.savez(folder / f"{name}.npz", image=images[:32])
    np.savez(folder / "in.npz", image=images[:1])
    np.save(folder / "x.npy", images[:1])
    (folder / "samples").mkdir()
    for index, image in enumerate(images[:8]):
        np.save(folder / "samples" / f"{index}.npy", image[None])


def _broken(path: Path) -> None:
    """Write the network with one scale of 0."""
    model = onnx.load_from_string(CNN.read_bytes())
    [node] = [node for node in model.graph.node if node.name == "conv_2_QuantizeLinear"]
    [scale] = [each for each in model.graph.initializer if each.name == node.input[1]]
    scale.CopyFrom(onnx.numpy_helper.from_array(np.float32(0), scale.name))
    path.write_bytes(model.SerializeToString())
