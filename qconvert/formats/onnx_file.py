"""The faults of an ONNX file by ONNX's specification and onnxruntime's kernels."""

from __future__ import annotations

from collections.abc import Iterator

from qconvert.backends.onnx.element_types import type_errors
from qconvert.backends.onnx.kernels import MICROSOFT
from qconvert.backends.onnx.signatures import NAMES
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.onnx.model import OnnxModel, decode_model
from qconvert.frontends.onnx.structure import domain_name, refuse_broken_structure, schema_errors
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError

_JUDGED = ("", MICROSOFT)


def file_errors(content: Content, dims: Dimensions) -> Iterator[ConversionError]:
    """Yield an error for each node that ONNX's schemas do not allow, or whose types onnxruntime has no kernel for.

    Raises ConversionError for a damaged file, as reading does. The nodes of subgraphs and the shapes are not judged.
    """
    model = decode_model(content, dims)
    graph, opsets = model.proto.graph, _opsets(model)
    refuse_broken_structure(graph)
    wrong = list(schema_errors(graph, opsets))
    yield from wrong
    if wrong:
        return
    types = {tensor.name: tensor.data_type for tensor in graph.initializer}
    types |= {value.name: value.type.tensor_type.elem_type for value in graph.input}
    types = {name: kind for name, kind in types.items() if kind}
    yield from type_errors(graph.node, types, opsets)
    for value in graph.output:
        stated, computed = value.type.tensor_type.elem_type, types.get(value.name, 0)
        if stated and computed and stated != computed:
            found = f"output '{value.name}' states elements of type {NAMES[stated]}, its node returns {NAMES[computed]}"
            yield ConversionError(found, hint="Correct the output's type")


def _opsets(model: OnnxModel) -> dict[str, int]:
    """Return the opset of each domain that is judged; onnxruntime takes its own operators without an import."""
    own = {domain_name(each.domain): int(each.version) for each in model.proto.opset_import}
    return {name: own.get(name, 1) for name in _JUDGED}
