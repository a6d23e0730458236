"""The func dialect: functions and returns as xDSL has them, and calls that find their function in constant time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import FlatSymbolRefAttrConstr, ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, traits_def, var_operand_def, var_result_def
from xdsl.traits import SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

_Table: TypeAlias = dict[str, FuncOp]
_TABLES: WeakKeyDictionary[ModuleOp, _Table] = WeakKeyDictionary()
"""The functions of modules; an entry that is not true any more is noticed at its use."""


def called_function(op: Operation, name: SymbolRefAttr) -> FuncOp | None:
    """Return the function of this name in the module that holds ``op``, or None."""
    module = op.get_toplevel_object()
    if not isinstance(module, ModuleOp) or name.nested_references.data:
        return None
    symbol = str(name.root_reference.data)
    found = _TABLES.get(module, {}).get(symbol)
    if found is None or found.parent is not module.body.block or found.sym_name.data != symbol:
        functions = [function for function in module.ops if isinstance(function, FuncOp)]
        table = _TABLES[module] = {function.sym_name.data: function for function in reversed(functions)}
        found = table.get(symbol)
    return found


class _CallsFunction(SymbolUserOpInterface):
    """The callee exists and takes and returns the call's types."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, CallOp)
        function = called_function(op, op.callee)
        if function is None:
            raise VerifyException(f"'{op.callee}' could not be found in symbol table")
        for what, expected, found in (
            ("operand", function.function_type.inputs.data, op.operand_types),
            ("result", function.function_type.outputs.data, op.result_types),
        ):
            if len(expected) != len(found):
                raise VerifyException(f"incorrect number of {what}s for callee")
            for index, (one, other) in enumerate(zip(expected, found, strict=True)):
                if one != other:
                    raise VerifyException(
                        f"{what} type mismatch: expected {what} type {one}, but provided {other} "
                        f"for {what} number {index}"
                    )


@irdl_op_definition
class CallOp(IRDLOperation):
    """A call of a function of the module."""

    name = "func.call"
    arguments = var_operand_def()
    callee = prop_def(FlatSymbolRefAttrConstr)
    res = var_result_def()

    traits = traits_def(_CallsFunction())

    assembly_format = "$callee `(` $arguments `)` attr-dict `:` functional-type($arguments, $res)"

    def __init__(self, callee: str, arguments: Sequence[SSAValue], return_types: Sequence[Attribute]) -> None:
        super().__init__(
            operands=[arguments], result_types=[return_types], properties={"callee": SymbolRefAttr(callee)}
        )


Func = Dialect("func", [FuncOp, CallOp, ReturnOp])
