"""Sizes of a function's arguments carried to all values behind them, and ops with sizes as values made static."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, FunctionType, IntegerType, ModuleOp, StringAttr, TensorType, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.rewriter import Rewriter
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects import stablehlo
from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check_dimensions
from qconvert.dialects.traits import HandsOn
from qconvert.interpreter import evaluate_op, is_interpreted
from qconvert.interpreter.implementation import Array
from qconvert.ir import Tensor, describe, element_type, made_types, place, shape, tensor, with_shape
from qconvert.rewriting import PassResult, Refusal, builder_before, erase, erase_dead, refuse, replace
from qconvert.support.errors import ConversionError
from qconvert.support.limits import budget, check_shape

SHAPE_ASSERTION = "shape_assertion"
"""The target of JAX's ``custom_call`` that checks a condition on sizes."""


def is_unknown(type: Attribute) -> bool:
    """Return whether a type has a dimension of unknown size."""
    if isinstance(type, TupleType):
        return any(map(is_unknown, type.types))
    return isinstance(type, TensorType) and DYNAMIC_INDEX in type.get_shape()


def has_unknown_sizes(module: ModuleOp) -> bool:
    """Return whether a value of a module has a dimension of unknown size."""
    return any(is_unknown(type) for op in module.walk() for type in made_types(op))


def refine(function: FuncOp) -> PassResult:
    """Give all values the sizes that follow from those of the arguments.

    Ops whose sizes are values become the static ops, where the values follow from constants and known sizes. Raises
    ConversionError naming the op whose result has another size than its type says, or a size that follows from data.
    """
    refinement = _Refinement()
    refinement.refine_block(function.body.block)
    refinement.erase_dead()
    block = function.body.block
    outputs = [] if block.last_op is None else block.last_op.operand_types
    function.properties["function_type"] = FunctionType.from_lists(block.arg_types, outputs)
    return PassResult(refinement.changed, tuple(refinement.refusals))


def give_sizes(value: SSAValue, sizes: Sequence[int]) -> bool:
    """Give a value a shape that its type allows; return whether the type changed."""
    type = tensor(value)
    known = type.get_shape()
    fits = len(known) == len(sizes)
    if not fits or any(size not in (DYNAMIC_INDEX, found) for size, found in zip(known, sizes, strict=True)):
        raise ConversionError(f"its result has type {type}, but the inputs' sizes give it {list(sizes)}")
    if tuple(sizes) == known:
        return False
    check_shape(sizes)
    Rewriter.replace_value_with_new_type(value, with_shape(type, sizes))
    return True


class _Refinement:
    """The refinement of a function's ops in order; ``known`` are the integers that follow from constants and sizes."""

    def __init__(self) -> None:
        self.known: dict[SSAValue, Array] = {}
        self.changed = False
        self.refusals: list[Refusal] = []

    def refine_block(self, block: Block) -> None:
        for op in list(block.ops):
            try:
                self._refine(op)
            except ConversionError as error:
                error.found = error.found.replace(str(DYNAMIC_INDEX), "?")
                raise error.located(node=describe(op), op=op.name, file=place(op)) from error

    def erase_dead(self) -> None:
        """Erase the arithmetic on sizes that nothing uses any more."""
        if self.changed:
            erase_dead([value.owner for value in self.known if isinstance(value.owner, Operation)])

    def _refine(self, op: Operation) -> None:
        if isinstance(op, IRDLOperation):
            _check(op, partial(op.get_irdl_definition().verify, op))
        if isinstance(op, stablehlo.GetDimensionSizeOp):
            self._replace(op, self._size(op))
        elif isinstance(op, stablehlo.SizedOp):
            self._make_static(op)
        elif isinstance(op, stablehlo.SetDimensionSizeOp):
            self._drop_own_size(op)
        elif isinstance(op, stablehlo.CustomCallOp) and op.target == SHAPE_ASSERTION:
            self._check_assertion(op)
        else:
            self._refine_regions(op)
            self._refine_results(op)
            self._remember(op)

    def _replace(self, op: Operation, value: SSAValue) -> None:
        replace(op, value)
        self.changed = True
        if isinstance(value.owner, Operation):
            self._remember(value.owner)

    def _size(self, op: stablehlo.GetDimensionSizeOp) -> SSAValue:
        _check(op, op.verify_)
        return builder_before(op).filled(shape(op.operand)[op.dimension.value.data], element_type(op.result))

    def _make_static(self, op: stablehlo.SizedOp) -> None:
        """Replace an op by the one with its lists as attributes, where the lists are known."""
        first = len(op.operands) - op.LISTS
        lists = [self.known.get(operand) for operand in op.operands[first:]]
        known = [found for found in lists if found is not None]
        if any(found.ndim != op.LIST_RANK for found in known):
            raise ConversionError(f"a list of sizes must have rank {op.LIST_RANK}")
        if len(known) == len(lists):
            static = op.static(known)
            check_shape(shape(static.results[0]))
            value = builder_before(op).add(static)
            give_sizes(op.results[0], shape(value))
            self._replace(op, value)
        elif is_unknown(op.results[0].type):
            raise ConversionError(
                "the size of its result follows from data, not from the sizes of inputs",
                hint="Export the model with fixed sizes",
            )
        else:
            self.refusals.append(refuse(op, "a size that it takes follows from data"))

    def _drop_own_size(self, op: stablehlo.SetDimensionSizeOp) -> None:
        """Replace an op that sets a dimension's own size by its operand."""
        check_dimensions([op.dimension.value.data], len(shape(op.operand)))
        size = self.known.get(op.size)
        if size is not None and int(size) == shape(op.operand)[op.dimension.value.data]:
            self._replace(op, op.operand)
        else:
            give_sizes(op.result, shape(op.operand))

    def _check_assertion(self, op: stablehlo.CustomCallOp) -> None:
        """Erase a condition on sizes that holds; raise ConversionError where it does not hold."""
        holds = self.known.get(op.inputs[0])
        if holds is None:
            return
        if not holds:
            message = op.attributes.get("error_message")
            stated = f": {message.data}" if isinstance(message, StringAttr) else ""
            raise ConversionError(f"a condition on sizes does not hold{stated}", hint="Give other sizes with --dim")
        erase(op)
        self.changed = True

    def _refine_regions(self, op: Operation) -> None:
        """Refine the regions of control flow; those of other ops compute on scalars."""
        if op.has_trait(HandsOn):
            for region in op.regions:
                for argument, operand in zip(tuple(region.block.args), op.operands, strict=False):
                    if is_unknown(argument.type):
                        self.changed |= give_sizes(argument, shape(operand))
                self.refine_block(region.block)

    def _refine_results(self, op: Operation) -> None:
        """Give the results of unknown size the sizes that follow; raise ConversionError where none do."""
        if any(map(is_unknown, op.result_types)):
            for result, sizes in zip(tuple(op.results), _result_shapes(op), strict=False):
                self.changed |= give_sizes(result, sizes)
        for type in op.result_types:
            if is_unknown(type):
                raise ConversionError(f"the size of its result of type {type} does not follow from the operands")

    def _remember(self, op: Operation) -> None:
        """Compute a small tensor of integers that follows from known ones."""
        if len(op.results) != 1 or op.regions or not op.has_trait(Pure) or not _is_small(op.results[0].type):
            return
        operands = [self.known.get(operand) for operand in op.operands]
        known = [found for found in operands if found is not None]
        if isinstance(op, stablehlo.ConstantOp):
            self.known[op.results[0]] = op.array
        elif len(known) == len(operands) and is_interpreted(op):
            _check(op, op.verify_)
            self.known[op.results[0]] = evaluate_op(op, known)[0]


def _check(op: Operation, verify: Callable[[], None]) -> None:
    """Raise ConversionError if an op of a module that is not verified yet violates its own rules."""
    try:
        verify()
    except VerifyException as error:
        raise ConversionError(str(error).removeprefix(f"{op.name}: ")) from error


def _is_small(type: Attribute) -> bool:
    if not isinstance(type, TensorType) or not isinstance(type.element_type, IntegerType):
        return False
    return cast(Tensor, type).element_count() <= budget().folded


def _result_shapes(op: Operation) -> Sequence[Sequence[int]]:
    """Return the shapes of an op's results: inferred, those of branches' results, or those of the operands."""
    if isinstance(op, InferredOp):
        return [op.infer().get_shape()] * len(op.results)
    if isinstance(op, stablehlo.IfOp | stablehlo.CaseOp):
        last = op.regions[0].block.last_op
        return [] if last is None else [shape(value) for value in last.operands]
    if isinstance(op, stablehlo.CustomCallOp):
        return []  # its target decides
    return [shape(value) if isinstance(value.type, TensorType) else () for value in op.operands]
