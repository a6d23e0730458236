"""Arm's tools as judges: tosa-opt validates and serializes a module's text, the reference model runs it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_TARGET = (
    "--tosa-attach-target=specification_version=1.0 profiles=pro_int,pro_fp "
    "extensions=int16,int4,doubleround,inexactround level=8k"
)
_STRICT = "--tosa-validate=strict-op-spec-alignment"
_MODEL = """
import sys
from pathlib import Path
import numpy as np
import tosa_reference_model
folder = Path(sys.argv[1])
with np.load(folder / "inputs.npz") as stored:
    inputs = [stored[str(i)] for i in range(len(stored.files))]
outputs, status = tosa_reference_model.run((folder / "model.tosa").read_bytes(), inputs)
assert status == tosa_reference_model.GraphStatus.TOSA_VALID, status
np.savez(folder / "outputs.npz", **{str(i): array for i, array in enumerate(outputs)})
"""


def tosa_opt(text: str, *flags: str) -> str:
    """What tosa-opt prints of a module; raises ValueError with its errors."""
    command = [str(Path(sys.executable).with_name("tosa-opt")), "-", *flags]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr)
    return done.stdout


def validate(text: str) -> str:
    """tosa-opt's text of a module that is TOSA 1.0 to the letter; raises ValueError where it is not."""
    return tosa_opt(text, _TARGET, _STRICT)


def run_reference_model(text: str, inputs: Sequence[Array]) -> list[Array]:
    """The results of @main on the reference model, in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "inputs.npz", **{str(i): array for i, array in enumerate(inputs)})
        serialize = f"--tosa-serialize=tosa-flatbuffer-filename={folder / 'model.tosa'}"
        tosa_opt(text, _TARGET, _STRICT, serialize, "-o", "/dev/null")
        command = [sys.executable, "-c", _MODEL, name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(done.stderr)
        with np.load(folder / "outputs.npz") as stored:
            return [stored[str(i)] for i in range(len(stored.files))]
