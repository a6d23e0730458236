"""Moves quantized neural networks between ecosystems without changing what they compute.

The public names, resolved when they are used: importing qconvert imports nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qconvert.api import Converted, Model, Transformed, convert, load, transform
    from qconvert.api.quantizing import Quantized, quantize
    from qconvert.api.running import run
    from qconvert.api.saving import save
    from qconvert.backends.onnx import OnnxOptions
    from qconvert.backends.stablehlo import ReductionForm, StableHloOptions
    from qconvert.engines.base import EngineName
    from qconvert.formats import Format
    from qconvert.support.errors import ConversionError, EngineError, EngineMissingError, QConvertError, UsageError
    from qconvert.validation import Report, validate

_HOMES = {
    "Converted": "qconvert.api",
    "Model": "qconvert.api",
    "Transformed": "qconvert.api",
    "convert": "qconvert.api",
    "load": "qconvert.api",
    "Quantized": "qconvert.api.quantizing",
    "quantize": "qconvert.api.quantizing",
    "run": "qconvert.api.running",
    "save": "qconvert.api.saving",
    "transform": "qconvert.api",
    "OnnxOptions": "qconvert.backends.onnx",
    "ReductionForm": "qconvert.backends.stablehlo",
    "StableHloOptions": "qconvert.backends.stablehlo",
    "EngineName": "qconvert.engines.base",
    "ConversionError": "qconvert.support.errors",
    "EngineError": "qconvert.support.errors",
    "EngineMissingError": "qconvert.support.errors",
    "QConvertError": "qconvert.support.errors",
    "UsageError": "qconvert.support.errors",
    "Format": "qconvert.formats",
    "Report": "qconvert.validation",
    "validate": "qconvert.validation",
}

__all__ = [
    "ConversionError",
    "Converted",
    "EngineError",
    "EngineMissingError",
    "EngineName",
    "Format",
    "Model",
    "OnnxOptions",
    "QConvertError",
    "Quantized",
    "ReductionForm",
    "Report",
    "StableHloOptions",
    "Transformed",
    "UsageError",
    "__version__",
    "convert",
    "load",
    "quantize",
    "run",
    "save",
    "transform",
    "validate",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        try:
            return version("qconvert")
        except PackageNotFoundError:
            return "0+source"
    if name not in _HOMES:
        raise AttributeError(f"module 'qconvert' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
