"""The backend that writes ONNX."""

from __future__ import annotations

from qconvert.backends.onnx.options import OnnxOptions, Style

__all__ = ["OnnxOptions", "Style"]
