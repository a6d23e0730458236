"""Rules that move a transpose below an op or absorb it, one rule for each kind of op.

The operand of the op is ``y = transpose(x, p)``. A rule returns the value to compute from ``x``, and the permutation of
that value that is the op's result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute, Block, Operation, SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo import (
    TransposeOp,
    as_tuple,
    integer,
    integers,
    padding_attribute,
    padding_pairs,
    permutation_of,
)
from qconvert.dialects.traits import Elementwise, Layer, absence
from qconvert.ir import Tensor, UniformQuantizedType, is_litert, quantized, shape, tensor
from qconvert.rewriting import (
    Permutation,
    constant_of,
    inverse,
    only_user,
    rebuilt,
    reshape_groups,
    transposed_constant,
    unpermuted,
    unpermuted_type,
)
from qconvert.support.registry import Registry

Maker: TypeAlias = Callable[[OpBuilder], SSAValue]


class Replacement(NamedTuple):
    """The replacement of an op: a value to make, and the permutation of the value that is the op's result."""

    permutation: Permutation
    make: Maker


Rule: TypeAlias = Callable[[Any, TransposeOp], Replacement | str]

RULES: Registry[type[Operation], Rule] = Registry("sink-transposes", __name__, ("op", "transpose"))
_MOST_DIMENSIONS = 6

_EDGES = (stablehlo.UniformQuantizeOp, stablehlo.UniformDequantizeOp)


def sink_below(op: Operation, transpose: TransposeOp) -> Replacement | str:
    """Return the replacement of ``op`` if it takes the transpose's operand, or the reason why it cannot."""
    rule = RULES.get(type(op))
    if rule is not None:
        return rule(op, transpose)
    if op.has_trait(Elementwise):
        return _elementwise(op, transpose)
    return absence(op, Layer.SINK) or f"{op.name} needs this layout"


def _elementwise(
    op: Operation, transpose: TransposeOp, properties: dict[str, Attribute] | None = None
) -> Replacement | str:
    """Return the same op in the other layout; ``properties`` have that layout already."""
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
    return Replacement(
        permutation, lambda build: build.add(rebuilt(op, [make(build) for make in makers], [type], properties))
    )


def _loses_last_axis(before: Tensor, after: Tensor) -> bool:
    """Return whether a quantization dimension would leave the last place, where alone it can be evaluated."""
    elements = (before.element_type, after.element_type)
    axes = [e.quantization_dimension for e in elements if isinstance(e, UniformQuantizedType)]
    last = before.get_num_dims() - 1
    return len(axes) == 2 and axes[0] == last and axes[1] != last


def _laid_out(value: SSAValue, transpose: TransposeOp) -> Maker | None:
    """Return how to make ``value`` in the layout before the transpose, if that costs nothing.

    Scalars stay as they are.
    """
    permutation, owner = permutation_of(transpose), value.owner
    if not shape(value):
        return lambda _: value
    if isinstance(owner, TransposeOp) and permutation_of(owner) == permutation:
        return lambda _: owner.operand
    constant = constant_of(value)
    if constant is not None:
        return lambda build: build.add(transposed_constant(constant, inverse(permutation)))
    if isinstance(owner, stablehlo.BroadcastInDimOp):
        dimensions = [permutation[i] for i in as_tuple(owner.broadcast_dimensions)]
        extents = unpermuted(shape(value), permutation)
        return lambda build: build.add(stablehlo.BroadcastInDimOp(owner.operand, extents, dimensions))
    if _is_edge(value) and not _is_edge(transpose.operand):
        return lambda build: build.transpose(value, inverse(permutation))
    return None


def _is_edge(value: SSAValue) -> bool:
    """Return whether a value is a function's argument, quantized or dequantized at most."""
    owner = value.owner
    return isinstance(owner, Block) or (isinstance(owner, _EDGES) and isinstance(owner.operands[0].owner, Block))


def _lists(op: Operation, names: Sequence[str], permutation: Permutation) -> dict[str, Attribute]:
    """Return the given properties, which have one integer for each dimension, in the other order of dimensions."""
    found = {name: op.properties.get(name) for name in names}
    return {
        name: integers(unpermuted(as_tuple(value), permutation))
        for name, value in found.items()
        if isinstance(value, DenseArrayBase)
    }


@RULES.register(composite.LogSoftmaxOp, composite.SoftmaxOp)
def softmax(op: composite.LogSoftmaxOp | composite.SoftmaxOp, transpose: TransposeOp) -> Replacement | str:
    axis = permutation_of(transpose)[op.axis.value.data]
    return _elementwise(op, transpose, {"axis": integer(axis)})


@RULES.register(composite.ResizeOp)
def resize(op: composite.ResizeOp, transpose: TransposeOp) -> Replacement | str:
    """Keep LiteRT's order of rows and columns: its kernels in floats add the neighbours in this order."""
    permutation = permutation_of(transpose)
    axes = [permutation[axis] for axis in as_tuple(op.axes)]
    if is_litert(op) and axes != sorted(axes):
        return "its rows and columns would change places, whose order LiteRT's rounding follows"
    return _elementwise(op, transpose, {"axes": integers(axes)})


@RULES.register(stablehlo.ConcatenateOp)
def concatenate(op: stablehlo.ConcatenateOp, transpose: TransposeOp) -> Replacement | str:
    dimension = permutation_of(transpose)[op.dimension.value.data]
    return _elementwise(op, transpose, {"dimension": integer(dimension)})


@RULES.register(stablehlo.PadOp)
def pad(op: stablehlo.PadOp, transpose: TransposeOp) -> Replacement | str:
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    return _elementwise(op, transpose, _lists(op, names, permutation_of(transpose)))


@RULES.register(stablehlo.SliceOp)
def slice_(op: stablehlo.SliceOp, transpose: TransposeOp) -> Replacement | str:
    names = ("start_indices", "limit_indices", "strides")
    return _elementwise(op, transpose, _lists(op, names, permutation_of(transpose)))


@RULES.register(stablehlo.ReverseOp)
def reverse(op: stablehlo.ReverseOp, transpose: TransposeOp) -> Replacement | str:
    permutation = permutation_of(transpose)
    dimensions = sorted(permutation[i] for i in as_tuple(op.dimensions))
    return _elementwise(op, transpose, {"dimensions": integers(dimensions)})


@RULES.register(stablehlo.ReduceWindowOp)
def reduce_window(op: stablehlo.ReduceWindowOp, transpose: TransposeOp) -> Replacement | str:
    permutation = permutation_of(transpose)
    names = ("window_dimensions", "window_strides", "base_dilations", "window_dilations")
    properties = _lists(op, names, permutation)
    if op.padding is not None:
        pairs = padding_pairs(op.padding, len(permutation))
        properties["padding"] = padding_attribute(unpermuted(pairs, permutation))
    return _elementwise(op, transpose, properties)


@RULES.register(stablehlo.ReduceOp)
def reduce(op: stablehlo.ReduceOp, transpose: TransposeOp) -> Replacement | str:
    """Keep the order of the remaining dimensions relative to the operand's order."""
    if len(op.inputs) != 1:
        return "it reduces several operands at once"
    permutation = permutation_of(transpose)
    dimensions = sorted(permutation[i] for i in op.reduced)
    kept = [permutation[i] for i in range(len(permutation)) if i not in op.reduced]
    order = tuple(sorted(kept).index(i) for i in kept)
    type = unpermuted_type(tensor(op.results[0]), order)
    operands = [transpose.operand, op.init_values[0]]
    return Replacement(
        order, lambda build: build.add(rebuilt(op, operands, [type], {"dimensions": integers(dimensions)}))
    )


@RULES.register(stablehlo.BroadcastInDimOp)
def broadcast_in_dim(op: stablehlo.BroadcastInDimOp, transpose: TransposeOp) -> Replacement | str:
    """Broadcast with rising dimensions; new dimensions stay beside the dimension that they repeat.

    Tile has a new dimension for each that it repeats. Above six of them the transpose stays in front, as TOSA's level
    has no more for what is transposed.
    """
    target = shape(op.result)
    if len(target) > _MOST_DIMENSIONS:
        return f"its result has {len(target)} dimensions"
    moved = unpermuted(as_tuple(op.broadcast_dimensions), permutation_of(transpose))
    places = _repeated_places(op, moved)
    order = sorted(range(len(target)), key=lambda axis: (places[axis], axis))
    extents, dimensions = [target[axis] for axis in order], [order.index(axis) for axis in moved]
    return Replacement(
        inverse(order), lambda build: build.add(stablehlo.BroadcastInDimOp(transpose.operand, extents, dimensions))
    )


def _repeated_places(op: stablehlo.BroadcastInDimOp, moved: Sequence[int]) -> list[int]:
    """Return, for each dimension of the result, the place in ``moved`` of the dimension that it is or repeats.

    A dimension that a reshape joins with new dimensions, as those of Resize and Tile, is repeated by them. Others
    belong to the dimension in front of them.
    """
    target, user = shape(op.result), only_user(op.result)
    joins = isinstance(user, stablehlo.ReshapeOp) and 0 not in target
    groups = reshape_groups(target, shape(user.results[0])) if user and joins else []
    joined = {axis: group.before for group in groups for axis in group.before}
    places, place = [], -1
    for axis in range(len(target)):
        group = [i for i in joined.get(axis, ()) if i in moved]
        long = [i for i in group if target[i] > 1] or group
        repeated = axis if axis in moved else max((i for i in long if i < axis), default=min(long, default=None))
        place = place if repeated is None else moved.index(repeated)
        places.append(place)
    return places


@RULES.register(stablehlo.GatherOp)
def gather(op: stablehlo.GatherOp, transpose: TransposeOp) -> Replacement | str:
    """Gather whole slices along the dimension's new place, if the op takes whole slices along one dimension."""
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
    moved = numbers._replace(offset_dims=offsets, collapsed_slice_dims=(axis,), start_index_map=(axis,))
    made = unpermuted(sizes, permutation)
    return Replacement(
        permutation,
        lambda build: build.add(stablehlo.GatherOp(transpose.operand, op.start_indices, moved, made)),
    )


@RULES.register(stablehlo.ConvolutionOp)
def convolution(op: stablehlo.ConvolutionOp, transpose: TransposeOp) -> Replacement | str:
    """Change the dimension numbers of the operand, as these state the layout."""
    permutation, numbers = permutation_of(transpose), op.numbers
    lhs, rhs = op.lhs, op.rhs
    if lhs is transpose.result:
        lhs = transpose.operand
        numbers = numbers._replace(
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
        numbers = numbers._replace(
            kernel_input_feature=permutation[numbers.kernel_input_feature],
            kernel_output_feature=permutation[numbers.kernel_output_feature],
            kernel_spatial=tuple(permutation[i] for i in numbers.kernel_spatial),
        )
    properties = {"dimension_numbers": stablehlo.ConvDimensionNumbersAttr(numbers)}
    identity = tuple(range(len(permutation)))
    return Replacement(identity, lambda build: build.add(rebuilt(op, [lhs, rhs], None, properties)))


def _is_depthwise(op: stablehlo.ConvolutionOp) -> bool:
    return quantized(op.lhs) is not None and op.groups > 1 and shape(op.rhs)[op.numbers.kernel_input_feature] == 1


@RULES.register(stablehlo.DotGeneralOp)
def dot_general(op: stablehlo.DotGeneralOp, transpose: TransposeOp) -> Replacement | str:
    """Change the batch and contracting dimensions; the free dimensions must keep their order."""
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
        numbers = numbers._replace(**{name: tuple(permutation[i] for i in getattr(numbers, name)) for name in names})
        operands[index] = transpose.operand
    properties = {"dot_dimension_numbers": stablehlo.DotDimensionNumbersAttr(numbers)}
    identity = tuple(range(len(shape(op.result))))
    return Replacement(identity, lambda build: build.add(rebuilt(op, operands, None, properties)))
