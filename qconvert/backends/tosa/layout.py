"""The layout of images in arguments and results."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo.base import permuted_axis
from qconvert.ir import element_type, shape, tensor_type
from qconvert.rewriting import Pass, PassResult

TO_NHWC, TO_NCHW = (0, 2, 3, 1), (0, 3, 1, 2)


class NhwcIO(Pass):
    """Give every argument and result of four dimensions its channels last.

    ::

        NCHW %x ── ...          NHWC %x ── transpose ── ...
        ... ── return NCHW      ... ── transpose ── return NHWC

    The transposes cancel with the transposes of the convolutions.
    """

    name = "nhwc-io"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every function with a body."""
        functions = [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]
        for function in functions:
            _arguments_last(function)
            terminator = function.get_return_op()
            if terminator is not None:
                terminator.operands = [_result_last(function, value) for value in terminator.operands]
            function.update_function_type()  # type: ignore[no-untyped-call]
        return PassResult(bool(functions))


def is_image(value: SSAValue) -> bool:
    """Return True if a value has four dimensions."""
    return len(shape(value)) == 4


def _arguments_last(function: FuncOp) -> None:
    block = function.body.block
    for argument in filter(is_image, tuple(block.args)):
        element = permuted_axis(element_type(argument), TO_NHWC)
        given = tensor_type(element, [shape(argument)[i] for i in TO_NHWC])
        value = Rewriter.replace_value_with_new_type(argument, given)
        users = list(value.uses)
        transpose = stablehlo.TransposeOp(value, TO_NCHW)
        for use in users:
            use.operation.operands[use.index] = transpose.result
        Rewriter.insert_op(transpose, InsertPoint.at_start(block))


def _result_last(function: FuncOp, value: SSAValue) -> SSAValue:
    if not is_image(value):
        return value
    transpose = stablehlo.TransposeOp(value, TO_NHWC)
    terminator = function.get_return_op()
    assert terminator is not None
    Rewriter.insert_op(transpose, InsertPoint.before(terminator))
    return transpose.result
