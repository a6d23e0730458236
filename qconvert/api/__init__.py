"""qconvert as a library: load, convert, transform, run, quantize, inspect and save models."""

from __future__ import annotations

from qconvert.api.conversion import convert, transform
from qconvert.api.loading import load, unsupported
from qconvert.api.models import Converted, Model, ModuleResult, Transformed

__all__ = ["Converted", "Model", "ModuleResult", "Transformed", "convert", "load", "transform", "unsupported"]
