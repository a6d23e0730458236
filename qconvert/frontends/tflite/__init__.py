"""The importer of TFLite models: one file for each op family, with operators registered by their schema names."""

from __future__ import annotations

from qconvert.frontends.tflite.importer import import_model, unsupported_nodes
from qconvert.frontends.tflite.outline import outline

__all__ = ["import_model", "outline", "unsupported_nodes"]
