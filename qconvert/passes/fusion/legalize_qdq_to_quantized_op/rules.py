"""What a fusion rule is, and what rules share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.interpreter.core import quantize
from qconvert.ir.arithmetic import arithmetic
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import element_type, numpy_dtype, quantized, quantized_element
from qconvert.rewriting.casts import copy_arithmetic, dequantized
from qconvert.rewriting.constants import known_array
from qconvert.rewriting.movement import moved_operand
from qconvert.support.registry import Registry

ACCUMULATOR = Storage.full(32, signed=True)

Rewrite: TypeAlias = Callable[[OpBuilder], SSAValue]
"""Builds the quantized value that takes the place of what was matched. Matching itself changes nothing."""


@dataclass(frozen=True)
class Reason:
    """Why a rule does not fire, in words for ``inspect --why``."""

    text: str


Outcome: TypeAlias = Rewrite | Reason | None
"""A rewrite, a reason to leave the op alone, or None where the rule has nothing to do with it."""

SINKS: Registry[type[Operation], Callable[[Any], Outcome]] = Registry("sink", __name__, ("op",))
FUSIONS: Registry[type[Operation], Callable[[Any, stablehlo.UniformQuantizeOp], Outcome]] = Registry(
    "fusion", __name__, ("op", "quantize")
)
sinks = SINKS.register
fuses = FUSIONS.register


def is_weight_only(op: Operation) -> bool:
    """Whether an op is a contraction, or hybrid already, of which only the right-hand side is quantized."""
    if not isinstance(op, stablehlo.ContractionOp) or dequantized(op.lhs) is not None:
        return False
    return dequantized(op.rhs) is not None or op.is_hybrid


def is_narrow(element: UniformQuantizedType) -> bool:
    """Whether values fit 16 bits: an activation or a weight, not an accumulator."""
    return element.storage.width <= 16


def is_narrow_value(value: SSAValue) -> bool:
    """Whether a value is quantized to at most 16 bits."""
    element = quantized(value)
    return element is not None and is_narrow(element)


def narrow_source(value: SSAValue) -> tuple[SSAValue, UniformQuantizedType] | Reason:
    """The quantized value of at most 16 bits behind a float operand, or why there is none."""
    source = dequantized(value)
    if source is None and known_array(value) is not None:
        return Reason("an operand is a float constant, which the model does not quantize")
    if source is None:
        made_by = value.owner.name if isinstance(value.owner, Operation) else "an input of the model"
        return Reason(f"an operand is float, made by {made_by}")
    element = quantized_element(source)
    if not is_narrow(element):
        return Reason("an operand is a 32-bit accumulator that the model does not quantize before this op")
    return source, element


def requantize(build: OpBuilder, value: SSAValue, quantize: stablehlo.UniformQuantizeOp) -> SSAValue:
    """``value`` in the type of ``quantize``, rounded as that op rounds; itself where the types agree.

    A transposed or reshaped accumulator is requantized first: only there are its scales along the last dimension, as
    the real tools want them. A type with scales along a dimension stays where that dimension is.
    """
    target = quantized_element(quantize.result)
    if element_type(value) == target:
        return value
    owner = value.owner
    is_raised = target.is_per_tensor and not is_narrow_value(value)
    if is_raised and isinstance(owner, stablehlo.TransposeOp | stablehlo.ReshapeOp):
        return build.add(moved_operand(owner, requantize(build, owner.operand, quantize)))
    op = stablehlo.UniformQuantizeOp(value, target)
    copy_arithmetic(quantize, op)
    return build.add(op)


def quantized_scalar(value: float, op: stablehlo.UniformQuantizeOp) -> int:
    """The storage integer that ``op`` makes of one real number."""
    element = quantized_element(op.result)
    real = np.asarray(value, numpy_dtype(element.expressed_type))
    return int(quantize(real, TensorType(element, ()), arithmetic(op)))
