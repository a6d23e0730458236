"""The ports of a function as TOSA's flatbuffers name them: by tensors, of which each has one name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, SSAValue

from qconvert.dialects import tosa
from qconvert.dialects.port_names import argument_names, name_ports, result_names
from qconvert.expansion.builder import TosaBuilder
from qconvert.ir import shape
from qconvert.support.errors import ConversionError


def copy_shared_results(function: FuncOp) -> None:
    """Copy results that are arguments or other results by RESHAPE, in place, so that each has a tensor of its own."""
    if function.is_declaration:
        return
    terminator = function.body.block.last_op
    assert isinstance(terminator, ReturnOp)
    build, taken = TosaBuilder(), set[SSAValue]()
    for i, value in enumerate(terminator.operands):
        if isinstance(value.owner, Block) or value in taken:
            terminator.operands[i] = build.add(tosa.ReshapeOp(value, build.shape(shape(value))))
        taken.add(value)
    function.body.block.insert_ops_before(build.ops, terminator)


def with_own_tensors(module: ModuleOp) -> ModuleOp:
    """Return a copy of a module whose arguments and results each have a name and a tensor of their own.

    Raises ConversionError for another number of functions than one, and for ports of one name.
    """
    named = module.clone()
    function = _only_function([op for op in named.ops if isinstance(op, FuncOp)])
    _refuse_repeated_names(function)
    copy_shared_results(function)
    name_ports(function)
    return named


def _only_function(functions: Sequence[FuncOp]) -> FuncOp:
    """Return the function of a module; raises ConversionError for several functions, and for one without a body."""
    if len(functions) > 1:
        names = ", ".join(f"@{function.sym_name.data}" for function in functions[1:])
        hint = f"Remove {names}, or write TOSA's text (.tosa.mlir)"
        raise ConversionError(f"{len(functions)} functions, a TOSA flatbuffer has one", hint=hint)
    if not functions or functions[0].is_declaration:
        raise ConversionError(
            "no function with a body, a TOSA flatbuffer has one", hint="Write TOSA's text (.tosa.mlir)"
        )
    return functions[0]


def _refuse_repeated_names(function: FuncOp) -> None:
    """Raise ConversionError for ports of one name: a flatbuffer finds its tensors by their names."""
    inputs, outputs = argument_names(function), result_names(function)
    for name, count in Counter((*inputs, *outputs)).items():
        if count > 1:
            ports = "ports" if name in inputs else "outputs"
            hint = f"Give each of the {ports} its own name, or write TOSA's text (.tosa.mlir)"
            raise ConversionError(f"{count} {ports} have the name '{name}', a TOSA flatbuffer needs one", hint=hint)
