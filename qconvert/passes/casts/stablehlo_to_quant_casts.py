"""StableHLO's quantize, dequantize and bitcast rewritten to casts of the ``quant`` dialect."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Operation

from qconvert.dialects import stablehlo
from qconvert.dialects.quant_ops import CastOp, DequantizeCastOp, QuantizeCastOp, StorageCastOp
from qconvert.dialects.traits import Conversion
from qconvert.ir import ARITHMETIC, Arithmetic, ArithmeticAttr, ArithmeticFamily, element_type, quantized
from qconvert.rewriting import Pass, PassResult, Refusal, builder_before, refuse, replace

_STABLEHLO_ARITHMETIC = ArithmeticAttr(Arithmetic(ArithmeticFamily.STABLEHLO))


class StableHloToQuantCasts(Pass):
    """Write StableHLO's conversions as casts, the inverse of ``quant-casts-to-stablehlo``.

    ::

        uniform_quantize ── uniform_dequantize ── bitcast_convert        qcast ── dcast ── scast

    A ``uniform_quantize`` without an arithmetic attribute adds the zero point before it rounds. Its ``qcast`` carries
    that arithmetic. Conversions between two quantized types are not casts and are refused with a reason.
    """

    name = "stablehlo-to-quant-casts"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite in place. Bitcasts between plain types do not concern quantization and stay."""
        changed = False
        refusals: list[Refusal] = []
        for op in list(module.walk()):
            if not isinstance(op, stablehlo.UnaryOp) or not op.has_trait(Conversion):
                continue
            if not any(quantized(value) for value in (op.operand, op.result)):
                continue
            cast = _as_cast(op)
            if cast is None:
                refusals.append(refuse(op, f"no cast makes {op.result_types[0]} of {op.operand_types[0]}"))
            else:
                replace(op, builder_before(op).add(cast))
                changed = True
        return PassResult(changed, tuple(refusals))


def _as_cast(op: Operation) -> CastOp | None:
    (operand,), (result,) = op.operands, op.results
    target = element_type(result)
    if isinstance(op, stablehlo.UniformDequantizeOp):
        return DequantizeCastOp(operand, target)
    if quantized(operand) and quantized(result):
        return None
    if isinstance(op, stablehlo.BitcastConvertOp):
        is_storage = any(isinstance(element_type(value), IntegerType) for value in (operand, result))
        return StorageCastOp(operand, target) if is_storage else None
    cast = QuantizeCastOp(operand, target)
    element = quantized(result)
    if element is not None and not element.has_zero_zero_point:
        cast.attributes[ARITHMETIC] = op.attributes.get(ARITHMETIC, _STABLEHLO_ARITHMETIC)
    return cast
