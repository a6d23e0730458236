"""A written module of MLIR as what is cut: the ops of ``@main``, with those in their regions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from qconvert.engines.modules import Program
from qconvert.interpreter.core import main_function
from qconvert.ir import describe, module_text
from qconvert.validation.segments.programs import Samples, Value, WrittenOp, WrittenProgram


class MlirProgram(WrittenProgram):
    """The function ``@main`` of a module, which is not changed. Other functions stay in every piece.

    ``options`` returns the options that engines need besides a module's text.
    """

    def __init__(self, module: ModuleOp, options: Callable[[ModuleOp], Mapping[str, str]]) -> None:
        self._module, self._options = module, options
        block = main_function(module).body.block
        last = block.last_op
        assert last is not None
        self.inputs, self.outputs = tuple(block.args), tuple(last.operands)
        every = [op for op in block.ops if op is not last]
        self._constants = {value: op for op in every if not _captured(op) for value in op.results}
        self._ops = [op for op in every if _captured(op)]
        self.ops = tuple(
            WrittenOp(
                describe(op) or op.name,
                tuple(value for value in _captured(op) if value not in self._constants),
                tuple(op.results),
            )
            for op in self._ops
        )

    def module(self, ops: Sequence[int], given: Samples, outputs: Sequence[Value]) -> ModuleOp:
        """Return a module of some of the ops."""
        arguments, returned = _values(given.inputs), _values(outputs)
        block = Block(arg_types=[value.type for value in arguments])
        values: dict[SSAValue, SSAValue] = dict(zip(arguments, block.args, strict=True))
        kept = [self._ops[place] for place in ops]
        read = [*(value for op in kept for value in _captured(op)), *returned]
        constants = dict.fromkeys(self._constants[value] for value in read if value in self._constants)
        block.add_ops([op.clone(values) for op in (*constants, *kept)])
        results = [values[value] for value in returned]
        block.add_op(ReturnOp(*results))
        types = ([value.type for value in arguments], [value.type for value in results])
        others = [op.clone() for op in self._module.ops if op is not main_function(self._module)]
        return ModuleOp([FuncOp("main", types, Region(block)), *others])

    def piece(self, ops: Sequence[int], given: Samples, outputs: Sequence[Value]) -> Program:
        """Return a module of some of the ops as text."""
        module = self.module(ops, given, outputs)
        return Program(module_text(module, locations=False), given.arrays, self._options(module))


def _values(values: Sequence[Value]) -> list[SSAValue]:
    found = [value for value in values if isinstance(value, SSAValue)]
    assert len(found) == len(values)
    return found


def _captured(op: Operation) -> list[SSAValue]:
    """Return the values that an op and the ops in its regions read from outside of the op."""
    inside = {value for each in op.walk() for value in each.results}
    blocks = [block for each in op.walk() for region in each.regions for block in region.blocks]
    inside |= {value for block in blocks for value in block.args}
    return [value for each in op.walk() for value in each.operands if value not in inside]
