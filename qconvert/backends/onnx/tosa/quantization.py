"""Constants, and RESCALE in 64-bit integers."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from qconvert.backends.onnx.elementwise import aligned
from qconvert.backends.onnx.lowering import ComputedTensor, ConstantTensor, Tensor, Writer, emits_tosa
from qconvert.backends.onnx.tosa.bounds import reach
from qconvert.backends.onnx.tosa.fixed_point import Factor, cast, plus, saturated, scaled, times
from qconvert.dialects import tosa
from qconvert.ir import described, element_type, held_once, i32, i64, integer_type
from qconvert.rewriting.rescales import rescale_parameters
from qconvert.support.errors import ConversionError

_LARGEST_I32 = (1 << 31) - 1


@emits_tosa(tosa.ConstOp)
def const(op: tosa.ConstOp, write: Writer) -> Tensor:
    """Return a constant for later nodes; repeated elements are stored once."""
    return ConstantTensor(held_once(op.held), element_type(op.output))


@emits_tosa(tosa.ConstShapeOp)
def const_shape(op: tosa.ConstShapeOp, write: Writer) -> Tensor:
    """Return the sizes, which no node reads: the ops that use them become attributes or constants."""
    return ConstantTensor(op.values.array, i64)


@emits_tosa(tosa.RescaleOp)
def rescale(op: tosa.RescaleOp, write: Writer) -> Tensor:
    """Write ``clamp(((x - input_zp) * multiplier + rounding >> shift) + output_zp)`` in 64 bits.

    A factor that is a whole number needs no rounding, no clamp if the results fit in 32 bits, and no 64 bits then.
    """
    found = rescale_parameters(op)
    if found is None:
        raise ConversionError("a rescale's parameters are not constant")
    (name,), layout, repeated = aligned([op.input], write)
    sides = (op.input, op.input_unsigned), (op.output, op.output_unsigned)
    source, target = (_read(value, unsigned=tosa.is_set(flag)) for value, flag in sides)
    factor = Factor.along((found.multiplier, found.shift), layout, len(layout) - 1, op.rounding_mode.data)
    most = (reach(op.input, write) if source == element_type(op.input) else 1 << source.width.data) + abs(
        found.input_zp
    )
    name = cast(name, element_type(op.input), source, write)
    if factor.whole is not None and most * int(factor.whole.max(initial=0)) + abs(found.output_zp) <= _LARGEST_I32:
        narrow = plus(cast(name, source, i32, write), -found.input_zp, write, np.int32)
        made = plus(times(narrow, factor.whole, write, np.int32), found.output_zp, write, np.int32)
        made = made if target == i32 else saturated(made, target, _LARGEST_I32, write, np.int32)
    else:
        wide = plus(cast(name, source, i64, write), -found.input_zp, write)
        largest = factor.largest(most) + abs(found.output_zp)
        made = saturated(scaled(wide, factor, most, found.output_zp, write), target, largest, write)
    made = cast(made, target, element_type(op.output), write)
    return ComputedTensor(made, layout, repeated=repeated)


def _read(value: SSAValue, *, unsigned: bool) -> IntegerType:
    """Return the type as which RESCALE reads or writes the bits of a value; raises ConversionError for scaled ones."""
    element = element_type(value)
    if not isinstance(element, IntegerType):
        raise ConversionError(
            f"ONNX's integer operators cannot rescale {described(element)}", hint="Use integers without quantized types"
        )
    return integer_type(element.width.data, signed=False) if unsigned else element
