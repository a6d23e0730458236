"""CEIL and ROUND of floats, which LiteRT's reference kernels lack, in operators that all its kernels have."""

from __future__ import annotations

import numpy as np
import tflite

from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, emits
from qconvert.dialects import stablehlo
from qconvert.ir import i1

_WHOLE = 2.0**23
"""From this number on, each float32 is an integer. Its sum with a smaller one is rounded to an integer, to even."""


@emits(stablehlo.CeilOp)
def ceil(op: stablehlo.CeilOp, write: Writer) -> Tensor:
    """Write the negative of FLOOR of the negative number."""
    source, output = write[op.operand], write.result(op.result)
    turned, below = (write.derived(output, role, output.shape) for role in ("negative", "floor"))
    write.operator(tflite.BuiltinOperator.NEG, [source], turned, Options("NegOptions"))
    write.operator(tflite.BuiltinOperator.FLOOR, [turned], below)
    return write.operator(tflite.BuiltinOperator.NEG, [below], output, Options("NegOptions"))


@emits(stablehlo.RoundNearestEvenOp)
def round_nearest_even(op: stablehlo.RoundNearestEvenOp, write: Writer) -> Tensor:
    """Write ``|x| + 2^23 - 2^23`` where a number has a fraction, with the sign of x."""
    source, output = write[op.operand], write.result(op.result)
    whole = write.constant(np.asarray(_WHOLE), output.element, f"{output.name}_whole")
    zero = write.constant(np.asarray(0.0), output.element, f"{output.name}_zero")
    size, raised, rounded, picked, turned = (
        write.derived(output, role, output.shape) for role in ("size", "raised", "rounded", "picked", "negative")
    )
    has_fraction, is_negative = (write.derived(output, role, output.shape, i1) for role in ("fraction", "sign"))
    write.operator(tflite.BuiltinOperator.ABS, [source], size, Options("AbsOptions"))
    write.operator(tflite.BuiltinOperator.ADD, [size, whole], raised, Options("AddOptions"))
    write.operator(tflite.BuiltinOperator.SUB, [raised, whole], rounded, Options("SubOptions"))
    write.operator(tflite.BuiltinOperator.LESS, [size, whole], has_fraction, Options("LessOptions"))
    select = Options("SelectV2Options")
    write.operator(tflite.BuiltinOperator.SELECT_V2, [has_fraction, rounded, size], picked, select)
    write.operator(tflite.BuiltinOperator.NEG, [picked], turned, Options("NegOptions"))
    write.operator(tflite.BuiltinOperator.LESS, [source, zero], is_negative, Options("LessOptions"))
    return write.operator(tflite.BuiltinOperator.SELECT_V2, [is_negative, turned, picked], output, select)
