"""The check that a module with open sizes is another module when its arguments get their sizes."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from qconvert.dialects import stablehlo
from qconvert.interpreter import evaluate_op
from qconvert.interpreter.core import main_function
from qconvert.ir import element_type, shape
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.passes.cleanup.inline_calls import InlineCalls
from qconvert.passes.dynamism.refinement import give_sizes, is_unknown, refine
from qconvert.rewriting import builder_before, replace


def is_refined_to(opened: ModuleOp, static: ModuleOp) -> bool:
    """Return whether ``opened`` with the sizes of the arguments of ``static`` is ``static``, calls inlined.

    A broadcast of a constant counts as the constant that it makes.
    """
    found, expected = opened.clone(), static.clone()
    for module in (found, expected):
        InlineCalls(composites=True).apply(module)
    arguments = main_function(found).body.block.args
    for argument, sized in zip(tuple(arguments), main_function(expected).body.block.args, strict=True):
        if is_unknown(argument.type):
            give_sizes(argument, shape(sized))
    for module in (found, expected):
        for function in module.ops:
            if isinstance(function, FuncOp):
                refine(function)
        _fold_broadcasts(module)
        DeadCodeElimination().apply(module)
    return found.is_structurally_equivalent(expected)


def _fold_broadcasts(module: ModuleOp) -> None:
    """Replace each broadcast of a constant by a constant; repeated elements share memory."""
    for op in list(module.walk()):
        if isinstance(op, stablehlo.BroadcastInDimOp) and isinstance(op.operand.owner, stablehlo.ConstantOp):
            (array,) = evaluate_op(op, [op.operand.owner.array])
            replace(op, builder_before(op).constant(array, element_type(op.result)))
