"""The evaluation of one op on numpy arrays.

A quantized value is held as its storage integers; each element narrower than 8 bits takes one byte.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert import numerics
from qconvert.dialects.composite.base import CompositeOp
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

INT32 = np.iinfo(np.int32)

_OF_DIALECT = {"tosa": TOSA, "chlo": CHLO}
"""The registries of dialects that few modules have; each is loaded with the first op of its dialect."""


def _found(op: Operation) -> Implementation | None:
    if follows_litert(op):
        return (LITERT if is_integer(op) else LITERT_OF_FLOATS).get(type(op))
    found = _OF_DIALECT.get(op.dialect_name(), IMPLEMENTATIONS).get(type(op))
    return IMPLEMENTATIONS.get(CompositeOp) if found is None and isinstance(op, CompositeOp) else found


def is_standard(op: Operation) -> bool:
    """Return True if an op follows a standard's arithmetic: StableHLO's, ONNX's or TOSA's."""
    return not follows_litert(op)


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
    except (ConversionError, MemoryError) as error:
        raise located(error, op) from error
    return results if isinstance(results, tuple) else (results,)


def located(error: ConversionError | MemoryError, op: Operation) -> ConversionError:
    """Return the error of an op's evaluation with the op's name and its source node."""
    if isinstance(error, MemoryError):
        error = ConversionError(f"there is not enough memory for a result of type {op.results[0].type}")
    return error.located(node=describe(op), op=op.name, file=place(op))


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


def returned(module: ModuleOp) -> Sequence[SSAValue]:
    """Return the values that ``@main`` returns."""
    terminator = main_function(module).body.block.last_op
    assert terminator is not None
    return terminator.operands


def dequantize(array: Array, type: Tensor) -> Array:
    """Return the float values of a quantized tensor's storage integers, in its expressed type; others unchanged."""
    element = type.element_type
    if not isinstance(element, UniformQuantizedType):
        return array
    scales = element.broadcast(element.scales, array.shape)
    zero_points = element.broadcast(element.zero_points, array.shape).astype(numpy_dtype(element))  # inside its range
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
