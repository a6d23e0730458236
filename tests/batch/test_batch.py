"""``qconvert batch``: results, runs that go on, workers that are killed, clusters that end."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.support.commands import process, qconvert, refused
from tests.support.paths import FIXTURES, MLP, ROOT

IS_INSTALLED = all(find_spec(name) is not None for name in ("distributed", "pyarrow"))
"""Looked up and not imported, which would take half a second of every run."""
pytestmark = [pytest.mark.cluster, pytest.mark.skipif(not IS_INSTALLED, reason="distributed or pyarrow is missing")]

PLAN = f"""
models = ["{FIXTURES}/digits_mlp_int8.onnx", "{FIXTURES}/digits_mlp_uint8.onnx", "*.onnx"]
targets = ["stablehlo", "tosa"]
[inputs]
samples = 4
block = 2
[options.tosa]
profile = "int"
"""
TASKS = 12
TIMES = "times.parquet"


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("batch")
    (folder / "broken.onnx").write_bytes(MLP.read_bytes()[:2000])
    (folder / "plan.toml").write_text(PLAN)
    return folder / "plan.toml"


@pytest.fixture(scope="module")
def whole(plan: Path) -> Path:
    """The results with one worker."""
    done = process("batch", plan, "-o", plan.parent / "whole", "--jobs", 1, status=1)
    counts, memory = done.stderr.splitlines()
    assert counts == f"{TASKS} tasks: 8 passed, 0 failed, 4 refused, 0 error; {TASKS} computed now"
    assert memory.startswith("largest memory of a worker ")
    return plan.parent / "whole"


def _files(folder: Path) -> dict[str, bytes]:
    found = [path for path in (*folder.iterdir(), *folder.glob("reports/*")) if path.is_file() and path.name != TIMES]
    return {path.name: path.read_bytes() for path in found}


def test_results(whole: Path) -> None:
    from pyarrow import parquet

    tables = {name: parquet.read_table(whole / f"{name}.parquet").to_pylist() for name in ("tasks", "layers", "times")}
    tasks = {(row["model"], row["target"], row["first"]): row for row in tables["tasks"]}
    assert len(tasks) == TASKS
    assert [row["task"] for row in tables["times"]] == [row["task"] for row in tables["tasks"]]
    assert all(row["peak_bytes"] > 1 << 20 for row in tables["times"])
    broken = tasks["broken.onnx", "tosa", 2]
    assert (broken["status"], broken["layers"]) == ("refused", 0)
    assert broken["error"].startswith("broken.onnx: ")
    one = next(row for row in tables["layers"] if row["model"].endswith("mlp_int8.onnx") and row["first"] == 2)
    report = json.loads(qconvert("validate", MLP, "--samples", 4, "--json", "-").stdout)
    assert one["layer"] == report["layers"][0]["node"]
    assert one["elements"] * 2 == report["layers"][0]["elements"]
    suites = ET.fromstring((whole / "junit.xml").read_text())
    assert (len(suites), suites.get("errors"), suites.get("failures")) == (TASKS, "4", "0")
    page = (whole / "index.html").read_text()
    assert "<h1>3 models, 12 tasks, 8 passed</h1>" in page
    assert "as tosa" not in page
    assert page.count("<tr class=unknown>") == 4
    links = re.findall(r'<tr class=passed><td><a href="([^"]*)">', page)
    assert len(links) == 8
    assert all("<h1>" in (whole / link).read_text() for link in links)
    assert page.count("<tr class=refused><td>broken.onnx</td>") == 4


def test_two_workers_and_another_run_give_the_same_files(plan: Path, whole: Path) -> None:
    folder = plan.parent / "two"
    process("batch", plan, "-o", folder, "--jobs", 2, status=1)
    assert _files(folder) == _files(whole)
    kept = sorted((folder / "outcomes").iterdir())
    assert len(kept) == TASKS
    states = {path: path.stat().st_mtime_ns for path in kept[2:]}
    kept[0].unlink()
    kept[1].write_text(re.sub('"status": "[a-z]+"', '"status": "error"', kept[1].read_text()))
    again = process("batch", plan, "-o", folder, "--jobs", 1, status=1)
    assert f"{TASKS} tasks: 8 passed, 0 failed, 4 refused, 0 error; 2 computed now" in again.stderr
    assert {path: path.stat().st_mtime_ns for path in kept[2:]} == states
    assert _files(folder) == _files(whole)
    kept[2].write_text("{}")
    assert refused("batch", plan, "-o", folder) == f"{kept[2]}: task: this is missing. Remove the file"


def test_json_lines_have_the_rows_of_parquet(plan: Path, whole: Path) -> None:
    from pyarrow import parquet

    process("batch", plan, "-o", whole, "--jobs", 1, "--format", "jsonl", status=1)  # computes nothing
    for name in ("tasks", "outputs", "layers", "times"):
        rows = [json.loads(line) for line in (whole / f"{name}.jsonl").read_text().splitlines()]
        (whole / f"{name}.jsonl").unlink()
        assert rows == parquet.read_table(whole / f"{name}.parquet").to_pylist()


def _until(holds: object, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.02)


def _running(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True)


def _worker(outcome: Path) -> int:
    return int(json.loads(outcome.read_text())["measured"]["worker"].rpartition(":")[2])


@pytest.mark.slow
def test_a_killed_worker_changes_no_result(plan: Path, whole: Path) -> None:
    folder = plan.parent / "killed"
    with _running("qconvert", "batch", plan, "-o", folder, "--jobs", 2) as running:
        _until(lambda: len(list((folder / "outcomes").glob("*.json"))) >= 2)
        done = {path: path.stat().st_mtime_ns for path in (folder / "outcomes").glob("*.json")}
        os.kill(_worker(next(iter(done))), signal.SIGKILL)
        _, messages = running.communicate(timeout=120)
    assert running.returncode == 1, messages
    assert {path: path.stat().st_mtime_ns for path in done} == done
    assert _files(folder) == _files(whole)


@pytest.mark.slow
def test_a_run_that_is_interrupted_goes_on(plan: Path, whole: Path) -> None:
    folder = plan.parent / "interrupted"
    with _running("qconvert", "batch", plan, "-o", folder, "--jobs", 2) as running:
        _until(lambda: any((folder / "outcomes").glob("*.json")))
        os.killpg(running.pid, signal.SIGTERM if signal.getsignal(signal.SIGINT) is signal.SIG_IGN else signal.SIGINT)
        _, messages = running.communicate(timeout=60)
    assert (running.returncode, messages) in [(130, "stopped by SIGINT\n"), (143, "stopped by SIGTERM\n")]
    done = {path: path.stat().st_mtime_ns for path in (folder / "outcomes").glob("*.json")}
    assert 0 < len(done) < TASKS
    process("batch", plan, "-o", folder, "--jobs", 2, status=1)
    assert {path: path.stat().st_mtime_ns for path in done} == done
    assert _files(folder) == _files(whole)


@contextmanager
def _cluster(port: int, *options: object) -> Iterator[tuple[subprocess.Popen[str], subprocess.Popen[str]]]:
    """Start a scheduler and a worker; both are killed at the end."""
    address = f"tcp://127.0.0.1:{port}"
    scheduler = _running("distributed.cli.dask_scheduler", "--host", address, "--no-dashboard", *options)
    worker = _running("distributed.cli.dask_worker", address, "--nthreads", 2, "--no-nanny", "--no-dashboard", *options)
    try:
        yield scheduler, worker
    finally:
        for started in (worker, scheduler):
            started.kill()
            started.communicate()


@pytest.mark.slow
def test_a_cluster_that_ends_and_another_one(plan: Path, whole: Path) -> None:
    folder = plan.parent / "cluster"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    arguments = ("batch", plan, "-o", folder, "--scheduler", f"tcp://127.0.0.1:{port}")
    with _cluster(port) as (scheduler, worker), _running("qconvert", *arguments) as running:
        _until(lambda: len(list((folder / "outcomes").glob("*.json"))) >= 2)
        worker.kill()
        scheduler.kill()
        _, messages = running.communicate(timeout=120)
    assert (running.returncode, messages) == (
        2,
        "error: the connection to the scheduler was lost. Run the command again: it goes on from here\n",
    )
    done = {path: path.stat().st_mtime_ns for path in (folder / "outcomes").glob("*.json")}
    assert 2 <= len(done) < TASKS
    with _cluster(port):
        again = process(*arguments, status=1)
    assert f"4 refused, 0 error; {TASKS - len(done)} computed now" in again.stderr
    assert {path: path.stat().st_mtime_ns for path in done} == done
    assert _files(folder) == _files(whole)


def test_what_is_refused(plan: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "plan.toml"
    wrong.write_text('targets = ["tosa"]\nmodels = ["*.onnx"]\n')
    assert refused("batch", wrong, "-o", tmp_path / "out") == f"{wrong}:2: models: no file matches '*.onnx'"
    assert refused("batch", plan, "-o", plan).startswith(f"{plan}/outcomes: cannot be made: ")
    unreachable = refused("batch", plan, "-o", tmp_path / "out", "--scheduler", "tcp://127.0.0.1:1")
    assert unreachable.startswith("--scheduler tcp://127.0.0.1:1: there is no Dask scheduler: ")


def test_without_the_extra_the_command_says_so(plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qconvert.cli.batch.find_spec", lambda _name: None)
    assert (
        refused("batch", plan, "-o", tmp_path) == "batch needs distributed and pyarrow: pip install 'qconvert[cluster]'"
    )
