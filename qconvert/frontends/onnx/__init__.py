"""The importer of ONNX models: one file for each op family, with its operators registered by name."""

from __future__ import annotations

from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.external_files import external_files, self_contained
from qconvert.frontends.onnx.importer import import_model, unsupported_nodes

__all__ = ["NodeContext", "external_files", "import_model", "onnx_op", "self_contained", "unsupported_nodes"]
