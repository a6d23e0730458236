"""BATCH_MATMUL: products of batches of matrices, both of which are computed at run time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

import numpy as np
import tflite
from xdsl.ir import SSAValue

from qconvert.backends.tflite.accumulated import accumulated
from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width, is_unsigned_byte
from qconvert.backends.tflite.weights import operand_of
from qconvert.dialects import stablehlo
from qconvert.ir import Storage, litert_arithmetic, shape
from qconvert.support.errors import ConversionError

_LARGEST_RANK, _WIDE = 5, 16


class _Side(NamedTuple):
    """An operand of a product: its batch dimensions, those of its rows or columns, and those that are summed over."""

    op: stablehlo.DotGeneralOp
    value: SSAValue
    batches: tuple[int, ...]
    free: tuple[int, ...]
    summed: tuple[int, ...]

    @property
    def is_matrix(self) -> bool:
        """Return True if the operator takes the operand as it is, or with its two last dimensions exchanged."""
        rank = len(shape(self.value))
        leads = self.batches == tuple(range(len(self.batches)))
        return leads and len(self.free) == len(self.summed) == 1 and rank <= _LARGEST_RANK

    def size(self, axes: tuple[int, ...]) -> int:
        """Return the number of elements along some dimensions."""
        return prod(shape(self.value)[i] for i in axes)

    def merged(self, write: Writer, *, free_last: bool) -> Tensor:
        """Return the operand with one batch dimension, one of its own and one that is summed over."""
        first, last = (self.summed, self.free) if free_last else (self.free, self.summed)
        moved = write.transpose(operand_of(self.op, self.value, write), (*self.batches, *first, *last))
        return write.reshape(moved, tuple(map(self.size, (self.batches, first, last))))


def with_run_time_zero_points(op: stablehlo.DotGeneralOp, options: Options) -> Options:
    """Return options that let floats be quantized with a zero point at run time, where the op's arithmetic does so."""
    follows = litert_arithmetic(op)
    if follows is None or not follows.asymmetric:
        return options
    return Options(options.table, {**options.fields, "AsymmetricQuantizeInputs": True})


def _sides(op: stablehlo.DotGeneralOp) -> tuple[_Side, _Side]:
    numbers, ranks = op.numbers, [len(shape(value)) for value in (op.lhs, op.rhs)]
    left = numbers.lhs_batching_dimensions, numbers.lhs_free(ranks[0]), numbers.lhs_contracting_dimensions
    right = numbers.rhs_batching_dimensions, numbers.rhs_free(ranks[1]), numbers.rhs_contracting_dimensions
    return _Side(op, op.lhs, *left), _Side(op, op.rhs, *right)


def batched(op: stablehlo.DotGeneralOp, write: Writer) -> Tensor:
    """Write BATCH_MATMUL, after TRANSPOSE and RESHAPE where its options do not express the order of dimensions."""
    found, (lhs, rhs) = accumulated(op.result, None), _sides(op)
    values = found.values[:-1] if found.activation else found.values
    output = write.result(values[-1])
    if lhs.is_matrix and rhs.is_matrix:
        fields = {"AdjX": lhs.free > lhs.summed, "AdjY": rhs.free < rhs.summed}
        sides = [operand_of(op, side.value, write) for side in (lhs, rhs)]
        made = _product(op, write, sides, fields, output)
    else:
        sides = [lhs.merged(write, free_last=False), rhs.merged(write, free_last=True)]
        sizes = (lhs.size(lhs.batches), lhs.size(lhs.free), rhs.size(rhs.free))
        product = _product(op, write, sides, {}, write.derived(output, "product", sizes))
        made = write.reshape(product, output.shape, output)
    for value in values:
        write.define(value, made)
    return made


def _check_hybrid(lhs: Tensor, rhs: Tensor) -> None:
    """Raise ConversionError for floats times integers of another width than 8."""
    if lhs.quantization is None and rhs.quantization is not None and rhs.width != 8:
        hint = "Quantize both to int8, or make the integers constants of the model"
        raise ConversionError(f"LiteRT has no BATCH_MATMUL of floats and {rhs.element}", hint=hint)


def _without_zero_point(rhs: Tensor, write: Writer) -> Tensor:
    """Return the same values in 16 bits if 8-bit integers have a zero point, which 16-bit products do not subtract."""
    element = rhs.quantization
    if element is None or rhs.width == _WIDE or element.has_zero_zero_point:
        return rhs
    return write.requantized(
        rhs, element.with_storage(Storage.full(_WIDE, signed=True), np.zeros_like(element.zero_points))
    )


def _product(
    op: stablehlo.DotGeneralOp, write: Writer, sides: Sequence[Tensor], fields: Mapping[str, bool], output: Tensor
) -> Tensor:
    plain, version = Options("BatchMatMulOptions", fields), by_width(output, 2, 3)
    options = with_run_time_zero_points(op, plain)
    version = version if options is plain else 4
    lhs, rhs = (write.signed(side) for side in sides)
    _check_hybrid(lhs, rhs)
    sides = [lhs, _without_zero_point(rhs, write) if lhs.quantization is not None and lhs.width == _WIDE else rhs]
    if not is_unsigned_byte(output.element):
        return write.operator(tflite.BuiltinOperator.BATCH_MATMUL, sides, output, options, version=version)
    assert output.quantization is not None
    made = write.derived(output, "signed", output.shape, output.quantization.signed)
    write.operator(tflite.BuiltinOperator.BATCH_MATMUL, sides, made, options, version=version)
    return write.requantized(made, output.element, output)
