"""A plugin as its users have it: a package of its own, installed, found by its entry point."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests.support.paths import ROOT

PACKAGE = Path(__file__).parent / "qconvert_softcap"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the plugin installed in it."""
    target = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    options = ["--no-deps", "--no-build-isolation", "--target", str(target)]
    subprocess.run([*pip, "install", *options, str(PACKAGE)], check=True, capture_output=True)
    return target


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """One SoftCap with a cap of 2."""
    node = helper.make_node("SoftCap", ["x"], ["y"], name="cap_1", domain="com.example", cap=2.0)
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in "xy"]
    graph = helper.make_graph([node], "g", ports[:1], ports[1:])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.example", 1)]
    path = tmp_path / "model.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())
    return path


def qconvert(*arguments: str, extra_path: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": f"{extra_path}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "qconvert", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.slow
def test_an_installed_plugin_converts_its_operator(installed: Path, model: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", x=np.array([[-8.0, -1.0, 0.0, 3.0]], np.float32))
    converted = qconvert("convert", str(model), "-o", "-", extra_path=installed)
    assert converted.returncode == 0, converted.stderr
    assert "stablehlo.tanh" in converted.stdout
    ran = qconvert(
        "run", str(model), "--inputs", str(tmp_path / "in.npz"), "-o", str(tmp_path / "out.npz"), extra_path=installed
    )
    assert ran.returncode == 0, ran.stderr
    expected = 2 * np.tanh(np.array([[-8.0, -1.0, 0.0, 3.0]]) / 2)
    np.testing.assert_allclose(np.load(tmp_path / "out.npz")["y"], expected, rtol=1e-6)


@pytest.mark.slow
def test_the_guides_test_passes(installed: Path, tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "plugins.md").read_text()
    (code,) = (part for part in re.findall(r"```python\n(.*?)```", guide, re.DOTALL) if "def test_" in part)
    (tmp_path / "test_softcap.py").write_text(code)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_softcap.py"]
    environment = os.environ | {"PYTHONPATH": f"{installed}{os.pathsep}{ROOT}"}
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
    assert "2 passed" in result.stdout


@pytest.mark.slow
def test_without_the_plugin_the_operator_is_named(model: Path, tmp_path: Path) -> None:
    result = qconvert("convert", str(model), "-o", str(tmp_path / "out.mlir"), extra_path=tmp_path)
    assert result.returncode == 2
    assert result.stderr == (
        f"error: {model}: node 'cap_1' (SoftCap): the operator com.example.SoftCap is not supported in opset 1. "
        "A plugin can add it (python -m pydoc qconvert.testing shows how); --outputs cuts the model before it\n"
    )


@pytest.mark.slow
def test_a_broken_plugin_is_named(model: Path, tmp_path: Path) -> None:
    metadata = tmp_path / "broken-0.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 0.1\n")
    (metadata / "entry_points.txt").write_text("[qconvert.plugins]\nmine = no_such_module\n")
    result = qconvert("convert", str(model), "-o", "-", extra_path=tmp_path)
    assert result.returncode == 2
    assert result.stderr == (
        "error: the plugin 'mine' of package broken (no_such_module) cannot be loaded: "
        "ModuleNotFoundError: No module named 'no_such_module'. Fix or uninstall it\n"
    )


@pytest.mark.slow
def test_a_plugin_replaces_no_operator(model: Path, tmp_path: Path) -> None:
    metadata = tmp_path / "louder-0.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: louder\nVersion: 0.1\n")
    (metadata / "entry_points.txt").write_text("[qconvert.plugins]\nrelu = louder\n")
    (tmp_path / "louder.py").write_text(
        "from qconvert.frontends.onnx import onnx_op\nonnx_op('Relu', since=99)(lambda ctx: ctx.input(0))\n"
    )
    result = qconvert("convert", str(model), "-o", "-", extra_path=tmp_path)
    assert result.returncode == 2
    assert result.stderr == (
        "error: the plugin 'relu' adds ai.onnx.Relu, which is there already. Plugins add operators; they replace none\n"
    )
