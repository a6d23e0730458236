"""Rules of the fusion, and their helpers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.interpreter.core import quantize
from qconvert.ir import (
    UniformQuantizedType,
    arithmetic,
    element_type,
    is_litert,
    numpy_dtype,
    quantized,
    quantized_element,
)
from qconvert.rewriting import dequantized, is_known, moved_operand, quantize_like
from qconvert.support.registry import Registry

Rewrite: TypeAlias = Callable[[OpBuilder], SSAValue]
"""Builds the quantized value that replaces the matched ops. Matching itself changes nothing."""


class Reason(NamedTuple):
    """The reason why a rule does not fire, for ``inspect --why``."""

    text: str


Outcome: TypeAlias = Rewrite | Reason | None
"""A rewrite, a reason to leave the op alone, or None if the rule does not concern the op."""

SINKS: Registry[type[Operation], Callable[[Any], Outcome]] = Registry("sink", __name__, ("op",))
FUSIONS: Registry[type[Operation], Callable[[Any, stablehlo.UniformQuantizeOp], Outcome]] = Registry(
    "fusion", __name__, ("op", "quantize")
)
sinks = SINKS.register
fuses = FUSIONS.register


IN_FLOAT32 = Reason("LiteRT computes it in float32 between its operators DEQUANTIZE and QUANTIZE")


def litert_dequantize(op: Operation) -> Operation | None:
    """Return a DEQUANTIZE of a TFLite file whose floats an op takes, None if there is none."""
    owners = (operand.owner for operand in op.operands)
    return next((owner for owner in owners if isinstance(owner, Operation) and _is_operator(owner)), None)


def _is_operator(op: Operation) -> bool:
    return isinstance(op, stablehlo.UniformDequantizeOp) and is_litert(op)


def is_weight_only(op: Operation) -> bool:
    """Return whether an op is a contraction of which only the right-hand side is quantized.

    It may be hybrid already.
    """
    if not isinstance(op, stablehlo.ContractionOp) or dequantized(op.lhs) is not None:
        return False
    return dequantized(op.rhs) is not None or op.is_hybrid


def is_narrow(element: UniformQuantizedType) -> bool:
    """Return whether values fit 16 bits, as activations and weights do and accumulators do not."""
    return element.storage.width <= 16


def is_narrow_value(value: SSAValue) -> bool:
    """Return whether a value is quantized to at most 16 bits."""
    element = quantized(value)
    return element is not None and is_narrow(element)


def narrow_source(value: SSAValue) -> tuple[SSAValue, UniformQuantizedType] | Reason:
    """Return the quantized value of at most 16 bits behind a float operand, or the reason why there is none."""
    source = dequantized(value)
    if source is None and is_known(value):
        return Reason("an operand is a float constant, which the model does not quantize")
    if source is None:
        made_by = value.owner.name if isinstance(value.owner, Operation) else "an input of the model"
        return Reason(f"an operand is a float that comes from {made_by}")
    element = quantized_element(source)
    if not is_narrow(element):
        return Reason("an operand is a 32-bit accumulator that the model does not quantize before this op")
    return source, element


def requantize(build: OpBuilder, value: SSAValue, quantize: stablehlo.UniformQuantizeOp) -> SSAValue:
    """Return ``value`` in the type of ``quantize`` and rounded in its arithmetic; the value itself if the types agree.

    A transposed or reshaped accumulator is requantized before the movement, because only there are its scales along the
    last dimension, as other tools require. A target type with scales along a dimension is not moved. Between scales
    along two dimensions there are floats.
    """
    target = quantized_element(quantize.result)
    if element_type(value) == target:
        return value
    if changes_axis(value, target):
        return quantize_like(quantize, build, build.add(stablehlo.UniformDequantizeOp(value)), target)
    owner = value.owner
    is_raised = target.is_per_tensor and not is_narrow_value(value)
    if is_raised and isinstance(owner, stablehlo.TransposeOp | stablehlo.ReshapeOp):
        return build.add(moved_operand(owner, requantize(build, owner.operand, quantize)))
    return quantize_like(quantize, build, value, target)


def changes_axis(value: SSAValue, target: UniformQuantizedType) -> bool:
    """Return whether the scales of a value and of a type lie along different dimensions: jaxlib takes no such op."""
    element = quantized(value)
    axes = {each.quantization_dimension for each in (element, target) if each is not None}
    return len(axes - {None}) > 1


def quantized_scalar(value: float, op: stablehlo.UniformQuantizeOp) -> int:
    """Return the storage integer to which ``op`` quantizes one real number."""
    element = quantized_element(op.result)
    real = np.asarray(value, numpy_dtype(element.expressed_type))
    return int(quantize(real, TensorType(element, ()), arithmetic(op)))
