"""A file and its data beside it: whatever happens while they are written, the file on the disk fits its data."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Self

import pytest

from qconvert.support import files
from qconvert.support.errors import UsageError
from qconvert.support.files import write_pair

pytestmark = [
    pytest.mark.slow,  # each test starts processes
    pytest.mark.skipif(sys.platform == "win32", reason="processes are forked"),
]

OLD, NEW = b"old", b"new"


def write(folder: Path, content: bytes) -> None:
    """Write a file that has its data's content and name, and the data."""
    write_pair(folder / "m", lambda name: content + b" " + name.encode(), lambda stream: stream.write(content * 1000))


def found(folder: Path) -> bytes | None:
    """Return the content of the pair, whose file must fit its data; None without a file."""
    if not (folder / "m").exists():
        return None
    content, name = (folder / "m").read_bytes().split(b" ")
    assert (folder / name.decode()).read_bytes() == content * 1000
    return content


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_pair_is_written_and_replaced(tmp_path: Path) -> None:
    for content in (OLD, NEW, OLD):
        write(tmp_path, content)
        assert found(tmp_path) == content
        assert names(tmp_path) == {"m", "m.data"}
        assert b"m.data" in (tmp_path / "m").read_bytes()


def test_a_pair_replaces_a_file_without_data_and_data_without_a_file(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(b"alone")
    write(tmp_path, OLD)
    (tmp_path / "m").unlink()
    write(tmp_path, NEW)
    assert found(tmp_path) == NEW
    assert names(tmp_path) == {"m", "m.data"}


def test_both_files_keep_their_permissions(tmp_path: Path) -> None:
    write(tmp_path, OLD)
    (tmp_path / "m").chmod(0o600)
    (tmp_path / "m.data").chmod(0o640)
    write(tmp_path, NEW)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("m", "m.data")] == [0o600, 0o640]


def test_a_file_system_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", link)
    test_a_pair_is_written_and_replaced(tmp_path)


def patched(at: int, act: Callable[[], None]) -> pytest.MonkeyPatch:
    """Let ``act`` run before one of the calls of the system that write pairs."""
    patch, count = pytest.MonkeyPatch(), [0]

    def counted(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            count[0] += 1
            if count[0] == at:
                act()
            return original(*arguments, **options)

        return call

    for name in ("fsync", "fchmod", "rename", "replace", "link", "unlink"):
        patch.setattr(os, name, counted(getattr(os, name)))
    return patch


def full() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def end() -> None:
    os._exit(9)


def failure(folder: Path) -> str | None:
    """Return the error of writing a pair, if there is one."""
    try:
        write(folder, NEW)
    except UsageError as error:
        return str(error)
    return None


CALLS = 13
"""More calls than writing a pair makes."""


@pytest.mark.parametrize("before", [None, OLD])
def test_an_error_of_the_system_at_each_call(tmp_path: Path, before: bytes | None) -> None:
    outcomes = set()
    for at in range(1, CALLS):
        folder = tmp_path / str(at)
        folder.mkdir()
        if before is not None:
            write(folder, before)
        patch = patched(at, full)
        error = failure(folder)
        patch.undo()
        assert error in (None, f"{folder / 'm'}: cannot be written: No space left on device")
        assert found(folder) in (before, NEW)
        outcomes.add((found(folder), len(names(folder))))
        write(folder, NEW)
        assert names(folder) == {"m", "m.data"}
    assert (before, 0 if before is None else 2) in outcomes


@pytest.mark.quick(1)
@pytest.mark.parametrize("before", [None, OLD])
def test_a_process_that_is_killed_at_each_call(tmp_path: Path, before: bytes | None) -> None:
    killed = 0
    for at in range(1, CALLS):
        folder = tmp_path / str(at)
        folder.mkdir()
        if before is not None:
            write(folder, before)
        child = os.fork()
        if not child:
            patched(at, end)
            write(folder, NEW)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert found(folder) == NEW if status == 0 else found(folder) in (before, NEW)
        killed += status == 9
        write(folder, OLD)
        assert found(folder) == OLD
        assert names(folder) == {"m", "m.data"}
    assert killed > 5


@pytest.mark.parametrize("room", [0, 1, 999, 2000, 3000, 3001])
def test_a_disk_that_is_full_after_some_bytes(tmp_path: Path, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, OLD)
    original, left = files.make_part, [room]

    class Full:
        """A file on a disk with little room."""

        def __init__(self, stream: IO[bytes]) -> None:
            self.stream = stream

        def __getattr__(self, name: str) -> Any:
            return getattr(self.stream, name)

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            self.stream.close()

        def write(self, content: bytes) -> int:
            left[0] -= len(content)
            if left[0] < 0:
                full()
            return self.stream.write(content)

    def make_part(target: Path) -> tuple[Any, Path]:
        stream, part = original(target)
        return Full(stream), part

    monkeypatch.setattr(files, "make_part", make_part)
    with pytest.raises(UsageError, match="m: cannot be written: No space left on device"):
        write(tmp_path, NEW)
    assert found(tmp_path) == OLD
    assert names(tmp_path) == {"m", "m.data"}


@pytest.mark.parametrize("name", ["m", "m.data"])
def test_places_that_are_no_files_are_refused(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(UsageError, match=f"{name}: cannot be written: weights in a second file need a folder"):
        write(tmp_path, NEW)
    assert names(tmp_path) == {name}
