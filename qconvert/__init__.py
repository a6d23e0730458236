"""Converts quantized neural networks between ONNX, TFLite, StableHLO and TOSA without changing what they compute.

The public names are in ``qconvert.public``, which is imported when one of them is used: importing qconvert imports
nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qconvert.public import *


def _public() -> dict[str, Any]:
    return vars(import_module("qconvert.public"))


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    # Python asks for a submodule here before it imports it.
    public = {} if find_spec(f"qconvert.{name}") else _public()
    if name not in public:
        raise AttributeError(f"module 'qconvert' has no attribute '{name}'")
    return public[name]


def __dir__() -> list[str]:
    return [name for name in _public() if name == "__version__" or name[0] != "_"]
