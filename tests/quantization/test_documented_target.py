"""The targets of docs/targets.md, as they stand there, on a real network."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from qconvert.api import load
from qconvert.dialects.quant_region import RegionOp
from qconvert.interpreter.program import evaluate
from qconvert.ir.quant import UniformQuantizedType
from qconvert.passes import make_pass
from qconvert.quantization.annotations import from_statistics
from qconvert.quantization.calibration.run import calibrate
from qconvert.quantization.checks import check_target
from qconvert.quantization.constraints import collect
from qconvert.quantization.export_fixed import export_fixed
from qconvert.quantization.fusion import FuseKernels
from qconvert.quantization.propagation import propagate
from qconvert.quantization.target import Target
from qconvert.quantization.targets import find
from qconvert.rewriting.base import run_passes
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "targets.md").read_text()


def _block(language: str) -> str:
    (text,) = re.findall(rf"```{language} title=[^\n]*\n(.*?)```", PAGE, re.DOTALL)
    assert isinstance(text, str)
    return text


@pytest.fixture
def python_target() -> Target:
    names: dict[str, object] = {}
    exec(compile(_block("python"), "docs/targets.md", "exec"), names)
    target = names["npu"]
    assert isinstance(target, Target)
    return target


@pytest.fixture
def toml_target(tmp_path: Path) -> Target:
    path = tmp_path / "npu.toml"
    path.write_text(_block("toml"))
    return find(path)


def _agreement(target: Target) -> tuple[list[UniformQuantizedType], set[str], float]:
    """The specs that were found, the kernels left float, and how many of 60 digits are told as in float."""
    model = load(ROOT / "fixtures" / "float" / "digits_cnn.onnx", dims={"N": 60})
    module = model.module.clone()
    run_passes(module, [make_pass("fold")])
    images = np.load(ROOT / "fixtures" / "digits_calibration.npz")["image"]
    statistics = calibrate(module, {"image": images[:240]})
    run_passes(module, [FuseKernels()])
    report = propagate(module, target, collect(module, [from_statistics(statistics)]))
    assert check_target(module, target) == []
    regions = [op for op in module.walk() if isinstance(op, RegionOp)]
    specs = [spec for region in regions for side in region.specs for spec in side]
    left = {entry.kernel for entry in report.unquantized}
    export_fixed(module)
    test = np.load(ROOT / "fixtures" / "digits_test.npz")["image"][:60]
    (found,), (expected,) = evaluate(module, [test]), evaluate(model.module, [test])
    uniform = [spec for spec in specs if isinstance(spec, UniformQuantizedType)]
    return uniform, left, float((found.argmax(1) == expected.argmax(1)).mean())


def test_the_target_in_python(python_target: Target) -> None:
    assert len([line for line in _block("python").splitlines() if line.strip()]) <= 30
    specs, left, agreement = _agreement(python_target)
    assert len(specs) > 20
    assert all(math.log2(scale).is_integer() for spec in specs for scale in spec.scales)
    assert not any(spec.zero_points.any() for spec in specs)
    assert left == {"depthwise_convolution"}
    assert agreement >= 0.95


def test_the_target_in_toml(toml_target: Target) -> None:
    specs, left, agreement = _agreement(toml_target)
    assert any(spec.is_per_axis for spec in specs)
    assert left == {"depthwise_convolution", "add", "average_pool"}
    assert agreement >= 0.95
