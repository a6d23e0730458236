"""Weight-only quantization said in one op: float contractions of dequantized weights become hybrid ops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.traits import Rearranges
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import quantized_element
from qconvert.rewriting.accumulation import Contraction
from qconvert.rewriting.base import Pass, PassResult, rewrite_or_refuse
from qconvert.rewriting.casts import dequantized
from qconvert.rewriting.edits import builder_before, erase_dead, replace
from qconvert.rewriting.rebuild import remade


@dataclass(frozen=True)
class Hybridize(Pass):
    """Let float contractions take quantized weights as they are.

    ::

        %f = uniform_dequantize %w : q8        %y = dot_general %x, %w : (f32, q8) -> f32
        %y = dot_general %x, %f            ->

    The right-hand side must be a weight: a constant or an argument of the function, moved at most. What is quantized on
    both sides is left to ``legalize-qdq-to-quantized-op``. A zero point of ``dot_general``'s weights, which StableHLO
    wants to be 0 (C15), is what ``equalize-storage`` removes. The result is what it was, bit by bit.
    """

    name = "hybridize"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every contraction of a float by a dequantized tensor: it changes, or is refused."""
        contractions = [op for op in module.walk() if isinstance(op, Contraction)]
        return rewrite_or_refuse(filter(_has_dequantized_rhs_only, contractions), _obstacle, _hybridize)


def _has_dequantized_rhs_only(op: Contraction) -> bool:
    return isinstance(op.rhs.owner, stablehlo.UniformDequantizeOp) and dequantized(op.lhs) is None


def _hybridize(op: Contraction) -> None:
    dequantize = op.rhs.owner
    assert isinstance(dequantize, Operation)
    build = builder_before(op, dequantize)
    replace(op, build.add(remade(op, [op.lhs, dequantize.operands[0]])))
    erase_dead([dequantize])


def _obstacle(op: Contraction) -> str | None:
    """Return why a right-hand side cannot stay quantized; None if it can."""
    weight = dequantized(op.rhs)
    assert weight is not None
    element = quantized_element(weight)
    if not _is_weight(weight):
        return "its quantized right-hand side is computed, not a weight"
    if element.is_sub_channel:
        return "its weights are quantized in blocks, which a hybrid op does not take"
    return _axis_reason(op, element)


def _is_weight(value: SSAValue) -> bool:
    """Whether a value is a constant or an argument, moved at most."""
    owner = value.owner
    if isinstance(owner, Operation) and owner.has_trait(Rearranges):
        return _is_weight(owner.operands[0])
    return not isinstance(owner, Operation) or isinstance(owner, stablehlo.ConstantOp)


def _axis_reason(op: Contraction, element: UniformQuantizedType) -> str | None:
    """The constraint on the quantization dimension that a per-axis type breaks, None where there is none."""
    axis = element.quantization_dimension
    if axis is None:
        return None
    if isinstance(op, stablehlo.ConvolutionOp):
        features = op.numbers.kernel_output_feature
        found = f"its weights are quantized along dimension {axis}, not their output features {features} (C29)"
        return None if axis == features else found
    contracted = axis in op.numbers.rhs_contracting_dimensions
    return f"its weights are quantized along dimension {axis}, which is contracted (C16)" if contracted else None
