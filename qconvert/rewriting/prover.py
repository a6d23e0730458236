"""Proofs over all inputs: integer ops compared with their reference on every integer that their operands can hold.

An 8-bit operand has 256 integers, two have 65,536 pairs, and so has one of 16 bits: numpy evaluates them in
milliseconds. The reference is the arithmetic that an op follows, as the interpreter computes it. For ONNX and StableHLO
that is float32 with its rounding errors: up to some 2^-17 LSB for results of 8 bits. Where the real value is closer to
halfway between two integers than that, these errors decide, and a multiplier of 31 bits, which is closer to the real
factor, may decide otherwise. About one pair in 65,536 is so close. It is no tie: the reference always rounds it in the
same direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from qconvert import numerics
from qconvert.interpreter.core import evaluate_op
from qconvert.interpreter.exact import exact_function, float_quotients, real_numbers, scales_of
from qconvert.interpreter.implementation import Array
from qconvert.interpreter.program import evaluate_block
from qconvert.ir import ARITHMETIC, UniformQuantizedType, element_type, numpy_dtype, tensor_type
from qconvert.rewriting.proof import Proof

Mask: TypeAlias = NDArray[np.bool_]
MOST_INPUTS = 1 << 16


def compare(found: Array, expected: Array, ties: Mask) -> Proof:
    """Compare the results of all inputs with the reference's."""
    apart = np.abs(found.astype(np.int64) - expected.astype(np.int64))
    differing = np.count_nonzero(apart[~ties])
    return Proof(expected.size, np.count_nonzero(ties), differing, int(apart.max(initial=0)))


def every_input(elements: Sequence[UniformQuantizedType]) -> list[Array]:
    """Return the storage integers of each operand in a dimension of its own: broadcast, they are all combinations."""
    ranges = [
        np.arange(element.storage.minimum, element.storage.maximum + 1).astype(numpy_dtype(element))
        for element in elements
    ]
    return list(np.meshgrid(*ranges, indexing="ij", sparse=True))


def results(arguments: Block, ops: Sequence[Operation], result: SSAValue, inputs: Sequence[Array]) -> Array:
    """Return the result of detached ops on the arguments of a block, which takes the ops."""
    arguments.add_ops([*ops, ReturnOp(result)])
    return evaluate_block(arguments, inputs)[0]


@dataclass(frozen=True)
class Question:
    """An op on quantized values without its shapes: what a proof depends on.

    ``operands`` gives the number of each operand's value, ``elements`` the types of the values. One of them is
    ``computed`` when the model runs, others may be constants.
    """

    kind: type[Operation]
    operands: tuple[int, ...]
    elements: tuple[UniformQuantizedType, ...]
    computed: int
    result: UniformQuantizedType
    arithmetic: Attribute | None
    properties: tuple[tuple[str, Attribute], ...] = ()

    @classmethod
    def of(cls, op: Operation, constants: Sequence[SSAValue] = ()) -> Question | None:
        """Return the question for an op with one scale a value and at most 65,536 inputs; None for another op."""
        values = tuple(dict.fromkeys(op.operands))
        elements = [element_type(value) for value in (*values, *op.results)]
        known = [found for found in elements if isinstance(found, UniformQuantizedType) and found.is_per_tensor]
        computed = [i for i, value in enumerate(values) if value not in constants]
        if len(known) < len(elements) or len(op.results) != 1 or not computed:
            return None
        *sources, target = known
        if prod(map(_count, sources)) > MOST_INPUTS or _count(target) > MOST_INPUTS:
            return None
        places = tuple(values.index(value) for value in op.operands)
        arithmetic, properties = op.attributes.get(ARITHMETIC), tuple(op.properties.items())
        return cls(type(op), places, tuple(sources), computed[0], target, arithmetic, properties)


def _count(element: UniformQuantizedType) -> int:
    return element.storage.maximum - element.storage.minimum + 1


class Reference:
    """The results that a question's op must give on all inputs, or on the given ones.

    ``op`` is the question's op on the arguments of a block, which have the shapes of the inputs and broadcast. With
    ``float_ties`` an input counts as a tie also if the number that the op's own floats give is halfway.
    """

    def __init__(self, question: Question, inputs: Sequence[Array] | None = None, *, float_ties: bool = False) -> None:
        self.question = question
        self.float_ties = float_ties
        self.inputs = every_input(question.elements) if inputs is None else inputs
        types = [tensor_type(*pair) for pair in zip(question.elements, (a.shape for a in self.inputs), strict=True)]
        arguments = Block(arg_types=types).args
        sizes = np.broadcast_shapes(*(array.shape for array in self.inputs))
        self.op = question.kind.create(
            operands=[arguments[place] for place in question.operands],
            result_types=[tensor_type(question.result, sizes)],
            properties=dict(question.properties),
            attributes={} if question.arithmetic is None else {ARITHMETIC: question.arithmetic},
        )
        self.arguments = arguments

    @cached_property
    def expected(self) -> Array:
        """The integers that the op's own arithmetic gives."""
        return evaluate_op(self.op, [self.inputs[place] for place in self.question.operands])[0]

    def quotients(self, factor: float = 1.0) -> NDArray[np.float64]:
        """Return the real results in LSB, in float64, if the computed operand's scale were multiplied by ``factor``."""
        function = exact_function(self.op)
        assert function is not None
        reals = [real_numbers(value, array) for value, array in zip(self.arguments, self.inputs, strict=True)]
        reals[self.question.computed] = reals[self.question.computed] * factor
        with np.errstate(all="ignore"):
            real = function(*(reals[place] for place in self.question.operands))
        return np.asarray(real / scales_of(self.question.result))

    @cached_property
    def ties(self) -> Mask:
        """The inputs whose result is halfway between two integers; none for an op that rounds no real value."""
        if exact_function(self.op) is None:
            return np.zeros(self.expected.shape, np.bool_)
        ties = numerics.is_tie(self.quotients())
        if not self.float_ties:
            return ties
        operands = [self.inputs[place] for place in self.question.operands]
        return np.asarray(ties | numerics.is_tie(float_quotients(self.op, operands)))

    def where(self, mask: Mask) -> Reference:
        """Return the reference on the inputs that a mask of the results selects."""
        inputs = [array[mask] for array in np.broadcast_arrays(*self.inputs)]
        return Reference(self.question, inputs, float_ties=self.float_ties)

    def with_float_ties(self) -> Reference:
        """Return the reference that takes inputs for ties whose result is halfway in the op's own floats, too."""
        return Reference(self.question, self.inputs, float_ties=True)

    def compare(self, found: Array) -> Proof:
        """Compare the results of integer ops on all inputs with the op's own."""
        return compare(found, self.expected, self.ties)
