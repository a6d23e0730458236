"""The importer of TFLite models: one file for each op family, with operators registered by their schema names."""

from __future__ import annotations

from qconvert.frontends.tflite.importer import import_model, unsupported_nodes

__all__ = ["import_model", "unsupported_nodes"]
