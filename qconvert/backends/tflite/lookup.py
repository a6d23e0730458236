"""Functions of one value by their results: GATHER of a table at the storage integers."""

from __future__ import annotations

import numpy as np
import tflite

from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width, emits
from qconvert.dialects import composite
from qconvert.ir import element_type, i32, quantized, shape


@emits(composite.LookupOp)
def lookup(op: composite.LookupOp, write: Writer) -> Tensor:
    """Write CAST to int32, ADD of the number of negative integers, and GATHER of the table."""
    element = quantized(op.operand)
    assert element is not None
    indices = write.like(op.result, i32, "index")
    cast = Options("CastOptions")
    write.operator(tflite.BuiltinOperator.CAST, [write[op.operand]], indices, cast)
    if element.storage.signed:
        lowest = write.constant(np.asarray(1 << (element.storage.width - 1)), i32, "negatives")
        shifted = write.derived(indices, "shifted", indices.shape)
        indices = write.operator(tflite.BuiltinOperator.ADD, [indices, lowest], shifted, Options("AddOptions"))
    table = write.constant(op.values.array, element_type(op.result), f"{write.named(op.result)}_table")
    output, options = write.result(op.result), Options("GatherOptions", {"Axis": 0})
    assert output.shape == shape(op.operand)
    version = by_width(output, 2, 4)
    return write.operator(tflite.BuiltinOperator.GATHER, [table, indices], output, options, version=version)
