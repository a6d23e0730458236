"""The ``quant`` dialect's ops: casts, fake quantization, statistics and couplings.

Source: MLIR's quantization guide, sections "Quantized type conversion operations" and "Instrumentation and constraint
operations". ``qcast``, ``dcast`` and ``scast`` are today's MLIR ops with its syntax; the other ops are the guide's,
which MLIR no longer has, in generic syntax with the guide's names of attributes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import cast

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    f32,
    i1,
    i64,
)
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from qconvert import numerics
from qconvert.dialects.op_checks import check, check_quantized
from qconvert.dialects.quant_region import RegionOp, ReturnOp
from qconvert.dialects.traits import Conversion
from qconvert.ir import (
    AnyQuantizedType,
    CalibratedQuantizedType,
    ElementsAttr,
    Storage,
    UniformQuantizedType,
    element_type,
    expressed,
    integer_type,
    is_float,
    shape,
    tensor,
    with_element,
)
from qconvert.support.errors import ConversionError

_QUANTIZED = (UniformQuantizedType, AnyQuantizedType, CalibratedQuantizedType)
_STORAGE_WIDTHS = (2, 4, 8, 16)


class CastOp(IRDLOperation, ABC):
    """The base of changes of the element type: ``op %x : tensor<..> to tensor<..>``."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure(), Conversion())
    assembly_format = "$operand attr-dict `:` type($operand) `to` type($result)"

    def __init__(self, operand: SSAValue, element: Attribute) -> None:
        super().__init__(operands=[operand], result_types=[with_element(tensor(operand), element)])

    def verify_(self) -> None:
        """Check for one shape, element types that belong together, and parameters that fit the shape."""
        same = shape(self.operand) == shape(self.result)
        check(same, self.name, f"shapes {list(shape(self.operand))} and {list(shape(self.result))} differ")
        self.check_elements(element_type(self.operand), element_type(self.result))
        for value in (self.operand, self.result):
            check_quantized(self.name, tensor(value))

    @abstractmethod
    def check_elements(self, source: Attribute, target: Attribute) -> None:
        """Check the element types of operand and result; raises VerifyException naming the problem."""


@irdl_op_definition
class QuantizeCastOp(CastOp):
    """Quantization: ``clamp(round(x / scale) + zero_point)``, half to even."""

    name = "quant.qcast"

    def check_elements(self, source: Attribute, target: Attribute) -> None:
        """Check that a float becomes a type that expresses it."""
        _check_expresses(self, source, target)


@irdl_op_definition
class DequantizeCastOp(CastOp):
    """Dequantization: ``(x - zero_point) * scale`` in the expressed type."""

    name = "quant.dcast"

    def check_elements(self, source: Attribute, target: Attribute) -> None:
        """Check that a quantized type becomes the float it expresses."""
        _check_expresses(self, target, source)


@irdl_op_definition
class StorageCastOp(CastOp):
    """A cast between a quantized type and the integers that hold it, either way; nothing is computed.

    Unsigned storage belongs to ``ui8`` and also, as in MLIR's spelling ``u8``, to ``i8``: the bits are the same.
    """

    name = "quant.scast"

    def check_elements(self, source: Attribute, target: Attribute) -> None:
        """Check that one side is quantized, and the other side an integer of the storage's width."""
        one_way = isinstance(source, IntegerType) != isinstance(target, IntegerType)
        element, integer = (target, source) if isinstance(source, IntegerType) else (source, target)
        known = one_way and isinstance(element, UniformQuantizedType | AnyQuantizedType)
        check(known, self.name, "a quantized type and an integer are needed, found {} and {}", source, target)
        assert isinstance(element, UniformQuantizedType | AnyQuantizedType)
        storage = element.data.storage
        accepted = (IntegerType(storage.width), integer_type(storage.width, signed=storage.signed))
        check(integer in accepted, self.name, "{} is not the storage type of {}", integer, element)


def _check_expresses(op: CastOp, real: Attribute, element: Attribute) -> None:
    check(is_float(real), op.name, "a float is needed on one side, found {}", real)
    check(isinstance(element, _QUANTIZED), op.name, "a quantized type is needed on one side, found {}", element)
    check(expressed(element) == real, op.name, "{} does not express {}", element, real)


class IdentityOp(IRDLOperation, ABC):
    """The base of ops that return their operand and state something about it."""

    arg = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        """Check that operand and result have one type, float or quantized."""
        _check_same_type(self)
        element = element_type(self.arg)
        known = is_float(element) or isinstance(element, _QUANTIZED)
        check(known, self.name, "a float or quantized type is needed, found {}", element)


def _check_same_type(op: Operation) -> None:
    before, after = op.operands[0].type, op.results[0].type
    check(before == after, op.name, "operand and result differ in type: {} and {}", before, after)


@irdl_op_definition
class StatisticsRefOp(IdentityOp):
    """The request to record the range of the values under a key; see the pass ``materialize-stats``."""

    name = "quant.stats_ref"
    key = prop_def(StringAttr, prop_name="statsKey")

    def __init__(self, arg: SSAValue, key: str) -> None:
        super().__init__(operands=[arg], properties={"statsKey": StringAttr(key)}, result_types=[arg.type])


@irdl_op_definition
class CoupledRefOp(IdentityOp):
    """The statement that all values under one key share their quantization."""

    name = "quant.coupled_ref"
    key = prop_def(StringAttr, prop_name="coupledKey")

    def __init__(self, arg: SSAValue, key: str) -> None:
        super().__init__(operands=[arg], properties={"coupledKey": StringAttr(key)}, result_types=[arg.type])


@irdl_op_definition
class StatisticsOp(IdentityOp):
    """The operand's range: ``layerStats`` is [minimum, maximum], ``axisStats`` has such a row for each slice.

    The slices are the elements of the dimensions from ``axis`` on: ``tensor<8x3x2xf32>`` has 2 of them at axis 2 and 6
    at axis 1.
    """

    name = "quant.stats"
    layer = prop_def(ElementsAttr, prop_name="layerStats")
    slices = opt_prop_def(ElementsAttr, prop_name="axisStats")
    axis = opt_prop_def(IntegerAttr[IntegerType])

    def __init__(
        self, arg: SSAValue, layer: ElementsAttr, slices: ElementsAttr | None = None, axis: int | None = None
    ) -> None:
        properties = {
            "layerStats": layer,
            "axisStats": slices,
            "axis": None if axis is None else IntegerAttr(axis, i64),
        }
        super().__init__(operands=[arg], properties=properties, result_types=[arg.type])

    def verify_(self) -> None:
        """Check that the statistics are floats, in the shapes that the operand asks for, minimum first."""
        super().verify_()
        _check_ranges(self.name, "layerStats", self.layer, (2,))
        if self.slices is None:
            return
        check(self.axis is not None, self.name, "axis must be given with axisStats")
        assert self.axis is not None
        axis, dimensions = self.axis.value.data, shape(self.arg)
        check(0 <= axis < len(dimensions), self.name, f"axis {axis} of a tensor of rank {len(dimensions)}")
        _check_ranges(self.name, "axisStats", self.slices, (slice_count(dimensions, axis), 2))


def slice_count(dimensions: Sequence[int], axis: int) -> int:
    """Return the number of rows in ``axisStats``: the number of elements of the dimensions from ``axis`` on."""
    count = 1
    for size in dimensions[axis:]:
        count *= size
    return count


def _check_ranges(name: str, what: str, ranges: ElementsAttr, expected: tuple[int, ...]) -> None:
    element, found = ranges.type.element_type, ranges.type.get_shape()
    check(is_float(element), name, f"{what} must hold floats, found {element}")
    check(found == expected, name, f"{what} must have shape {list(expected)}, found {list(found)}")
    ordered = bool(np.less_equal(ranges.array[..., 0], ranges.array[..., 1]).all())
    check(ordered, name, f"{what} must hold a minimum and a maximum that is not below it")


class FakeQuantOp(IRDLOperation, ABC):
    """The base of float ops that quantize and dequantize, as TensorFlow's ``fake_quant_with_min_max_args`` does.

    The result's values are values of :attr:`element`; ties round to even, where TensorFlow's kernels round them up.
    """

    inputs = operand_def(TensorType)
    outputs = result_def(TensorType)
    num_bits = prop_def(IntegerAttr[IntegerType])
    narrow_range = opt_prop_def(BoolAttr)
    is_signed = opt_prop_def(BoolAttr)
    traits = traits_def(Pure())

    @property
    @abstractmethod
    def ranges(self) -> tuple[list[float], list[float]]:
        """The minima and maxima: one each, or one for each slice."""

    @property
    @abstractmethod
    def quantization_dimension(self) -> int | None:
        """The axis of a per-axis range, else None."""

    @property
    def element(self) -> UniformQuantizedType:
        """The quantized type that is simulated: the range nudged so that zero has an integer of its own.

        Storage is the narrowest of 2, 4, 8 and 16 bits that holds ``num_bits``, limited to their range. Raises
        ConversionError for ranges and widths that cannot be quantized.
        """
        bits, signed = self.num_bits.value.data, _is_set(self.is_signed)
        minima, maxima = self.ranges
        nudged = numerics.nudge_fake_quant(minima, maxima, bits, _is_set(self.narrow_range), signed=signed)
        width = next(width for width in _STORAGE_WIDTHS if width >= bits)
        storage = Storage(width, signed, nudged.quant_min, nudged.quant_max)
        axis = self.quantization_dimension
        if axis is None:
            return UniformQuantizedType.per_tensor(storage, float(nudged.scale[0]), int(nudged.zero_point[0]))
        return UniformQuantizedType.per_axis(storage, nudged.scale, nudged.zero_point, axis)

    def verify_(self) -> None:
        """Check for one f32 type on both sides, and a range for each slice that can be quantized."""
        _check_same_type(self)
        check(element_type(self.inputs) == f32, self.name, "f32 is needed, found {}", element_type(self.inputs))
        minima, maxima = self.ranges
        check(len(minima) == len(maxima) > 0, self.name, f"{len(minima)} minima for {len(maxima)} maxima")
        try:
            element = self.element
        except ConversionError as error:
            raise VerifyException(f"{self.name}: {error}") from error
        check_quantized(self.name, with_element(tensor(self.inputs), element))


def _is_set(flag: IntegerAttr[IntegerType] | None) -> bool:
    return flag is not None and bool(flag.value.data)


@irdl_op_definition
class ConstFakeQuantOp(FakeQuantOp):
    """Fake quantization with one range."""

    name = "quant.const_fake_quant"
    min = prop_def(FloatAttr)
    max = prop_def(FloatAttr)

    def __init__(
        self,
        inputs: SSAValue,
        minimum: float,
        maximum: float,
        num_bits: int = 8,
        *,
        narrow_range: bool = False,
        is_signed: bool = False,
    ) -> None:
        ranges = {"min": FloatAttr(minimum, f32), "max": FloatAttr(maximum, f32)}
        properties = {**ranges, **_storage_properties(num_bits, narrow_range=narrow_range, is_signed=is_signed)}
        super().__init__(operands=[inputs], properties=properties, result_types=[inputs.type])

    @property
    def ranges(self) -> tuple[list[float], list[float]]:
        """The minimum and the maximum, one each."""
        return [self.min.value.data], [self.max.value.data]

    @property
    def quantization_dimension(self) -> int | None:
        """None."""
        return None


@irdl_op_definition
class ConstFakeQuantPerAxisOp(FakeQuantOp):
    """Fake quantization with a range for each slice along ``axis``."""

    name = "quant.const_fake_quant_per_axis"
    min = prop_def(ArrayAttr[FloatAttr])
    max = prop_def(ArrayAttr[FloatAttr])
    axis = prop_def(IntegerAttr[IntegerType])

    def __init__(
        self,
        inputs: SSAValue,
        minima: Sequence[float],
        maxima: Sequence[float],
        axis: int,
        num_bits: int = 8,
        *,
        narrow_range: bool = False,
        is_signed: bool = False,
    ) -> None:
        properties: dict[str, Attribute] = {
            "min": ArrayAttr(FloatAttr(value, f32) for value in minima),
            "max": ArrayAttr(FloatAttr(value, f32) for value in maxima),
            "axis": IntegerAttr(axis, i64),
        }
        properties |= _storage_properties(num_bits, narrow_range=narrow_range, is_signed=is_signed)
        super().__init__(operands=[inputs], properties=properties, result_types=[inputs.type])

    @property
    def ranges(self) -> tuple[list[float], list[float]]:
        """The minima and maxima, one for each slice along the axis."""
        return [v.value.data for v in self.min.data], [v.value.data for v in self.max.data]

    @property
    def quantization_dimension(self) -> int | None:
        """The axis."""
        return self.axis.value.data


def _storage_properties(num_bits: int, *, narrow_range: bool, is_signed: bool) -> dict[str, Attribute]:
    flags = {"narrow_range": narrow_range, "is_signed": is_signed}
    given = {name: cast(Attribute, IntegerAttr(1, i1)) for name, is_given in flags.items() if is_given}
    return {"num_bits": IntegerAttr(num_bits, i64), **given}


QUANT_OPS: tuple[type[Operation], ...] = (
    QuantizeCastOp,
    DequantizeCastOp,
    StorageCastOp,
    ConstFakeQuantOp,
    ConstFakeQuantPerAxisOp,
    StatisticsOp,
    StatisticsRefOp,
    CoupledRefOp,
    RegionOp,
    ReturnOp,
)

Quant = Dialect("quant", list(QUANT_OPS), list(_QUANTIZED))
