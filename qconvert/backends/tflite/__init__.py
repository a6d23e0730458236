"""The writer of TFLite."""

from __future__ import annotations

from qconvert.backends.tflite.options import TfliteOptions

__all__ = ["TfliteOptions"]
