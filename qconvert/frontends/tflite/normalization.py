"""SOFTMAX."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.dialects import composite
from qconvert.dialects.types import quantized, shape
from qconvert.errors import ConversionError
from qconvert.frontends.tflite import schema
from qconvert.frontends.tflite.context import OpContext, litert, tflite_op


@tflite_op("SOFTMAX")
def softmax(ctx: OpContext) -> SSAValue:
    """Along the last dimension."""
    beta = ctx.options(schema.SoftmaxOptions).Beta()
    if beta != 1:
        raise ConversionError(f"a softmax with beta {beta:g} is not read", hint="Multiply its input by beta instead")
    value = ctx.value()
    element = quantized(value)
    if element is not None and element.storage.width != 8:
        raise ConversionError(f"a softmax of {element} is not read", hint="Floats and 8-bit integers are")
    return ctx.emit(composite.SoftmaxOp(value, len(shape(value)) - 1, element=ctx.result_type()), litert())
