"""Targets by name, and targets that users describe in a file."""

from __future__ import annotations

from qconvert.quantization.targets.catalog import TARGETS, find
from qconvert.quantization.targets.toml_file import read_target

__all__ = ["TARGETS", "find", "read_target"]
