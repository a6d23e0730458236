"""``qconvert validate``: exit status, and reports as a table, JSON, JUnit and HTML."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from qconvert.cli import progress
from qconvert.engines import base
from qconvert.support.arrays import read_arrays
from tests.support.commands import qconvert, refused
from tests.support.paths import FIXTURES, IMAGES, MLP

CNN = FIXTURES / "digits_cnn_int8.onnx"


@pytest.fixture
def few(tmp_path: Path) -> Path:
    path = tmp_path / "few.npz"
    np.savez(path, image=read_arrays(IMAGES)["image"][:5])
    return path


@pytest.mark.stablehlo
def test_a_fixture_passes(few: Path) -> None:
    out = qconvert("validate", CNN, "--inputs", few).stdout
    assert f"{CNN} as stablehlo on stablehlo" in out
    assert "(the file that convert writes)" in out
    assert "graph optimisation disabled; 5 samples" in out
    assert out.rstrip().endswith("passed")
    assert "AveragePool" not in out


def test_each_layer_is_a_line(few: Path) -> None:
    out = qconvert("validate", CNN, "--inputs", few, "--per-layer").stdout
    assert sum("AveragePool" in line for line in out.splitlines()) == 1
    assert sum(" Conv " in line for line in out.splitlines()) == 4


@pytest.mark.slow
def test_a_limit_that_is_missed_is_status_1(few: Path) -> None:
    done = qconvert("validate", CNN, "--inputs", few, "--min-sqnr", "500", "--json", "-", status=1)
    found = json.loads(done.stdout)
    assert not found["passed"]
    assert found["limits"] == {"min_sqnr_db": 500.0}
    assert "500.0 are needed" in found["failures"][0]
    assert "failed" in qconvert("validate", CNN, "--inputs", few, "--min-sqnr", "500", status=1).stdout


def test_limits_that_are_kept(few: Path) -> None:
    qconvert("validate", CNN, "--inputs", few, "--max-lsb", "1", "--min-exact", "0.5", "--min-sqnr", "20")


@pytest.mark.parametrize(
    "options",
    [
        ("--min-exact", "1.1"),  # a share: nothing could reach it
        ("--min-exact", "-0.1"),
        ("--max-lsb", "-1"),
        ("--max-lsb", "0.5"),
        ("--samples", "0"),
        ("--seed", "-1"),
        ("--engine", "nothing"),
    ],
)
def test_limits_that_make_no_sense_are_wrong_usage(options: tuple[str, ...]) -> None:
    assert options[0] in qconvert("validate", MLP, *options, status=2).stderr


def test_a_limit_that_is_no_number_is_wrong_usage() -> None:
    # some versions of typer refuse it themselves, by the option's name
    assert re.search("min.exact", qconvert("validate", MLP, "--min-exact", "nan", status=2).stderr)


def test_refusals(tmp_path: Path) -> None:
    assert refused("validate", MLP, "--min-sqnr", "inf") == "the limit min_sqnr_db is inf, it must be a finite number"
    assert refused("validate", MLP, MLP, "--to", "stablehlo") == f"{MLP} is onnx, not stablehlo"
    assert refused("validate", MLP, "--engine", "onnxruntime", "--to", "stablehlo") == (
        "onnxruntime does not run stablehlo"
    )
    assert refused("validate", MLP, "--inputs", tmp_path / "none.npz").endswith("No such file or directory")
    np.savez(tmp_path / "wide.npz", image=np.zeros((1, 1, 9, 9), np.float32))
    assert refused("validate", MLP, "--inputs", tmp_path / "wide.npz") == (
        "input 'image' takes [1, 1, 8, 8], the file has [1, 1, 9, 9]"
    )
    qconvert("convert", MLP, "-o", tmp_path / "mlp.mlir")
    assert refused("validate", tmp_path / "mlp.mlir").endswith("only ONNX and TFLite models can be validated")


def test_a_conversion_made_before(tmp_path: Path, few: Path) -> None:
    qconvert("convert", MLP, "-o", tmp_path / "mlp.mlir")
    found = json.loads(qconvert("validate", MLP, tmp_path / "mlp.mlir", "--inputs", few, "--json", "-").stdout)
    assert found["passed"]
    assert found["layers"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "runs"),
    [
        pytest.param("mlp.mlir", "stablehlo", marks=pytest.mark.stablehlo),
        ("mlp.onnx", "onnxruntime"),
        pytest.param("mlp.tosa.mlir", "tosa", marks=pytest.mark.tosa),
        pytest.param("mlp.tosa", "tosa", marks=pytest.mark.tosa),
    ],
)
@pytest.mark.row("U06")
def test_the_second_file_chooses_format_and_engine(tmp_path: Path, few: Path, name: str, runs: str) -> None:
    qconvert("convert", MLP, "-o", tmp_path / name)
    out = qconvert("validate", MLP, tmp_path / name, "--inputs", few).stdout
    assert f"{name} on {runs} " in out
    assert "is not what converting" not in out
    assert out.rstrip().endswith("passed")


def test_an_engine_that_is_given_is_kept(tmp_path: Path, few: Path) -> None:
    qconvert("convert", MLP, "-o", tmp_path / "mlp.tosa.mlir")
    chosen = qconvert("validate", MLP, tmp_path / "mlp.tosa.mlir", "--inputs", few, "--engine", "reference").stdout
    assert "mlp.tosa.mlir on reference " in chosen


def test_an_engine_that_is_missing_is_not_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, few: Path) -> None:
    monkeypatch.setattr(base, "version_of", lambda name: None if name == "tosa-tools" else "1.0")
    qconvert("convert", MLP, "-o", tmp_path / "mlp.tosa.mlir")
    assert (
        "mlp.tosa.mlir on reference " in qconvert("validate", MLP, tmp_path / "mlp.tosa.mlir", "--inputs", few).stdout
    )


@pytest.mark.stablehlo
def test_a_time_limit_is_an_option(few: Path) -> None:
    limited = ("validate", MLP, "--engine", "stablehlo", "--timeout", "0.001")
    assert refused(*limited).endswith("engine: no answer within 0.001 s, stopped")


@pytest.mark.slow
def test_work_that_takes_long_is_told_in_a_log(monkeypatch: pytest.MonkeyPatch, few: Path) -> None:
    assert "comparing" not in qconvert("validate", MLP, "--inputs", few).stderr
    monkeypatch.setattr(progress, "_SILENT_SECONDS", 0.0)
    shown = qconvert("validate", MLP, "--inputs", few).stderr
    assert "running onnxruntime\nlooking for the layers in the file\nrunning stablehlo\ncomparing layers\n" in shown
    assert "comparing layers: 1 of 4, " in shown


def test_samples_and_seed() -> None:
    found = json.loads(qconvert("validate", MLP, "--samples", "3", "--seed", "7", "--json", "-").stdout)
    assert (found["samples"], found["seed"]) == (3, 7)


def test_bisect_adds_notes(few: Path) -> None:
    found = json.loads(qconvert("validate", MLP, "--inputs", few, "--bisect", "--json", "-").stdout)
    assert found["notes"] == ["end to end no quantized tensor differs", "in isolation no layer differs"]


class Tags(HTMLParser):
    """Checks that what is opened is closed, and collects the cells."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_reports_in_files(tmp_path: Path, few: Path) -> None:
    names = ("report.json", "report.xml", "report.html")
    paths = [tmp_path / name for name in names]
    options = [
        part for option, path in zip(("--json", "--junit", "--html"), paths, strict=True) for part in (option, path)
    ]
    out = qconvert("validate", CNN, "--inputs", few, "--min-exact", "1", *options, status=1).stdout
    assert "failed" in out

    found = json.loads(paths[0].read_text())
    suite = ET.fromstring(paths[1].read_text())
    cases = suite.findall("testcase")
    assert suite.get("tests") == str(len(cases)) == str(len(found["layers"]) + 1)
    assert suite.get("failures") == str(len(suite.findall("testcase/failure"))) == "1"
    [failure] = suite.findall("testcase[@name='logits']/failure")
    assert failure.get("message") == found["failures"][0]

    page = Tags()
    page.feed(paths[2].read_text())
    assert page.open == []
    assert found["failures"][0] in page.text
    assert {layer["node"] for layer in found["layers"]} <= set(page.text)


def test_a_report_that_cannot_be_written(tmp_path: Path, few: Path) -> None:
    done = qconvert("validate", MLP, "--inputs", few, "--json", tmp_path / "none" / "r.json", status=2)
    assert "r.json: cannot be written: No such file or directory" in done.stderr


def test_labels_and_classes_are_named_by_hand(tmp_path: Path) -> None:
    arrays = read_arrays(IMAGES)
    file = tmp_path / "labelled.npz"
    np.savez(file, image=arrays["image"][:20], right=arrays["label"][:20])
    given = ("--inputs", file, "--labels", "right")
    line = r"accuracy: [\d.]+% of 20 labelled samples, [\d.]+% in the source"
    whole = qconvert("validate", MLP, *given, "--json", tmp_path / "whole.json").stdout
    assert re.search(line, whole)
    assert qconvert("validate", MLP, *given, "--classes", "logits", "--jobs", "2").stdout == whole
    assert json.loads((tmp_path / "whole.json").read_text())["accuracy"]["samples"] == 20
    assert refused("validate", MLP, "--inputs", file, "--labels", "wrong") == (
        "there is no array 'wrong' with labels: the file has image, right"
    )
    assert refused("validate", MLP, "--samples", "1", "--classes", "wrong") == (
        "there is no output 'wrong' with classes: the outputs are logits"
    )
    assert refused("compare", MLP, MLP, "--samples", "1", "--classes", "wrong") == (
        "there is no output 'wrong' with classes: the outputs are logits"
    )
