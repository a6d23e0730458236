"""Ops that move elements without computing, and constants."""

from __future__ import annotations

from xdsl.ir import Block, Region, SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.stablehlo.dimension_numbers import GatherDimensionNumbers
from qconvert.dialects.stablehlo.scatter import ScatterDimensionNumbers
from qconvert.dialects.tiling import tiled
from qconvert.dialects.tosa.shapes import sizes_of
from qconvert.ir import element_type, shape, tensor_type
from qconvert.passes.rescaling.tosa_legalize_to_stablehlo.translation import Translation, held, translates


@translates(tosa.ConstOp)
def const(op: tosa.ConstOp, build: Translation) -> SSAValue:
    """Return the constant; i48 becomes i64."""
    return build.constant(op.array, held(element_type(op.output)))


@translates(tosa.ReshapeOp)
def reshape(op: tosa.ReshapeOp, build: Translation) -> SSAValue:
    """Reshape."""
    return build.add(stablehlo.ReshapeOp(build[op.input1], shape(op.output)))


@translates(tosa.TransposeOp)
def transpose(op: tosa.TransposeOp, build: Translation) -> SSAValue:
    """Transpose."""
    return build.transpose(build[op.input1], op.permutation)


@translates(tosa.PadOp)
def pad(op: tosa.PadOp, build: Translation) -> SSAValue:
    """Pad with the value of ``pad_const``."""
    pads = sizes_of(op.padding)
    fill = build.add(stablehlo.ReshapeOp(build[op.pad_const], ()))
    return build.add(stablehlo.PadOp(build[op.input1], fill, pads[::2], pads[1::2]))


@translates(tosa.ConcatOp)
def concat(op: tosa.ConcatOp, build: Translation) -> SSAValue:
    """Concatenate."""
    return build.add(stablehlo.ConcatenateOp([build[value] for value in op.input1], op.axis.value.data))


@translates(tosa.SliceOp)
def slice_of(op: tosa.SliceOp, build: Translation) -> SSAValue:
    """Slice with limits in place of sizes."""
    starts = sizes_of(op.start)
    limits = [start + size for start, size in zip(starts, sizes_of(op.size), strict=True)]
    return build.add(stablehlo.SliceOp(build[op.input1], starts, limits))


@translates(tosa.TileOp)
def tile(op: tosa.TileOp, build: Translation) -> SSAValue:
    """Broadcast along new dimensions, and reshape."""
    return tiled(build[op.input1], sizes_of(op.multiples), build.add)


@translates(tosa.GatherOp)
def gather(op: tosa.GatherOp, build: Translation) -> SSAValue:
    """Gather rows of each batch; several batches are matched by batching dimensions."""
    batch, _, features = shape(op.values)
    batching = (0,) if batch > 1 else ()
    numbers = GatherDimensionNumbers(
        offset_dims=(2,),
        collapsed_slice_dims=(1,) if batching else (0, 1),
        operand_batching_dims=batching,
        start_indices_batching_dims=batching,
        start_index_map=(1,),
        index_vector_dim=2,
    )
    return build.add(stablehlo.GatherOp(build[op.values], build[op.indices], numbers, (1, 1, features)))


@translates(tosa.ScatterOp)
def scatter(op: tosa.ScatterOp, build: Translation) -> SSAValue:
    """Scatter rows into each batch; an update replaces an element."""
    numbers = ScatterDimensionNumbers(
        update_window_dims=(2,),
        inserted_window_dims=(1,),
        input_batching_dims=(0,),
        scatter_indices_batching_dims=(0,),
        scatter_dims_to_operand_dims=(1,),
        index_vector_dim=2,
    )
    scalar = tensor_type(held(element_type(op.input)), ())
    body = Block(arg_types=(scalar, scalar))
    body.add_op(stablehlo.ReturnOp(body.args[1]))
    values, indices, rows = (build[value] for value in op.operands)
    return build.add(stablehlo.ScatterOp([values], indices, [rows], numbers, Region(body)))


@translates(tosa.IdentityOp)
def identity(op: tosa.IdentityOp, build: Translation) -> SSAValue:
    """Return the operand."""
    return build[op.input1]


@translates(tosa.ReverseOp)
def reverse(op: tosa.ReverseOp, build: Translation) -> SSAValue:
    """Reverse one dimension."""
    return build.add(stablehlo.ReverseOp(build[op.input1], [op.axis.value.data]))
