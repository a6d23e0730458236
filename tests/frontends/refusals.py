"""What the command line says of a file that it must refuse."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from qconvert import cli


def refusal(model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """What ``qconvert convert`` says, without the file's name before it: one line, status 2, nothing written."""
    before = sorted(model.parent.iterdir()) if model.parent.exists() else []
    monkeypatch.setattr(sys, "argv", ["qconvert", "convert", str(model), "-o", str(model.with_suffix(".out.mlir"))])
    with pytest.raises(SystemExit) as exit_:
        cli.main()
    captured = capsys.readouterr()
    assert exit_.value.code == 2
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert (sorted(model.parent.iterdir()) if model.parent.exists() else []) == before
    prefix = f"error: {model}:"
    assert captured.err.startswith(prefix)
    return captured.err.removeprefix(prefix).removeprefix(" ").removesuffix("\n")
