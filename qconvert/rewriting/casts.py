"""Quantize and dequantize ops: how rewrites find them and make them."""

from __future__ import annotations

from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import ARITHMETIC, UniformQuantizedType, element_type, quantized
from qconvert.rewriting.constants import constant_of, shifted_constant
from qconvert.rewriting.edits import builder_before


def dequantized(value: SSAValue) -> SSAValue | None:
    """Return the quantized value that a float value is dequantized from; None if there is none."""
    owner = value.owner
    return owner.operand if isinstance(owner, stablehlo.UniformDequantizeOp) else None


def in_float(build: OpBuilder, value: SSAValue) -> SSAValue:
    """Return the real values of a quantized value; any other value itself."""
    element = quantized(value)
    return value if element is None else build.add(stablehlo.UniformDequantizeOp(value, element.expressed_type))


def requantized(user: Operation, value: SSAValue, element: UniformQuantizedType) -> SSAValue:
    """Return ``value`` in a type of the same scales that holds its integers; new ops go in front of ``user``.

    The integers of a constant are rewritten. Any other value is requantized.
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


def quantize_like(source: Operation, build: OpBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """Return ``value`` quantized to ``element``, in the arithmetic that ``source`` follows."""
    op = stablehlo.UniformQuantizeOp(value, element)
    copy_arithmetic(source, op)
    return build.add(op)


def copy_arithmetic(source: Operation, target: Operation) -> None:
    """Give ``target`` the arithmetic that ``source`` follows."""
    attribute = source.attributes.get(ARITHMETIC)
    if attribute is not None:
        target.attributes[ARITHMETIC] = attribute
