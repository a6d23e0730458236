"""Commands that are killed at random times: the output is the old or the new one, and nothing is left.

``QCONVERT_KILLS`` is the number of kills of each command and signal, ``QCONVERT_KILL_TABLE`` a file for their outcomes.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.paths import FIXTURES, MLP, ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc"),
    pytest.mark.timeout(7200),
]

KILLS = int(os.environ.get("QCONVERT_KILLS", "1"))
OLD = b"the old output"
QUANTIZE = ["--target", "tosa-int8", "--calibration", str(FIXTURES / "digits_calibration.npz")]
VALIDATE = ["--samples", "2"]

COMMANDS = {
    "convert": (["convert", str(MLP)], "-o", "out.mlir"),
    "convert to .tosa": (["convert", str(MLP)], "-o", "out.tosa"),
    "convert to .mlirbc": (["convert", str(MLP)], "-o", "out.mlirbc"),
    "quantize": (["quantize", str(FIXTURES / "float" / "digits_cnn.onnx"), *QUANTIZE], "-o", "out.onnx"),
    "validate onnxruntime": (["validate", str(MLP), "--engine", "onnxruntime", *VALIDATE], "--json", "out.json"),
    "validate stablehlo": (["validate", str(MLP), "--engine", "stablehlo", *VALIDATE], "--json", "out.json"),
    "validate tosa": (["validate", str(MLP), "--engine", "tosa", *VALIDATE], "--json", "out.json"),
    "validate iree": (["validate", str(MLP), "--engine", "iree", *VALIDATE], "--json", "out.json"),
    "validate litert": (["validate", str(FIXTURES / "svdf_int8.tflite"), *VALIDATE], "--json", "out.json"),
}
MARKS = {"validate stablehlo": "stablehlo", "convert to .mlirbc": "stablehlo", "convert to .tosa": "tosa"}
MARKS |= {f"validate {engine}": engine for engine in ("tosa", "iree", "litert")}
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]

HEARING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""A program that runs another one, which hears SIGINT: the shell lets what it starts in the background ignore it."""


@dataclass
class Kills:
    """A command in folders of its own, and what came of killing it."""

    folder: Path
    name: str
    outcomes: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.temporary, self.outputs = self.folder / "temporary", self.folder / "outputs"
        self.temporary.mkdir()
        self.outputs.mkdir()
        arguments, option, file = COMMANDS[self.name]
        self.output = self.outputs / file
        self.command = [sys.executable, "-m", "qconvert", *arguments, option, str(self.output)]
        self.seconds = min(self._run(), self._run())  # the first run may compile Python's files
        self.new = self.output.read_bytes()

    def started(self) -> subprocess.Popen[str]:
        environment = {**os.environ, "TMPDIR": str(self.temporary), "PYTHONPATH": str(ROOT)}
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        command = [sys.executable, "-c", HEARING, *self.command]
        return subprocess.Popen(command, stdout=null, stderr=pipe, text=True, env=environment, cwd=ROOT)

    def _run(self) -> float:
        """Run the command to its end; return the seconds that it took."""
        began = time.monotonic()
        with self.started() as process:
            error = process.communicate(timeout=300)[1]
        assert process.returncode == 0, error
        return time.monotonic() - began

    def kill(self, how: signal.Signals, after: float) -> None:
        """Start the command, send it a signal, and start it again if something is left."""
        self.output.write_bytes(OLD)
        with self.started() as process:
            time.sleep(after)
            process.send_signal(how)
            error = process.communicate(timeout=60)[1]
        self._check_end(how, after, process.returncode, error)
        found = self.output.read_bytes()
        self.outcomes["old" if found == OLD else "new"] += 1
        assert found == OLD or self._is_new(found)
        await_end(self.temporary)
        if self._left():
            self.outcomes["left, then swept"] += 1
            self._run()
            await_end(self.temporary)
            assert not self._left()

    def _check_end(self, how: signal.Signals, after: float, status: int, error: str) -> None:
        """Check status and messages; Python itself answers signals until it runs the command, after some 0.2 s."""
        if status == 0:
            self.outcomes["ended before"] += 1
        elif how is not signal.SIGKILL and status == 128 + how:
            assert "Traceback" not in error, error
            assert [line for line in error.splitlines() if line.startswith("stopped")] == [f"stopped by {how.name}"]
            self.outcomes["stopped"] += 1
        elif how is signal.SIGKILL or "stopped" not in error:
            early = self.seconds / 4
            assert status == -how or (status == 1 and after < early), (status, after, error)
            assert "Traceback" not in error or after < early, (after, error)
            self.outcomes["killed"] += 1
        else:
            raise AssertionError((status, error))

    def _is_new(self, found: bytes) -> bool:
        """Return whether an output is whole; reports hold times, which differ."""
        if self.output.suffix == ".json":
            return isinstance(json.loads(found), dict)
        return found == self.new

    def _left(self) -> list[Path]:
        return [*self.temporary.iterdir(), *(path for path in self.outputs.iterdir() if path != self.output)]


def processes(folder: Path) -> Iterator[str]:
    """Yield the command lines of processes with temporary files in a folder."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"TMPDIR={folder}".encode() in (process / "environ").read_bytes():
                yield (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:  # it has ended
            continue


def await_end(folder: Path) -> None:
    """Wait until no process has its temporary files in a folder."""
    deadline = time.monotonic() + 30
    while any(processes(folder)):
        assert time.monotonic() < deadline, list(processes(folder))
        time.sleep(0.05)


@pytest.fixture(scope="module")
def table() -> Iterator[dict[tuple[str, str], Counter[str]]]:
    found: dict[tuple[str, str], Counter[str]] = {}
    yield found
    if "QCONVERT_KILL_TABLE" in os.environ:
        lines = [f"{command} | {how} | {dict(outcomes)}" for (command, how), outcomes in found.items()]
        Path(os.environ["QCONVERT_KILL_TABLE"]).write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=getattr(pytest.mark, MARKS[n]) if n in MARKS else ()) for n in COMMANDS]
)
def test_kills(name: str, tmp_path: Path, table: dict[tuple[str, str], Counter[str]]) -> None:
    kills = Kills(tmp_path, name)
    times = random.Random(name)
    for how in SIGNALS:
        kills.outcomes = table[name, how.name] = Counter()
        for _ in range(KILLS):
            kills.kill(how, times.uniform(0, 1.1 * kills.seconds))
        assert kills.outcomes["old"] + kills.outcomes["new"] == KILLS
