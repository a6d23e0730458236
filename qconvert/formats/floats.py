"""Ops that may compute in floats in a file of a format that has integer operators."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation
from xdsl.traits import ConstantLike

from qconvert.dialects.composite import DynamicRangeQuantizeOp
from qconvert.dialects.stablehlo import UniformDequantizeOp, UniformQuantizeOp
from qconvert.dialects.traits import MovesElements
from qconvert.expansion.registry import is_hybrid_of_litert
from qconvert.ir import element_type, has_floats, is_float, quantized, source_nodes
from qconvert.rewriting import Refusal

_AT_RUN_TIME = "its activations are quantized at run time"
_NOT_QUANTIZED = "its operands are not quantized"
_EDGES = (UniformQuantizeOp, UniformDequantizeOp)


def floats_of(fused: ModuleOp, title: str) -> Iterator[Refusal]:
    """Yield the ops that take or return floats, and the quantized ops that a format may compute in floats.

    ``title`` is the format's.
    """
    for op in fused.walk():
        reason = _why_in_floats(op, title)
        if reason is not None:
            yield from (Refusal(op.name, node, reason) for node in source_nodes(op))


def float_sources(fused: ModuleOp) -> set[str]:
    """Return the nodes of a fused module whose ops take or return floats, but do not only quantize or dequantize."""
    return {node for op in _computing(fused) if has_floats(op) for node in source_nodes(op)}


def edge_sources(fused: ModuleOp) -> set[str]:
    """Return the nodes of a fused module that only quantize or dequantize."""
    edges = {node for op in fused.walk() if isinstance(op, _EDGES) for node in source_nodes(op)}
    return edges.difference(node for op in _computing(fused) for node in source_nodes(op))


def _computing(fused: ModuleOp) -> Iterator[Operation]:
    """Yield the ops with results but constants, and ops that only quantize or dequantize."""
    return (op for op in fused.walk() if op.results and not op.has_trait(ConstantLike) and not isinstance(op, _EDGES))


def _why_in_floats(op: Operation, title: str) -> str | None:
    """Return why an op may compute in floats; None for others, and for ops that quantize, dequantize or move only."""
    if not op.results or op.has_trait(ConstantLike) or isinstance(op, _EDGES):
        return None
    if is_hybrid_of_litert(op) or isinstance(op, DynamicRangeQuantizeOp):
        return _AT_RUN_TIME
    values = [value for value in op.results if isinstance(value.type, TensorType)]
    if any(is_float(element_type(value)) for value in values):
        return _NOT_QUANTIZED
    if any(quantized(value) is not None for value in values) and not op.has_trait(MovesElements):
        return f"{title} has no integer form of this operator"
    return None
