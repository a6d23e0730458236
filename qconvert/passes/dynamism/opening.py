"""One module with an open dimension, made of the same conversion at several sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, FunctionType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import as_tuple
from qconvert.ir import Tensor, UniformQuantizedType, describe, element_type, i32, shape, with_shape
from qconvert.passes.dynamism.comparison import is_refined_to
from qconvert.passes.dynamism.open_size import OpenDimension, OpenSize
from qconvert.passes.dynamism.refinement import is_unknown
from qconvert.rewriting import builder_before, erase_dead, replace
from qconvert.support.errors import ConversionError

Sizes: TypeAlias = tuple[OpenSize, ...]

_ITSELF: Sizes = (OpenSize(1, 0),)


def open_module(modules: Sequence[ModuleOp], dimension: OpenDimension) -> ModuleOp:
    """Rewrite the first of the modules so that sizes that follow the dimension's are open, and return it.

    The modules are conversions at the dimension's sizes, in order. Raises ConversionError naming the op where they
    differ in more than sizes, or where a constant depends on the size. The result at the last size is the last module.
    """
    for functions in _in_step([list(module.ops) for module in modules], dimension):
        first = functions[0]
        if isinstance(first, FuncOp) and not first.is_declaration:
            _Function(functions, dimension).open()
    assert is_refined_to(modules[0], modules[-1]), f"the module with '{dimension.name}' open is another one"
    return modules[0]


def _in_step(ops: Sequence[Sequence[Operation]], dimension: OpenDimension) -> list[tuple[Operation, ...]]:
    """Return the ops of several blocks side by side."""
    names = [[op.name for op in listed] for listed in ops]
    if any(listed != names[0] for listed in names):
        raise dimension.refusal("the conversion makes other ops at another size")
    return list(zip(*ops, strict=True))


class _Function:
    """One function at several sizes.

    ``same`` gives the first function's value for each value of the others. ``read`` are the ops that read the open
    size, ``last`` the last op of the arithmetic on sizes, ``known`` the lists of sizes that it makes.
    """

    def __init__(self, functions: Sequence[Operation], dimension: OpenDimension) -> None:
        self.functions = functions
        self.dimension = dimension
        self.same: dict[SSAValue, SSAValue] = {}
        self.last: Operation | None = None
        self.read: list[Operation] = []
        self.known: dict[Sizes, SSAValue] = {}

    def open(self) -> None:
        """Open the sizes of the first function."""
        self._open_blocks([function.regions[0].block for function in self.functions])
        erase_dead(self.read)
        first = self.functions[0]
        block = first.regions[0].block
        outputs = [] if block.last_op is None else block.last_op.operand_types
        first.properties["function_type"] = FunctionType.from_lists(block.arg_types, outputs)

    def _open_blocks(self, blocks: Sequence[Block]) -> None:
        ops = _in_step([list(block.ops) for block in blocks], self.dimension)
        for arguments in zip(*(tuple(block.args) for block in blocks), strict=True):
            self._give(arguments, self._opened([argument.type for argument in arguments]))
        for alike in ops:
            try:
                self._open(alike)
            except ConversionError as error:
                raise error.located(node=describe(alike[0]), op=alike[0].name) from error

    def _open(self, ops: Sequence[Operation]) -> None:
        """Open one op's sizes."""
        first = ops[0]
        self._check_operands(ops)
        types = [self._opened(found) for found in zip(*(op.result_types for op in ops), strict=True)]
        differing = {name for op in ops for name, value in op.properties.items() if first.properties.get(name) != value}
        made = self._with_sizes_as_values(ops, types[0]) if differing or any(map(is_unknown, types)) else None
        if made is not None:
            results = [made]
        elif differing:
            raise self.dimension.refusal(f"the op's {', '.join(sorted(differing))} depends on it")
        else:
            self._open_regions(ops)
            results = [self._typed(result, type) for result, type in zip(tuple(first.results), types, strict=True)]
        for op in ops[1:]:
            self.same.update(zip(op.results, results, strict=True))

    def _check_operands(self, ops: Sequence[Operation]) -> None:
        """Raise ConversionError unless the ops take the same values, and have the same attributes."""
        first = ops[0]
        for op in ops[1:]:
            operands = [self.same[operand] for operand in op.operands]
            if operands != list(first.operands) or op.attributes != first.attributes:
                raise self.dimension.refusal("the conversion makes other ops at another size")

    def _open_regions(self, ops: Sequence[Operation]) -> None:
        for regions in zip(*(op.regions for op in ops), strict=True):
            for blocks in zip(*(region.blocks for region in regions), strict=True):
                self._open_blocks(blocks)

    def _opened(self, types: Sequence[Attribute]) -> Attribute:
        """Return the type that stands for a value's types at all sizes."""
        first = types[0]
        if all(type == first for type in types):
            return first
        tensors = [cast(Tensor, type) for type in types if isinstance(type, TensorType)]
        if len(tensors) < len(types) or any(type.element_type != tensors[0].element_type for type in tensors):
            raise self.dimension.refusal("a value's element type depends on it")
        sizes = self.dimension.formulas([type.get_shape() for type in tensors])
        return with_shape(tensors[0], [DYNAMIC_INDEX if size.is_open else size.offset for size in sizes])

    def _sizes(self, values: Sequence[SSAValue]) -> Sizes:
        return self.dimension.formulas([shape(value) for value in values])

    def _give(self, values: Sequence[SSAValue], type: Attribute) -> None:
        """Give an argument its type; its place is that of the open size if it has the size itself."""
        sizes = self._sizes(values) if isinstance(type, TensorType) else ()
        first = self._typed(values[0], type)
        self.same.update(dict.fromkeys(values[1:], first))
        for axis, size in enumerate(sizes):
            if size.is_itself and self.last is None:
                self._start(first, axis)

    @staticmethod
    def _typed(value: SSAValue, type: Attribute) -> SSAValue:
        return value if value.type == type else Rewriter.replace_value_with_new_type(value, type)

    def _start(self, value: SSAValue, axis: int) -> None:
        """Put the op that reads the open size in front of the function."""
        self.last = start = stablehlo.GetDimensionSizeOp(value, axis)
        block = self.functions[0].regions[0].block
        first = block.first_op
        assert first is not None
        block.insert_op_before(start, first)
        self.known[_ITSELF] = self._add(stablehlo.ReshapeOp(start.result, [1]))
        self.read = [start, self.last]

    def _add(self, op: Operation) -> SSAValue:
        """Put an op behind the arithmetic on sizes."""
        assert self.last is not None
        block = self.last.parent
        assert block is not None
        block.insert_op_after(op, self.last)
        self.last = op
        return op.results[0]

    def _vector(self, sizes: Sizes) -> SSAValue:
        """Return a list of sizes as a value."""
        if self.last is None:
            raise self.dimension.refusal("no argument has the size itself")
        if sizes not in self.known:
            self.known[sizes] = self._add(stablehlo.ConcatenateOp([self._part(size) for size in sizes], 0))
        return self.known[sizes]

    def _part(self, size: OpenSize) -> SSAValue:
        """Return a list of one size as a value."""
        if (size,) not in self.known:
            value = self.known[_ITSELF]
            if not size.is_open:
                value = self._number(size.offset)
            elif size.factor != 1:
                value = self._add(stablehlo.MultiplyOp(value, self._number(size.factor)))
            if size.is_open and size.offset:
                value = self._add(stablehlo.AddOp(value, self._number(size.offset)))
            self.known[size,] = value
        return self.known[size,]

    def _number(self, value: int) -> SSAValue:
        return self._add(stablehlo.ConstantOp.of(np.asarray([value], np.int32), i32))

    def _with_sizes_as_values(self, ops: Sequence[Operation], type: Attribute) -> SSAValue | None:
        """Replace an op whose sizes are attributes or chosen by the caller; return None for other ops."""
        op = ops[0]
        made: Operation
        match op:
            case stablehlo.ReshapeOp():
                made = stablehlo.DynamicReshapeOp.create(operands=[op.operand, self._shape(ops)], result_types=[type])
            case stablehlo.BroadcastInDimOp():
                made = self._broadcast(op.operand, as_tuple(op.broadcast_dimensions), ops, type)
            case stablehlo.IotaOp():
                made = stablehlo.DynamicIotaOp.create(
                    operands=[self._shape(ops)], properties=op.properties, result_types=[type]
                )
            case stablehlo.ConstantOp():
                made = self._repeated_constant(ops, type)
            case stablehlo.SliceOp():
                ranges = [each.ranges for each in ops if isinstance(each, stablehlo.SliceOp)]
                lists = [self._vector(self.dimension.formulas(found)) for found in zip(*ranges, strict=True)]
                made = stablehlo.RealDynamicSliceOp.create(operands=[op.operand, *lists], result_types=[type])
            case _:
                return None
        value = builder_before(op).add(made)
        replace(op, value)
        return value

    def _shape(self, ops: Sequence[Operation]) -> SSAValue:
        return self._vector(self._sizes([op.results[0] for op in ops]))

    def _broadcast(
        self, value: SSAValue, dimensions: Sequence[int], ops: Sequence[Operation], type: Attribute
    ) -> Operation:
        return stablehlo.DynamicBroadcastInDimOp.create(
            operands=[value, self._shape(ops)],
            properties={"broadcast_dimensions": stablehlo.integers(dimensions)},
            result_types=[type],
        )

    def _repeated_constant(self, ops: Sequence[Operation], type: Attribute) -> Operation:
        """Return the broadcast, along the open dimensions, of a constant without them."""
        arrays = [op.array for op in ops if isinstance(op, stablehlo.ConstantOp)]
        array, element = self.dimension.unrepeated(arrays, "a constant"), element_type(ops[0].results[0])
        kept = [i for i, size in enumerate(self._sizes([op.results[0] for op in ops])) if not size.is_open]
        if isinstance(element, UniformQuantizedType) and element.quantization_dimension is not None:
            element = element.with_axis(kept.index(element.quantization_dimension))
        constant = builder_before(ops[0]).constant(array.reshape([array.shape[i] for i in kept]), element)
        return self._broadcast(constant, kept, ops, type)
