"""``--jobs``: several models in several processes, with the results and messages of one process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from qconvert.cli import validate
from qconvert.cli.processes import shared
from qconvert.support.errors import EngineDiedError
from qconvert.validation import driver
from tests.support.commands import process, qconvert
from tests.support.paths import FIXTURES, MLP

CNN = FIXTURES / "digits_cnn_int8.onnx"
LSTM = FIXTURES / "lstm_int8.tflite"


@pytest.mark.slow
def test_processes_write_the_same_files_and_messages(tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(MLP.read_bytes()[:2000])
    alone, together = f"{tmp_path}/one/", f"{tmp_path}/two/"
    models = (LSTM, broken, CNN, MLP)
    first = process("convert", *models, "-o", alone, "--to", "tosa", "--profile", "int", status=2)
    second = process("convert", *models, "-o", together, "--to", "tosa", "--profile", "int", "--jobs", 2, status=2)
    assert second.stderr == first.stderr
    assert second.stderr.splitlines()[-1] == "converted 3 of 4 models"
    contents = [{path.name: path.read_bytes() for path in Path(folder).iterdir()} for folder in (alone, together)]
    assert contents[0] == contents[1]
    assert len(contents[0]) == 3


@pytest.mark.slow
def test_several_models_are_compared(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("found.json", "found.xml", "found.html")]
    options = ("--samples", 1, "--json", files[0], "--junit", files[1], "--html", files[2])
    done = qconvert("validate", MLP, CNN, *options, "--jobs", 2)
    lines = [line for line in done.stdout.splitlines() if not line.startswith(" ")]  # a long verdict has more lines
    assert [line.split()[0] for line in lines] == ["model", str(MLP), str(CNN)]
    assert all("  passed: each layer equal" in line for line in lines[1:])
    assert done.stderr.splitlines()[-1] == "compared 2 of 2 models"
    reports = json.loads(files[0].read_text())
    assert [report["model"]["file"] for report in reports] == [str(MLP), str(CNN)]
    assert reports[1] == json.loads(qconvert("validate", CNN, "--samples", 1, "--json", "-").stdout)
    suites = ET.fromstring(files[1].read_text())
    assert [len(suite) for suite in suites] == [len(report["layers"]) + 1 for report in reports]
    assert int(suites.get("tests", "")) == sum(map(len, suites))
    assert files[2].read_text().count("<h1>") == 2


@pytest.mark.slow
def test_processes_share_the_samples_of_one_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_BLOCK_BYTES", 1)
    options = (CNN, "--to", "onnx", "--samples", 7, "--bisect", "--json")
    for jobs in (1, 2):
        qconvert("validate", *options, tmp_path / f"{jobs}.json", "--jobs", jobs)
    assert (tmp_path / "1.json").read_bytes() == (tmp_path / "2.json").read_bytes()
    assert json.loads((tmp_path / "2.json").read_text())["samples"] == 7


@pytest.mark.slow
def test_the_error_of_a_process_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_BLOCK_BYTES", 1)
    monkeypatch.setattr(validate, "_measured", _dies)
    done = qconvert("validate", CNN, "--samples", 2, "--jobs", 2, status=2)
    assert done.stderr.splitlines()[1:] == ["error: reference engine: it was killed"]


def _dies(validation: object, model: str, block: range) -> None:
    raise EngineDiedError("reference engine: it was killed")


@pytest.mark.slow
def test_a_failure_and_a_model_that_cannot_be_compared(tmp_path: Path) -> None:
    missing = tmp_path / "missing.onnx"
    done = qconvert("validate", MLP, CNN, "--samples", 1, "--min-sqnr", 500, "--jobs", 1, status=1)
    assert f"{CNN}: output 'logits' has" in done.stdout
    done = qconvert("validate", MLP, missing, CNN, "--samples", 1, status=2)
    assert f"error: {missing}: cannot be read: No such file or directory" in done.stderr
    assert done.stderr.splitlines()[-1] == "compared 2 of 3 models"
    assert "--opset is an option of --to onnx" in qconvert("validate", MLP, CNN, MLP, "--opset", 17, status=2).stderr


def test_a_killed_process_is_one_error() -> None:
    with pytest.raises(EngineDiedError, match=r"a process of --jobs was killed\. Give fewer --jobs if the memory"):
        list(shared(signal.raise_signal, [signal.SIGKILL, 0], 2, lambda _done, _total: None))  # type: ignore[list-item]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_command(number: signal.Signals, tmp_path: Path) -> None:
    models = [tmp_path / f"{i}.onnx" for i in range(40)]
    for model in models:
        model.symlink_to(CNN)
    command = [sys.executable, "-m", "qconvert", "validate", *map(str, models), "--jobs", "2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as running:
        _wait(lambda: len(_session(running.pid)) >= 3)
        time.sleep(1)
        running.send_signal(number)
        _, messages = running.communicate(timeout=60)
    assert running.returncode == (-9 if number == signal.SIGKILL else 143)
    assert number == signal.SIGKILL or messages.decode().splitlines()[-1] == "stopped by SIGTERM"
    _wait(lambda: not _session(running.pid))


def _session(leader: int) -> list[int]:
    """Return the processes of a session that run."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            state, _, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(session) == leader and state != "Z":
            found.append(int(entry.name))
    return found


def _wait(holds: object) -> None:
    end = time.monotonic() + 30
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.05)
