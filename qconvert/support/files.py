"""Writing of files: a file is written as a whole or not at all, and so are several files that belong together."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, NamedTuple, TypeAlias

from qconvert.support.errors import ClosedOutputError, UsageError
from qconvert.support.leftovers import NAME_CHARACTERS, make_part, sweep

Write: TypeAlias = Callable[[IO[bytes]], object]


def write_whole(target: Path, write: Write) -> None:
    """Let ``write`` fill a file beside ``target``, then rename it to ``target``; a failure leaves no file.

    The new file has the permissions of the old one. Behind a symbolic link the link's target is replaced. A device, a
    pipe or a socket is written through: replacing it would destroy it. Raises UsageError if the file cannot be written,
    ClosedOutputError if the pipe has no reader.
    """
    try:
        if _is_special(target):
            with target.open("wb") as stream:
                write(stream)
        else:
            _replace(Path(os.path.realpath(target)), write)
    except BrokenPipeError as error:
        raise ClosedOutputError(f"{target}: cannot be written: {error.strerror}") from error
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror}") from error


def _is_special(target: Path) -> bool:
    """Return True if a path cannot be replaced by a new file: a device, a pipe or a socket.

    ``/dev/fd/N`` of a deleted file is such a path, too, because the file has no name any more.
    """
    try:
        status = target.stat()
    except FileNotFoundError:
        return False
    real = Path(os.path.realpath(target))
    return not stat.S_ISREG(status.st_mode) or not real.exists() or not real.samefile(target)


def _replace(target: Path, write: Write) -> None:
    """Let ``write`` fill a file beside ``target``, then rename it; raises OSError."""
    with _on_disk(target, write) as part:
        part.replace(target)


class _Part(NamedTuple):
    """A file beside its target, under another name."""

    path: Path
    stream: IO[bytes]

    def sync(self) -> None:
        """Wait until the file is on the disk; it may be renamed only then."""
        os.fsync(self.stream.fileno())


@contextmanager
def _filled(target: Path, write: Write) -> Iterator[_Part]:
    """Return a file beside ``target`` that ``write`` has filled, and that is removed unless the context renames it."""
    stream, path = make_part(target)
    with stream:
        try:
            write(stream)
            stream.flush()
            os.fchmod(stream.fileno(), _mode(target))
            yield _Part(path, stream)
        finally:
            path.unlink(missing_ok=True)


@contextmanager
def _on_disk(target: Path, write: Write) -> Iterator[Path]:
    """Return a filled file beside ``target`` once it is on the disk."""
    with _filled(target, write) as part:
        part.sync()
        yield part.path


def write_together(files: Sequence[tuple[Path, Write]]) -> None:
    """Let functions fill files beside their targets, then rename all; a failure leaves every target as it was.

    Symbolic links and permissions are treated as :func:`write_whole` does. Raises UsageError if a file cannot be
    written, or if it is a device, a pipe or a socket, which cannot be replaced.
    """
    parts: list[tuple[_Part, Path]] = []
    with ExitStack() as stack:
        for target, write in files:
            with _named(target):
                if _is_special(target):
                    raise UsageError(f"{target}: cannot be written together with another file: it is no regular file")
                real = Path(os.path.realpath(target))
                parts.append((stack.enter_context(_filled(real, write)), real))
        for part, target in parts:  # the disk takes one file while the next one is made
            with _named(target):
                part.sync()
        _rename_all([(part.path, target) for part, target in parts], stack)


def _rename_all(parts: Sequence[tuple[Path, Path]], stack: ExitStack) -> None:
    """Rename files to their targets; where one cannot be renamed, all targets become what they were."""
    with ExitStack() as undo:
        for part, target in parts:
            with _named(target):
                old = part.with_name(f".old{part.name}")
                stack.callback(old.unlink, missing_ok=True)
                with contextlib.suppress(FileNotFoundError):  # there is no such file yet
                    old.hardlink_to(target)
                part.replace(target)
                undo.callback(_put_back, old, target)
        undo.pop_all()


def _put_back(old: Path, target: Path) -> None:
    if old.exists():
        old.replace(target)
    else:
        target.unlink(missing_ok=True)


@contextmanager
def _named(target: Path) -> Iterator[None]:
    """Raise UsageError naming a file for an error of the system."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror}") from error


def write_pair(target: Path, naming: Callable[[str], bytes], write_data: Write) -> None:
    """Write a file and the file of its data beside it, whose name has ``.data`` behind; a failure leaves the old files.

    ``naming`` returns the first file's bytes, which give the name of the data. The two cannot be replaced at once. So
    the new data gets another name first, and a file that gives this name replaces the old one. Then the new data gets
    the name of the old data as well, and at last the file gives that. A process that is killed at any moment leaves a
    file that fits its data. Raises UsageError if the files cannot be written.
    """
    real = Path(os.path.realpath(target))
    data = real.with_name(f"{real.name}.data")
    for path in (target, data):
        if _is_special(path):
            raise UsageError(f"{path}: cannot be written: weights in a second file need a folder")
    if not data.name.isprintable():  # such as bytes that are no text
        raise UsageError(f"{target}: cannot be written: the name of a model with weights beside it must be text")

    def head(name: str) -> Write:
        return lambda stream: stream.write(naming(name))

    with _named(target), _on_disk(data, write_data) as part, _on_disk(real, head(data.name)) as last:
        if not os.path.lexists(data):
            _rename_both((part, data), (last, real))
            return
        other = part.with_suffix(".data")
        with _on_disk(real, head(other.name)) as first:
            _rename_both((part, other), (first, real))
        _give_name(other, part)
        part.replace(data)
        last.replace(real)
        other.unlink(missing_ok=True)
        sweep(real.parent, re.compile(rf"\.{re.escape(data.name[:NAME_CHARACTERS])}\.[0-9]+\.[a-z0-9_]{{8}}\.data"))


def _rename_both(data: tuple[Path, Path], file: tuple[Path, Path]) -> None:
    """Rename data to a name that is free, and the file that gives it to its own; the data goes if that fails."""
    before = _identity(file[1])
    try:
        data[0].replace(data[1])
        file[0].replace(file[1])
    finally:
        if _identity(file[1]) == before:
            data[1].unlink(missing_ok=True)


def _identity(path: Path) -> int | None:
    """Return the number of a file in its file system, None if there is no file."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def _give_name(file: Path, name: Path) -> None:
    """Give a file a second name, in place of its own where the file system has no links."""
    try:
        os.link(file, name)
    except OSError:
        file.replace(name)


def write_text(target: Path, text: str) -> None:
    """Write a text file whole or not at all; raises UsageError if it cannot be written."""
    write_whole(target, lambda stream: stream.write(text.encode()))


def make_folder(folder: str | Path) -> None:
    """Make a folder where there is none; raises UsageError where that cannot be done."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}") from error


def _mode(target: Path) -> int:
    """Return the permissions of the replaced file, or of a new file; those of a temporary file are private."""
    try:
        return target.stat().st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0o077)  # the mask can only be read by setting it: for a moment other threads' files are private
        os.umask(mask)
        return 0o666 & ~mask
