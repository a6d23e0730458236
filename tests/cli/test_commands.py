"""The commands: their output, their exit status, and processes of their own where pipes or imports matter."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from qconvert import __version__, convert, load
from qconvert.engines.base import Compiler, EngineName
from qconvert.formats import FORMATS, Format
from tests.support.commands import process, qconvert, refused
from tests.support.parameters import few
from tests.support.paths import FIXTURES, MLP, ROOT

ASSUMED = f"note: {MLP}: dimension 'N' is set to 1. --dim N=SIZE changes it.\n"


# Versions and engines.


def test_version_is_one_short_line() -> None:
    assert process("--version").stdout == f"qconvert {__version__}\n"


def test_all_versions_as_json() -> None:
    import onnxruntime

    found = json.loads(qconvert("engines", "--json").stdout)
    assert (found["qconvert"], found["python"]) == (__version__, platform.python_version())
    engines = {engine["name"]: engine for engine in found["engines"]}
    assert list(engines) == [*EngineName, *Compiler]
    assert engines["onnxruntime"]["version"] == onnxruntime.__version__
    assert engines["vela"]["hint"] == "pip install 'qconvert[npu]'"


def test_engines_are_listed_with_versions_or_how_to_add_them() -> None:
    lines = qconvert("engines").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [*EngineName, *Compiler]
    assert all(re.fullmatch(r"\w+ +(missing: .+|[\w .+]+)", line) for line in lines)


def test_help_lists_the_commands() -> None:
    out = qconvert("--help").stdout
    assert all(command in out for command in ("convert", "run", "validate", "inspect", "engines"))


@pytest.mark.parametrize("place", [["-h"], ["convert", "-h"], ["convert", "--help"]])
def test_help_has_a_short_name(place: list[str]) -> None:
    assert "Usage: qconvert" in qconvert(*place).stdout


BRIEF = ("inspect", MLP, "--brief")


@pytest.mark.parametrize("arguments", [("-q", *BRIEF), (*BRIEF, "-q"), (*BRIEF, "--quiet")])
@pytest.mark.quick(1)
def test_quiet_leaves_notes_out(arguments: tuple[object, ...]) -> None:
    loud, quiet = qconvert(*BRIEF), qconvert(*arguments)
    assert (quiet.stdout, quiet.stderr) == (loud.stdout, "")
    assert loud.stderr == ASSUMED


def test_quiet_keeps_errors() -> None:
    assert qconvert("inspect", "nothing.onnx", "-q", status=2).stderr.startswith("error: ")


@pytest.mark.parametrize("arguments", [("-v", *BRIEF), (*BRIEF, "--verbose")])
def test_verbose_prints_each_step_with_the_time(arguments: tuple[object, ...]) -> None:
    steps = [line for line in qconvert(*arguments).stderr.splitlines() if not line.startswith("note: ")]
    assert [re.sub(r"^ *\d+\.\d\d s  ", "", line) for line in steps] == [f"reading {MLP}", "inspecting"]


@pytest.mark.parametrize(
    ("typed", "found"), [("qconvert ins", "inspect"), (f"qconvert inspect {MLP} --bri", "--brief")]
)
def test_the_shell_completes_commands_and_options(typed: str, found: str) -> None:
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" ")), "_QCONVERT_COMPLETE": "complete_bash"}
    with mock.patch.dict(os.environ, words):
        assert qconvert().stdout.split() == [found]


def test_a_name_that_is_no_command_is_met_with_those_there_are() -> None:
    assert "Did you mean 'convert'" in qconvert("convrt", status=2).stderr


@pytest.mark.parametrize(
    "arguments", [("nothing",), ("convert", MLP), ("convert", MLP, "-o", "x", "--colour"), ("run",)]
)
def test_wrong_usage_is_status_2(arguments: tuple[object, ...]) -> None:
    assert "Usage: " in qconvert(*arguments, status=2).stderr


# convert


def test_convert_writes_what_the_library_does(tmp_path: Path) -> None:
    target = tmp_path / "mlp.stablehlo.mlir"
    done = qconvert("convert", MLP, "-o", target)
    assert target.read_text() == convert(load(MLP)).text
    assert done.stdout == ""
    assert done.stderr.startswith(ASSUMED)
    assert "note: 4 ops may differ from onnxruntime by 1 LSB on exact ties" in done.stderr
    assert f"note: 1 op stays in float. qconvert inspect {MLP} --why lists the reasons." in done.stderr


@pytest.mark.slow
def test_convert_from_and_to_a_pipe() -> None:
    done = process("convert", "-", "-o", "-", given=MLP.read_bytes())
    assert done.stdout == convert(load(MLP)).text
    again = process("convert", "-", "-o", "-", given=done.stdout.encode())
    assert again.stdout == done.stdout


def test_convert_options(tmp_path: Path) -> None:
    def text(*options: str, model: Path = MLP) -> str:
        return qconvert("convert", model, "-o", "-", *options).stdout

    assert "!quant.uniform" in text("--to", "stablehlo")
    assert "stablehlo.dot_general" in text("--to", "stablehlo-qdq")
    assert "!quant" not in text("--to", "stablehlo-int")
    assert "tensor<4x1x8x8xf32>) -> tensor<4x10xf32>" in text("--dim", "N=4")
    assert re.search(r"@main\(.*\) -> .*!quant", text("--quantized-io"))
    assert text("--keep-composites") == text()  # it has none; tests/models has models that do
    assert '["flatten_1"]' in text("--outputs", "flatten_1")
    assert '["flatten_1"]' in text("--inputs", "flatten_1")
    average = FIXTURES / "digits_cnn_int8.onnx"
    assert len({text("--reduction-form", form, model=average) for form in ("widen", "spec", "rfc")}) == 3
    plain, exact = (qconvert("convert", MLP, "-o", "-", *options).stderr for options in ((), ("--exact-rounding",)))
    assert ("exact ties" in plain, "exact ties" in exact) == (True, False)


@pytest.mark.parametrize(
    ("name", "to"), [("a.mlir", "tosa"), ("a.stablehlo.mlir", "stablehlo-int"), ("a.txt", "onnx"), ("a.onnx", "onnx")]
)
def test_names_that_fit_a_format(tmp_path: Path, name: str, to: str) -> None:
    qconvert("convert", MLP, "-o", tmp_path / name, "--to", to)
    assert (tmp_path / name).exists()


@pytest.mark.quick(2)
@pytest.mark.parametrize("to", [to for to in Format if FORMATS[to].is_mlir])
def test_the_names_of_files_that_qconvert_writes_choose_their_format(tmp_path: Path, to: Format) -> None:
    name = f"a{FORMATS[to].suffix}"
    qconvert("convert", MLP, "-o", tmp_path / name)
    qconvert("convert", MLP, "-o", tmp_path / "given.mlir", "--to", to)
    assert (tmp_path / name).read_text() == (tmp_path / "given.mlir").read_text()


@pytest.mark.parametrize("command", ["convert", "validate", "quantize", "inspect"])
def test_an_unknown_format(command: str) -> None:
    assert "'tflit' is not one of" in qconvert(command, MLP, "--to", "tflit", status=2).stderr or command == "inspect"


@pytest.mark.parametrize("command", ["convert", "validate", "quantize", "inspect", "run", "opt"])
def test_the_help_names_the_files_that_are_read(command: str) -> None:
    out = qconvert(command, "--help").stdout
    assert all(f".{suffix}" in out for suffix in ("onnx", "tflite", "mlir", "mlirbc"))
    assert ".tosa" in out or command == "quantize"


@pytest.mark.row("U13")
def test_convert_refusals(tmp_path: Path) -> None:
    target = tmp_path / "out.mlir"
    assert refused("convert", tmp_path / "none.onnx", "-o", target) == (
        f"{tmp_path}/none.onnx: cannot be read: No such file or directory"
    )
    assert refused("convert", MLP, "-o", tmp_path / "out.txt") == (
        f"'{tmp_path}/out.txt' does not choose a format: "
        "let its name end in one of .onnx, .tflite, .mlir, .mlirbc, .tosa.mlir, .tosa, or give --to"
    )
    for options, message in {
        ("--opset", "17"): "--opset is an option of --to onnx, not of stablehlo",
        ("--opset", "0"): "--opset is an option of --to onnx, not of stablehlo",
        ("--to", "onnx", "--profile", "int"): "--profile is an option of --to tflite or tosa, not of onnx",
        ("--to", "tosa", "--keep-composites"): (
            "--keep-composites is an option of --to stablehlo or stablehlo-qdq or stablehlo-int or tosa-rescale, "
            "not of tosa"
        ),
    }.items():
        assert refused("convert", MLP, "-o", "-", *options) == message
    for name, to, message in (
        ("a.mlir", "onnx", "MLIR, not for onnx: let it end in .onnx"),
        ("a.onnx", "tosa", "ONNX, not for tosa: let it end in .tosa.mlir"),
        ("a.tosa", "stablehlo", "TOSA, not for stablehlo: let it end in .stablehlo.mlir"),
        ("a.stablehlo.mlir", "tosa", "StableHLO, not for tosa: let it end in .tosa.mlir"),
        ("a.mlirbc", "tosa-rescale", "StableHLO, not for tosa-rescale: let it end in .tosa-rescale.mlir"),
    ):
        found = refused("convert", MLP, "-o", tmp_path / name, "--to", to)
        assert found == f"'{tmp_path / name}' is a name for {message}"
    assert refused("convert", MLP, "-o", tmp_path / "a.tflite", "--to", "tosa") == (
        f"'{tmp_path / 'a.tflite'}' is a name for TFLite, not for tosa: let it end in .tosa.mlir"
    )
    assert refused("opt", MLP, "-p", "fold", "-o", tmp_path / "a.onnx") == (
        f"'{tmp_path}/a.onnx' is a name for ONNX, not for MLIR: let it end in .mlir"
    )
    for option in ("--style", "--reduction-form", "--profile", "--rounding"):
        assert "Invalid value for '" + option in qconvert("convert", MLP, "-o", target, option, "wide", status=2).stderr
    for dim in ("N", "N=", "=3", "N=0", "N=-1", "N=x"):
        assert refused("convert", MLP, "-o", target, "--dim", dim) == (
            f"--dim {dim}: expected NAME=SIZE with a size of at least 1"
        )
    assert refused("convert", MLP, "-o", tmp_path / "none" / "out.mlir").endswith(
        "out.mlir: cannot be written: No such file or directory"
    )
    (tmp_path / "cut.onnx").write_bytes(MLP.read_bytes()[:2000])
    assert refused("convert", tmp_path / "cut.onnx", "-o", target).startswith(f"{tmp_path}/cut.onnx: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.onnx"]


def test_debug_shows_the_traceback() -> None:
    command = [sys.executable, "-m", "qconvert", "--debug", "convert", "none.onnx", "-o", "-"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert "Traceback" in done.stderr
    assert done.returncode == 2


def test_an_internal_error_is_one_line_with_a_status_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("a\nname")

    monkeypatch.setattr("qconvert.cli.reading.load_model", broken)
    for arguments in (["inspect", MLP], ["convert", MLP, "-o", tmp_path / "a.onnx"], ["validate", MLP]):
        [line] = qconvert(*arguments, status=70).stderr.splitlines()
        assert line.startswith("error: internal error at qconvert/cli/")
        assert line.endswith(
            "This is a fault of qconvert; please open an issue in its repository with this line, the command and the "
            "model. --debug shows the traceback"
        )
        assert "KeyError: 'a\\nname'" in line
    assert "Traceback" in qconvert("inspect", MLP, "--debug", status=70).stderr


# Passes.

UNFUSED = """
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>> {
  %0 = stablehlo.uniform_dequantize %a : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  %1 = stablehlo.tanh %0 : tensor<4xf32>
  %2 = stablehlo.uniform_quantize %1 : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
  return %2 : tensor<4x!quant.uniform<i8:f32, 0.25:-1>>
}
"""


@pytest.mark.parametrize("name", ["legalize-qdq-to-quantized-op", "stablehlo-legalize-qdq-to-quantized-op"])
def test_opt_runs_passes_by_either_name(name: str) -> None:
    out = qconvert("opt", "-", "-p", name, given=UNFUSED.encode()).stdout
    assert "stablehlo.tanh %0 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>)" in out
    assert "dequantize" not in out


def test_opt_reads_onnx_writes_a_file_and_says_why(tmp_path: Path) -> None:
    target = tmp_path / "out.mlir"
    done = qconvert("opt", MLP, "--dim", "N=2", "-p", "legalize-qdq-to-quantized-op", "-o", target, "--why")
    assert done.stdout == ""
    assert qconvert("opt", target, "-p", "dce").stdout.startswith("builtin.module")


def test_opt_materializes_statistics_of_samples(tmp_path: Path) -> None:
    text = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "quant.stats_ref"(%x) {statsKey = "x"} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""
    samples = tmp_path / "samples.npz"
    np.savez(samples, arg0=np.array([[-0.5, 0, 1], [0, 0, 2]], np.float32))
    out = qconvert("opt", "-", "-p", "materialize-stats", "--samples", samples, given=text.encode()).stdout
    assert "layerStats = dense<[-5.000000e-01, 2.000000e+00]>" in out
    without = qconvert("opt", "-", "-p", "materialize-stats", "--why", given=text.encode())
    assert "stats_ref: key 'x': no range was observed" in without.stderr
    assert "quant.stats_ref" in without.stdout


def test_opt_refuses_what_no_pass_uses(tmp_path: Path) -> None:
    error = refused("opt", MLP, "-p", "dce", "--target", "tosa-int8")
    assert error == "--target is for fuse-kernels, propagate, export-fixed, and -p names none of these passes"
    np.savez(tmp_path / "samples.npz", image=np.zeros((1, 1, 8, 8), np.float32))
    error = refused("opt", MLP, "-p", "dce", "--samples", tmp_path / "samples.npz")
    assert error == "--samples is for materialize-stats, and -p names none of these passes"


def test_opt_refuses_an_unknown_pass() -> None:
    assert refused("opt", MLP, "-p", "fold,fuse").startswith(
        "there is no pass 'fuse'; there are accumulate-normalizations, "
    )


@pytest.mark.slow
def test_convert_says_where_litert_is_not_followed() -> None:
    """TOSA says LiteRT's arithmetic, StableHLO does not."""
    lstm = str(ROOT / "fixtures" / "lstm_int8.tflite")
    note = "may differ from LiteRT, most by 1 LSB, because StableHLO cannot express LiteRT's rounding"
    assert note in qconvert("convert", lstm, "-o", "-").stderr
    assert "LiteRT" not in qconvert("convert", lstm, "-o", "-", "--to", "tosa").stderr


def modules_after(*arguments: object) -> set[str]:
    """What a child process has imported when the command has run in it."""
    code = (
        "import atexit, sys; from qconvert.__main__ import main\n"
        "atexit.register(lambda: print(*sys.modules))\n"
        f"sys.argv = {['qconvert', *map(str, arguments)]!r}; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


@pytest.mark.parametrize("fixture", few(["svdf_int8", "lstm_int8"], 1))
def test_converting_imports_no_runtime(fixture: str, tmp_path: Path) -> None:
    modules = modules_after("convert", FIXTURES / f"{fixture}.tflite", "-o", tmp_path / "out.tosa.mlir")
    assert {"qconvert.frontends.tflite.importer", "qconvert.backends.tosa.emit", "numpy", "xdsl"} <= modules
    heavy = {"onnxruntime", "rich", "scipy", "ai_edge_litert", "jaxlib", "iree", "click"}
    assert not modules & heavy
