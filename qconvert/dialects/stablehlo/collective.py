"""Ops that several devices execute together.

Source: StableHLO's specification, "Collective ops". They can be read, checked and written; on one device they have no
value. How many devices a group has depends on how a program is launched, so result shapes are held to multiples only.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar, NamedTuple

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr
from xdsl.ir import Data, Operation, SSAValue
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import Pure

from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.base import StableHLOOp
from qconvert.dialects.stablehlo.computation import signature
from qconvert.dialects.stablehlo.constraints import check_combined, check_dimension
from qconvert.dialects.stablehlo.syntax import SameTypeClauseOp
from qconvert.dialects.traits import PassesIntegers
from qconvert.ir import ElementsAttr, Tensor, element_type, integer_type, shape, tensor_type


class ChannelHandle(NamedTuple):
    """A channel's number and type: 1 joins two devices, 2 a device to the host, 3 the host to a device."""

    handle: int
    type: int


@irdl_attr_definition
class ChannelHandleAttr(Data[ChannelHandle]):
    """``#stablehlo.channel_handle<handle = 1, type = 0>``."""

    name = "stablehlo.channel_handle"

    def print_parameter(self, printer: Printer) -> None:
        """Print both numbers."""
        printer.print_string(f"<handle = {self.data.handle}, type = {self.data.type}>")

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ChannelHandle:
        """Parse both numbers."""
        with parser.in_angle_brackets():
            handle = _parse_number(parser, "handle")
            parser.parse_punctuation(",")
            return ChannelHandle(handle, _parse_number(parser, "type"))


def _parse_number(parser: AttrParser, keyword: str) -> int:
    parser.parse_keyword(keyword)
    parser.parse_punctuation("=")
    return parser.parse_integer(allow_boolean=False)


def check_pairs(op: Operation, pairs: ElementsAttr) -> None:
    """Check pairs of a source and a target device (C1 to C4); each is in one pair at most."""
    array = pairs.array.astype(np.int64)
    check(array.ndim == 2 and array.shape[1] == 2, f"{op.name} (C1)", f"pairs of shape {array.shape}")
    for column, constraint, word in ((array[:, 0], "C2", "sources"), (array[:, 1], "C3", "targets")):
        check(len(np.unique(column)) == len(column), f"{op.name} ({constraint})", f"{word} occur more than once")
    check(bool((array >= 0).all()), f"{op.name} (C4)", "a device with a negative number")


class CollectiveOp(StableHLOOp, ABC):
    """The base of ops in which groups of devices exchange tensors."""

    traits = traits_def(PassesIntegers())

    PER_AXIS: ClassVar[bool] = False
    channel_handle = opt_prop_def(ChannelHandleAttr)

    def check_groups(self, groups: ElementsAttr, constraints: str) -> None:
        """Check that groups, filled up with -1, hold every number from 0 on once."""
        array = np.asarray(groups.array)
        devices = np.sort(array[array != -1])
        valid = array.ndim == 2 and array.size > 0 and np.array_equal(devices, np.arange(devices.size))
        check(valid, f"{self.name} ({constraints})", "groups must hold every device from 0 on once")

    def check_channel(self, constraint: str) -> None:
        """Check that numbers of all devices come with a channel."""
        channel = self.channel_handle
        known = "use_global_device_ids" not in self.properties or (channel is not None and channel.data.handle > 0)
        check(known, f"{self.name} ({constraint})", "use_global_device_ids needs a channel above 0")

    def check_resized(self, constraint: str, small: SSAValue, large: SSAValue, dimension: int) -> None:
        """Check that two shapes are equal but for one dimension, whose size is a multiple of the smaller one's."""
        a, b = list(shape(small)), list(shape(large))
        fits = len(a) == len(b) and (b[dimension] % a[dimension] == 0 if a[dimension] else b[dimension] == 0)
        a[dimension : dimension + 1] = b[dimension : dimension + 1]
        check(fits and a == b, f"{self.name} ({constraint})", "{} and {} do not go together", small.type, large.type)

    def check_reducer(self, constraint: str) -> None:
        """Check that the computation combines two scalars of the results' element type."""
        taken, given = signature(self, self.regions[0])
        results = {element_type(result) for result in self.results}
        fits = len(given) == 1 and taken == given * 2 and {TensorType(element, ()) for element in results} == set(given)
        check(fits, f"{self.name} ({constraint})", "the computation does not combine two of the results' scalars")


@irdl_op_definition
class AllGatherOp(CollectiveOp):
    """The concatenated operands of a group's devices."""

    name = "stablehlo.all_gather"
    inputs = var_operand_def(TensorType)
    all_gather_dim = prop_def(IntegerAttr)
    replica_groups = prop_def(ElementsAttr)
    use_global_device_ids = opt_prop_def(UnitAttr)
    results_ = var_result_def(TensorType)

    def verify_(self) -> None:
        """Check dimension (C1), groups (C2 to C4), channel (C5) and the results, which repeat the operands (C6)."""
        self.check_groups(self.replica_groups, "C2 to C4")
        self.check_channel("C5")
        dimension = self.all_gather_dim.value.data
        check_counts(self, "C6")
        for value, result in zip(self.inputs, self.results, strict=True):
            check_dimension(self, "C1", dimension, value)
            self.check_resized("C6", value, result, dimension)
            check_same_element(self, "C6", value, result)


@irdl_op_definition
class AllReduceOp(CollectiveOp):
    """The operands of a group's devices, combined element by element."""

    name = "stablehlo.all_reduce"
    inputs = var_operand_def(TensorType)
    replica_groups = prop_def(ElementsAttr)
    use_global_device_ids = opt_prop_def(UnitAttr)
    computation = region_def()
    results_ = var_result_def(TensorType)

    def verify_(self) -> None:
        """Check that groups (C1 to C3), channel (C4), computation (C5, C7) and shapes (C6) fit."""
        self.check_groups(self.replica_groups, "C1 to C3")
        self.check_channel("C4")
        check_counts(self, "C6")
        for value, result in zip(self.inputs, self.results, strict=True):
            check(shape(value) == shape(result), f"{self.name} (C6)", "{} gives {}", value.type, result.type)
        self.check_reducer("C5, C7")

    def verify_quantized(self) -> None:
        """Check that elements can be promoted to the types that the computation combines (C5)."""
        super().verify_quantized()
        check_combined(self, "C5")


@irdl_op_definition
class ReduceScatterOp(CollectiveOp):
    """The combined operands of a group's devices, split into one part for each device."""

    name = "stablehlo.reduce_scatter"
    operand = operand_def(TensorType)
    scatter_dimension = prop_def(IntegerAttr)
    replica_groups = prop_def(ElementsAttr)
    use_global_device_ids = opt_prop_def(UnitAttr)
    computation = region_def()
    result = result_def(TensorType)

    def verify_(self) -> None:
        """Check that dimension (C2), groups (C3 to C5), channel (C6), computation (C7, C9) and shapes (C1, C8) fit."""
        dimension = self.scatter_dimension.value.data
        check_dimension(self, "C2", dimension, self.operand)
        self.check_groups(self.replica_groups, "C3 to C5")
        self.check_channel("C6")
        self.check_resized("C1, C8", self.result, self.operand, dimension)
        self.check_reducer("C7, C9")

    def verify_quantized(self) -> None:
        """Check that elements can be promoted to the types that the computation combines (C7)."""
        super().verify_quantized()
        check_combined(self, "C7")


@irdl_op_definition
class AllToAllOp(CollectiveOp):
    """The parts that a group's devices send to this device, put together."""

    name = "stablehlo.all_to_all"
    inputs = var_operand_def(TensorType)
    split_dimension = prop_def(IntegerAttr)
    concat_dimension = prop_def(IntegerAttr)
    split_count = prop_def(IntegerAttr)
    replica_groups = prop_def(ElementsAttr)
    results_ = var_result_def(TensorType)

    def verify_(self) -> None:
        """Check that dimensions (C1 to C3), parts (C4, C8), groups (C5 to C7) and results (C9) fit."""
        numbers = (self.split_dimension, self.concat_dimension, self.split_count)
        split, join, count = (number.value.data for number in numbers)
        check(count > 0, f"{self.name} (C4)", f"{count} parts")
        self.check_groups(self.replica_groups, "C5 to C7")
        devices = self.replica_groups.array.shape[1]
        check(devices == count, f"{self.name} (C8)", f"{count} parts for groups of {devices} devices")
        check_counts(self, "C9")
        for value, result in zip(self.inputs, self.results, strict=True):
            check_dimension(self, "C1", split, value)
            check_dimension(self, "C3", join, value)
            expected = list(shape(value))
            check(
                expected[split] % count == 0, f"{self.name} (C2)", "{} does not split into {} parts", value.type, count
            )
            expected[split] //= count
            expected[join] *= count
            check(shape(result) == tuple(expected), f"{self.name} (C9)", "a result of {}", result.type)
            check_same_element(self, "C9", value, result)


@irdl_op_definition
class CollectivePermuteOp(CollectiveOp):
    """The operand of the device that is paired with this one, or zeros without a pair."""

    name = "stablehlo.collective_permute"
    operand = operand_def(TensorType)
    source_target_pairs = prop_def(ElementsAttr)
    result = result_def(TensorType)

    def verify_(self) -> None:
        """Check that pairs are valid (C1 to C4), and that the type does not change (C5)."""
        check_pairs(self, self.source_target_pairs)
        same = self.operand.type == self.result.type
        check(same, f"{self.name} (C5)", "{} gives {}", self.operand.type, self.result.type)


@irdl_op_definition
class CollectiveBroadcastOp(CollectiveOp):
    """The operand of the first device of a group, on all devices of the group."""

    name = "stablehlo.collective_broadcast"
    operand = operand_def(TensorType)
    replica_groups = prop_def(ElementsAttr)
    result = result_def(TensorType)

    def verify_(self) -> None:
        """Check that no device is in two groups (C1, C2), and that the type does not change (C3)."""
        devices = self.replica_groups.array.astype(np.int64).reshape(-1)
        unique = len(np.unique(devices)) == len(devices) and bool((devices >= 0).all())
        check(unique, f"{self.name} (C1, C2)", "a device with a negative number or in two groups")
        same = self.operand.type == self.result.type
        check(same, f"{self.name} (C3)", "{} gives {}", self.operand.type, self.result.type)


class _IdOp(InferredOp, SameTypeClauseOp, ABC):
    """The base of ops that return a number of the executing device as a scalar ui32."""

    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self) -> None:
        super().__init__()

    def infer(self) -> Tensor:
        """Return a scalar of ui32."""
        return tensor_type(integer_type(32, signed=False), ())


@irdl_op_definition
class PartitionIdOp(_IdOp):
    """The number of the partition."""

    name = "stablehlo.partition_id"


@irdl_op_definition
class ReplicaIdOp(_IdOp):
    """The number of the replica."""

    name = "stablehlo.replica_id"


def check_counts(op: CollectiveOp, constraint: str) -> None:
    """Check that there is a result for each operand."""
    same = len(op.operands) == len(op.results)
    check(same, f"{op.name} ({constraint})", f"{len(op.results)} results of {len(op.operands)} operands")


def check_same_element(op: CollectiveOp, constraint: str, value: SSAValue, result: SSAValue) -> None:
    """Check that an op keeps the element type."""
    same = element_type(value) == element_type(result)
    check(same, f"{op.name} ({constraint})", "{} becomes {}", element_type(value), element_type(result))
