"""What an engine may do at its worst: real processes, one clear error each, and the next task is served."""

from __future__ import annotations

import resource
import socket
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from qconvert.cli import app
from qconvert.engines import wire
from qconvert.engines.base import EngineName
from qconvert.engines.child import run_tasks
from qconvert.engines.limits import VARIABLE, Limits, default_limits
from qconvert.engines.process import missing_restrictions
from qconvert.support.errors import EngineError, UsageError

pytestmark = [
    pytest.mark.slow,  # each test starts processes
    pytest.mark.skipif(sys.platform != "linux", reason="other systems restrict less"),
]

LIMITS = Limits(seconds=20)
CHANGES = f"({VARIABLE} changes it)"


def served(handler: str, do: str, limits: Limits = LIMITS, **options: str) -> str:
    """The error of one task; the task after it is served."""
    return failing(handler, wire.Message({"do": do, **options}), limits)


def failing(handler: str, task: wire.Message, limits: Limits = LIMITS) -> str:
    echo = wire.Message({"do": "echo"})
    error, after = run_tasks(EngineName.REFERENCE, [task, echo], limits, handler=handler)
    assert isinstance(error, EngineError)
    assert after == echo
    return str(error)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("do", "limits", "message"),
    [
        ("killed", LIMITS, "reference engine died: SIGKILL"),
        ("spin", Limits(20, cpu_seconds=0.5), "it took more than 0.5 s of processor time, the limit cpu_seconds"),
        ("answer much", Limits(20, file_bytes=1 << 20), ": File too large, the limit file_bytes"),
        ("write much", LIMITS, "died: exit status 1; OSError: [Errno 27] File too large"),
        ("open many", LIMITS, "died: exit status 1; OSError: [Errno 24] Too many open files: '/dev/null'"),
    ],
)
def test_each_limit_has_its_message(misbehaving: str, do: str, limits: Limits, message: str) -> None:
    assert message in served(misbehaving, do, limits)


@pytest.mark.slow
def test_processor_time_is_counted_for_each_task(misbehaving: str) -> None:
    task = wire.Message({"do": "spin", "seconds": "0.6"})
    assert run_tasks(EngineName.REFERENCE, [task] * 5, Limits(20, cpu_seconds=1), handler=misbehaving) == [task] * 5


@pytest.mark.slow
def test_10_gigabytes_of_messages_are_neither_kept_nor_awaited(misbehaving: str) -> None:
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    error = served(misbehaving, "flood", Limits(60, message_bytes=8 << 20))
    assert error.startswith(
        f"reference engine died: it printed more than 8,388,608 bytes, the limit message_bytes {CHANGES}"
    )
    assert len(error) < 500
    assert time.monotonic() - start < 30
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 << 10


@pytest.mark.slow
def test_10_gigabytes_of_answers_are_not_read(misbehaving: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    error = served(misbehaving, "flood the answers")
    assert error == f"reference engine: '{'x' * 60}' came where its answer was expected, stopped"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 << 10


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"\xff\x00\x1b[31m\n",
        b"[" * 5000 + b"\n",
        b'{"task": 1, "error": 0}\n',
        b'{"task": 2, "error": ""}\n',
    ],
)
def test_garbage_on_the_pipe_is_quoted_safely(misbehaving: str, line: bytes) -> None:
    error = failing(misbehaving, wire.Message({"do": "garbage"}, blob=line))
    assert error == f"reference engine: {line[:60]!r} came where its answer was expected, stopped".replace(
        ": b'", ": '"
    )


@pytest.mark.quick(1)
@pytest.mark.parametrize("how", ["link", "pipe", "short", "none"])
def test_a_forged_answer_is_refused(misbehaving: str, how: str) -> None:
    assert served(misbehaving, "forge", how=how).startswith("reference engine: its answer cannot be read: ")


def test_the_engine_has_no_network(misbehaving: str) -> None:
    if any("network" in clause for clause in missing_restrictions()):
        pytest.skip("the kernel keeps the network")
    with socket.create_server(("127.0.0.1", 0)) as server:
        error = served(misbehaving, "connect", port=str(server.getsockname()[1]))
    assert error.endswith("OSError: [Errno 101] Network is unreachable")


def test_the_engine_writes_in_its_own_folder_only(misbehaving: str, tmp_path: Path) -> None:
    if any("write" in clause for clause in missing_restrictions()):
        pytest.skip("the kernel has no Landlock")
    model = tmp_path / "model.onnx"
    model.write_bytes(b"model")
    assert served(misbehaving, "write outside", path=str(model)) == "reference engine: done: []"
    assert (list(tmp_path.iterdir()), model.read_bytes()) == ([model], b"model")


def test_the_environment_changes_the_limits(misbehaving: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "file_bytes=1M  open_files=100")
    assert default_limits() == Limits(file_bytes=1 << 20, open_files=100)
    [answer] = run_tasks(EngineName.REFERENCE, [wire.Message({"do": "answer much"})], handler=misbehaving)
    assert str(answer).endswith(f"File too large, the limit file_bytes {CHANGES}")


@pytest.mark.parametrize("text", ["memory=1G", "memory_bytes", "memory_bytes=-1", "memory_bytes=1T", "seconds=1e3"])
def test_other_limits_are_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(
        UsageError, match=f"^{VARIABLE}: '{text}' is not a limit. Write memory_bytes=16G; the limits are"
    ):
        default_limits()


def test_engines_lists_what_this_system_does_not_restrict(monkeypatch: pytest.MonkeyPatch) -> None:
    done = CliRunner().invoke(app, ["engines"])
    assert done.exit_code == 0
    assert done.output.count("not fully confined") == len(missing_restrictions())
