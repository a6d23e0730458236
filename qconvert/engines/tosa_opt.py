"""``tosa-opt``, the program of tosa-tools that validates, serializes and reads TOSA, run as a process under limits.

It runs without a worker, which engines that are libraries need: a worker would take ten times as long.
"""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from qconvert.engines import guard
from qconvert.engines.base import DEFAULT_LIMITS, EngineName, Limits, require
from qconvert.support.errors import EngineError

if sys.platform == "linux":
    import resource

_VALIDATE = "--tosa-validate=strict-op-spec-alignment"
_ELIDE = "--mlir-elide-elementsattrs-if-larger=16"
_GENERIC = "--mlir-print-op-generic"
_ERRORS = re.compile(r"^<stdin>:(\d+:\d+): error: (.*)$", re.MULTILINE)
_MESSAGES = 4
_MESSAGE_CHARACTERS = 300


def verify(text: bytes, target: str, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Validate a module strictly; return its text in generic form. Raises EngineError with tosa-opt's errors."""
    return _run(text, limits, *_attached(target), _VALIDATE, _GENERIC)


def serialize(text: bytes, target: str, limits: Limits = DEFAULT_LIMITS) -> tuple[bytes, bytes]:
    """Validate a module strictly; return its flatbuffer and its text without large constants. Raises EngineError."""
    with guard.Folder() as folder:
        path = folder / "module.tosa"
        printed = _run(text, limits, *serializing(path, target))
        return path.read_bytes(), printed


def serializing(path: Path, target: str) -> list[str]:
    """Return the options that validate a module strictly, write its flatbuffer and print it without large constants."""
    flatbuffer = f"--tosa-serialize=retain-graph-input-output-names tosa-flatbuffer-filename={path}"
    return [*_attached(target), _VALIDATE, flatbuffer, _GENERIC, _ELIDE]


def deserialize(flatbuffer: bytes, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return the text of a flatbuffer in generic form; raises EngineError if tosa-opt cannot read it."""
    with guard.Folder() as folder:
        path = folder / "module.tosa"
        path.write_bytes(flatbuffer)
        text = path.with_suffix(".mlir")  # standard output also holds warnings
        read = f"--tosa-deserialize=tosa-flatbuffer-filename={path}"
        _run(b"module {}", limits, read, _GENERIC, "-o", str(text))
        return text.read_bytes()


def _attached(target: str) -> list[str]:
    return [f"--tosa-attach-target={target}"] if target else []


def _program() -> Path:
    """Return the program's path by its package's folder, which is found faster than package metadata."""
    package = find_spec("tosa_tools_cli")
    if package is None or package.origin is None:
        require(EngineName.TOSA)
        raise EngineError("tosa-tools are installed without their programs")
    return Path(package.origin).parents[1] / "bin" / "tosa-opt"


def _run(text: bytes, limits: Limits, *options: str) -> bytes:
    """Run tosa-opt and return its output; raises EngineError with its error lines, or how it ended."""
    pipe = subprocess.PIPE
    command = [str(_program()), *options]
    with (
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, process_group=0) as process,
        guard.guarded(process.pid),
    ):
        _limit_memory(process.pid, limits.memory_bytes)
        try:
            out, errors = process.communicate(text, limits.seconds)
        except subprocess.TimeoutExpired:
            raise EngineError(f"no answer within {limits.seconds:g} s, stopped") from None
        finally:
            process.kill()
    if process.returncode:
        raise EngineError(_reason(errors.decode(errors="replace"), process.returncode))
    return out


def _limit_memory(process: int, limit: int) -> None:
    """Limit a child's address space and file size from outside, on Linux."""
    if sys.platform != "linux":
        return
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE):
        with contextlib.suppress(ValueError, OSError):  # the child has a lower limit, or has ended
            resource.prlimit(process, kind, (limit, limit))


def _reason(errors: str, status: int) -> str:
    """Return the error lines, or the signal that ended the program and the end of its output."""
    found = dict.fromkeys(f"line {place}: {what[:_MESSAGE_CHARACTERS]}" for place, what in _ERRORS.findall(errors))
    if found:
        return "; ".join(list(found)[:_MESSAGES])
    died = f"tosa-opt died: {signal.Signals(-status).name}; " if status < 0 else ""
    return died + errors[-_MESSAGE_CHARACTERS:]
