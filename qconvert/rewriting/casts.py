"""Quantize and dequantize ops that rewrites look for, and make."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir.arithmetic import ARITHMETIC
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import element_type, quantized
from qconvert.rewriting.constants import constant_of, shifted_constant
from qconvert.rewriting.edits import builder_before


def dequantized(value: SSAValue) -> SSAValue | None:
    """The quantized value a float value is the dequantization of, else None."""
    owner = value.owner
    return owner.operand if isinstance(owner, stablehlo.UniformDequantizeOp) else None


def in_float(build: OpBuilder, value: SSAValue) -> SSAValue:
    """The real values of a quantized value, or the value itself where it is not quantized."""
    element = quantized(value)
    return value if element is None else build.add(stablehlo.UniformDequantizeOp(value, element.expressed_type))


def requantized(user: Operation, value: SSAValue, element: UniformQuantizedType) -> SSAValue:
    """``value`` in a type of the same scales that holds its integers, made in front of ``user``.

    The integers of a constant are rewritten.
    """
    source = element_type(value)
    if source == element:
        return value
    assert isinstance(source, UniformQuantizedType)
    build = builder_before(user)
    constant = constant_of(value)
    if constant is None:
        return build.add(stablehlo.UniformQuantizeOp(value, element))
    build.location = constant.location
    return build.add(shifted_constant(constant, source, element))


def copy_arithmetic(source: Operation, target: Operation) -> None:
    """Give ``target`` the arithmetic that ``source`` follows."""
    attribute = source.attributes.get(ARITHMETIC)
    if attribute is not None:
        target.attributes[ARITHMETIC] = attribute
