"""The ``quant`` dialect's types: per-tensor, per-axis and sub-channel uniform quantization, any, calibrated.

Source: MLIR's quant dialect and StableHLO's specification, section "Types" (QuantizedTensorType).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AnyFloat, Float32Type, IntegerType, TensorType
from xdsl.ir import Attribute, Data, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from qconvert.ir.quant_parameters import (
    ACCUMULATOR,
    AnyParameters,
    CalibratedParameters,
    CompactNumbers,
    Storage,
    UniformParameters,
    held_numbers,
    storage_integer,
)
from qconvert.ir.quant_syntax import calibrated_text, parse_any, parse_calibrated, parse_uniform, uniform_text
from qconvert.support.errors import ConversionError

_WIDTHS = range(1, 33)
_SHORT = 60


@irdl_attr_definition
class UniformQuantizedType(Data[UniformParameters], TypeAttribute):
    """``!quant.uniform<storage<min:max>:expressed[:axis], scale:zero_point | {..}>``.

    Verified: storage width 1..32, range inside the width, scales finite and positive, zero points inside the range.
    """

    name = "quant.uniform"

    @classmethod
    def per_tensor(
        cls, storage: Storage, scale: float, zero_point: int = 0, expressed_type: AnyFloat | None = None
    ) -> UniformQuantizedType:
        """Return a type with one scale and zero point; the expressed type defaults to f32."""
        return cls(UniformParameters(storage, expressed_type or Float32Type(), (float(scale),), (int(zero_point),)))

    @classmethod
    def per_axis(
        cls,
        storage: Storage,
        scales: NDArray[np.floating[Any]] | tuple[float, ...],
        zero_points: NDArray[np.integer[Any]] | tuple[int, ...],
        quantization_dimension: int,
        expressed_type: AnyFloat | None = None,
    ) -> UniformQuantizedType:
        """Return a type with one scale and zero point for each slice along ``quantization_dimension``."""
        return cls(
            UniformParameters(
                storage,
                expressed_type or Float32Type(),
                held_numbers(np.asarray(scales, np.float64)),
                held_numbers(np.asarray(zero_points, np.int64)),
                quantization_dimension,
            )
        )

    @classmethod
    def accumulator(
        cls,
        scales: NDArray[np.floating[Any]],
        quantization_dimension: int | None,
        expressed_type: AnyFloat | None = None,
    ) -> UniformQuantizedType:
        """Return the type of sums of products: 32 bits, zero points of 0, one scale or one for each slice."""
        if quantization_dimension is None:
            (scale,) = scales
            return cls.per_tensor(ACCUMULATOR, scale, 0, expressed_type)
        zero_points = np.zeros(scales.size, np.int64)
        return cls.per_axis(ACCUMULATOR, scales, zero_points, quantization_dimension, expressed_type)

    @property
    def is_accumulator(self) -> bool:
        """True for the integers of sums: all 32 bits, signed, with zero points of 0."""
        return self.storage == ACCUMULATOR and self.has_zero_zero_point

    def product_scales(self, factor: UniformQuantizedType) -> NDArray[np.float64]:
        """Return the scales of products with values of another type, exactly if the factors are float32.

        Raises ConversionError if both types have several scales.
        """
        return self.scales * factor.scale if factor.is_per_tensor else self.scale * factor.scales

    @property
    def storage(self) -> Storage:
        """The integers that hold the values."""
        return self.data.storage

    @property
    def storage_type(self) -> IntegerType:
        """The MLIR integer type of the storage: signless where signed, as StableHLO has it."""
        return storage_integer(self.data.storage.width, self.data.storage.signed)

    @property
    def expressed_type(self) -> AnyFloat:
        """The float type whose values the integers stand for."""
        return self.data.expressed_type

    @property
    def quantization_dimension(self) -> int | None:
        """The axis of a per-axis type, else None."""
        return self.data.quantization_dimension

    @property
    def is_per_tensor(self) -> bool:
        """True if one scale serves all elements."""
        return self.data.quantization_dimension is None and not self.data.block_sizes

    @property
    def is_per_axis(self) -> bool:
        """True if each slice along one axis has its own scale."""
        return self.data.quantization_dimension is not None

    @property
    def is_sub_channel(self) -> bool:
        """True if blocks of elements have their own scales."""
        return bool(self.data.block_sizes)

    @property
    def scale(self) -> float:
        """The scale of a per-tensor type; raises ConversionError for types of several scales."""
        if len(self.data.scales) != 1:
            raise ConversionError(f"one scale for all elements is needed, found {len(self.data.scales)} scales")
        return self.data.scales[0]

    @property
    def zero_point(self) -> int:
        """The zero point of a per-tensor type."""
        (zero_point,) = self.data.zero_points
        return zero_point

    @property
    def largest_distance(self) -> int:
        """The largest distance of a storage integer from the zero point."""
        points, storage = self.zero_points, self.storage
        return max(storage.maximum - int(points.min()), int(points.max()) - storage.minimum)

    @property
    def scales(self) -> NDArray[np.float64]:
        """All scales in one dimension, float64; many are made each time, as they may be millions."""
        return np.asarray(self.data.scales, np.float64) if self.data.is_compact else self._kept_scales

    @cached_property
    def _kept_scales(self) -> NDArray[np.float64]:
        return np.asarray(self.data.scales, np.float64)

    @property
    def zero_points(self) -> NDArray[np.int64]:
        """All zero points in one dimension, int64; many are made each time."""
        return np.asarray(self.data.zero_points, np.int64) if self.data.is_compact else self._kept_zero_points

    @cached_property
    def _kept_zero_points(self) -> NDArray[np.int64]:
        return np.asarray(self.data.zero_points, np.int64)

    @property
    def has_zero_zero_point(self) -> bool:
        """True if every zero point is 0."""
        return self.data.distinct_zero_points == {0}

    def broadcast(self, parameters: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        """Return flat ``scales`` or ``zero_points`` in a shape that broadcasts against a tensor of ``shape``."""
        if self.is_per_tensor:
            return parameters.reshape(())
        axis = self.data.quantization_dimension
        if axis is not None:
            return parameters.reshape([-1 if i == axis else 1 for i in range(len(shape))])
        blocks = parameters.reshape(self.data.block_shape)
        for dimension, extent in enumerate(shape):
            if blocks.shape[dimension] not in (1, extent):
                blocks = np.repeat(blocks, extent // blocks.shape[dimension], axis=dimension)
        return blocks

    def split_blocks(self, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return a shape with two dimensions for each that has several blocks, and the parameters' shape that fits it.

        16 rows in blocks of 4 are split into 4 and 4; the parameters have the sizes 4 and 1 there.
        """
        whole, parameters = list[int](), list[int]()
        for count, size in zip(self.data.block_shape, shape, strict=True):
            is_split = count not in (1, size)
            whole += [count, size // count] if is_split else [size]
            parameters += [count, 1] if is_split else [count]
        return tuple(whole), tuple(parameters)

    def with_storage(
        self, storage: Storage, zero_points: Sequence[int] | NDArray[np.integer[Any]] | None = None
    ) -> UniformQuantizedType:
        """Return a type with the same scales over other integers."""
        if zero_points is None:
            return UniformQuantizedType(replace(self.data, storage=storage))
        array = np.asarray(zero_points, np.int64)
        return UniformQuantizedType(replace(self.data, storage=storage, zero_points=held_numbers(array)))

    @cached_property
    def signed(self) -> UniformQuantizedType:
        """The type of the same values in signed integers: storage and zero points less half the number of integers."""
        return self if self.storage.signed else self._moved(-1)

    @cached_property
    def unsigned(self) -> UniformQuantizedType:
        """The type of the same values in unsigned integers."""
        return self._moved(1) if self.storage.signed else self

    def _moved(self, sign: int) -> UniformQuantizedType:
        """Return the type of the same values with storage and zero points moved by half the number of integers."""
        storage, step = self.storage, sign << (self.storage.width - 1)
        moved = Storage(storage.width, sign < 0, storage.minimum + step, storage.maximum + step)
        return self.with_storage(moved, self.zero_points + step)

    def with_axis(self, quantization_dimension: int) -> UniformQuantizedType:
        """Return a type with the same parameters along another axis; only for a per-axis type."""
        return UniformQuantizedType(replace(self.data, quantization_dimension=quantization_dimension))

    def permuted(self, permutation: Sequence[int]) -> UniformQuantizedType:
        """Return the type of a transposed tensor: its axis, or its blocks, in the order of the permutation."""
        data, places = self.data, {axis: i for i, axis in enumerate(permutation)}
        if data.quantization_dimension is not None:
            return self.with_axis(places[data.quantization_dimension])
        if not data.block_sizes:
            return self
        scales, zero_points = (
            CompactNumbers(np.asarray(values).reshape(data.block_shape).transpose(permutation))
            for values in (data.scales, data.zero_points)
        )
        moved = replace(
            data,
            scales=scales,
            zero_points=zero_points,
            block_sizes=tuple(sorted((places[axis], size) for axis, size in data.block_sizes)),
            block_shape=tuple(data.block_shape[axis] for axis in permutation),
        )
        return UniformQuantizedType(moved)

    def verify(self) -> None:
        """Check storage, scales and zero points; raises VerifyException."""
        d, storage = self.data, self.data.storage
        if storage.width not in _WIDTHS:
            raise VerifyException(f"storage type {storage} is not supported")
        low, high = Storage.limits(storage.width, signed=storage.signed)
        if not low <= storage.minimum < storage.maximum <= high:
            raise VerifyException(f"range {storage.minimum}:{storage.maximum} does not fit {storage.width} bits")
        if any(size < 1 for _, size in d.block_sizes):
            raise VerifyException("a block size is below 1")
        count = math.prod(d.block_shape) if d.block_sizes else len(d.scales)
        if not d.scales or len(d.scales) != len(d.zero_points) or len(d.scales) != count:
            raise VerifyException(f"{len(d.scales)} scales and {len(d.zero_points)} zero points, expected {count}")
        for scale in d.scale_range:
            if not 0 < scale < math.inf:
                raise VerifyException(f"scale {scale} is not a finite number above 0")
        for zero_point in d.distinct_zero_points:
            if not storage.minimum <= zero_point <= storage.maximum:
                raise VerifyException(f"zero point {zero_point} is outside the storage range of {storage}")

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> UniformParameters:
        """Parse the text in the angle brackets; see ``quant_syntax``."""
        return parse_uniform(parser)

    def print_parameter(self, printer: Printer) -> None:
        """Print the text in the angle brackets."""
        printer.print_string(uniform_text(self.data))


@irdl_attr_definition
class AnyQuantizedType(Data[AnyParameters], TypeAttribute):
    """``!quant.any<i8<-8:7>:f32>``: a quantized type with unknown parameters."""

    name = "quant.any"

    @property
    def expressed_type(self) -> AnyFloat:
        """The float type whose values the integers stand for."""
        return self.data.expressed_type

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> AnyParameters:
        """Parse ``<storage:expressed>``."""
        return parse_any(parser)

    def print_parameter(self, printer: Printer) -> None:
        """Print ``<storage:expressed>``."""
        printer.print_string(f"<{self.data.storage}:{self.data.expressed_type}>")


@irdl_attr_definition
class CalibratedQuantizedType(Data[CalibratedParameters], TypeAttribute):
    """``!quant.calibrated<f32<-1.0:2.0>>``: a range from calibration, parameters still to be chosen.

    ``!quant.calibrated<f32:1, {-1.0:2.0,0.0:0.5}>``, which MLIR does not have, is a range for each slice along an axis.
    """

    name = "quant.calibrated"

    @classmethod
    def per_tensor(
        cls, minimum: float, maximum: float, expressed_type: AnyFloat | None = None
    ) -> CalibratedQuantizedType:
        """Return a type with one range for all elements; the expressed type defaults to f32."""
        return cls(CalibratedParameters(expressed_type or Float32Type(), float(minimum), float(maximum)))

    @classmethod
    def per_axis(
        cls,
        slices: Sequence[tuple[float, float]],
        quantization_dimension: int,
        expressed_type: AnyFloat | None = None,
    ) -> CalibratedQuantizedType:
        """Return a type with a range for each of one or more slices along ``quantization_dimension``."""
        pairs = tuple((float(low), float(high)) for low, high in slices)
        minimum, maximum = min(low for low, _ in pairs), max(high for _, high in pairs)
        expressed = expressed_type or Float32Type()
        return cls(CalibratedParameters(expressed, minimum, maximum, quantization_dimension, pairs))

    @property
    def expressed_type(self) -> AnyFloat:
        """The float type of the range."""
        return self.data.expressed_type

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> CalibratedParameters:
        """Parse ``<expressed<min:max>>`` or ``<expressed:axis, {min:max,..}>``."""
        return parse_calibrated(parser)

    def print_parameter(self, printer: Printer) -> None:
        """Print the text that :meth:`parse_parameter` reads."""
        printer.print_string(calibrated_text(self.data))

    def verify(self) -> None:
        """Check that the range is finite and not empty; a slice's may be a single number. Raises VerifyException."""
        d = self.data
        if not all(math.isfinite(bound) for pair in (*d.slices, (d.minimum, d.maximum)) for bound in pair):
            raise VerifyException("the range of a calibrated type must be finite")
        if d.minimum >= d.maximum:
            raise VerifyException(f"calibrated range {d.minimum}:{d.maximum} is empty")
        for low, high in d.slices:
            if low > high:
                raise VerifyException(f"calibrated range {low}:{high} of a slice is empty")


def is_quantized_element(element: Attribute) -> bool:
    """Return whether an element type is uniform quantized."""
    return type(element) is UniformQuantizedType


def described(type: Attribute) -> str:
    """Return a type for an error, without its scales where they are many."""
    text = str(type)
    if len(text) <= _SHORT:
        return text
    if isinstance(type, TensorType) and isinstance(type.element_type, UniformQuantizedType):
        sizes = "x".join(map(str, type.get_shape()))
        return f"tensor<{sizes}x{described(type.element_type)}>"
    if not isinstance(type, UniformQuantizedType) or type.is_per_tensor:
        return text
    where = "in blocks" if type.is_sub_channel else f"along dimension {type.quantization_dimension}"
    return f"{type.storage} with {type.scales.size:,} scales {where}"
