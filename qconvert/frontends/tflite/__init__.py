"""TFLite in: one file for each op family, each operator found by its name in the schema."""

from __future__ import annotations

from qconvert.frontends.tflite.importer import TfliteImport, import_model, unsupported_nodes

__all__ = ["TfliteImport", "import_model", "unsupported_nodes"]
