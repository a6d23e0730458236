"""The command line in this process and in one of its own: output, exit status, and the paragraph of a refusal."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from pathlib import Path
from unittest import mock

from qconvert import cli
from tests.support.paths import ROOT

Completed = subprocess.CompletedProcess[str]


def qconvert(*arguments: object, status: int = 0, given: bytes = b"") -> Completed:
    """Run the command line in this process, from the repository's root; it must end with the status."""
    argv = ["qconvert", *map(str, arguments)]
    streams = {"stdin": _stream(given), "stdout": _stream(), "stderr": _stream()}
    with mock.patch.multiple(sys, argv=argv, **streams), contextlib.chdir(ROOT):
        try:
            cli.main()
            code: object = 0
        except SystemExit as end:
            code = end.code or 0
        texts = [_text(streams[name]) for name in ("stdout", "stderr")]
    assert code == status, texts[1]
    return subprocess.CompletedProcess(argv, status, *texts)


def process(*arguments: object, status: int = 0, given: bytes | None = None) -> Completed:
    """Run ``python -m qconvert``; it must end with the status and without a traceback."""
    command = [sys.executable, "-m", "qconvert", *map(str, arguments)]
    done = subprocess.run(command, input=given, capture_output=True, cwd=ROOT, check=False, timeout=120)
    out, error = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in error, error
    assert done.returncode == status, error
    return subprocess.CompletedProcess(command, done.returncode, out, error)


def refused(*arguments: object) -> str:
    """Return the one paragraph of a refusal."""
    done = qconvert(*arguments, status=2)
    assert done.stdout == ""
    [line] = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    return line.removeprefix("error: ")


def refused_file(model: Path) -> str:
    """Return the refusal of ``qconvert convert`` without the file's name: one line, status 2, nothing written."""
    before = _files(model.parent)
    done = qconvert("convert", model, "-o", model.with_suffix(".out.mlir"), status=2)
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert _files(model.parent) == before
    prefix = f"error: {model}:"
    assert done.stderr.startswith(prefix)
    return done.stderr.removeprefix(prefix).removeprefix(" ").removesuffix("\n")


def _stream(content: bytes = b"") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()


def _files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.exists() else []
