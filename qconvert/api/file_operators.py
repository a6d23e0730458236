"""The operators of a converted file, and which of them compute in floats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.traits import ConstantLike

from qconvert.api.conversion import QUANTIZING
from qconvert.api.fusing import FusedForms
from qconvert.api.models import Converted
from qconvert.backends.base import FileOperator
from qconvert.dialects.stablehlo import CompositeOp, UniformDequantizeOp, UniformQuantizeOp
from qconvert.formats import FORMATS
from qconvert.ir import has_floats, source_nodes

_EDGES = (*QUANTIZING, UniformQuantizeOp.name, UniformDequantizeOp.name)


class FileFloats(NamedTuple):
    """The operators of a file that take or return floats: those that compute, and those that quantize or dequantize."""

    computing: Sequence[FileOperator] = ()
    quantizing: Sequence[FileOperator] = ()


def file_operators(converted: Converted) -> Sequence[FileOperator]:
    """Return the operators of a file in order, without constants. An operator with regions counts as one."""
    return converted.operators or tuple(_ops(converted.module))


def file_floats(converted: Converted, forms: FusedForms) -> FileFloats:
    """Return the operators of a file that take or return floats; ``forms`` are those of the source.

    An operator between dequantize and quantize counts only if the source's ops did not become quantized ones. Ops that
    a quantize or dequantize of the source became are apart, as TOSA and plain integers lack these ops.
    """
    found = [operator for operator in file_operators(converted) if operator.has_floats]
    if FORMATS[converted.format].in_qdq and not forms.is_lowered:
        others = [operator for operator in found if operator.name not in _EDGES]
        return FileFloats([each for each in others if not forms.float_sources.isdisjoint(each.sources)])
    apart = [operator.name in _EDGES or forms.edge_sources.issuperset(operator.sources) for operator in found]
    return FileFloats(
        [operator for operator, is_apart in zip(found, apart, strict=True) if not is_apart],
        [operator for operator, is_apart in zip(found, apart, strict=True) if is_apart],
    )


def _ops(module: ModuleOp) -> Iterator[FileOperator]:
    """Yield the ops of a module's functions, but not of those that define composites."""
    defining = {op.decomposition.root_reference.data for op in module.walk() if isinstance(op, CompositeOp)}
    for function in module.ops:
        if not isinstance(function, FuncOp) or function.is_declaration or function.sym_name.data in defining:
            continue
        for op in function.body.block.ops:
            if op.dialect_name() != "func" and not op.has_trait(ConstantLike):
                yield FileOperator(op.name, has_floats(op), source_nodes(op))
