"""QUANTIZE and DEQUANTIZE."""

from __future__ import annotations

import numpy as np
import tflite
from xdsl.dialects.func import ReturnOp
from xdsl.ir import BlockArgument, Operation, SSAValue, Use

from qconvert.backends.tflite.activation_range import CLAMPS, fused_activation, idle_function, relu_version
from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, emits, is_rescaled
from qconvert.backends.tflite.weights import floats_of
from qconvert.dialects import stablehlo
from qconvert.dialects.constants import constant_array
from qconvert.dialects.traits import Elementwise, MovesElements, TakesElements
from qconvert.ir import (
    described,
    element_type,
    f32,
    is_float,
    is_litert,
    litert_arithmetic,
    quantized,
    storage_element,
)
from qconvert.rewriting import only_user
from qconvert.support.errors import ConversionError


@emits(stablehlo.UniformQuantizeOp)
def uniform_quantize(op: stablehlo.UniformQuantizeOp, write: Writer) -> Tensor:
    """Write QUANTIZE, or MUL or RELU with the clamp behind it from other scales and zero points."""
    fused = fused_activation(op.result)
    output = write.result(fused.value)
    source = quantized(op.operand)
    if fused.function and source is not None and output.quantization and source.storage == output.quantization.storage:
        write.define(fused.value, output)
        if not is_litert(op) and is_rescaled(quantized(op.operand), output.element):
            return write.rescaled(write[op.operand], output, fused.function)
        return _activated(write, fused.function, write[op.operand], output)
    output = output if fused.value is op.result else write.result(op.result)
    function = _idle_activation(op, output)
    if function is not None:
        return _activated(write, function, write[op.operand], output)
    source_tensor = write[op.operand] if is_litert(op) else _limited(op.operand, output, write)
    return write.requantized(source_tensor, output.element, output, as_litert=is_litert(op))


def _limited(value: SSAValue, output: Tensor, write: Writer) -> Tensor:
    """Return floats, by MAXIMUM and MINIMUM within the output's range where they may be beyond 2^31 of its steps.

    LiteRT's QUANTIZE converts floats to int32 before it limits them: infinity becomes the least integer.
    """
    tensor, result = write[value], output.quantization
    if tensor.element != f32 or result is None or not result.is_per_tensor:
        return tensor
    if result.scale > _FINE and not _may_be_infinite(value):
        return tensor
    storage, codes = result.storage, tflite.BuiltinOperator
    for code, integer in ((codes.MAXIMUM, storage.minimum), (codes.MINIMUM, storage.maximum)):
        bound = np.asarray((integer - result.zero_point) * result.scale, np.float32)
        inputs = [tensor, write.constant(bound, f32, write.constant_name("bound"))]
        limited = write.derived(tensor, "limited", tensor.shape)
        tensor = write.operator(code, inputs, limited, Options("MaximumMinimumOptions"))
    return tensor


_FINE = 2.0**-18
"""A scale whose int32 reach to 8192, beyond which a model's values may be."""
_GROWING = stablehlo.LogOp | stablehlo.ExponentialOp | stablehlo.PowerOp
"""Functions of one finite number that may be infinite."""
_KEEPING = (Elementwise, TakesElements)
"""Traits of ops whose result may be as large as an operand."""


def _may_be_infinite(value: SSAValue) -> bool:
    """Return True for floats behind an op that may make infinity of finite numbers; quotients and clamps limit them."""
    waiting, seen = [value], set[SSAValue]()
    while waiting:
        value = waiting.pop()
        op = value.owner
        if value in seen or not isinstance(op, Operation) or not is_float(element_type(value)):
            continue
        seen.add(value)
        if _grows(op):
            return True
        limits = isinstance(op, stablehlo.DivideOp | stablehlo.ClampOp | stablehlo.UniformDequantizeOp)
        if not limits and any(op.has_trait(trait) for trait in _KEEPING):
            waiting += op.operands
    return False


def _grows(op: Operation) -> bool:
    """Return True for exponentials and the like, and for quotients by quantized values: models keep others from 0."""
    if isinstance(op, stablehlo.DivideOp):
        divisor = op.rhs.owner
        return isinstance(divisor, stablehlo.UniformDequantizeOp) and constant_array(divisor.operand) is None
    return isinstance(op, _GROWING) and not _sums_exponentials(op.operands[0])


def _sums_exponentials(value: SSAValue) -> bool:
    """Return True for a softmax's divisor, which is 1 or more: the largest exponent is 0."""
    owner = value.owner
    while isinstance(owner, Operation) and owner.has_trait(MovesElements):
        owner = owner.operands[0].owner
    return isinstance(owner, stablehlo.ReductionOp) and isinstance(owner.operands[0].owner, stablehlo.ExponentialOp)


def _activated(write: Writer, function: int, source: Tensor, output: Tensor) -> Tensor:
    return write.operator(CLAMPS[function], [source], output, version=relu_version(function, output))


def _idle_activation(op: stablehlo.UniformQuantizeOp, output: Tensor) -> int | None:
    """Return the activation that only requantizes, None for another op: QUANTIZE rounds in another way.

    LiteRT divides the scales of its activations in float32.
    """
    follows, source, element = litert_arithmetic(op), quantized(op.operand), output.quantization
    if follows is None or follows.multiplier_float_width != _FLOAT32 or source is None or element is None:
        return None
    is_taken = source.storage == element.storage and source.is_per_tensor and element.is_per_tensor
    return idle_function(element) if is_taken else None


_FLOAT32 = 32


@emits(stablehlo.UniformDequantizeOp)
def uniform_dequantize(op: stablehlo.UniformDequantizeOp, write: Writer) -> Tensor:
    """Write DEQUANTIZE, or the floats themselves for a constant that LiteRT does not dequantize.

    It has no kernel for other widths than 8 and 16. XNNPACK gives another kernel the floats of a constant, but does not
    write them where they are an output of the model.
    """
    element, array = quantized(op.operand), constant_array(op.operand)
    assert element is not None
    if array is not None and (element.storage.width not in (8, 16) or any(map(_is_return, op.result.uses))):
        return floats_of(op.result, write)
    return write.dequantized(write[op.operand], write.result(op.result))


@emits(stablehlo.BitcastConvertOp)
def bitcast_convert(op: stablehlo.BitcastConvertOp, write: Writer) -> Tensor:
    """Give an input of plain integers scales, let a quantized output stand for its integers, else write an operator.

    RESHAPE moves the integers of quantized tensors, CAST those of a quantized and a plain one. Raises ConversionError
    for several scales.
    """
    tensor, element, target = write[op.operand], element_type(op.result), quantized(op.result)
    if storage_element(tensor.element) != storage_element(element):
        raise ConversionError(f"TFLite cannot read {described(tensor.element)} as {described(element)}")
    if tensor.element == element or (target is None and _is_output(op.result)):
        return tensor
    if target is not None:
        if tensor.quantization is not None:
            if tensor.quantization.is_per_tensor and target.is_per_tensor:
                return write.reshape(tensor, tensor.shape, write.result(op.result))
            raise ConversionError(
                f"TFLite cannot read {described(tensor.element)} as {described(element)}", hint="Requantize it"
            )
        if isinstance(op.operand, BlockArgument) and only_user(op.operand) is op:
            tensor.element = element
            return tensor
    return write.cast(tensor, write.result(op.result))


def _is_output(value: SSAValue) -> bool:
    return all(map(_is_return, value.uses))


def _is_return(use: Use) -> bool:
    return isinstance(use.operation, ReturnOp)
