"""ONNX out."""

from __future__ import annotations

from qconvert.backends.onnx.emit import OnnxOptions

__all__ = ["OnnxOptions"]
