"""LiteRT's arithmetic of contractions, sums and products as integer operators, because QuantizeLinear rounds once.

::

    ConvInteger ── Add bias ── Cast int64 ── Mul multiplier ── Add rounding ── Div 2^shift ── Add zero point ── Clip

LiteRT first rounds the product of accumulator and multiplier to 32 bits, halves up, and then to the result, halves away
from zero. Both roundings together are one addition of ``2^(shift-1)``, one of 2^30 with the accumulator's sign, and one
shift (``numerics.rescale``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from onnx import TensorProto
from xdsl.ir import Operation, SSAValue

from qconvert.backends.onnx.bias import Bias, bias_behind
from qconvert.backends.onnx.builder import held_dtype, onnx_type
from qconvert.backends.onnx.integers import conv_integer, image_layout, kernel_layout, output_layout
from qconvert.backends.onnx.lowering import ComputedTensor, Layout, Tensor, Writer
from qconvert.dialects import composite, stablehlo
from qconvert.expansion.activation import leaky_factors
from qconvert.expansion.elementwise import right_shift
from qconvert.expansion.quantization import quotient
from qconvert.expansion.reduction import total_multiplier
from qconvert.interpreter.litert.kernels import quantized_element
from qconvert.ir import Arithmetic, element_type, is_litert, litert_arithmetic, quantized, shape
from qconvert.numerics import DOUBLE_ROUND_NUDGE, DOUBLE_ROUND_SHIFT, Rounding, float_factor, multiplier_and_shift
from qconvert.rewriting import only_user

_POSITIVE = 62
"""The power of two whose addition makes every product positive, because ONNX's Div rounds towards zero."""


@dataclass(frozen=True)
class Chain:
    """A contraction's accumulator, its bias and its requantization by LiteRT's arithmetic.

    ``last`` is the last value of the chain. Its integers lie between ``low`` and ``high``.
    """

    accumulator: SSAValue
    bias: Bias | None
    quantize: stablehlo.UniformQuantizeOp
    last: SSAValue
    low: int
    high: int


def litert_chain(accumulator: SSAValue, dimension: int, write: Writer) -> Chain | None:
    """Return the bias, requantization and clamp after a contraction, or None if it is not written in integers.

    Only a requantization with LiteRT's arithmetic is written in integers, and only with ``exact_rounding``.
    """
    element = quantized(accumulator)
    if not write.exact_rounding or element is None or element.storage.width < 32:
        return None
    bias = bias_behind(accumulator, dimension, write)
    quantize = only_user(accumulator if bias is None else bias.add.result)
    if not isinstance(quantize, stablehlo.UniformQuantizeOp) or not is_litert(quantize):
        return None
    result = quantized_element(quantize.result)
    low, high = result.storage.minimum, result.storage.maximum
    clamp = only_user(quantize.result)
    if (
        isinstance(clamp, stablehlo.ClampOp)
        and clamp.operand is quantize.result
        and clamp.result.type == clamp.operand.type
    ):
        bounds = write.known(clamp.min), write.known(clamp.max)
        if all(bound is not None and bound.array.size == 1 for bound in bounds):
            low, high = (int(bound.array.item()) for bound in bounds if bound is not None)
            return Chain(accumulator, bias, quantize, clamp.result, low, high)
    return Chain(accumulator, bias, quantize, quantize.result, low, high)


def are_bytes(*values: SSAValue) -> bool:
    """Return True if values are quantized in 8 bits with one zero point each, as ConvInteger and MatMulInteger need."""
    elements = [quantized(value) for value in values]
    return all(
        element is not None and element.storage.width == 8 and len(set(element.data.zero_points)) == 1
        for element in elements
    )


def _are_narrow(*values: SSAValue) -> bool:
    """Return True if values have 8 or 16 bits and one scale each, so that LiteRT's arithmetic fits in 64 bits."""
    elements = [quantized(value) for value in values]
    return all(element is not None and element.storage.width <= 16 and element.is_per_tensor for element in elements)


def integers(value: SSAValue, layout: Layout, role: str, write: Writer) -> str:
    """Return the tensor of a value's integers in a layout."""
    tensor = write[value]
    if isinstance(tensor, ComputedTensor):
        return write.transposed(tensor.name, tensor.layout, layout)
    array = np.broadcast_to(tensor.array, shape(value)).transpose(layout)
    return write.initializer(array, write.constant_name(f"{role}_quantized"))


def _with_zero_point(value: SSAValue, layout: Layout, role: str, write: Writer) -> list[str]:
    """Return the tensor of a value's integers in a layout, and the tensor of its zero point."""
    element = quantized_element(value)
    zero_point = np.asarray(element.zero_points.flat[0], held_dtype(element))
    names = [integers(value, layout, role, write)]
    return [*names, write.initializer(zero_point, write.constant_name(f"{role}_zero_point"))]


def integer_convolution(op: stablehlo.ConvolutionOp, chain: Chain, write: Writer) -> Tensor:
    """Write ConvInteger with channels first, and LiteRT's requantization."""
    numbers = op.numbers
    image = _with_zero_point(op.lhs, image_layout(numbers), "input", write)
    weight = _with_zero_point(op.rhs, kernel_layout(numbers), "weight", write)
    names = [image[0], weight[0], image[1], weight[1]]
    made = conv_integer(names, numbers, op.window, shape(op.rhs), op.groups, write)
    return requantized(chain, made, output_layout(numbers), numbers.output_feature, write)


def integer_product(op: stablehlo.DotGeneralOp, chain: Chain, layouts: tuple[Layout, Layout], write: Writer) -> Tensor:
    """Write MatMulInteger, and LiteRT's requantization."""
    lhs, rhs = (
        _with_zero_point(op.lhs, layouts[0], "input", write),
        _with_zero_point(op.rhs, layouts[1], "weight", write),
    )
    made = write.node("MatMulInteger", [lhs[0], rhs[0], lhs[1], rhs[1]])
    own = write.own_layout(op.result)
    return requantized(chain, made, own, len(own) - 1, write)


def _constant(array: NDArray[Any], role: str, write: Writer) -> str:
    return write.initializer(array, write.constant_name(role))


def requantized(chain: Chain, name: str, layout: Layout, dimension: int, write: Writer) -> Tensor:
    """Write LiteRT's requantization of a contraction's sums, and let the result represent the chain's last value."""
    source, result = quantized_element(chain.accumulator), quantized_element(chain.quantize.result)
    follows = litert_arithmetic(chain.quantize)
    assert follows is not None
    write.litert_ops += 1
    along = [-1 if axis == dimension else 1 for axis in layout]
    if chain.bias is not None:
        bias = np.broadcast_to(chain.bias.values.array, shape(chain.accumulator)[dimension]).reshape(along)
        name = write.node("Add", [name, _constant(bias.astype(np.int32), "bias", write)], name=f"{write.label}_bias")
        write.skip(chain.bias.add.result)
    sums = write.node("Cast", [name], name=f"{write.label}_sums", to=TensorProto.INT64)
    factors = _factors(quotient(follows, source.scales, result.scale), along, follows.multiplier_width)
    scaled = _rescaled(sums, factors, result.zero_point, follows, write)
    made = ComputedTensor(_stored(scaled, chain.quantize.result, (chain.low, chain.high), write), layout, stored=True)
    if chain.last is not chain.quantize.result:
        write.skip(chain.quantize.result)
    write.define(chain.last, made)
    return ComputedTensor("", layout, stored=True)


def stored_limited(scaled: str, value: SSAValue, write: Writer) -> str:
    """Write 64-bit integers in a value's storage type, clamped to its range."""
    element = quantized_element(value)
    return _stored(scaled, value, (element.storage.minimum, element.storage.maximum), write)


def _stored(scaled: str, value: SSAValue, limits: tuple[int, int], write: Writer) -> str:
    """Write 64-bit integers in a value's storage type, clamped to ``limits``."""
    bounds = [_constant(np.asarray(limit, np.int64), "limit", write) for limit in limits]
    clipped = write.node("Clip", [scaled, *bounds], name=f"{write.label}_Clip")
    output = write.tensor_name(value) or f"{write.label}_quantized"
    return write.node("Cast", [clipped], name=f"{write.label}_Cast", output=output, to=onnx_type(element_type(value)))


def _factors(real: ArrayLike, along: Sequence[int] = (), width: int = 32) -> list[NDArray[np.int64]]:
    """Return multipliers of ``width`` bits and shifts; several of them lie along one dimension."""
    multiplier, shift = multiplier_and_shift(real, width)
    return [array.astype(np.int64).reshape(along if array.size > 1 else ()) for array in (multiplier, shift)]


def _rescaled(value: str, factors: Sequence[NDArray[np.int64]], offset: int, follows: Arithmetic, write: Writer) -> str:
    """Write ``((value * multiplier + rounding) >> shift) + offset`` for values below 2^30, in 64 bits."""
    multiplier, shift = factors
    made = write.node("Mul", [value, _constant(multiplier, "multiplier", write)], name=f"{write.label}_Mul")
    nudge = np.where(shift > DOUBLE_ROUND_SHIFT, DOUBLE_ROUND_NUDGE, 0)
    if follows.rounding is Rounding.DOUBLE_ROUND and nudge.any():
        sign = write.node("Sign", [value], name=f"{write.label}_Sign")
        more = write.node("Mul", [sign, _constant(nudge, "nudge", write)], name=f"{write.label}_nudge")
        made = write.node("Add", [made, more], name=f"{write.label}_rounded")
    half = _constant((np.int64(1) << (shift - 1)) + (1 << _POSITIVE), "half", write)
    power, less = np.int64(1) << shift, offset - (np.int64(1) << (_POSITIVE - shift))
    made = write.node("Add", [made, half], name=f"{write.label}_positive")
    made = write.node("Div", [made, _constant(power, "power", write)], name=f"{write.label}_Div")
    return write.node("Add", [made, _constant(less, "offset", write)], name=f"{write.label}_offset")


def _requested(op: Operation, write: Writer, *values: SSAValue) -> Arithmetic | None:
    """Return LiteRT's arithmetic of an op on narrow values where the op is to be written so, else None."""
    return litert_arithmetic(op) if write.exact_rounding and _are_narrow(*values) else None


def litert_binary(op: stablehlo.BinaryOp, write: Writer) -> Tensor | None:
    """Write LiteRT's sum, difference or product, or return None if the op is not to be written in integers."""
    values = (op.lhs, op.rhs)
    follows = _requested(op, write, *values, op.result)
    tensors = [write[value] for value in values]
    if follows is None or all(isinstance(tensor, ComputedTensor) and tensor.repeated for tensor in tensors):
        return None
    layout = next(
        (tensor.layout for tensor in tensors if isinstance(tensor, ComputedTensor)), write.own_layout(op.result)
    )
    wide = [_centred(value, layout, role, write) for value, role in zip(values, ("lhs", "rhs"), strict=True)]
    compute = _product if isinstance(op, stablehlo.MultiplyOp) else _sum
    write.litert_ops += 1
    return ComputedTensor(stored_limited(compute(op, wide, follows, write), op.result, write), layout, stored=True)


def litert_requantized(op: stablehlo.UniformQuantizeOp, write: Writer) -> Tensor | None:
    """Write LiteRT's requantize, or return None if the op is not to be written in integers."""
    tensor, follows = write[op.operand], _requested(op, write, op.operand, op.result)
    if follows is None or not isinstance(tensor, ComputedTensor):
        return None
    source, result = quantized_element(op.operand), quantized_element(op.result)
    write.litert_ops += 1
    factors = _factors(quotient(follows, source.scale, result.scale), width=follows.multiplier_width)
    scaled = _rescaled(_centred(op.operand, tensor.layout, "input", write), factors, result.zero_point, follows, write)
    return replace(tensor, name=stored_limited(scaled, op.result, write))


def litert_leaky_relu(op: composite.LeakyReluOp, write: Writer) -> Tensor | None:
    """Write LiteRT's leaky relu with one multiplier for each sign, or return None if it is not written in integers."""
    tensor, follows = write[op.operand], _requested(op, write, op.operand, op.result)
    if follows is None or not isinstance(tensor, ComputedTensor):
        return None
    (above, below), result = leaky_factors(op), quantized_element(op.result)
    write.litert_ops += 1
    wide = _centred(op.operand, tensor.layout, "input", write)
    sides = [_rescaled(wide, _factors(abs(factor)), 0, follows, write) for factor in (above, below) if factor]
    if below < 0:
        sides[1] = write.node("Neg", [sides[1]], name=f"{write.label}_Neg")
    zero, offset = (_constant(np.asarray(number, np.int64), "number", write) for number in (0, result.zero_point))
    chosen = write.node("GreaterOrEqual", [wide, zero], name=f"{write.label}_GreaterOrEqual")
    scaled = write.node("Where", [chosen, *[*sides, zero][:2]], name=f"{write.label}_Where")
    moved = write.node("Add", [scaled, offset], name=f"{write.label}_moved")
    return replace(tensor, name=stored_limited(moved, op.result, write))


def litert_total(op: stablehlo.ReduceOp, write: Writer) -> Tensor | None:
    """Write LiteRT's sum or mean of 8-bit integers, or return None if the op is not to be written in integers."""
    follows, (value, result) = _requested(op, write), (op.inputs[0], op.results[0])
    if follows is None or not are_bytes(value, result):
        return None
    element = quantized_element(result)
    write.litert_ops += 1
    axes = write.integers(op.reduced, "axes")
    wide = _centred(value, write.own_layout(value), "input", write)
    total = write.node("ReduceSum", [wide, axes], keepdims=0)
    factors = [np.asarray(part, np.int64) for part in total_multiplier(op)]
    scaled = _rescaled(total, factors, element.zero_point, follows, write)
    return ComputedTensor(stored_limited(scaled, result, write), write.own_layout(result), stored=True)


def _centred(value: SSAValue, layout: Layout, role: str, write: Writer) -> str:
    """Write the integers of a value minus its zero point, in 64 bits."""
    names = _with_zero_point(value, layout, role, write)
    wide = [write.node("Cast", [name], name=f"{write.label}_{role}", to=TensorProto.INT64) for name in names]
    return write.node("Sub", wide, name=f"{write.label}_{role}_centred")


def _scales(op: stablehlo.BinaryOp) -> tuple[float, float, float, int]:
    """Return the scales of both operands and of the result, and the result's zero point."""
    lhs, rhs, result = (quantized_element(value) for value in (op.lhs, op.rhs, op.result))
    return lhs.scale, rhs.scale, result.scale, result.zero_point


def _sum(op: stablehlo.BinaryOp, wide: Sequence[str], follows: Arithmetic, write: Writer) -> str:
    """Write a sum or difference with operands shifted left and rescaled to twice the larger scale.

    The sum is then rescaled to the result's scale. Without a left shift all scales are powers of two, and the operand
    with the smaller scale is shifted to the right.
    """
    if not follows.left_shift:
        return _sum_of_powers(op, wide, write)
    *scales, result, zero_point = _scales(op)
    twice, unit = 2 * max(scales), 2.0**follows.left_shift
    power = _constant(np.asarray(1 << follows.left_shift, np.int64), "left_shift", write)
    parts = []
    for name, scale in zip(wide, scales, strict=True):
        shifted = write.node("Mul", [name, power], name=f"{write.label}_shifted")
        parts.append(_rescaled(shifted, _factors(scale / twice), 0, follows, write))
    kind = "Add" if isinstance(op, stablehlo.AddOp) else "Sub"
    return _rescaled(write.node(kind, parts), _factors(twice / (unit * result)), zero_point, follows, write)


def _sum_of_powers(op: stablehlo.BinaryOp, wide: Sequence[str], write: Writer) -> str:
    """Write a sum or difference of 16-bit operands, each divided by a power of two, halves away from zero.

    The zero points are 0.
    """
    result, parts = quantized_element(op.result), []
    for name, value in zip(wide, (op.lhs, op.rhs), strict=True):
        element = quantized_element(value)
        power = 1 << right_shift(element, result)
        half, whole = (_constant(np.asarray(number, np.int64), "power", write) for number in (power // 2, power))
        sign = write.node("Sign", [name], name=f"{write.label}_Sign")
        more = write.node("Add", [name, write.node("Mul", [sign, half], name=f"{write.label}_half")])
        parts.append(write.node("Div", [more, whole], name=f"{write.label}_Div"))
    return write.node("Add" if isinstance(op, stablehlo.AddOp) else "Sub", parts)


def _product(op: stablehlo.BinaryOp, wide: Sequence[str], follows: Arithmetic, write: Writer) -> str:
    """Write the product of the integers times a factor that LiteRT computes in f32."""
    lhs, rhs, result, zero_point = _scales(op)
    factor = float_factor(lhs, rhs, over=result)
    return _rescaled(write.node("Mul", list(wide)), _factors(factor), zero_point, follows, write)
