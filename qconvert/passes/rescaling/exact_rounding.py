"""ONNX's order of rounding expressed in StableHLO's: round at zero point 0, then add the zero point."""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type, Float64Type, ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.ir import ACCUMULATOR, UniformQuantizedType, quantized, quantized_element
from qconvert.rewriting import (
    Pass,
    PassResult,
    builder_before,
    computed,
    replace,
    requantized,
    rewrite_or_refuse,
    rounds_as_onnx,
)

_ELEMENTWISE = (stablehlo.UnaryOp, stablehlo.BinaryOp)


def rounds_differently(op: Operation) -> bool:
    """Return whether an op follows ONNX's order of rounding, and StableHLO's order can give another integer.

    With a zero point of 0 the two orders agree.
    """
    return bool(op.results) and rounds_as_onnx(op, quantized(op.results[0]))


class ExactRounding(Pass):
    """Write ``rne(x / s) + zp`` with ops that compute ``rne(x / s + zp)``.

    ::

        x ── uniform_quantize (onnx) ── i8 s:3      x ── uniform_quantize i32 s:0 ── uniform_quantize i8 s:3

        i8, i8 ── add (onnx) ── i8 s:3              to i32, to i32 ── add ── i32 s:0 ── uniform_quantize i8 s:3

        i16, i16 ── dot_general (onnx) ── i16 s:3   i16, i16 ── dot_general ── i32 s:0 ── uniform_quantize i16 s:3

    "to" is a ``uniform_quantize`` to zero point 0 at the same scale, because elementwise ops require one storage on all
    sides. The second rounding of each pair rounds an integer, so it is exact. Composites are refused. So are narrow
    floats, whose division is rounded in between.
    """

    name = "exact-rounding"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite or refuse every op that rounds in ONNX's order with a zero point other than 0."""
        ops = (op for op in list(module.walk()) if rounds_differently(op))
        return rewrite_or_refuse(ops, _obstacle, _rewrite)


def _obstacle(op: Operation) -> str | None:
    element = quantized_element(op.results[0])
    if not isinstance(op, (stablehlo.UniformQuantizeOp, stablehlo.ContractionOp, *_ELEMENTWISE)):
        return f"{op.name} has no form that rounds before it adds the zero point"
    if not isinstance(element.expressed_type, Float32Type | Float64Type):
        return f"{element.expressed_type} does not hold the integers of 32-bit storage"
    if element.storage.width > 16:
        return f"{element.storage} leaves no wider storage to round in"
    return None


def _rewrite(op: Operation) -> None:
    element = quantized_element(op.results[0])
    build = builder_before(op)
    operands = list(op.operands)
    if isinstance(op, _ELEMENTWISE) and not isinstance(op, stablehlo.UniformQuantizeOp):
        operands = [_centred(op, operand) for operand in operands]
    rounded = computed(build, op, operands, _centred_type(element))
    replace(op, build.add(stablehlo.UniformQuantizeOp(rounded, element)))


def _centred(op: Operation, value: SSAValue) -> SSAValue:
    element = quantized(value)
    return value if element is None else requantized(op, value, _centred_type(element))


def _centred_type(element: UniformQuantizedType) -> UniformQuantizedType:
    """Return a type of the same scales with zero point 0 and storage of 32 bits."""
    return element.with_storage(ACCUMULATOR, (0,) * len(element.data.zero_points))
