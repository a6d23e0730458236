"""Linear resizing.

Source: ONNX Resize-11 to -19, in the order of float32 operations that onnxruntime's kernels have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import product
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseArrayBase, Float64Type, TensorType, f64
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import irdl_attr_definition, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.str_enum import StrEnum

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite.base import CompositeOp
from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check, check_dimensions, check_expressed
from qconvert.dialects.stablehlo import GatherDimensionNumbers
from qconvert.dialects.traits import KeepsRange
from qconvert.ir import (
    Tensor,
    element_type,
    expressed,
    f32,
    i64,
    is_litert,
    litert_arithmetic,
    numpy_dtype,
    shape,
    tensor,
    tensor_type,
)
from qconvert.numerics import Rounding
from qconvert.support.errors import ConversionError

Coordinate: TypeAlias = NDArray[np.float32]

_LARGEST_PRODUCT = 1 << 20
"""Weights of more elements than this are multiplied at run time instead of being written out."""


class Coordinates(StrEnum):
    """Mappings from a position in the result to a position in the operand: ONNX's coordinate_transformation_mode."""

    ALIGN_CORNERS = "align_corners"
    ASYMMETRIC = "asymmetric"
    HALF_PIXEL = "half_pixel"
    HALF_PIXEL_SYMMETRIC = "half_pixel_symmetric"
    PYTORCH_HALF_PIXEL = "pytorch_half_pixel"
    TF_HALF_PIXEL_FOR_NN = "tf_half_pixel_for_nn"


@irdl_attr_definition
class CoordinatesAttr(EnumAttribute[Coordinates], SpacedOpaqueSyntaxAttribute):
    """``#qconvert<coordinates half_pixel>``."""

    name = "qconvert.coordinates"


HALF = np.float32(0.5)


def original_coordinates(mode: Coordinates, scale: float, original: int, resized: int) -> Coordinate:
    """Return the operand's position for each of ``resized`` positions, in float32 operation by operation."""
    at, factor = np.arange(resized, dtype=np.float32), np.float32(scale)
    if mode is Coordinates.ALIGN_CORNERS:
        last = np.float32(resized) - np.float32(1)
        return at * (np.float32(original) - np.float32(1)) / last if resized > 1 else np.zeros(resized, np.float32)
    if mode is Coordinates.ASYMMETRIC:
        return at / factor
    if mode is Coordinates.TF_HALF_PIXEL_FOR_NN:
        return (at + HALF) / factor
    if mode is Coordinates.HALF_PIXEL_SYMMETRIC:
        adjustment = np.float32(resized) / (factor * np.float32(original))
        offset = np.float32(original) / np.float32(2) * (np.float32(1) - adjustment)
        return (np.float64(offset) + (at.astype(np.float64) + 0.5) / np.float64(factor) - 0.5).astype(np.float32)
    if mode is Coordinates.PYTORCH_HALF_PIXEL and resized <= 1:
        return np.zeros(resized, np.float32)
    return (at + HALF) / factor - HALF


class Neighbours(NamedTuple):
    """Neighbours in the operand, one for each position along one axis of the result, with their weights."""

    positions: NDArray[np.int64]
    weights: Coordinate


def linear_neighbours(mode: Coordinates, scale: float, original: int, resized: int) -> tuple[Neighbours, Neighbours]:
    """Return the lower and the upper neighbours; at the last position both are the same and weigh one half each."""
    plain = np.arange(resized, dtype=np.float32)
    at = plain if scale == 1 else original_coordinates(mode, scale, original, resized)
    at = np.maximum(np.float32(0), np.minimum(at, np.float32(original - 1)))
    low = np.minimum(at.astype(np.int64), original - 1)
    high = np.minimum(low + 1, original - 1)
    to_low, to_high = (np.abs(at - positions.astype(np.float32)) for positions in (low, high))
    same = low == high
    return Neighbours(low, np.where(same, HALF, to_high)), Neighbours(high, np.where(same, HALF, to_low))


LITERT_BITS = 10
"""The fraction bits of LiteRT's integer positions."""


class LitertSteps(NamedTuple):
    """LiteRT's positions along one axis in 1/1024: the distance of neighbours in the result, and the first position."""

    step: int
    start: int
    original: int
    resized: int

    @classmethod
    def of(cls, mode: Coordinates, original: int, resized: int) -> LitertSteps:
        """Return LiteRT's positions for the sizes of one axis.

        Source: TensorFlow Lite's ``ResizeBilinearInteger``.
        """
        gaps = int(mode is Coordinates.ALIGN_CORNERS and resized > 1)
        step = (((original - gaps) << LITERT_BITS) + (resized - gaps) // 2) // (resized - gaps)
        start = step // 2 - (1 << (LITERT_BITS - 1)) if mode is Coordinates.HALF_PIXEL else 0
        return cls(step, start, original, resized)

    def neighbours(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return each position's lower and upper neighbour, and the upper neighbour's weight in units of 1/1024."""
        at = np.arange(self.resized) * self.step + self.start
        low = np.maximum(at, 0) >> LITERT_BITS
        high = np.minimum((np.maximum(at, 0) + (1 << LITERT_BITS) - 1) >> LITERT_BITS, self.original - 1)
        return low, high, at - (low << LITERT_BITS)

    def pair(self) -> tuple[Neighbours, Neighbours]:
        """Return the neighbours with weights in float32, which represents them exactly."""
        low, high, part = self.neighbours()
        return _pair(low, high, part.astype(np.float32) / np.float32(1 << LITERT_BITS))


def litert_float_pair(mode: Coordinates, original: int, resized: int) -> tuple[Neighbours, Neighbours]:
    """Return LiteRT's neighbours for unsigned integers, which LiteRT interpolates in float32.

    Source: TensorFlow Lite's ``ResizeBilinear`` and ``ComputeInterpolationValues``.
    """
    gaps = int(mode is Coordinates.ALIGN_CORNERS and resized > 1)
    scale, plain = np.float32(original - gaps) / np.float32(resized - gaps), np.arange(resized, dtype=np.float32)
    at = (plain + HALF) * scale - HALF if mode is Coordinates.HALF_PIXEL else plain * scale
    low = np.maximum(np.floor(at).astype(np.int64), 0)
    high = np.minimum(np.ceil(at).astype(np.int64), original - 1)
    return _pair(low, high, at - low.astype(np.float32))


def _pair(low: NDArray[np.int64], high: NDArray[np.int64], share: Coordinate) -> tuple[Neighbours, Neighbours]:
    return Neighbours(low, np.float32(1) - share), Neighbours(high, share)


@irdl_op_definition
class ResizeOp(InferredOp, CompositeOp):
    """Linear interpolation along ``axes`` by ``scales`` (result over operand), which need not divide evenly.

    The result's size along the axes is free: with a scale that ONNX rounds down, it is not the operand's times scale.
    """

    name = "qconvert.resize"
    operand = operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    scales = prop_def(DenseArrayBase)
    coordinates = prop_def(CoordinatesAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure(), KeepsRange())

    def __init__(
        self,
        operand: SSAValue,
        sizes: Sequence[int],
        axes: Sequence[int],
        scales: Sequence[float],
        coordinates: Coordinates,
        element: Attribute | None = None,
    ) -> None:
        super().__init__(
            operands=[operand],
            properties={
                "axes": stablehlo.integers(axes),
                "scales": DenseArrayBase.from_list(f64, [float(scale) for scale in scales]),
                "coordinates": CoordinatesAttr(coordinates),
            },
            result=tensor_type(element or expressed(element_type(operand)), sizes),
        )

    @property
    def factors(self) -> tuple[float, ...]:
        """The scales as numbers, each of them a float32."""
        return tuple(cast("DenseArrayBase[Float64Type]", self.scales).get_values())

    def infer(self) -> Tensor:
        """Return the result's own elements and sizes along the axes, and the operand's sizes elsewhere."""
        return resized_type(tensor(self.operand), tensor(self.result), stablehlo.as_tuple(self.axes))

    def verify_(self) -> None:
        """Check for a positive scale for each axis, unchanged other dimensions, and no elements made of nothing."""
        axes = stablehlo.as_tuple(self.axes)
        check(bool(axes) and len(axes) == len(self.factors), self.name, "axes and scales differ in number")
        check(all(0 < scale < np.inf for scale in self.factors), self.name, "a scale is not positive")
        super().verify_()
        check_expressed(self.name, (self.operand, self.result))

    def corners(self) -> Iterator[tuple[Neighbours, ...]]:
        """Return the corners of the cell around each result position, one neighbour an axis; the last axis is fastest.

        Positions are LiteRT's if the op follows LiteRT's arithmetic.
        """
        sizes, target = shape(self.operand), shape(self.result)
        mode, pairs = self.coordinates.data, zip(stablehlo.as_tuple(self.axes), self.factors, strict=True)
        if is_litert(self):
            return product(*self.litert_pairs())
        neighbours = [linear_neighbours(mode, scale, sizes[axis], target[axis]) for axis, scale in pairs]
        return product(*neighbours)

    @property
    def is_litert_float(self) -> bool:
        """True if LiteRT interpolates in floats, as for unsigned integers: its arithmetic then rounds once."""
        follows = litert_arithmetic(self)
        return follows is not None and follows.rounding is Rounding.SINGLE_ROUND

    def litert_pairs(self) -> tuple[tuple[Neighbours, Neighbours], ...]:
        """Return LiteRT's neighbours along each axis."""
        if not self.is_litert_float:
            return tuple(steps.pair() for steps in self.litert_steps())
        sizes, target, mode = shape(self.operand), shape(self.result), self.coordinates.data
        return tuple(litert_float_pair(mode, sizes[axis], target[axis]) for axis in stablehlo.as_tuple(self.axes))

    def litert_steps(self) -> tuple[LitertSteps, ...]:
        """Return LiteRT's positions along each axis, for signed integers."""
        sizes, target, mode = shape(self.operand), shape(self.result), self.coordinates.data
        return tuple(LitertSteps.of(mode, sizes[axis], target[axis]) for axis in stablehlo.as_tuple(self.axes))

    def interpolated(
        self,
        pick: Callable[[int, NDArray[np.int64], Any], Any],
        weigh: Callable[[Any, Sequence[Coordinate]], Any],
        add: Callable[[Any, Any], Any],
        operand: Any,
    ) -> Any:
        """Return the weighted sum of the corners, on arrays or on SSA values, in onnxruntime's order.

        ``pick(axis, positions, value)`` takes elements along an axis, ``weigh`` multiplies by the product of weights
        whose shapes have 1 where they do not vary, ``add`` adds.
        """
        axes, rank = stablehlo.as_tuple(self.axes), len(shape(self.result))
        total = None
        for corner in self.corners():
            value, weights = operand, []
            for axis, neighbours in zip(axes, corner, strict=True):
                value = pick(axis, neighbours.positions, value)
                weights.append(neighbours.weights.reshape([-1 if i == axis else 1 for i in range(rank)]))
            term = weigh(value, weights[::-1])
            total = term if total is None else add(total, term)
        return total

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Emit gathers with constant indices, weighted and added; a type narrower than f32 computes in f32."""
        element = element_type(operands[0])
        wide = f32 if numpy_dtype(element).itemsize < 4 else element
        x = operands[0] if wide == element else build.add(stablehlo.ConvertOp(operands[0], wide))

        def weigh(value: SSAValue, weights: Sequence[Coordinate]) -> SSAValue:
            factor = _product(build, weights, wide)
            return build.add(stablehlo.MultiplyOp(build.broadcast(factor, shape(value)), value))

        def add(total: SSAValue, term: SSAValue) -> SSAValue:
            return build.add(stablehlo.AddOp(total, term))

        def pick(axis: int, positions: NDArray[np.int64], value: SSAValue) -> SSAValue:
            return picked(build, value, axis, positions)

        result: SSAValue = self.interpolated(pick, weigh, add, x)
        return result if wide == element else build.add(stablehlo.ConvertOp(result, element))


def _product(build: OpBuilder, weights: Sequence[Coordinate], element: Attribute) -> SSAValue:
    """Return the product of weights along different axes: a constant, or computed at run time if it would be large."""
    target = np.broadcast_shapes(*(part.shape for part in weights))
    if math.prod(target) <= _LARGEST_PRODUCT:
        return build.constant(reduce(np.multiply, weights).astype(numpy_dtype(element)), element)
    factors = [build.broadcast(build.constant(part, f32), target) for part in weights]
    total = reduce(lambda one, other: build.add(stablehlo.MultiplyOp(one, other)), factors)
    return total if element == f32 else build.add(stablehlo.ConvertOp(total, element))


def resized_type(operand: Tensor, result: Tensor, axes: Sequence[int]) -> Tensor:
    """Return the result's type; raises ConversionError if it does not fit the operand."""
    sizes, target = operand.get_shape(), result.get_shape()
    check_dimensions(axes, len(sizes))
    kept = [target[i] if i in axes else size for i, size in enumerate(sizes)] if len(sizes) == len(target) else None
    if kept != list(target) or any(sizes[i] == 0 < target[i] for i in axes):
        raise ConversionError(f"cannot resize {sizes} to {target} along {list(axes)}")
    return result


def picked(build: OpBuilder, value: SSAValue, axis: int, positions: NDArray[np.int64]) -> SSAValue:
    """Return the elements at positions along an axis; the value is returned unchanged for all positions in order."""
    sizes = shape(value)
    if np.array_equal(positions, np.arange(sizes[axis])):
        return value
    offsets = tuple(i for i in range(len(sizes)) if i != axis)
    numbers = GatherDimensionNumbers(offsets, (axis,), start_index_map=(axis,), index_vector_dim=1)
    indices = build.constant(positions, i64)
    return build.add(stablehlo.GatherOp(value, indices, numbers, [1 if i == axis else n for i, n in enumerate(sizes)]))


def nearest_positions(size: int, target: int, *, align_corners: bool, half_pixel_centers: bool) -> NDArray[np.int64]:
    """Return the source of each of ``target`` elements, computed in f32 as in LiteRT's RESIZE_NEAREST_NEIGHBOR."""
    aligned = align_corners and target > 1
    scale = np.float32(size - 1) / np.float32(target - 1) if aligned else np.float32(size) / np.float32(target)
    at = (np.arange(target, dtype=np.float32) + np.float32(0.5 if half_pixel_centers else 0)) * scale
    rounded = np.floor(at + np.float32(0.5)) if align_corners else np.floor(at)
    return np.asarray(np.clip(rounded.astype(np.int64), 0, size - 1))
