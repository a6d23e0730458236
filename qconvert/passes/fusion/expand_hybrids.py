"""Hybrid ops as LiteRT computes them: activations quantized at run time in float ops, and a contraction of integers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite.formula import Formula
from qconvert.dialects.stablehlo import ComparisonDirection
from qconvert.expansion.registry import is_hybrid_of_litert
from qconvert.ir import (
    Storage,
    describe,
    f32,
    i8,
    i32,
    litert_arithmetic,
    quantized_element,
    shape,
)
from qconvert.numerics.dynamic_range import LEVELS
from qconvert.rewriting import Pass, PassResult, as_integers, builder_before, computed, constant_of, replace
from qconvert.support.errors import ConversionError

_LOW, _HIGH = -128.0, 127.0


class _Rows(NamedTuple):
    """Activations as i32 integers less their zero points, and the scale of each row of them."""

    integers: SSAValue
    scales: SSAValue


class ExpandHybrids(Pass):
    """Write hybrid ops that follow LiteRT in float and integer ops.

    ::

        %y = dot_general %x, %w : (f32, q8) -> f32

        %x ── abs ── reduce maximum ── divide 127 by it ── %inverse
        %x ── multiply %inverse ── round_nearest_afz ── convert ── %q : i32
        dot_general %q, convert %w ── convert ── multiply by both scales ── %y

    Asymmetric arithmetic gives each row a zero point from its smallest and largest element. LiteRT computes scale and
    zero point in float64, this form in float32: the scale's last bit may differ, and with it an integer whose real
    value lies beside a tie. Sums are exact. Other hybrid ops stay as they are.

    Source: TensorFlow Lite's hybrid kernels of CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED and BATCH_MATMUL.
    """

    name = "expand-hybrids"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every such op; raises ConversionError for weights that LiteRT's kernels do not take."""
        hybrids = [op for op in module.walk() if is_hybrid_of_litert(op)]
        for op in hybrids:
            assert isinstance(op, stablehlo.ContractionOp)
            _expand(op)
        return PassResult(bool(hybrids))


def _expand(op: stablehlo.ContractionOp) -> None:
    build, follows = builder_before(op), litert_arithmetic(op)
    assert follows is not None
    weights = _weights(op, build)
    quantize = _asymmetric if follows.asymmetric else _symmetric
    rows = quantize(build, op.lhs, _terms(op))
    sums = build.add(stablehlo.ConvertOp(computed(build, op, [rows.integers, weights], i32), f32))
    replace(op, build.add(stablehlo.MultiplyOp(sums, _factors(op, build, rows.scales))))


def _weights(op: stablehlo.ContractionOp, build: OpBuilder) -> SSAValue:
    """Return the weights' integers in i32; raises ConversionError for weights that LiteRT's kernels do not take."""
    element, constant = quantized_element(op.rhs), constant_of(op.rhs)
    if element.storage != Storage.full(8, signed=True) or not element.has_zero_zero_point or element.is_sub_channel:
        reason = f"LiteRT's hybrid kernels take symmetric 8-bit weights, found {op.rhs.type}"
        raise ConversionError(reason, node=describe(op), op=op.name)
    held = as_integers(build, op.rhs) if constant is None else build.constant(constant.held, i8)
    return build.add(stablehlo.ConvertOp(held, i32))


def _terms(op: stablehlo.ContractionOp) -> tuple[int, ...]:
    """Return the dimensions of activations that are quantized together: all of an image, a row of a matrix."""
    if isinstance(op, stablehlo.DotGeneralOp):
        return tuple(sorted(op.numbers.lhs_contracting_dimensions))
    assert isinstance(op, stablehlo.ConvolutionOp)
    return tuple(sorted((op.numbers.input_feature, *op.numbers.input_spatial)))


def _factors(op: stablehlo.ContractionOp, build: OpBuilder, rows: SSAValue) -> SSAValue:
    """Return the products of both scales in the result's shape."""
    element, sizes = quantized_element(op.rhs), shape(op.result)
    scales = element.scales.astype(np.float32)
    axis = element.quantization_dimension
    if axis is None:
        rows = Formula(build, rows)(stablehlo.MultiplyOp, rows, float(scales[0]))
    factors = build.add(stablehlo.BroadcastInDimOp(rows, sizes, _result_rows(op)))
    if axis is None:
        return factors
    columns = stablehlo.BroadcastInDimOp(build.constant(scales, f32), sizes, [_result_feature(op, axis)])
    return build.add(stablehlo.MultiplyOp(factors, build.add(columns)))


def _result_rows(op: stablehlo.ContractionOp) -> list[int]:
    """Return the result's dimensions that are dimensions of the activations, in their order there."""
    if isinstance(op, stablehlo.ConvolutionOp):
        return [op.numbers.output_batch]
    assert isinstance(op, stablehlo.DotGeneralOp)
    rows = (*op.numbers.lhs_batching_dimensions, *op.numbers.lhs_free(len(shape(op.lhs))))
    return [rows.index(axis) for axis in sorted(rows)]


def _result_feature(op: stablehlo.ContractionOp, axis: int) -> int:
    """Return the result's dimension that is a dimension of the weights, not one that is summed over."""
    if isinstance(op, stablehlo.ConvolutionOp):
        return op.numbers.output_feature
    assert isinstance(op, stablehlo.DotGeneralOp)
    numbers = op.numbers
    if axis in numbers.rhs_batching_dimensions:
        return numbers.rhs_batching_dimensions.index(axis)
    free = numbers.rhs_free(len(shape(op.rhs)))
    return len(shape(op.result)) - len(free) + free.index(axis)


def _symmetric(build: OpBuilder, x: SSAValue, axes: tuple[int, ...]) -> _Rows:
    """Quantize each row by its largest magnitude, which becomes 127; a row of zeros has the scale of 1."""
    largest = _reduced(build, build.add(stablehlo.AbsOp(x)), axes, stablehlo.MaximumOp, -np.inf)
    row = Formula(build, largest)
    safe = row.choose(largest, ComparisonDirection.EQ, 0.0, 1.0, largest)
    inverse = _repeated(build, row(stablehlo.DivideOp, _HIGH, safe), x, axes)
    levels = build.add(stablehlo.RoundNearestAfzOp(build.add(stablehlo.MultiplyOp(x, inverse))))
    return _Rows(_in_32_bits(build, levels), row(stablehlo.DivideOp, safe, _HIGH))


def _asymmetric(build: OpBuilder, x: SSAValue, axes: tuple[int, ...]) -> _Rows:
    """Quantize each row by its range, widened to include 0, to the integers from -128 to 127.

    The zero point follows from the end of the range that gives it the smaller error.
    """
    low, high = (_reduced(build, x, axes, kind, 0.0) for kind in (stablehlo.MinimumOp, stablehlo.MaximumOp))
    row = Formula(build, low)
    span = row(stablehlo.SubtractOp, high, low)
    scale = row.choose(span, ComparisonDirection.EQ, 0.0, 1.0, row(stablehlo.DivideOp, span, LEVELS))
    inverse = row(stablehlo.DivideOp, 1.0, scale)
    ends = [row(stablehlo.MultiplyOp, end, inverse) for end in (low, high)]
    points = [row(stablehlo.SubtractOp, level, end) for level, end in zip((_LOW, _HIGH), ends, strict=True)]
    low_error, high_error = (
        row(stablehlo.AddOp, abs(level), row(stablehlo.AbsOp, end))
        for level, end in zip((_LOW, _HIGH), ends, strict=True)
    )
    is_low = build.add(stablehlo.CompareOp(low_error, high_error, ComparisonDirection.LT))
    point = row(stablehlo.RoundNearestAfzOp, build.add(stablehlo.SelectOp(is_low, *points)))
    nudged = row.clamp(_LOW, point, _HIGH)
    steps = build.add(stablehlo.MultiplyOp(x, _repeated(build, inverse, x, axes)))
    shifted = build.add(stablehlo.AddOp(_repeated(build, nudged, x, axes), steps))
    levels = build.clamp(build.add(stablehlo.RoundNearestAfzOp(shifted)), _LOW, _HIGH)
    zero_point = _repeated(build, _in_32_bits(build, nudged), x, axes)
    return _Rows(build.add(stablehlo.SubtractOp(_in_32_bits(build, levels), zero_point)), scale)


def _in_32_bits(build: OpBuilder, levels: SSAValue) -> SSAValue:
    """Return whole floats of 8 bits in i32; the conversion to i8 tells backends their range."""
    return build.add(stablehlo.ConvertOp(build.add(stablehlo.ConvertOp(levels, i8)), i32))


def _reduced(
    build: OpBuilder, x: SSAValue, axes: tuple[int, ...], kind: type[stablehlo.BinaryOp], initial: float
) -> SSAValue:
    body = stablehlo.binary_body(kind, f32)
    return build.add(stablehlo.ReduceOp(x, build.filled(initial, f32), axes, [body]))


def _repeated(build: OpBuilder, row: SSAValue, x: SSAValue, axes: tuple[int, ...]) -> SSAValue:
    """Return a number of each row for each of the row's elements."""
    kept = [axis for axis in range(len(shape(x))) if axis not in axes]
    return build.add(stablehlo.BroadcastInDimOp(row, shape(x), kept))
