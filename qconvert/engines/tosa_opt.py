"""``tosa-opt``, the program of tosa-tools that validates, serializes and reads TOSA, run as a process under limits.

It runs without a worker, which only engines that are libraries need: starting one takes ten times as long.
"""

from __future__ import annotations

import re
import subprocess
from importlib.util import find_spec
from pathlib import Path

from qconvert.engines import guard, wire
from qconvert.engines.base import EngineName, require
from qconvert.engines.limits import Limits, default_limits
from qconvert.engines.process import Process
from qconvert.support.errors import EngineError

_VALIDATE = "--tosa-validate=strict-op-spec-alignment"
_ELIDE = "--mlir-elide-elementsattrs-if-larger=16"
_GENERIC = "--mlir-print-op-generic"
_ERRORS = re.compile(r"^<stdin>:(\d+:\d+): error: (.*)$", re.MULTILINE)
_UNWRITTEN = re.compile(r"^LLVM ERROR: IO failure on output stream: (.+)$", re.MULTILINE)
_MESSAGES = 4
_MESSAGE_CHARACTERS = 300


def verify(text: bytes, target: str, limits: Limits | None = None) -> bytes:
    """Validate a module strictly; return its text in generic form. Raises EngineError with tosa-opt's errors."""
    with guard.Folder() as folder:
        return _run(folder, text, limits, *_attached(target), _VALIDATE, _GENERIC)


def validate(text: bytes, target: str, limits: Limits | None = None) -> None:
    """Validate a module strictly; raises EngineError with tosa-opt's errors."""
    with guard.Folder() as folder:
        _run(folder, text, limits, *_attached(target), _VALIDATE, _ELIDE)


def serialize(text: bytes, target: str, limits: Limits | None = None) -> bytes:
    """Validate a module strictly; return its flatbuffer. Raises EngineError."""
    with guard.Folder() as folder:
        path = folder / "module.tosa"
        _run(folder, text, limits, *serializing(path, target, "retain-graph-input-output-names "))
        return _content(path, limits)


def serializing(path: Path, target: str, names: str = "") -> list[str]:
    """Return the options that validate a module strictly, write its flatbuffer and print it without large constants.

    Without the option ``names`` arguments and results get names of their own; given ones may be those of other tensors.
    """
    flatbuffer = f"--tosa-serialize={names}tosa-flatbuffer-filename={path}"
    return [*_attached(target), _VALIDATE, flatbuffer, _GENERIC, _ELIDE]


def deserialize(flatbuffer: bytes, limits: Limits | None = None) -> bytes:
    """Return the text of a flatbuffer in generic form; raises EngineError if tosa-opt cannot read it."""
    with guard.Folder() as folder:
        path = folder / "module.tosa"
        _write(path, flatbuffer)
        return _run(folder, b"module {}", limits, f"--tosa-deserialize=tosa-flatbuffer-filename={path}", _GENERIC)


def _attached(target: str) -> list[str]:
    return [f"--tosa-attach-target={target}"] if target else []


def program() -> Path:
    """Return the program's path in the package's folder, which is faster to find than package metadata."""
    package = find_spec("tosa_tools_cli")
    if package is None or package.origin is None:
        require(EngineName.TOSA)
        raise EngineError("tosa-tools are installed without their programs")
    return Path(package.origin).parents[1] / "bin" / "tosa-opt"


def _run(folder: Path, text: bytes, limits: Limits | None, *options: str) -> bytes:
    """Run tosa-opt on a text in a folder; return its output. Raises EngineError with its errors, or how it ended."""
    limits = limits or default_limits()
    given, made = folder / "given.mlir", folder / "made.mlir"
    _write(given, text)
    command = [str(program()), *options, "-o", str(made)]
    with given.open("rb") as stream:
        process = Process(command, limits, folder, stdin=stream, stdout=subprocess.DEVNULL)
    ended = process.wait(limits.seconds)
    process.kill()
    if not ended:
        raise EngineError(f"no answer within {limits.seconds:g} s, stopped")
    if ending := process.ending():
        raise EngineError(reason(process.messages(), ending, folder))
    return _content(made, limits)


def _write(path: Path, content: bytes) -> None:
    """Write a file; raises EngineError if the disk is full."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise EngineError(f"{path} cannot be written: {error.strerror}") from error


def _content(path: Path, limits: Limits | None) -> bytes:
    with wire.opened(path, (limits or default_limits()).file_bytes) as stream:
        return stream.read()


def reason(errors: str, ending: str, folder: Path) -> str:
    """Return the error lines, why no file can be written into the folder, or how the program ended and its output."""
    found = dict.fromkeys(f"line {place}: {what[:_MESSAGE_CHARACTERS]}" for place, what in _ERRORS.findall(errors))
    if found:
        return "; ".join(list(found)[:_MESSAGES])
    if full := _UNWRITTEN.search(errors):
        return f"the answer cannot be written into {folder}: {full[1]}"
    return f"tosa-opt died: {ending}; {' '.join(errors[-_MESSAGE_CHARACTERS:].split())}"
