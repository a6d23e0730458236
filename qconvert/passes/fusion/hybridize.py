"""Weight-only quantization as one op: float contractions of dequantized weights become hybrid ops."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.traits import Rearranges
from qconvert.ir import UniformQuantizedType, element_type, quantized_element
from qconvert.rewriting import (
    Contraction,
    Pass,
    PassResult,
    builder_before,
    dequantized,
    erase_dead,
    rebuilt,
    replace,
    rewrite_or_refuse,
)


class Hybridize(Pass):
    """Let float contractions take quantized weights directly.

    ::

        %f = uniform_dequantize %w : q8        %y = dot_general %x, %w : (f32, q8) -> f32
        %y = dot_general %x, %f            ->

    The right-hand side must be a weight: a constant or an argument of the function, moved at most. Contractions with
    two quantized sides are left to ``legalize-qdq-to-quantized-op``. StableHLO requires a zero point of 0 for
    ``dot_general``'s weights (C15); ``equalize-storage`` removes other zero points. The results are the same, bit by
    bit.
    """

    name = "hybridize"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite or refuse every contraction of a float tensor and a dequantized tensor."""
        contractions = [op for op in module.walk() if isinstance(op, Contraction)]
        return rewrite_or_refuse(filter(_has_dequantized_rhs_only, contractions), _obstacle, _hybridize)


def _has_dequantized_rhs_only(op: Contraction) -> bool:
    return isinstance(op.rhs.owner, stablehlo.UniformDequantizeOp) and dequantized(op.lhs) is None


def _hybridize(op: Contraction) -> None:
    dequantize = op.rhs.owner
    assert isinstance(dequantize, Operation)
    build = builder_before(op, dequantize)
    replace(op, build.add(rebuilt(op, [op.lhs, dequantize.operands[0]])))
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
    if element_type(op.result) != element_type(op.lhs):
        return "its products are summed in another float type (C20 of dot_general, C34 of convolution)"
    return _axis_reason(op, element)


def _is_weight(value: SSAValue) -> bool:
    """Return whether a value is a constant or an argument, moved at most."""
    owner = value.owner
    if isinstance(owner, Operation) and owner.has_trait(Rearranges):
        return _is_weight(owner.operands[0])
    return not isinstance(owner, Operation) or isinstance(owner, stablehlo.ConstantOp)


def _axis_reason(op: Contraction, element: UniformQuantizedType) -> str | None:
    """Return the constraint that a quantization dimension breaks; None if it breaks none."""
    axis = element.quantization_dimension
    if axis is None:
        return None
    if isinstance(op, stablehlo.ConvolutionOp):
        features = op.numbers.kernel_output_feature
        found = f"its weights are quantized along dimension {axis}, not their output features {features} (C29)"
        return None if axis == features else found
    contracted = axis in op.numbers.rhs_contracting_dimensions
    return f"its weights are quantized along dimension {axis}, which is contracted (C16)" if contracted else None
