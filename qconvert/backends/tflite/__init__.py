"""The writer of TFLite."""

from __future__ import annotations

from qconvert.backends.tflite.options import HeldAs, TfliteOptions

__all__ = ["HeldAs", "TfliteOptions"]
