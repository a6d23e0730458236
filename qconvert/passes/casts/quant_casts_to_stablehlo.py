"""Casts of the ``quant`` dialect rewritten to StableHLO ops."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from qconvert.dialects import stablehlo
from qconvert.dialects.quant_ops import CastOp, DequantizeCastOp, FakeQuantOp, IdentityOp, QuantizeCastOp
from qconvert.ir import (
    ARITHMETIC,
    ONNX_ARITHMETIC,
    ArithmeticFamily,
    UniformQuantizedType,
    element_type,
    family,
    quantized,
)
from qconvert.rewriting import Pass, PassResult, builder_before, replace, rewrite_or_refuse


class QuantCastsToStableHlo(Pass):
    """Write casts as StableHLO ops; remove statistics and couplings, which compute nothing.

    ::

        qcast ── dcast ── scast        uniform_quantize ── uniform_dequantize ── bitcast_convert

    ``qcast`` rounds and then adds the zero point. If the zero point is not 0, its ``uniform_quantize`` therefore
    carries ONNX's arithmetic, unless the cast follows StableHLO's arithmetic. Casts to types without parameters, and
    fake quantization, are refused with a reason.
    """

    name = "quant-casts-to-stablehlo"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every op of the ``quant`` dialect in place."""
        ops = [op for op in module.walk() if isinstance(op, IdentityOp | CastOp | FakeQuantOp)]
        return rewrite_or_refuse(ops, _obstacle, _rewrite)


def _rewrite(op: Operation) -> None:
    if isinstance(op, IdentityOp):
        replace(op, op.arg)
    elif isinstance(op, CastOp):
        replace(op, builder_before(op).add(_in_stablehlo(op)))


def _obstacle(op: Operation) -> str | None:
    if isinstance(op, FakeQuantOp):
        return "fake quantization is for convert-fake-quant, which makes casts of it"
    if isinstance(op, CastOp) and not any(quantized(value) for value in (op.operand, op.result)):
        return f"{op.operand_types[0]} to {op.result_types[0]}: parameters are not known yet"
    return None


def _in_stablehlo(op: CastOp) -> Operation:
    target = element_type(op.result)
    if isinstance(op, DequantizeCastOp):
        return stablehlo.UniformDequantizeOp(op.operand, target)
    if not isinstance(op, QuantizeCastOp):
        return stablehlo.BitcastConvertOp(op.operand, target)
    made = stablehlo.UniformQuantizeOp(op.operand, target)
    if _rounds_first(op):
        made.attributes[ARITHMETIC] = op.attributes.get(ARITHMETIC, ONNX_ARITHMETIC)
    return made


def _rounds_first(op: QuantizeCastOp) -> bool:
    """Return whether the cast rounds before it adds a zero point other than 0."""
    element = element_type(op.result)
    assert isinstance(element, UniformQuantizedType)
    is_stablehlo = family(op, ArithmeticFamily.ONNX) is ArithmeticFamily.STABLEHLO
    return not is_stablehlo and not element.has_zero_zero_point
