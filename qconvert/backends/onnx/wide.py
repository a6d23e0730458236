"""Convolutions of 16-bit by 8-bit integers in the integers that LiteRT computes."""

from __future__ import annotations

import numpy as np

from qconvert.backends.onnx.accumulator import stored, weights_of, window_of
from qconvert.backends.onnx.exact import as_result, write_form
from qconvert.backends.onnx.integers import image_layout, output_layout
from qconvert.backends.onnx.lowering import ComputedTensor, Tensor, Writer, emits
from qconvert.backends.onnx.tosa.bounds import of_weights
from qconvert.backends.onnx.tosa.contraction import integer_sums
from qconvert.dialects import composite
from qconvert.expansion.wide import constant_bias
from qconvert.ir import quantized_element


@emits(composite.WideConvolutionOp)
def wide_convolution(op: composite.WideConvolutionOp, write: Writer) -> Tensor:
    """Write ConvInteger of both bytes, the bias, and LiteRT's requantization; without a form it is decomposed."""
    form = None if write.forms is None else write.forms.of(op)
    assert form is not None
    layout, bias, weights = output_layout(op.numbers), constant_bias(op).astype(np.int64), weights_of(op, write)
    sums = integer_sums(window_of(op), stored(op.lhs, image_layout(op.numbers), write), (0, True), weights, write)
    along = [-1 if axis == len(layout) - 1 else 1 for axis in layout]
    made = write.node("Add", [sums, write.initializer(bias.reshape(along), write.constant_name("bias"))])
    (argument,) = form.arguments
    if argument is not None and weights.held is not None:
        total = of_weights(weights.held, weights.zero_point, (0,)) << (quantized_element(op.lhs).storage.width - 1)
        write.reaches[argument] = total + int(np.abs(bias).max(initial=0))
    write.litert_ops += 1
    return as_result(write_form(form, [ComputedTensor(made, layout)], write), op.result, write)
