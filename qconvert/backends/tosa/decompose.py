"""The decomposition of composites that have no integer lowering."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from xdsl.ir import Operation

from qconvert.backends.tosa.lowering import lowering_of
from qconvert.backends.tosa.normalization_form import Normalization, integer_form
from qconvert.backends.tosa.resize import samplings
from qconvert.dialects import composite
from qconvert.expansion.registry import is_integer
from qconvert.ir import describe, element_type, is_float, quantized
from qconvert.passes.composites.decompose_composites import DecomposeComposites
from qconvert.rewriting import Contract
from qconvert.support.errors import ConversionError


def _has_integers(op: composite.SoftmaxOp) -> bool:
    elements = [quantized(op.operand), quantized(op.result)]
    return all(element is not None and element.storage.width == 8 for element in elements)


def _has_samplings(op: composite.ResizeOp) -> bool:
    try:
        samplings(op)
    except ConversionError:
        return False
    return True


def _is_real(op: composite.ErfOp) -> bool:
    return is_float(element_type(op.operand)) and is_float(element_type(op.result))


def _is_normalized(op: Normalization) -> bool:
    try:
        integer_form(op)
    except ConversionError:
        return False
    return True


_FORMS: dict[type[composite.CompositeOp], Callable[[Any], bool]] = {
    composite.ErfOp: _is_real,
    composite.InstanceNormalizationOp: _is_normalized,
    composite.L2NormalizationOp: _is_normalized,
    composite.LayerNormalizationOp: _is_normalized,
    composite.ResizeOp: _has_samplings,
    composite.RmsNormalizationOp: _is_normalized,
    composite.SoftmaxOp: _has_integers,
}
"""Conditions on composites that the lowering supports only in part, unless they follow LiteRT."""


class DecomposeToFloats(DecomposeComposites):
    """Replace every composite without a lowering by its decomposition, which computes quantized values in floats.

    ::

        q x ── qconvert.layer_normalization ── q y

        q x ── uniform_dequantize ── reduce, subtract, multiply, ... ── uniform_quantize ── q y
    """

    name = "decompose-to-floats"
    ensures: ClassVar[tuple[Contract, ...]] = ()

    def composites(self, ops: Iterable[Operation]) -> list[composite.CompositeOp]:
        """Return the composites among ``ops`` that have no lowering.

        Raises ConversionError for one that follows LiteRT on integers, as its decomposition in floats would round
        otherwise.
        """
        found = [op for op in super().composites(ops) if not _is_lowered(op)]
        for op in found:
            if is_integer(op):
                reason = "LiteRT's integers of this op have no expansion in TOSA's ops"
                raise ConversionError(reason, node=describe(op), op=op.name, hint="Convert it to StableHLO or ONNX")
        return found


def _is_lowered(op: composite.CompositeOp) -> bool:
    takes = _FORMS.get(type(op), lambda _: True)
    return lowering_of(op) is not None and (is_integer(op) or takes(op))
