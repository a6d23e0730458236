"""Sizes for the open dimensions of a module: those of ``@main``'s arguments, and all that follow from them."""

from __future__ import annotations

from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from qconvert.dialects.func import CallOp
from qconvert.dialects.stablehlo import CompositeOp
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.port_names import input_names
from qconvert.interpreter.core import main_function
from qconvert.ir import shape
from qconvert.passes.cleanup.inline_calls import InlineCalls
from qconvert.passes.dynamism import refinement
from qconvert.rewriting import erase
from qconvert.support.errors import ConversionError


def give_sizes(module: ModuleOp, dims: Dimensions) -> None:
    """Give every value its size, if a module has values of unknown size; nothing else of the module changes.

    Calls are inlined first, because a function may be called with several sizes. Raises ConversionError naming the
    input without a size, or the op whose sizes do not go together.
    """
    if not refinement.has_unknown_sizes(module):
        return
    called = {name for op in module.walk() if (name := _called(op)) is not None}
    if called:
        InlineCalls(composites=True).apply(module)
    for function in [op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data in called]:
        if _has_unknown_arguments(function):
            erase(function)  # each call has a copy, and nothing else gives the function's arguments their sizes
    _size_arguments(module, dims)
    for function in module.ops:
        if isinstance(function, FuncOp) and not function.is_declaration:
            refinement.refine(function)


def _called(op: Operation) -> str | None:
    """Return the name of the function that an op calls or decomposes to; None for other ops."""
    if isinstance(op, CallOp):
        return str(op.callee.root_reference.data)
    return str(op.decomposition.root_reference.data) if isinstance(op, CompositeOp) else None


def _has_unknown_arguments(function: FuncOp) -> bool:
    return any(map(refinement.is_unknown, function.function_type.inputs))


def _size_arguments(module: ModuleOp, dims: Dimensions) -> None:
    """Give the arguments of ``@main`` their sizes."""
    unknown = [op for op in module.ops if isinstance(op, FuncOp) and _has_unknown_arguments(op)]
    if not unknown:
        return
    main = main_function(module)
    for function in unknown:
        if function is not main:
            found = f"an argument of @{function.sym_name.data} has an unknown size"
            raise ConversionError(found, hint="Only the arguments of @main are given sizes")
    for name, argument in zip(input_names(module), tuple(main.body.block.args), strict=True):
        if refinement.is_unknown(argument.type):
            sizes = [
                dims.size(name, axis) if size == DYNAMIC_INDEX else size for axis, size in enumerate(shape(argument))
            ]
            refinement.give_sizes(argument, sizes)
