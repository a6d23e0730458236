"""ONNX's order of rounding spelled in StableHLO's: round at zero point 0 first, then add the zero point."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import Float32Type, Float64Type, ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir.arithmetic import ARITHMETIC
from qconvert.ir.attributes import TENSOR
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import quantized, quantized_element, tensor, with_element
from qconvert.rewriting.base import Pass, PassResult, rewrite_or_refuse
from qconvert.rewriting.casts import requantized
from qconvert.rewriting.edits import builder_before, replace
from qconvert.rewriting.rebuild import remade
from qconvert.rewriting.rounding import rounds_as_onnx

WIDE = Storage.full(32, signed=True)
_ELEMENTWISE = (stablehlo.UnaryOp, stablehlo.BinaryOp)


def rounds_differently(op: Operation) -> bool:
    """Whether an op follows ONNX's order of rounding and StableHLO's can give another integer.

    At a zero point of 0 the two orders are one.
    """
    return bool(op.results) and rounds_as_onnx(op, quantized(op.results[0]))


@dataclass(frozen=True)
class ExactRounding(Pass):
    """Say ``rne(x / s) + zp`` with ops that mean ``rne(x / s + zp)``.

    ::

        x ── uniform_quantize (onnx) ── i8 s:3      x ── uniform_quantize i32 s:0 ── uniform_quantize i8 s:3

        i8, i8 ── add (onnx) ── i8 s:3              to i32, to i32 ── add ── i32 s:0 ── uniform_quantize i8 s:3

        i16, i16 ── dot_general (onnx) ── i16 s:3   i16, i16 ── dot_general ── i32 s:0 ── uniform_quantize i16 s:3

    "to" is a ``uniform_quantize`` to zero point 0 at the same scale: elementwise ops want one storage on all sides. The
    second rounding of each pair is of an integer. Composites and narrow floats, whose division is rounded in between,
    are left and reported.
    """

    name = "exact-rounding"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every op that rounds in ONNX's order; at zero point 0 only its attribute goes."""
        ops = (op for op in list(module.walk()) if rounds_differently(op))
        return rewrite_or_refuse(ops, _obstacle, _spell_out)


def _obstacle(op: Operation) -> str | None:
    element = quantized_element(op.results[0])
    if not isinstance(op, (stablehlo.UniformQuantizeOp, stablehlo.ContractionOp, *_ELEMENTWISE)):
        return f"{op.name} has no form that rounds before it adds the zero point"
    if not isinstance(element.expressed_type, Float32Type | Float64Type):
        return f"{element.expressed_type} does not hold the integers of 32-bit storage"
    if element.storage.width > 16:
        return f"{element.storage} leaves no wider storage to round in"
    return None


def _spell_out(op: Operation) -> None:
    element = quantized_element(op.results[0])
    build = builder_before(op)
    rounded = element.with_storage(WIDE, (0,) * len(element.data.zero_points))
    operands = list(op.operands)
    if isinstance(op, _ELEMENTWISE) and not isinstance(op, stablehlo.UniformQuantizeOp):
        operands = [_wide(op, operand) for operand in operands]
    replace(op, _two_steps(op, build, operands, rounded, element))


def _wide(op: Operation, value: SSAValue) -> SSAValue:
    element = quantized(value)
    if element is None:
        return value
    return requantized(op, value, element.with_storage(WIDE, (0,) * len(element.data.zero_points)))


def _two_steps(
    op: Operation,
    build: OpBuilder,
    operands: list[SSAValue],
    rounded: UniformQuantizedType,
    element: UniformQuantizedType,
) -> SSAValue:
    first = remade(op, operands, [with_element(tensor(op.results[0]), rounded)])
    for name in (ARITHMETIC, TENSOR):
        first.attributes.pop(name, None)
    return build.add(stablehlo.UniformQuantizeOp(build.add(first), element))
