"""Ops that follow LiteRT's integer arithmetic, in the integer operators of their expansions.

::

    q a, q b ── add (litert) ── q c

    int8 a ── RESCALE ── int32 ─┐                    Cast, Sub, Mul ─┐
    int8 b ── RESCALE ── int32 ─┴ ADD ── RESCALE     Cast, Sub, Mul ─┴ Add ── Mul, Add, Div, Add, Clip ── int8 c

An op's expansion states its integers in TOSA's ops, which the folder ``tosa`` writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from qconvert.backends.onnx.lowering import ComputedTensor, ConstantTensor, Emit, IntegerForm, Tensor, Writer
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.constants import constant_array
from qconvert.expansion.builder import i48
from qconvert.expansion.contraction import matrix_product
from qconvert.expansion.expander import Expander, tosa_type
from qconvert.expansion.registry import expansion_of, follows_litert, is_integer
from qconvert.expansion.wide import requantized_sums
from qconvert.ir import element_type, i8, quantized, shape, tensor_type, whereabouts
from qconvert.passes.rescaling.tabulate import function_of
from qconvert.rewriting import Refusal
from qconvert.support.errors import ConversionError


class IntegerForms:
    """The integer forms of a module's ops, each made once.

    ``refusals`` lists the ops that follow LiteRT's integer arithmetic and have no form, with reasons.
    """

    def __init__(self) -> None:
        self.refusals: list[Refusal] = []
        self._forms: dict[Operation, IntegerForm | None] = {}

    @classmethod
    def needed(cls, module: ModuleOp) -> IntegerForms | None:
        """Return the forms of a module that has ops with LiteRT's arithmetic; None for other modules."""
        return cls() if any(follows_litert(op) for op in module.walk()) else None

    def of(self, op: Operation) -> IntegerForm | None:
        """Return the form of an op, or None."""
        if op not in self._forms:
            self._forms[op] = self._made(op)
        return self._forms[op]

    def _made(self, op: Operation) -> IntegerForm | None:
        if isinstance(op, stablehlo.ClampOp) and not is_integer(op):
            return _clamp(op)
        if not is_integer(op):
            return None
        try:
            return _form(op)
        except ConversionError as error:
            self.refusals.append(Refusal(op.name, whereabouts(op), error.found))
            return None

    def emitter(self, op: Operation, write: Writer) -> Emit | None:
        """Return the emitter of an op's form; None for an op without a form, or whose operands are reals."""
        form = self.of(op)
        if form is None or isinstance(op, composite.WideConvolutionOp):
            return None
        operands = zip(op.operands, form.arguments, strict=True)
        computed = [write[operand] for operand, argument in operands if argument is not None]
        if not all(isinstance(tensor, ConstantTensor) or tensor.stored for tensor in computed):
            return None
        return partial(_write, form)


def _form(op: Operation) -> IntegerForm:
    """Return the form of an op; raises ConversionError if its arithmetic has no form in TOSA's ops."""
    if isinstance(op, composite.WideConvolutionOp):
        build, (sums,) = _builder(op), Block(arg_types=[tensor_type(i48, shape(op.result))]).args
        made = requantized_sums(op, build, sums)
        return IntegerForm((sums,), tuple(build.ops), made)
    build, arguments = _with_operands(op, [constant_array(operand) is None for operand in op.operands])
    expand, function = expansion_of(op), function_of(op)
    if expand is not None:
        made = expand(op, build)
    elif function is not None:
        made = build.looked_up(build[function.source], function.values())
    else:
        raise ConversionError("LiteRT's arithmetic of this op has no form in integers")
    return IntegerForm(arguments, tuple(build.ops), made)


def _clamp(op: stablehlo.ClampOp) -> IntegerForm | None:
    """Return the form of a clamp of integers between constants of their own type."""
    bounds = constant_array(op.min), constant_array(op.max)
    types = {quantized(value) for value in (op.min, op.operand, op.max, op.result)}
    if len(types) > 1 or None in types or any(bound is None or bound.size != 1 for bound in bounds):
        return None
    build, arguments = _with_operands(op, [False, True, False])
    low, high = (int(bound.item()) for bound in bounds if bound is not None)
    made = build.clamp(build[op.operand], low, high)
    return IntegerForm(arguments, tuple(build.ops), made)


def product_form(op: stablehlo.DotGeneralOp) -> IntegerForm:
    """Return the accumulator of a matrix product of bytes as a form; integers of fewer bits are taken as bytes."""
    build = _builder(op)
    arguments = tuple(Block(arg_types=[tensor_type(i8, shape(operand))]).args[0] for operand in op.operands)
    for operand, argument in zip(op.operands, arguments, strict=True):
        build.define(operand, argument)
    made = matrix_product(op, build)
    return IntegerForm(arguments, tuple(build.ops), made)


def _builder(op: Operation) -> Expander:
    """Return a builder of ops that stand for the source of an op."""
    build = Expander()
    build.location = op.location
    return build


def _with_operands(op: Operation, computed: Sequence[bool]) -> tuple[Expander, tuple[BlockArgument | None, ...]]:
    """Return a builder with arguments for the computed operands, and these arguments."""
    build, arguments = _builder(op), list[BlockArgument | None]()
    for operand, is_computed in zip(op.operands, computed, strict=True):
        argument = Block(arg_types=[tosa_type(operand)]).args[0] if is_computed else None
        if argument is not None:
            build.define(operand, argument)
        arguments.append(argument)
    return build, tuple(arguments)


def write_form(form: IntegerForm, tensors: Sequence[Tensor], write: Writer) -> Tensor:
    """Write the ops of a form; ``tensors`` are those of its arguments in order. Return the tensor of its result."""
    arguments = [argument for argument in form.arguments if argument is not None]
    for argument, tensor in zip(arguments, tensors, strict=True):
        if isinstance(tensor, ComputedTensor):
            write.place(argument, replace(tensor, stored=False))
        else:
            write.place(argument, replace(tensor, element=element_type(argument)))
    for op in form.ops:
        write.visit(op)
    return write[form.result]


def _write(form: IntegerForm, op: Operation, write: Writer) -> Tensor:
    """Write an op by its form."""
    computed = [operand for operand, argument in zip(op.operands, form.arguments, strict=True) if argument is not None]
    for operand, argument in zip(op.operands, form.arguments, strict=True):
        if argument is not None and operand in write.reaches:
            write.reaches[argument] = write.reaches[operand]
    write.litert_ops += is_integer(op)
    return as_result(write_form(form, [write[operand] for operand in computed], write), op.results[0], write)


def as_result(tensor: Tensor, value: SSAValue, write: Writer) -> Tensor:
    """Return the tensor of TOSA's integers as that of a value of the IR, with the name of the source's tensor."""
    element = element_type(value)
    if isinstance(tensor, ConstantTensor):
        return replace(tensor, element=element)
    name, last = write.tensor_name(value), write.nodes[-1]
    if name and list(last.output) == [tensor.name]:
        last.output[0] = write.unused_tensor(name)
        tensor = replace(tensor, name=last.output[0])
    return replace(tensor, stored=quantized(value) is not None)
