"""DynamicQuantizeLinear, MatMulInteger and ConvInteger."""

from __future__ import annotations

from qconvert.backends.onnx.integers import conv_integer, image_layout, kernel_layout, output_layout
from qconvert.backends.onnx.lowering import ComputedTensor, Tensor, Writer, emits
from qconvert.dialects import composite
from qconvert.ir import shape


@emits(composite.DynamicRangeQuantizeOp)
def dynamic_range_quantize(op: composite.DynamicRangeQuantizeOp, write: Writer) -> tuple[Tensor, ...]:
    """Write DynamicQuantizeLinear; its scale and zero point are scalars."""
    layout = write.layout_of(op.operand)
    write.node("DynamicQuantizeLinear", [write.floats(op.operand, layout)], count=3)
    quantized, scale, zero_point = write.last_outputs()
    return ComputedTensor(quantized, layout), ComputedTensor(scale, ()), ComputedTensor(zero_point, ())


def has_integer_product(op: composite.DynamicRangeDotGeneralOp) -> bool:
    """Return True if MatMulInteger expresses a product: its contracted dimensions and its zero points fit."""
    numbers, rank = op.dot_dimension_numbers.data, len(shape(op.rhs))
    last = (len(shape(op.lhs)) - 1,), (rank - 2,)
    batch = tuple(range(rank - 2))
    is_product = (numbers.lhs_contracting_dimensions, numbers.rhs_contracting_dimensions) == last
    is_batched = numbers.lhs_batching_dimensions == numbers.rhs_batching_dimensions == batch
    return is_product and is_batched and not shape(op.lhs_zero_point) and len(shape(op.rhs_zero_point)) <= 1


def has_integer_convolution(op: composite.DynamicRangeConvolutionOp) -> bool:
    """Return True if ConvInteger expresses a convolution.

    The image has one zero point, the kernel one or one for each output.
    """
    return not shape(op.lhs_zero_point) and len(shape(op.rhs_zero_point)) <= 1


@emits(composite.DynamicRangeDotGeneralOp)
def dynamic_range_dot_general(op: composite.DynamicRangeDotGeneralOp, write: Writer) -> Tensor:
    """Write MatMulInteger."""
    roles = ("input", "weight", "input_zero_point", "weight_zero_point")
    names = [write.floats(value, role=role) for value, role in zip(op.operands, roles, strict=True)]
    return ComputedTensor(write.node("MatMulInteger", names), write.own_layout(op.result))


@emits(composite.DynamicRangeConvolutionOp)
def dynamic_range_convolution(op: composite.DynamicRangeConvolutionOp, write: Writer) -> Tensor:
    """Write ConvInteger with channels first."""
    numbers = op.dimension_numbers.data
    names = [
        write.floats(op.lhs, image_layout(numbers), "input"),
        write.floats(op.rhs, kernel_layout(numbers), "weight"),
        write.floats(op.lhs_zero_point, role="input_zero_point"),
        write.floats(op.rhs_zero_point, role="weight_zero_point"),
    ]
    made = conv_integer(names, numbers, op.window, shape(op.rhs), op.groups, write)
    return ComputedTensor(made, output_layout(numbers))
