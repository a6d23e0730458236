"""The accuracy levels of com.microsoft's MatMulNBits, by which a kernel may quantize or shorten its activations."""

from __future__ import annotations

from onnx import ModelProto

from qconvert.frontends.onnx.external_files import self_contained
from qconvert.support.content import Content

_LEVEL = "accuracy_level"
_FLOAT32 = 1
"""The highest level that keeps float32: 0 is unset, 2 float16, 3 bfloat16, 4 int8 (onnxruntime's contrib operators)."""


def in_full_accuracy(content: Content) -> tuple[bytes, int] | None:
    """Return a model with external data inside whose nodes compute in floats of full width, and how many did not.

    None if all of them do. Raises ConversionError as :func:`self_contained` does.
    """
    if _LEVEL.encode() not in bytes(content.read()):
        return None
    model, changed = ModelProto.FromString(self_contained(content)), 0
    for owner in (model.graph, *model.functions):
        for node in owner.node:
            attributes = [part for part in node.attribute if part.name != _LEVEL or part.i <= _FLOAT32]
            if len(attributes) < len(node.attribute):
                changed += 1
                del node.attribute[:]
                node.attribute.extend(attributes)
    return (model.SerializeToString(), changed) if changed else None
