"""Targets of the fuzzers: each is a kind of file with its seeds, its mutator and the function that runs a case."""

from __future__ import annotations

from fuzz.targets.base import Target
from fuzz.targets.files import JSON, NPZ, TOML
from fuzz.targets.litert import LITERT
from fuzz.targets.models import ONNX, STABLEHLO, TFLITE, TOSA, TOSA_FLATBUFFER

TARGETS = {target.name: target for target in (ONNX, TFLITE, STABLEHLO, TOSA, TOSA_FLATBUFFER, *LITERT, NPZ, TOML, JSON)}

__all__ = ["TARGETS", "Target"]
