"""QUANTIZE and DEQUANTIZE."""

from __future__ import annotations

import numpy as np
import tflite

from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width, emits
from qconvert.dialects import stablehlo
from qconvert.expansion.expander import constant_array
from qconvert.ir import element_type, quantized, storage_element
from qconvert.numerics import dequantize
from qconvert.support.errors import ConversionError


@emits(stablehlo.UniformQuantizeOp)
def uniform_quantize(op: stablehlo.UniformQuantizeOp, write: Writer) -> Tensor:
    """Write QUANTIZE: of floats, or from other scales and zero points."""
    output = write.result(op.result)
    return write.requantized(write[op.operand], output.element, output)


@emits(stablehlo.UniformDequantizeOp)
def uniform_dequantize(op: stablehlo.UniformDequantizeOp, write: Writer) -> Tensor:
    """Write DEQUANTIZE, or the floats themselves for a constant of a width that LiteRT does not dequantize."""
    element, array = quantized(op.operand), constant_array(op.operand)
    assert element is not None
    if array is not None and element.storage.width not in (8, 16):
        scales, zero_points = (element.broadcast(part, array.shape) for part in (element.scales, element.zero_points))
        floats = dequantize(array, scales, zero_points, np.float32)
        return write.constant(floats, element_type(op.result), write.named(op.result))
    source = write[op.operand]
    version = by_width(source, 2, 3) if element.is_per_tensor else 5
    options = Options("DequantizeOptions")
    return write.operator(
        tflite.BuiltinOperator.DEQUANTIZE, [source], write.result(op.result), options, version=version
    )


@emits(stablehlo.BitcastConvertOp)
def bitcast_convert(op: stablehlo.BitcastConvertOp, write: Writer) -> Tensor:
    """Give a tensor of plain integers scales, or let a quantized one stand for its integers: both are one tensor.

    Raises ConversionError where the tensor has other scales already.
    """
    tensor, element = write[op.operand], element_type(op.result)
    if storage_element(tensor.element) != storage_element(element):
        raise ConversionError(f"TFLite cannot read {tensor.element} as {element}")
    if quantized(op.result) is None:
        return tensor
    if tensor.quantization is not None and tensor.element != element:
        raise ConversionError(f"TFLite cannot read {tensor.element} as {element}", hint="Requantize it")
    tensor.element = element
    return tensor
