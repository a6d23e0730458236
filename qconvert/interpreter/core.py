"""The evaluation of a function of the IR on numpy arrays.

A quantized value is held as its storage integers; each element narrower than 8 bits takes one byte.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from qconvert import numerics
from qconvert.dialects.traits import Layer, absence
from qconvert.expansion.registry import follows_litert, is_integer
from qconvert.interpreter.implementation import (
    CHLO,
    IMPLEMENTATIONS,
    LITERT,
    LITERT_OF_FLOATS,
    TOSA,
    Array,
    Implementation,
)
from qconvert.interpreter.schedule import Schedule, scheduled
from qconvert.interpreter.threads import one_thread
from qconvert.ir import (
    Arithmetic,
    ArithmeticFamily,
    Tensor,
    UniformQuantizedType,
    arithmetic,
    describe,
    numpy_dtype,
    place,
    tensor,
)
from qconvert.ir.dense_parsing import narrowed
from qconvert.support.errors import ConversionError
from qconvert.support.limits import budget

INT32 = np.iinfo(np.int32)

_AROUND: ContextVar[ChainMap[SSAValue, Array]] = ContextVar("around")
"""The values around the op that is evaluated; the op's regions may use them."""

_OF_DIALECT = {"tosa": TOSA, "chlo": CHLO}
"""The registries of dialects that few modules have; each is loaded with the first op of its dialect."""


def _found(op: Operation) -> Implementation | None:
    if follows_litert(op):
        return (LITERT if is_integer(op) else LITERT_OF_FLOATS).get(type(op))
    return _OF_DIALECT.get(op.dialect_name(), IMPLEMENTATIONS).get(type(op))


def is_interpreted(op: Operation) -> bool:
    """Return True if the interpreter implements an op."""
    return _found(op) is not None


def implementation_of(op: Operation) -> Implementation:
    """Return the function that evaluates an op.

    Raises ConversionError if there is none.
    """
    found = _found(op)
    if found is None:
        lacks = "lacks LiteRT's arithmetic of" if follows_litert(op) else "does not implement"
        reason = absence(op, Layer.INTERPRETER) or f"the interpreter {lacks} this op"
        raise ConversionError(reason, node=describe(op), op=op.name, file=place(op))
    return found


def evaluate_op(op: Operation, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate one op; errors name it and its source node."""
    try:
        with np.errstate(all="ignore"):
            results = implementation_of(op)(op, operands)
    except ConversionError as error:
        raise error.located(node=describe(op), op=op.name, file=place(op)) from error
    except MemoryError as error:
        found = f"there is not enough memory for a result of type {op.results[0].type}"
        raise ConversionError(found, node=describe(op), op=op.name, file=place(op)) from error
    return results if isinstance(results, tuple) else (results,)


@dataclass(slots=True)
class _Steps:
    """Counts the ops that are evaluated for one sample: loops, or functions that call each other, may have no end."""

    left: int = field(default_factory=lambda: budget().steps)

    def take(self) -> None:
        """Count one op; raise ConversionError if it is one too many."""
        self.left -= 1
        if self.left < 0:
            found = f"the evaluation takes more than {budget().steps:,} ops, each iteration of a loop counted"
            raise ConversionError(found, hint="Raise the limit with --max-steps")


_STEPS: ContextVar[_Steps | None] = ContextVar("steps", default=None)


def evaluate_block(block: Block, arguments: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate a block's ops in order and return its terminator's operands; drop each value after its last use."""
    own: dict[SSAValue, Array] = dict(zip(block.args, arguments, strict=True))
    values: ChainMap[SSAValue, Array] = ChainMap(own, *_AROUND.get(ChainMap()).maps)
    last_uses, steps = _last_uses(block.ops), _STEPS.get() or _Steps()
    for op in block.ops:
        steps.take()
        operands = [values[operand] for operand in op.operands]
        if op.next_op is None and op.has_trait(IsTerminator):
            return tuple(operands)
        own.update(zip(op.results, _evaluate_among(op, operands, values), strict=True))
        for value in last_uses.get(op, ()):
            own.pop(value, None)
    raise ConversionError("a block without a terminator cannot be evaluated")


def _evaluate_among(op: Operation, operands: Sequence[Array], values: ChainMap[SSAValue, Array]) -> tuple[Array, ...]:
    """Evaluate one op, whose regions may use the values around it."""
    if not op.regions:
        return evaluate_op(op, operands)
    token = _AROUND.set(values)
    try:
        return evaluate_op(op, operands)
    finally:
        _AROUND.reset(token)


def _last_uses(ops: Iterable[Operation]) -> dict[Operation, list[SSAValue]]:
    """Return, for each op, the values that no later op uses, inside regions or not."""
    last: dict[SSAValue, Operation] = {}
    for op in ops:
        for user in op.walk() if op.regions else (op,):
            last.update(dict.fromkeys(user.operands, op))
    by_op: dict[Operation, list[SSAValue]] = {}
    for value, op in last.items():
        by_op.setdefault(op, []).append(value)
    return by_op


def main_function(module: ModuleOp) -> FuncOp:
    """Return ``@main``, or the only function.

    Raises ConversionError if there is neither, or only a declaration.
    """
    functions = [op for op in module.ops if isinstance(op, FuncOp)]
    for function in functions:
        if function.sym_name.data == "main" or len(functions) == 1:
            if function.is_declaration:
                raise ConversionError(f"the function @{function.sym_name.data} has no body")
            return function
    raise ConversionError(f"found {len(functions)} functions, but no @main")


def evaluate(module: ModuleOp, inputs: Sequence[Array], schedule: Schedule | None = None) -> tuple[Array, ...]:
    """Evaluate ``@main`` on positional inputs and return its results; quantized ones are storage integers.

    Reductions combine in the order of ``schedule``, by default from first to last. Raises ConversionError if an
    input's shape or dtype differs from the argument's, or if a result is not a tensor.
    """
    with scheduled(schedule), one_thread():
        return evaluate_function(main_function(module), inputs)


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
    around, steps = _AROUND.set(ChainMap()), _STEPS.set(_STEPS.get() or _Steps())
    try:
        return evaluate_block(function.body.block, inputs)
    finally:
        _AROUND.reset(around)
        _STEPS.reset(steps)


def dequantize(array: Array, type: Tensor) -> Array:
    """Return the float values of a quantized tensor's storage integers, in its expressed type; others unchanged."""
    element = type.element_type
    if not isinstance(element, UniformQuantizedType):
        return array
    scales = element.broadcast(element.scales, array.shape)
    zero_points = element.broadcast(element.zero_points, array.shape)
    return numerics.dequantize(array, scales, zero_points, numpy_dtype(element.expressed_type))


def quantize(real: Array, type: Tensor, follows: Arithmetic | None) -> Array:
    """Return storage integers of float values in the rounding order of an arithmetic; for other types a cast."""
    element = type.element_type
    if not isinstance(element, UniformQuantizedType):
        return _wrapped(real, element)
    is_onnx = follows is not None and follows.family is ArithmeticFamily.ONNX
    formula = numerics.quantize_onnx if is_onnx else numerics.quantize_stablehlo
    scales = element.broadcast(element.scales, real.shape).astype(real.dtype)
    zero_points = element.broadcast(element.zero_points, real.shape)
    storage = element.storage
    return formula(real, scales, zero_points, storage.minimum, storage.maximum, numpy_dtype(element))


def follows_onnx(op: Operation) -> bool:
    """Return True if an op rounds in ONNX's order: the quotient by the scale, before the zero point is added."""
    follows = arithmetic(op)
    return follows is not None and follows.family is ArithmeticFamily.ONNX


def quantized_result(op: Operation, real: Array, index: int = 0) -> Array:
    """Return the storage integers of an op's result, rounded in the op's own order."""
    return quantize(real, tensor(op.results[index]), arithmetic(op))


def _wrapped(array: Array, element: Attribute) -> Array:
    """Return an array as elements of a plain type; integers narrower than 8 bits wrap."""
    held = array.astype(numpy_dtype(element), copy=False)
    if isinstance(element, IntegerType) and 1 < element.width.data < 8:
        return narrowed(held.view(np.uint8), element)
    return held


def as_int32(accumulator: Array) -> Array:
    """Return exact integers as a 32-bit accumulator.

    Raises ConversionError if they exceed 32 bits.
    """
    if accumulator.dtype != np.int32 and accumulator.size:
        low, high = int(accumulator.min()), int(accumulator.max())
        if low < INT32.min or high > INT32.max:
            raise ConversionError(
                f"the accumulator reaches {high if high > INT32.max else low}, outside its 32 bits",
                hint="Give the op its final type directly instead of a 32-bit accumulator",
            )
    return accumulator.astype(np.int32, copy=False)
