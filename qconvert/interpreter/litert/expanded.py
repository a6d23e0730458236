"""The evaluation of expansions, which are made once for an op and compute on signed storage integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary, ref

import numpy as np
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from qconvert.dialects.tosa import ConstOp
from qconvert.expansion.expander import Expander, tosa_element
from qconvert.expansion.registry import EXPANSIONS, expansion_of
from qconvert.interpreter.core import evaluate_block
from qconvert.interpreter.implementation import LITERT, Array
from qconvert.ir.types import element_type, numpy_dtype, quantized, shape, tensor_type


@dataclass(frozen=True)
class _Expansion:
    """A block of TOSA ops whose arguments are an op's operands and ``constants``.

    ``made_from`` holds the op's types, operands and attributes at the expansion.
    """

    made_from: tuple[object, ...]
    block: Block
    constants: tuple[Array, ...]


_EXPANSIONS: WeakKeyDictionary[Operation, _Expansion] = WeakKeyDictionary()


def evaluate_expansion(op: Operation, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate the integer ops of an op's expansion."""
    arguments = [_as_signed(array, value) for array, value in zip(operands, op.operands, strict=True)]
    expansion = _expansion(op)
    results = evaluate_block(expansion.block, (*arguments, *expansion.constants))
    return tuple(_as_stored(array, value) for array, value in zip(results, op.results, strict=True))


def _expansion(op: Operation) -> _Expansion:
    """Return an op's expansion; an op that changed after its expansion is expanded again."""
    types = [value.type for value in (*op.operands, *op.results)]
    made_from = (types, [ref(value) for value in op.operands], op.attributes.copy(), op.properties.copy())
    known = _EXPANSIONS.get(op)
    if known is None or known.made_from != made_from:
        known = _EXPANSIONS[op] = _Expansion(made_from, *_expanded(op))
    return known


def _expanded(op: Operation) -> tuple[Block, tuple[Array, ...]]:
    build, expand = Expander(), expansion_of(op)
    assert expand is not None
    block = Block(arg_types=[tensor_type(tosa_element(element_type(value)), shape(value)) for value in op.operands])
    for operand, argument in zip(op.operands, block.args, strict=True):
        build.define(operand, argument)
    build.location = op.location
    made = ReturnOp(expand(op, build))
    constants = [op for op in build.ops if isinstance(op, ConstOp)]
    for constant in constants:
        constant.output.replace_all_uses_with(block.insert_arg(constant.output.type, len(block.args)))
    block.add_ops([*(op for op in build.ops if not isinstance(op, ConstOp)), made])
    return block, tuple(constant.array for constant in constants)


def _as_signed(array: Array, value: SSAValue) -> Array:
    """Return a value's storage integers, minus half their range if they are unsigned."""
    half = _half_range(value)
    return (array.astype(np.int64) - half).astype(f"i{array.itemsize}") if half else array


def _as_stored(array: Array, value: SSAValue) -> Array:
    """Undo :func:`_as_signed`."""
    half = _half_range(value)
    return (array.astype(np.int64) + half).astype(numpy_dtype(element_type(value))) if half else array


def _half_range(value: SSAValue) -> int:
    element = quantized(value)
    return 0 if element is None or element.storage.signed else 1 << (element.storage.width - 1)


for _kind in EXPANSIONS:
    LITERT.add(_kind, evaluate_expansion)
