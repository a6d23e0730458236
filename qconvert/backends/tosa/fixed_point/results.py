"""Float ops between quantized values as integers: the quantize at their end."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from qconvert.backends.tosa.fixed_point.channels import by_channels, quantized_by_channels
from qconvert.backends.tosa.fixed_point.fixed import FixedPoint
from qconvert.backends.tosa.fixed_point.measured import largest_difference
from qconvert.backends.tosa.lowering import lower_op
from qconvert.dialects import stablehlo
from qconvert.dialects.constants import is_neutral
from qconvert.dialects.traits import Clamps, Rearranges
from qconvert.ir import (
    UniformQuantizedType,
    describe,
    f32,
    is_litert,
    numpy_dtype,
    quantized,
    quantized_element,
    shape,
    tensor_type,
)
from qconvert.rewriting import Proof
from qconvert.rewriting.movement import moved_operand

_LARGEST_ERROR = 0.25
"""The largest bound on the error, in LSB of the result, for which integers take the place of floats."""
_LARGEST_MEASURED = 0.0625
"""The largest error that is measured on a few inputs; other inputs may have larger ones."""


@dataclass(frozen=True)
class Stored:
    """Storage integers, and the bound on their error before they were rounded, in LSB, or a proof.

    The error of a long chain is measured on some inputs, and has no bound.
    """

    value: SSAValue
    bound: float | None = None
    proof: Proof | None = None
    measured: float | None = None


def stored(op: Operation, of: FixedPoint, *, follows_floats: bool) -> Stored | None:
    """Return the result of a quantize of floats in integers; None for another op and for floats without such a form.

    So is a quantized sum or product with a constant for each channel, if it ``follows_floats`` of its reference.
    """
    affine = quantized_by_channels(op, of) if follows_floats else None
    if affine is not None:
        return Stored(affine[0], proof=affine[1])
    if not isinstance(op, stablehlo.UniformQuantizeOp) or quantized(op.operand) is not None:
        return None
    element = quantized_element(op.result)
    if not element.is_per_tensor or element.storage.width > 16 or element.expressed_type != f32:
        return None
    made = by_channels(op, element, of)
    if made is not None:
        return Stored(made[0], proof=made[1])
    if is_litert(op):
        of.refuse(op.operand, _of_litert(op.operand))
        return None
    return _stored(op.operand, element, of)


def _stored(value: SSAValue, element: UniformQuantizedType, of: FixedPoint) -> Stored | None:
    """Return a float value as storage integers, which are rounded before they are moved or compared."""
    owner = value.owner
    if isinstance(owner, Operation) and len(owner.operands) == 1 and owner.has_trait(Rearranges):
        before = _stored(owner.operands[0], element, of)
        return None if before is None else _moved(owner, before, element, of)
    if isinstance(owner, stablehlo.ReduceWindowOp) and _is_extreme(owner):
        before = _stored(owner.inputs[0], element, of)
        return None if before is None else _moved(owner, before, element, of)
    if of.interval(value) is None:
        return None
    held = of.at(value, of.unit(value))
    bound = held.error / element.scale
    is_bounded = bound <= _LARGEST_ERROR
    measured = largest_difference(value, held, element, of) if not is_bounded and of.is_long(value) else None
    if not is_bounded and (measured is None or measured > _LARGEST_MEASURED):
        of.refuse(value, _too_large(value, bound, measured))
        return None
    made = of.lower.stored(held.value, held.scale / element.scale, element)
    return Stored(of.whole(made, shape(value)), bound if is_bounded else None, measured=measured)


def _of_litert(value: SSAValue) -> str:
    """Return the reason of the refusal of an operator that LiteRT computes in floats."""
    node = describe(value.owner) if isinstance(value.owner, Operation) else None
    computed = f"computes '{node}'" if node else "quantizes an input"
    return f"LiteRT {computed} in float32, whose integers no integer op gives: quantize the operator itself"


def _too_large(value: SSAValue, bound: float, measured: float | None) -> str:
    """Return the reason of a refusal, with what to do."""
    assert isinstance(value.owner, Operation)
    node = describe(value.owner) or value.owner.name
    found = f"may be {bound:.2g} LSB of its quantizer off, of which {_LARGEST_ERROR} are allowed"
    if measured is not None:
        found = f"was {measured:.2g} LSB of its quantizer off on some input, of which {_LARGEST_MEASURED} are allowed"
    return f"in integers '{node}' {found}: quantize a value in front of it, or its result with a larger scale"


def _is_extreme(op: stablehlo.ReduceWindowOp) -> bool:
    """Return True for a maximum or minimum of one value from the neutral element."""
    if len(op.inputs) != 1 or op.has_conversions or op.combiner is None:
        return False
    return op.combiner.has_trait(Clamps) and is_neutral(op)


def _moved(op: Operation, before: Stored, element: UniformQuantizedType, of: FixedPoint) -> Stored:
    """Return a movement or an extreme of storage integers."""
    [operand] = Block(arg_types=[tensor_type(element, shape(op.operands[0]))]).args
    of.lower.define(operand, before.value)
    made = _extreme(op, operand, element) if isinstance(op, stablehlo.ReduceWindowOp) else moved_operand(op, operand)
    lowered = lower_op(made, of.lower)
    assert isinstance(lowered, SSAValue)
    return replace(before, value=lowered)


def _extreme(op: stablehlo.ReduceWindowOp, operand: SSAValue, element: UniformQuantizedType) -> Operation:
    kind = type(op.combiner)
    assert issubclass(kind, stablehlo.BinaryOp)
    neutral = np.asarray(stablehlo.neutral_element(kind, element)).astype(numpy_dtype(element))
    initial = stablehlo.ConstantOp.of(neutral, element)
    body = stablehlo.binary_body(kind, element)
    return stablehlo.ReduceWindowOp(operand, initial.results[0], op.window, [body])
