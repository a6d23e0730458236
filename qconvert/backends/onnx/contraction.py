"""Conv, ConvTranspose, Gemm and MatMul, with the bias that is added after them."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute

from qconvert.backends.onnx.accumulator import (
    are_bytes,
    convolves_bytes,
    integer_convolution,
    integer_product,
    stays_integer,
)
from qconvert.backends.onnx.bias import Bias, bias_behind
from qconvert.backends.onnx.builder import onnx_type
from qconvert.backends.onnx.integers import (
    image_layout,
    kernel_layout,
    output_layout,
    plain_convolution,
)
from qconvert.backends.onnx.lowering import ComputedTensor, Layout, Tensor, Writer, emits
from qconvert.backends.onnx.movement import FIRST, sliced, spread
from qconvert.dialects import stablehlo
from qconvert.ir import (
    broadcast,
    element_type,
    expressed,
    flipped,
    i8,
    i32,
    is_float,
    quantized,
    reshaped,
    shape,
    taken,
    transposed,
)
from qconvert.support.errors import ConversionError


def with_bias(tensor: ComputedTensor, bias: Bias | None, write: Writer) -> ComputedTensor:
    """Return ``tensor``, and let it represent the result of adding the bias as well."""
    if bias is not None:
        write.define(bias.add.result, tensor)
    return tensor


@emits(stablehlo.ConvolutionOp)
def convolution(op: stablehlo.ConvolutionOp, write: Writer) -> Tensor:
    """Write Conv with channels first, or ConvTranspose if the operand is dilated."""
    numbers, window = op.numbers, op.window
    if quantized(op.result) is None and not is_float(element_type(op.result)):
        return plain_convolution(op, write)
    if convolves_bytes(op, write):
        return integer_convolution(op, write)
    if op.batch_groups != 1 or not numbers.input_spatial:
        raise ConversionError("ONNX's Conv needs spatial dimensions and supports no batch groups")
    if any(step > 1 for step in window.lhs_dilation) and _transposes(op):
        return _transposed(op, write)
    layout = image_layout(numbers)
    image = write.floats(op.lhs, layout, "input")
    if any(step > 1 for step in window.lhs_dilation):
        gaps = (0, 0, *(step - 1 for step in window.lhs_dilation))
        image = spread(image, [shape(op.lhs)[i] for i in layout], gaps, write.scalar(0.0, op.lhs, "zero"), write)
    kernel = write.floats(op.rhs, kernel_layout(numbers), "weight")
    pads = [side for i in (0, 1) for side in (pair[i] for pair in window.padding)]
    if min(pads) < 0:
        image = write.node("Pad", [image, write.integers(_around(pads), "crop")], name=f"{write.label}_Pad")
        pads = [0] * len(pads)
    bias = bias_behind(op.result, numbers.output_feature, write)
    made = write.node(
        "Conv",
        [image, kernel, *_operand_of(bias, write)],
        kernel_shape=[shape(op.rhs)[i] for i in numbers.kernel_spatial],
        strides=window.strides,
        pads=pads,
        dilations=window.rhs_dilation,
        group=op.groups,
    )
    return with_bias(ComputedTensor(made, output_layout(op.numbers)), bias, write)


def _operand_of(bias: Bias | None, write: Writer) -> list[str]:
    """Return the bias as a node's last operand, or nothing."""
    return [] if bias is None else [write.constant(bias.values, (0,), "bias")]


def _around(pads: list[int]) -> list[int]:
    """Return the pads of all dimensions from the pads of the spatial dimensions."""
    half = len(pads) // 2
    return [0, 0, *pads[:half], 0, 0, *pads[half:]]


def _reach(op: stablehlo.ConvolutionOp) -> list[tuple[int, int]]:
    """Return how far the kernel reaches beyond the padding on each side of each spatial dimension."""
    extents = [shape(op.rhs)[i] for i in op.numbers.kernel_spatial]
    reach = [(extent - 1) * step for extent, step in zip(extents, op.window.rhs_dilation, strict=True)]
    return [(size - low, size - high) for size, (low, high) in zip(reach, op.window.padding, strict=True)]


def _transposes(op: stablehlo.ConvolutionOp) -> bool:
    """Return True if ConvTranspose expresses a convolution of a dilated operand.

    The strides are 1 and the padding is not larger than ConvTranspose's.
    """
    sides = zip(_reach(op), op.window.lhs_dilation, strict=True)
    return max(op.window.strides) == 1 and all(low >= 0 and -high < step for (low, high), step in sides)


def _transposed(op: stablehlo.ConvolutionOp, write: Writer) -> Tensor:
    """Write ConvTranspose.

    Its kernel is the convolution's kernel reversed, a constant ``[i, o / groups, ..]`` for each group. Its pads are the
    kernel's reach minus the convolution's padding.
    """
    numbers, window, reach = op.numbers, op.window, _reach(op)
    image = write.floats(op.lhs, image_layout(numbers), "input")
    bias = bias_behind(op.result, numbers.output_feature, write)
    made = write.node(
        "ConvTranspose",
        [image, _transposed_kernel(op, write), *_operand_of(bias, write)],
        kernel_shape=[shape(op.rhs)[i] for i in numbers.kernel_spatial],
        strides=window.lhs_dilation,
        pads=[*(low for low, _ in reach), *(max(0, high) for _, high in reach)],
        output_padding=[max(0, -high) for _, high in reach],
        dilations=window.rhs_dilation,
        group=op.groups,
    )
    return with_bias(ComputedTensor(made, output_layout(op.numbers)), bias, write)


def _reversed_kernel(op: stablehlo.ConvolutionOp, write: Writer) -> str:
    """Write the kernel of a ConvTranspose as a Slice that reverses a computed kernel."""
    numbers = op.numbers
    if op.groups > 1:
        raise ConversionError("a grouped ConvTranspose needs constant weights", hint="Fold the weights")
    layout = (numbers.kernel_input_feature, numbers.kernel_output_feature, *numbers.kernel_spatial)
    axes = list(range(2, len(layout)))
    lists = ([-1 for _ in axes], [FIRST for _ in axes], axes, [-1 for _ in axes])
    return sliced(write.floats(op.rhs, layout, "weight"), lists, write)


def _transposed_kernel(op: stablehlo.ConvolutionOp, write: Writer) -> str:
    """Return ``[i, o / groups, spatial reversed]`` from the convolution's kernel, which groups its outputs."""
    numbers, groups, known = op.numbers, op.groups, write.known(op.rhs)
    if known is None:
        return _reversed_kernel(op, write)
    if known.axis is not None and groups > 1:
        raise ConversionError("a grouped ConvTranspose does not support a scale for each output")
    turned = replace(known, held=flipped(known.held, numbers.kernel_spatial))
    layout = (numbers.kernel_input_feature, numbers.kernel_output_feature, *numbers.kernel_spatial)
    if groups == 1:
        return write.constant(turned, layout, "weight")
    held = transposed(turned.held, layout)
    inputs, outputs, *spatial = held.shape
    parts = reshaped(held, (inputs, groups, outputs // groups, *spatial))
    by_group = transposed(parts, (1, 0, *range(2, parts.ndim)))
    merged = reshaped(by_group, (inputs * groups, outputs // groups, *spatial))
    return write.constant(replace(known, held=merged), tuple(range(merged.ndim)), "weight")


@emits(stablehlo.DotGeneralOp)
def dot_general(op: stablehlo.DotGeneralOp, write: Writer) -> Tensor:
    """Write Gemm for matrices with a bias, else MatMul, with reshapes if several dimensions are contracted."""
    numbers, ranks = op.numbers, (len(shape(op.lhs)), len(shape(op.rhs)))
    if are_bytes(op.lhs, op.rhs) and stays_integer(op.result, len(shape(op.result)) - 1, write):
        return integer_product(op, write)
    if quantized(op.result) is None and not _multiplies(element_type(op.result)):
        raise ConversionError(f"MatMul does not support {element_type(op.result)}", hint="Use floats or i32")
    batch = numbers.lhs_batching_dimensions
    free = numbers.lhs_free(ranks[0]), numbers.rhs_free(ranks[1])
    left: Layout = (*batch, *free[0], *numbers.lhs_contracting_dimensions)
    right: Layout = (*numbers.rhs_batching_dimensions, *numbers.rhs_contracting_dimensions, *free[1])
    own = tuple(range(len(shape(op.result))))
    _order_rows(op, write)
    is_matrix = len(numbers.lhs_contracting_dimensions) == len(free[1]) == 1
    if is_matrix and (len(free[0]) == 1 or (free[0] and not batch)):
        bias = bias_behind(op.result, len(own) - 1, write)
        rows = None if bias is None or len(own) == 2 else _stored_rows(op, left, write)
        if bias is not None and rows is not None:
            return with_bias(ComputedTensor(_gemm_of_rows(op, rows, right, bias, write), own), bias, write)
        lhs = write.floats(op.lhs, left, "input")
        has_gemm = is_float(expressed(element_type(op.result)))
        if bias is not None and has_gemm and len(own) == 2:
            return with_bias(ComputedTensor(_gemm(op, lhs, right, bias, write), own), bias, write)
        if bias is not None and has_gemm and write.products_as_gemm:
            rows = write.node("Reshape", [lhs, write.integers((-1, _depth(op)), "rows")], name=f"{write.label}_Rows")
            return with_bias(ComputedTensor(_gemm_of_rows(op, rows, right, bias, write), own), bias, write)
        made = _product(op, [lhs, write.floats(op.rhs, right, "weight")], write)
        if bias is not None:
            made = write.node("Add", [made, write.constant(bias.values, (0,), "bias")], name=f"{write.label}_Add")
        return with_bias(ComputedTensor(made, own), bias, write)
    return ComputedTensor(_reshaped_product(op, left, right, write), own)


def _order_rows(op: stablehlo.DotGeneralOp, write: Writer) -> None:
    """Reorder the rows of constant weights to match the order of the flattened left operand in the graph."""
    known = write.known(op.rhs)
    if op in write.rows and known is not None:
        (axis,) = op.numbers.rhs_contracting_dimensions
        rows = taken(broadcast(known.held, shape(op.rhs)), write.rows[op], axis)
        write.place(op.rhs, replace(known, held=rows))


def _product(op: stablehlo.DotGeneralOp, names: list[str], write: Writer) -> str:
    """Write MatMul in the result's type, or MatMulInteger of signed bytes into 32 bits."""
    own, element = [element_type(value) for value in (op.lhs, op.rhs)], element_type(op.result)
    if own == [i8, i8] and element == i32:
        return write.node("MatMulInteger", names)
    if not quantized(op.result) and isinstance(element, IntegerType):
        pairs = zip(names, own, strict=True)
        names = [name if each == element else write.node("Cast", [name], to=onnx_type(element)) for name, each in pairs]
    return write.node("MatMul", names)


def _multiplies(element: Attribute) -> bool:
    """Return True if MatMul takes an element type; products of narrow integers wrap around in 32 bits."""
    return is_float(element) or (isinstance(element, IntegerType) and element.width.data > 1)


def _gemm(op: stablehlo.DotGeneralOp, lhs: str, right: Layout, bias: Bias, write: Writer) -> str:
    """Write Gemm. Constant weights have their outputs first, as exporters write them."""
    is_constant = write.known(op.rhs) is not None
    rhs = write.floats(op.rhs, right[::-1] if is_constant else right, "weight")
    values = write.constant(bias.values, (0,), "bias")
    attributes: dict[str, Any] = {"transB": 1} if is_constant else {}
    return write.node("Gemm", [lhs, rhs, values], **attributes)


def _gemm_of_rows(op: stablehlo.DotGeneralOp, rows: str, right: Layout, bias: Bias, write: Writer) -> str:
    """Write Gemm on the rows of all matrices, and a reshape behind it."""
    made = _gemm(op, rows, right, bias, write)
    return write.node("Reshape", [made, write.integers(shape(op.result), "shape")], name=f"{write.label}_Reshape")


def _depth(op: stablehlo.DotGeneralOp) -> int:
    return prod(shape(op.rhs)[i] for i in op.numbers.rhs_contracting_dimensions)


def _stored_rows(op: stablehlo.DotGeneralOp, left: Layout, write: Writer) -> str | None:
    """Return the rows of the left operand, whose integers are reshaped and then dequantized, or None if they need not.

    onnxruntime's optimiser makes Gemm between two reshapes of MatMul and Add; the first must not follow
    DequantizeLinear.
    """
    found = write.stored_to_move(op.lhs)
    if found is None:
        return None
    tensor, element = found
    name = write.transposed(tensor.name, tensor.layout, left)
    rows = write.node("Reshape", [name, write.integers((-1, _depth(op)), "rows")], name=f"{write.label}_Rows")
    return write.dequantized(rows, element, (prod(shape(op.lhs)) // max(1, _depth(op)), _depth(op)), (0, 1))


def _reshaped_product(op: stablehlo.DotGeneralOp, left: Layout, right: Layout, write: Writer) -> str:
    """Write MatMul of batches of matrices; dimensions of one kind are merged by reshapes."""
    numbers = op.numbers
    sizes, batches = (shape(op.lhs), shape(op.rhs)), len(numbers.lhs_batching_dimensions)
    inner = prod(sizes[0][i] for i in numbers.lhs_contracting_dimensions)
    batch = [sizes[0][i] for i in numbers.lhs_batching_dimensions]
    rows = prod(sizes[0][i] for i in left[batches:]) // max(1, inner)
    columns = prod(sizes[1][i] for i in right[batches:]) // max(1, inner)
    names = []
    for value, layout, target in ((op.lhs, left, (rows, inner)), (op.rhs, right, (inner, columns))):
        name = write.floats(value, layout, "operand")
        names.append(write.node("Reshape", [name, write.integers((*batch, *target), "shape")], name=f"{name}_Reshape"))
    made = _product(op, names, write)
    return write.node("Reshape", [made, write.integers(shape(op.result), "shape")], name=f"{made}_Reshape")
