"""DynamicQuantizeLinear, MatMulInteger and ConvInteger."""

from __future__ import annotations

from qconvert.backends.onnx.integers import conv_integer, image_layout, kernel_layout, output_layout
from qconvert.backends.onnx.lowering import Held, Tensor, Writer, emits
from qconvert.dialects import composite
from qconvert.ir.types import shape


@emits(composite.DynamicRangeQuantizeOp)
def dynamic_range_quantize(op: composite.DynamicRangeQuantizeOp, write: Writer) -> tuple[Tensor, ...]:
    """DynamicQuantizeLinear; scale and zero point have no dimensions."""
    layout = write.layout_of(op.operand)
    write.node("DynamicQuantizeLinear", [write.floats(op.operand, layout)], count=3)
    quantized, scale, zero_point = write.last_outputs()
    return Held(quantized, layout), Held(scale, ()), Held(zero_point, ())


def has_integer_product(op: composite.DynamicRangeDotGeneralOp) -> bool:
    """Whether MatMulInteger says a product: matrices contracted as MatMul does, zero points as it has them."""
    numbers, rank = op.dot_dimension_numbers.data, len(shape(op.rhs))
    last = (len(shape(op.lhs)) - 1,), (rank - 2,)
    batch = tuple(range(rank - 2))
    is_product = (numbers.lhs_contracting_dimensions, numbers.rhs_contracting_dimensions) == last
    is_batched = numbers.lhs_batching_dimensions == numbers.rhs_batching_dimensions == batch
    return is_product and is_batched and not shape(op.lhs_zero_point) and len(shape(op.rhs_zero_point)) <= 1


def has_integer_convolution(op: composite.DynamicRangeConvolutionOp) -> bool:
    """Whether ConvInteger says a convolution: one zero point of the image, one or one for each output of the kernel."""
    return not shape(op.lhs_zero_point) and len(shape(op.rhs_zero_point)) <= 1


@emits(composite.DynamicRangeDotGeneralOp)
def dynamic_range_dot_general(op: composite.DynamicRangeDotGeneralOp, write: Writer) -> Tensor:
    """MatMulInteger."""
    roles = ("input", "weight", "input_zero_point", "weight_zero_point")
    names = [write.floats(value, role=role) for value, role in zip(op.operands, roles, strict=True)]
    return Held(write.node("MatMulInteger", names), write.own_layout(op.result))


@emits(composite.DynamicRangeConvolutionOp)
def dynamic_range_convolution(op: composite.DynamicRangeConvolutionOp, write: Writer) -> Tensor:
    """ConvInteger of channels first."""
    numbers = op.dimension_numbers.data
    names = [
        write.floats(op.lhs, image_layout(numbers), "input"),
        write.floats(op.rhs, kernel_layout(numbers), "weight"),
        write.floats(op.lhs_zero_point, role="input_zero_point"),
        write.floats(op.rhs_zero_point, role="weight_zero_point"),
    ]
    made = conv_integer(names, numbers, op.window, shape(op.rhs), op.groups, write)
    return Held(made, output_layout(numbers))
