"""How each op passes or absorbs a transpose of its operand: one rule for each kind of op.

Where ``y = transpose(x, p)`` is an operand, a rule says what to compute from ``x`` and which permutation of the result
gives what the op gave.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute, Block, Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite.normalization import LogSoftmaxOp, SoftmaxOp
from qconvert.dialects.composite.resize import ResizeOp
from qconvert.dialects.stablehlo.base import as_tuple, integer, integers, permuted_axis
from qconvert.dialects.stablehlo.movement import TransposeOp, permutation_of
from qconvert.dialects.stablehlo.window import padding_attribute, padding_pairs
from qconvert.dialects.traits import Elementwise
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import Tensor, element_type, quantized, shape, tensor
from qconvert.rewriting.constants import constant_of
from qconvert.rewriting.permutations import Permutation, inverse, unpermuted, unpermuted_type
from qconvert.rewriting.rebuild import remade
from qconvert.support.registry import Registry

Maker: TypeAlias = Callable[[OpBuilder], SSAValue]


@dataclass(frozen=True)
class Sunk:
    """What takes the place of an op: a value to make, and the permutation of it that is the op's result."""

    permutation: Permutation
    make: Maker


Rule: TypeAlias = Callable[[Any, TransposeOp], Sunk | str]

RULES: Registry[type[Operation], Rule] = Registry("sink-transposes", __name__, ("op", "transpose"))
_EDGES = (stablehlo.UniformQuantizeOp, stablehlo.UniformDequantizeOp)


def sink_below(op: Operation, transpose: TransposeOp) -> Sunk | str:
    """What becomes of ``op`` if the transpose of its operand is not made; or why it must be. Changes nothing."""
    rule = RULES.get(type(op))
    if rule is not None:
        return rule(op, transpose)
    if op.has_trait(Elementwise):
        return _elementwise(op, transpose)
    return f"{op.name} needs this layout"


def _elementwise(op: Operation, transpose: TransposeOp, properties: dict[str, Attribute] | None = None) -> Sunk | str:
    """Any op whose dimensions keep their meaning: the same op in the other layout, ``properties`` laid out already."""
    permutation = permutation_of(transpose)
    operands = [_laid_out(value, transpose) for value in op.operands]
    makers = [maker for maker in operands if maker is not None]
    if len(makers) < len(operands):
        return "another operand has another layout"
    if len(op.results) != 1:
        return "it has several results"
    type = unpermuted_type(tensor(op.results[0]), permutation)
    if _loses_last_axis(tensor(op.results[0]), type):
        return "its scales would leave the last dimension"
    return Sunk(permutation, lambda build: build.add(remade(op, [make(build) for make in makers], [type], properties)))


def _loses_last_axis(before: Tensor, after: Tensor) -> bool:
    """Whether a quantization dimension moves away from the end, where alone it can be evaluated."""
    elements = (before.element_type, after.element_type)
    axes = [e.quantization_dimension for e in elements if isinstance(e, UniformQuantizedType)]
    last = before.get_num_dims() - 1
    return len(axes) == 2 and axes[0] == last and axes[1] != last


def _laid_out(value: SSAValue, transpose: TransposeOp) -> Maker | None:
    """``value`` before a transpose like the one given, if that costs nothing; scalars as they are."""
    permutation, owner = permutation_of(transpose), value.owner
    if not shape(value):
        return lambda _: value
    if isinstance(owner, TransposeOp) and permutation_of(owner) == permutation:
        return lambda _: owner.operand
    constant = constant_of(value)
    if constant is not None:
        return lambda build: _transposed_constant(build, constant, inverse(permutation))
    if isinstance(owner, stablehlo.BroadcastInDimOp):
        dimensions = [permutation[i] for i in as_tuple(owner.broadcast_dimensions)]
        extents = unpermuted(shape(value), permutation)
        return lambda build: build.add(stablehlo.BroadcastInDimOp(owner.operand, extents, dimensions))
    if _is_edge(value) and not _is_edge(transpose.operand):
        return lambda build: build.transpose(value, inverse(permutation))
    return None


def _is_edge(value: SSAValue) -> bool:
    """Whether a value is a function's argument, quantized or dequantized at most."""
    owner = value.owner
    return isinstance(owner, Block) or (isinstance(owner, _EDGES) and isinstance(owner.operands[0].owner, Block))


def _transposed_constant(build: OpBuilder, constant: stablehlo.ConstantOp, permutation: Permutation) -> SSAValue:
    element = permuted_axis(element_type(constant.output), permutation)
    return build.add(stablehlo.ConstantOp.of(constant.array.transpose(permutation), element))


def _lists(op: Operation, names: Sequence[str], permutation: Permutation) -> dict[str, Attribute]:
    """Properties with one integer for each dimension, in the other order; absent ones stay absent."""
    found = {name: op.properties.get(name) for name in names}
    return {
        name: integers(unpermuted(as_tuple(value), permutation))
        for name, value in found.items()
        if isinstance(value, DenseArrayBase)
    }


@RULES.register(LogSoftmaxOp, SoftmaxOp)
def softmax(op: LogSoftmaxOp | SoftmaxOp, transpose: TransposeOp) -> Sunk | str:
    axis = permutation_of(transpose)[op.axis.value.data]
    return _elementwise(op, transpose, {"axis": integer(axis)})


@RULES.register(ResizeOp)
def resize(op: ResizeOp, transpose: TransposeOp) -> Sunk | str:
    permutation = permutation_of(transpose)
    return _elementwise(op, transpose, {"axes": integers([permutation[axis] for axis in as_tuple(op.axes)])})


@RULES.register(stablehlo.ConcatenateOp)
def concatenate(op: stablehlo.ConcatenateOp, transpose: TransposeOp) -> Sunk | str:
    dimension = permutation_of(transpose)[op.dimension.value.data]
    return _elementwise(op, transpose, {"dimension": integer(dimension)})


@RULES.register(stablehlo.PadOp)
def pad(op: stablehlo.PadOp, transpose: TransposeOp) -> Sunk | str:
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    return _elementwise(op, transpose, _lists(op, names, permutation_of(transpose)))


@RULES.register(stablehlo.SliceOp)
def slice_(op: stablehlo.SliceOp, transpose: TransposeOp) -> Sunk | str:
    names = ("start_indices", "limit_indices", "strides")
    return _elementwise(op, transpose, _lists(op, names, permutation_of(transpose)))


@RULES.register(stablehlo.ReverseOp)
def reverse(op: stablehlo.ReverseOp, transpose: TransposeOp) -> Sunk | str:
    permutation = permutation_of(transpose)
    dimensions = sorted(permutation[i] for i in as_tuple(op.dimensions))
    return _elementwise(op, transpose, {"dimensions": integers(dimensions)})


@RULES.register(stablehlo.ReduceWindowOp)
def reduce_window(op: stablehlo.ReduceWindowOp, transpose: TransposeOp) -> Sunk | str:
    permutation = permutation_of(transpose)
    names = ("window_dimensions", "window_strides", "base_dilations", "window_dilations")
    properties = _lists(op, names, permutation)
    if op.padding is not None:
        pairs = padding_pairs(op.padding, len(permutation))
        properties["padding"] = padding_attribute(unpermuted(pairs, permutation))
    return _elementwise(op, transpose, properties)


@RULES.register(stablehlo.ReduceOp)
def reduce(op: stablehlo.ReduceOp, transpose: TransposeOp) -> Sunk | str:
    """The dimensions that are left keep their order relative to the operand's."""
    if len(op.inputs) != 1:
        return "it reduces several operands at once"
    permutation = permutation_of(transpose)
    dimensions = sorted(permutation[i] for i in op.reduced)
    kept = [permutation[i] for i in range(len(permutation)) if i not in op.reduced]
    order = tuple(sorted(kept).index(i) for i in kept)
    type = unpermuted_type(tensor(op.results[0]), order)
    operands = [transpose.operand, op.init_values[0]]
    return Sunk(order, lambda build: build.add(remade(op, operands, [type], {"dimensions": integers(dimensions)})))


@RULES.register(stablehlo.BroadcastInDimOp)
def broadcast_in_dim(op: stablehlo.BroadcastInDimOp, transpose: TransposeOp) -> Sunk | str:
    """Where no dimension is added the same broadcast; else the dimensions go where they went."""
    permutation, target = permutation_of(transpose), shape(op.result)
    dimensions = as_tuple(op.broadcast_dimensions)
    if dimensions == tuple(range(len(target))):
        extents = unpermuted(target, permutation)
        return Sunk(
            permutation, lambda build: build.add(stablehlo.BroadcastInDimOp(transpose.operand, extents, dimensions))
        )
    moved = unpermuted(dimensions, permutation)
    identity = tuple(range(len(target)))
    return Sunk(identity, lambda build: build.add(stablehlo.BroadcastInDimOp(transpose.operand, target, moved)))


@RULES.register(stablehlo.GatherOp)
def gather(op: stablehlo.GatherOp, transpose: TransposeOp) -> Sunk | str:
    """Whole slices taken along one dimension by a list of indices: the same along the dimension's new place."""
    numbers, rank = op.dimension_numbers.data, len(shape(op.operand))
    if transpose.result is not op.operand or len(numbers.collapsed_slice_dims) != 1:
        return "it gathers along several dimensions"
    (axis,) = numbers.collapsed_slice_dims
    others = tuple(i for i in range(rank) if i != axis)
    sizes = as_tuple(op.slice_sizes)
    takes = (numbers.start_index_map, numbers.offset_dims, len(shape(op.result))) == ((axis,), others, rank)
    if not takes or any(sizes[i] != shape(op.operand)[i] for i in others):
        return "it gathers parts of slices"
    permutation = permutation_of(transpose)
    axis = permutation[axis]
    offsets = tuple(i for i in range(rank) if i != axis)
    moved = replace(numbers, offset_dims=offsets, collapsed_slice_dims=(axis,), start_index_map=(axis,))
    made = unpermuted(sizes, permutation)
    return Sunk(
        permutation,
        lambda build: build.add(stablehlo.GatherOp(transpose.operand, op.start_indices, moved, made)),
    )


@RULES.register(stablehlo.ConvolutionOp)
def convolution(op: stablehlo.ConvolutionOp, transpose: TransposeOp) -> Sunk | str:
    """Layout is data: the dimension numbers of the operand say what was where before the transpose."""
    permutation, numbers = permutation_of(transpose), op.numbers
    lhs, rhs = op.lhs, op.rhs
    if lhs is transpose.result:
        lhs = transpose.operand
        numbers = replace(
            numbers,
            input_batch=permutation[numbers.input_batch],
            input_feature=permutation[numbers.input_feature],
            input_spatial=tuple(permutation[i] for i in numbers.input_spatial),
        )
        if _is_depthwise(op) and numbers.input_feature == len(permutation) - 1:
            return "IREE 3.13 computes a quantized depthwise convolution wrong where the channels are last"
    if rhs is transpose.result:
        rhs = transpose.operand
        if _loses_last_axis(tensor(op.rhs), tensor(rhs)):
            return "the scales of the weights would leave the last dimension"
        numbers = replace(
            numbers,
            kernel_input_feature=permutation[numbers.kernel_input_feature],
            kernel_output_feature=permutation[numbers.kernel_output_feature],
            kernel_spatial=tuple(permutation[i] for i in numbers.kernel_spatial),
        )
    properties = {"dimension_numbers": stablehlo.ConvDimensionNumbersAttr(numbers)}
    identity = tuple(range(len(permutation)))
    return Sunk(identity, lambda build: build.add(remade(op, [lhs, rhs], None, properties)))


def _is_depthwise(op: stablehlo.ConvolutionOp) -> bool:
    groups: int = op.feature_group_count.value.data
    return quantized(op.lhs) is not None and groups > 1 and shape(op.rhs)[op.numbers.kernel_input_feature] == 1


@RULES.register(stablehlo.DotGeneralOp)
def dot_general(op: stablehlo.DotGeneralOp, transpose: TransposeOp) -> Sunk | str:
    """Batch and contracted dimensions may stand anywhere; free ones must keep their order."""
    permutation, numbers = permutation_of(transpose), op.numbers
    rank, operands = len(permutation), list(op.operands)
    for index, (side, free) in enumerate((("lhs", numbers.lhs_free), ("rhs", numbers.rhs_free))):
        if op.operands[index] is not transpose.result:
            continue
        kept = [permutation[i] for i in free(rank)]
        if kept != sorted(kept):
            return "its free dimensions would change their order"
        if _loses_last_axis(tensor(transpose.result), tensor(transpose.operand)):
            return "the scales of the weights would leave the last dimension"
        names = (f"{side}_batching_dimensions", f"{side}_contracting_dimensions")
        numbers = replace(numbers, **{name: tuple(permutation[i] for i in getattr(numbers, name)) for name in names})
        operands[index] = transpose.operand
    properties = {"dot_dimension_numbers": stablehlo.DotDimensionNumbersAttr(numbers)}
    identity = tuple(range(len(shape(op.result))))
    return Sunk(identity, lambda build: build.add(remade(op, operands, None, properties)))
