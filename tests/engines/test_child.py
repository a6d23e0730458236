import errno
import json
import re
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from qconvert.engines import wire
from qconvert.engines.base import EngineName
from qconvert.engines.child import Child, run_tasks
from qconvert.engines.limits import Limits
from qconvert.support.errors import EngineError


def task(do: str) -> wire.Message:
    return wire.Message({"do": do})


def tasks(handler: str, *names: str, limits: Limits | None = None) -> list[wire.Message | EngineError]:
    return run_tasks(EngineName.REFERENCE, map(task, names), limits or Limits(seconds=30), handler=handler)


ARRAYS = (
    np.array(1.5, np.float32),
    np.zeros((0, 3), np.int64),
    np.arange(6, dtype=np.int8).reshape(2, 3).T,
    np.array([[True, False]]),
    np.array([-8, 7], ml_dtypes.int4),
    np.array([0, 15], ml_dtypes.uint4),
    np.array([1.5, -2], ml_dtypes.bfloat16),
    np.array([0.5, 448], ml_dtypes.float8_e4m3fn),
)


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: array.dtype.name)
def test_arrays_keep_type_shape_and_values(tmp_path: Path, array: wire.Array) -> None:
    wire.write(tmp_path, "task", wire.Message({"a": "b"}, ("n",), b"blob", ({"x": array}, {})))
    back = wire.read(tmp_path, "task")
    assert (back.options, back.names, back.blob) == ({"a": "b"}, ("n",), b"blob")
    found = back.samples[0]["x"]
    assert (found.dtype, found.shape, found.tolist()) == (array.dtype, array.shape, array.tolist())
    assert back.samples[1] == {}


def test_strings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="arrays of object cannot be sent"):
        wire.write(tmp_path, "task", wire.Message(samples=({"x": np.array([None])},)))


GOOD = {"options": {}, "names": [], "blob": 0, "samples": [[["y", "int8", [8]]]]}


def read_forged(folder: Path, head: str, limit: int = 100) -> wire.Message:
    (folder / "reply.json").write_text(head)
    (folder / "reply.bin").write_bytes(b"12345678")
    return wire.read(folder, "reply", limit)


@pytest.mark.parametrize(
    "change",
    [
        {"blob": -1},
        {"blob": "8"},
        {"blob": 8},
        {"samples": [[["y", "object", [1]]]]},
        {"samples": [[["y", "finfo", [1]]]]},
        {"samples": [[["y", "S8", [1]]]]},
        {"samples": [[["y", "int8", [-8, -1]]]]},
        {"samples": [[["y", "int8", [0, 1 << 70]]]], "blob": 8},
        {"samples": [[["y", "int8", [1] * 99 + [8]]]]},
        {"samples": [[["y", "int8", [1 << 62]]]]},
        {"samples": [[[[], "int8", [8]]]]},
        {"samples": [7]},
        {"names": 7},
        {"options": 7},
    ],
)
def test_an_answer_is_not_trusted(tmp_path: Path, change: dict[str, object]) -> None:
    assert read_forged(tmp_path, json.dumps(GOOD)).samples[0]["y"].tobytes() == b"12345678"
    with pytest.raises(EngineError, match=r"^its answer cannot be read: "):
        read_forged(tmp_path, json.dumps({**GOOD, **change}))


@pytest.mark.parametrize("head", ["", "[]", "[" * 100_000])
def test_an_answer_without_a_head_is_refused(tmp_path: Path, head: str) -> None:
    with pytest.raises(EngineError, match=r"^its answer cannot be read: "):
        read_forged(tmp_path, head)


def test_an_answer_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"reply.bin is not a regular file of at most 7 bytes$"):
        read_forged(tmp_path, json.dumps(GOOD), 7)


def test_a_runtime_that_prints_does_not_disturb_the_answers(misbehaving: str) -> None:
    assert tasks(misbehaving, "echo", "echo") == [task("echo"), task("echo")]


def test_one_child_serves_all_tasks(misbehaving: str) -> None:
    first, second = tasks(misbehaving, "pid", "pid")
    assert isinstance(first, wire.Message)
    assert first == second


def test_the_others_survive_a_task_that_kills_the_child(misbehaving: str) -> None:
    before, aborted, after = tasks(misbehaving, "pid", "abort", "pid")
    assert str(aborted) == "reference engine died: SIGABRT; LLVM ERROR: types differ"
    assert isinstance(before, wire.Message)
    assert isinstance(after, wire.Message)
    assert before != after


def test_a_death_quotes_no_earlier_task(misbehaving: str) -> None:
    chatted, died = tasks(misbehaving, "echo", "segfault")
    assert chatted == task("echo")
    assert str(died) == "reference engine died: SIGSEGV"


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("do", "message"),
    [
        ("refuse", "reference engine: cannot run this"),
        ("segfault", "reference engine died: SIGSEGV"),
        ("leave", "reference engine died: exit status 3"),
        ("fail", "reference engine died: exit status 1; LookupError: a bug of the handler"),
    ],
)
def test_each_end_has_its_message(misbehaving: str, do: str, message: str) -> None:
    assert [str(answer) for answer in tasks(misbehaving, do)] == [message]


@pytest.mark.slow
def test_a_slow_task_is_stopped_and_the_next_one_served(misbehaving: str) -> None:
    start = time.monotonic()
    slow, after = tasks(misbehaving, "sleep", "echo", limits=Limits(seconds=0.5))
    assert str(slow) == "reference engine: no answer within 0.5 s, stopped"
    assert after == task("echo")
    assert time.monotonic() - start < 20


def test_memory_beyond_the_limit_is_refused(misbehaving: str) -> None:
    [answer] = tasks(misbehaving, "allocate", limits=Limits(30, 2 << 30))
    assert str(answer) == (
        "reference engine: the engine ran out of memory, the limit memory_bytes (QCONVERT_ENGINE_LIMITS changes it)"
    )


def test_a_full_disk_is_an_error_of_the_engine(misbehaving: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(wire, "write", full)
    [answer] = tasks(misbehaving, "echo")
    assert re.fullmatch(r"reference engine: \S+ cannot be written: No space left on device", str(answer))


def test_a_handler_that_cannot_start_is_an_error_of_the_call() -> None:
    with pytest.raises(EngineError, match=r"did not start: exit status 1; ModuleNotFoundError: No module named 'nope'"):
        run_tasks(EngineName.REFERENCE, [task("echo")], handler="nope")


def test_leaving_the_child_ends_it_and_its_files(misbehaving: str) -> None:
    with Child(EngineName.REFERENCE, handler=misbehaving) as child:
        child.run(task("echo"))
        assert child._running is not None
        process, folder = child._running._popen, child._folder.path
        assert process.poll() is None
    assert process.poll() is not None
    assert not folder.exists()
