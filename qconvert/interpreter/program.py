"""The evaluation of functions and blocks. A program keeps the plans of a module: its second run prepares nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from qconvert.interpreter.core import is_standard, main_function
from qconvert.interpreter.implementation import PREPARATIONS, Array, Constants, Prepared
from qconvert.interpreter.plan import AROUND, STEPS, Plan, StepBudget
from qconvert.interpreter.schedule import Schedule, scheduled
from qconvert.interpreter.threads import one_thread
from qconvert.ir import numpy_dtype, tensor
from qconvert.support.errors import ConversionError

_PREPARED_BYTES = 1 << 28
"""The largest size of all that a program prepares of constants; ops beyond it are evaluated without."""


class Program:
    """The plans of a module's blocks, each made when the block is evaluated first. The module must not change."""

    def __init__(self, module: ModuleOp | None = None) -> None:
        self._function = None if module is None else main_function(module)
        self._plans: dict[Block, Plan] = {}
        self._made: dict[Operation, Block] = {}
        self.prepared_bytes = 0

    def run(self, inputs: Sequence[Array], schedule: Schedule | None = None) -> tuple[Array, ...]:
        """Evaluate ``@main`` as :func:`evaluate` does."""
        assert self._function is not None
        with scheduled(schedule), one_thread(), _running(self):
            return evaluate_function(self._function, inputs)

    def plan(self, block: Block) -> Plan:
        """Return the plan of a block of the module."""
        plan = self._plans.get(block)
        if plan is None:
            plan = self._plans[block] = Plan(block, self._prepared)
        return plan

    def made(self, op: Operation, make: Callable[[], Block]) -> Block:
        """Return the block that is made of an op, once."""
        block = self._made.get(op)
        if block is None:
            block = self._made[op] = make()
        return block

    def _prepared(self, op: Operation, constants: Constants) -> Prepared | None:
        prepare = PREPARATIONS.get(type(op)) if is_standard(op) else None
        found = None if prepare is None else prepare(op, constants)
        if found is None or self.prepared_bytes + found.byte_count > _PREPARED_BYTES:
            return None
        self.prepared_bytes += found.byte_count
        return found


_RUNNING: ContextVar[Program | None] = ContextVar("running", default=None)


@contextmanager
def _running(program: Program) -> Iterator[None]:
    token = _RUNNING.set(program)
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        _RUNNING.reset(token)


def evaluate(module: ModuleOp, inputs: Sequence[Array], schedule: Schedule | None = None) -> tuple[Array, ...]:
    """Evaluate ``@main`` on positional inputs and return its results; quantized ones are storage integers.

    Reductions combine in the order of ``schedule``, by default from first to last. Raises ConversionError if an
    input's shape or dtype differs from the argument's, or if a result is not a tensor.
    """
    return Program(module).run(inputs, schedule)


def evaluate_function(function: FuncOp, inputs: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate a function of a module as :func:`evaluate` does."""
    block = function.body.block
    if len(inputs) != len(block.args):
        raise ConversionError(f"found {len(inputs)} inputs for {len(block.args)} arguments")
    for i, (argument, array) in enumerate(zip(block.args, inputs, strict=True)):
        expected = tensor(argument)
        if array.shape != expected.get_shape() or array.dtype != numpy_dtype(expected.element_type):
            raise ConversionError(f"input {i} is {array.dtype}{list(array.shape)}, the model takes {expected}")
    terminator = block.last_op
    for value in terminator.operands if terminator is not None else ():
        tensor(value)  # refuse a tuple or a token as result
    return evaluate_body(function, inputs)


def evaluate_body(function: FuncOp, inputs: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate a function on arrays that fit its arguments, or whole tensors where these are scalars of a region."""
    if _RUNNING.get() is None:
        with _running(Program()):
            return evaluate_body(function, inputs)
    around, steps = AROUND.set(None), STEPS.set(STEPS.get() or StepBudget())
    try:
        return evaluate_block(function.body.block, inputs)
    finally:
        AROUND.reset(around)
        STEPS.reset(steps)


def evaluate_block(block: Block, arguments: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate a block's ops in order and return its terminator's operands; drop each value after its last use."""
    program = _RUNNING.get()
    if program is not None:
        return program.plan(block).run(arguments)
    with np.errstate(all="ignore"):
        return Plan(block).run(arguments)


def evaluate_made(op: Operation, make: Callable[[], Block], arguments: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate the block that is made of an op, such as its decomposition."""
    program = _RUNNING.get()
    return evaluate_block(make() if program is None else program.made(op, make), arguments)
