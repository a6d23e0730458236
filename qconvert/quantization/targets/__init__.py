"""Targets by name, and those that users describe in a file."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from qconvert.quantization.target import Target
from qconvert.quantization.targets.codegen_int8 import CODEGEN_INT8
from qconvert.quantization.targets.tflite_int8 import TFLITE_INT8
from qconvert.quantization.targets.toml_file import read_target
from qconvert.quantization.targets.tosa import TOSA_INT8, TOSA_INT16
from qconvert.support.errors import UsageError

TARGETS = {target.name: target for target in (TFLITE_INT8, TOSA_INT8, TOSA_INT16, CODEGEN_INT8)}


def find(name_or_path: str | Path) -> Target:
    """A shipped target by its name, or the one that a ``.toml`` file describes.

    Raises UsageError for a name that no target has, and for a file that cannot be read as one.
    """
    name = str(name_or_path)
    if name in TARGETS:
        return TARGETS[name]
    if name.endswith(".toml"):
        return read_target(Path(name), TARGETS)
    near = get_close_matches(name, TARGETS, 1)
    perhaps = f", perhaps '{near[0]}' is meant" if near else ""
    raise UsageError(f"there is no target '{name}'{perhaps}; there are {', '.join(TARGETS)}, and files NAME.toml")


__all__ = ["TARGETS", "find", "read_target"]
