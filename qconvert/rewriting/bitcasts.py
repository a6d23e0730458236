"""Casts that keep integers: ``bitcast_convert`` between quantized types and storage integers, and ``convert``."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import element_type, numpy_dtype, quantized, storage_element
from qconvert.rewriting.edits import builder_before, erase_dead, replace


def as_element(build: OpBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """Return ``value`` read as another element type of the same width; the value itself if it has that type."""
    if element_type(value) == element:
        return value
    return build.add(stablehlo.BitcastConvertOp(value, element))


def as_integers(build: OpBuilder, value: SSAValue) -> SSAValue:
    """Return the storage integers of a quantized value; any other value itself."""
    return as_element(build, value, storage_element(element_type(value)))


def converted(build: OpBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """Return ``value`` converted to another element type; the value itself if it has that type."""
    return value if element_type(value) == element else build.add(stablehlo.ConvertOp(value, element))


def cancel_bitcasts(module: ModuleOp) -> bool:
    """Merge bitcasts in a row, remove bitcasts that cancel, and fold bitcasts of constants."""
    changed = False
    for op in list(module.walk()):
        if isinstance(op, stablehlo.BitcastConvertOp):
            changed |= _cancel(op)
    erase_dead([op for op in module.walk() if isinstance(op, stablehlo.BitcastConvertOp | stablehlo.ConstantOp)])
    return changed


def _cancel(op: stablehlo.BitcastConvertOp) -> bool:
    owner, element = op.operand.owner, element_type(op.result)
    build = builder_before(op)
    if isinstance(owner, stablehlo.BitcastConvertOp):
        replace(op, as_element(build, owner.operand, element))
    elif isinstance(owner, stablehlo.ConstantOp) and (quantized(op.operand) or quantized(op.result)):
        replace(op, build.constant(owner.array.view(numpy_dtype(element)), element))
    else:
        return False
    return True
