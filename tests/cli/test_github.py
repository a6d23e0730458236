"""The action of GitHub, the hook of pre-commit, and what ``validate`` writes for them."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from qconvert import validate
from qconvert.validation import Settings
from qconvert.validation.rendering import github
from tests.support.commands import qconvert
from tests.support.paths import FIXTURES, MLP, ROOT

CNN = FIXTURES / "digits_cnn_int8.onnx"
STEPS = {step.get("name"): step for step in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]}
INPUTS = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]


def run(name: str, tmp_path: Path, **inputs: object) -> subprocess.CompletedProcess[str]:
    """Run a step of the action as a runner does, with the inputs' defaults."""
    given = {key.replace("-", "_"): str(value.get("default", "")) for key, value in INPUTS.items()}
    given |= {key: str(value) for key, value in inputs.items()}
    found = {
        key: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: given[match[1].replace("-", "_")], value)
        for key, value in STEPS[name]["env"].items()
    }
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    environment = {**found, "PATH": path, "PYTHONPATH": str(ROOT), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


def other_weights(tmp_path: Path) -> Path:
    """Return a conversion of the perceptron with eight other weights in the first layer."""
    file = tmp_path / "mlp.stablehlo.mlir"
    qconvert("convert", MLP, "-o", file)
    text = file.read_text()
    start = text.index('dense<"0x') + len('dense<"0x')
    file.write_text(text[:start] + 8 * "7F" + text[start + 16 :])
    return file


@pytest.mark.slow
def test_the_action_converts_and_compares(tmp_path: Path) -> None:
    models = "fixtures/digits_mlp_int8.onnx\nfixtures/digits_cnn_int*.onnx"
    done = run("Convert", tmp_path, models=models, output=tmp_path / "out", to="tosa")
    assert done.returncode == 0, done.stderr
    names = ["digits_cnn_int8.tosa.mlir", "digits_mlp_int8.tosa.mlir"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == names
    done = run("Validate", tmp_path, models=models, arguments="--samples 1")
    assert done.returncode == 0, done.stderr
    notices = [line for line in done.stdout.splitlines() if line.startswith("::notice file=fixtures/")]
    assert len(notices) == 2
    assert (tmp_path / "summary.md").read_text().startswith("## qconvert: 2 models, 0 failed\n")


@pytest.mark.slow
@pytest.mark.parametrize("models", [(MLP, "missing%.onnx"), ("missing%.onnx",)], ids=["several", "one"])
def test_a_model_that_cannot_be_compared_is_annotated(models: tuple[object, ...], tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    form = ("--format", "github", "--markdown", summary, "--jobs", 1)
    error = qconvert("validate", *models, "--samples", 1, *form, status=2).stderr
    assert "::error::missing%25.onnx: cannot be read: No such file or directory" in error.splitlines()
    if len(models) > 1:
        assert summary.read_text().startswith("## qconvert: 2 models, 0 failed, 1 not compared\n")
        assert "- missing%.onnx\\: could not be compared; the log has the error" in summary.read_text()


@pytest.mark.parametrize(
    ("given", "installed"),
    [
        ({}, "/checkout"),
        ({"EXTRAS": "tosa,litert"}, "/checkout[tosa,litert]"),
        ({"EXTRAS": "tosa", "PACKAGE": "q.whl"}, "q.whl[tosa]"),
        ({"PACKAGE": "qconvert[tosa]==0.1.0"}, "qconvert[tosa]==0.1.0"),
    ],
)
def test_the_action_installs_its_checkout_with_extras(given: dict[str, str], installed: str) -> None:
    shown = 'python() { echo "${@: -1}"; }\n' + STEPS["Install"]["run"]
    environment = {"EXTRAS": "", "PACKAGE": "", "CHECKOUT": "/checkout"} | given
    assert environment.keys() == STEPS["Install"]["env"].keys()
    done = subprocess.run(["bash", "-euc", shown], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"{installed}\n"


@pytest.mark.slow
def test_the_action_fails_on_another_conversion(tmp_path: Path) -> None:
    done = run("Validate", tmp_path, models=MLP, converted=other_weights(tmp_path), arguments="--samples 2")
    assert done.returncode == 1, done.stderr
    layer, *_ = [line for line in done.stdout.splitlines() if line.startswith("::error ")]
    assert layer.startswith(
        f"::error file={tmp_path / 'mlp.stablehlo.mlir'},title={tmp_path / 'mlp.stablehlo.mlir'} differs from {MLP}::"
    )
    assert "::layer 'gemm_1' (Gemm, contraction): " in layer
    assert "1 model, 1 failed" in (tmp_path / "summary.md").read_text()


@pytest.mark.slow
def test_a_given_file_with_other_results_passes_within_limits(tmp_path: Path) -> None:
    file = other_weights(tmp_path)
    assert "logits" in qconvert("validate", MLP, file, "--samples", 2, status=1).stdout
    qconvert("validate", MLP, file, "--samples", 2, "--max-lsb", 50)
    bisected = qconvert("validate", MLP, file, "--samples", 2, "--bisect", status=1).stdout
    assert "end to end the first difference is at layer 'gemm_1' (Gemm)" in bisected
    assert "in isolation the first layer that differs is 'gemm_1' (Gemm)" in bisected


def test_names_from_a_model_are_escaped() -> None:
    report = validate(MLP, settings=Settings(samples=1))
    name = "a%,:b\n::error::<script>|`c`"
    model = replace(report.model, file=name)
    report = replace(report, model=model, failures=(f"layer '{name}' differs",), passed=False)
    [line] = github.workflow_commands([report])
    escaped = r"a%25%2C%3Ab\n%3A%3Aerror%3A%3A<script>|`c`"
    head = f"::error file={escaped},title={escaped} as stablehlo differs from its source::"
    assert line == rf"{head}layer 'a%25,:b\n::error::<script>|`c`' differs"
    text = github.markdown([report])
    assert r"| a%,\:b\\n\:\:error\:\:\<script\>\|\`c\` |" in text
    assert "<script>" not in text


@pytest.mark.slow
def test_the_hook_compares_the_files_that_it_is_given() -> None:
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert re.search(hook["files"], "models/a.tflite")
    command, *arguments = shlex.split(hook["entry"])
    assert command == "qconvert"
    done = qconvert(*arguments, "--samples", 1, MLP, CNN)
    assert done.stderr.splitlines()[-1] == "compared 2 of 2 models"
