"""Ops without groups of operands or results, made and checked without IRDL's search for such groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeVar

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, OpDef, OptPropertyDef, VerificationContext, irdl_op_definition
from xdsl.irdl.operations import VariadicDef
from xdsl.utils.exceptions import VerifyException

FlatOpT = TypeVar("FlatOpT", bound="FlatOp")


class FlatOp(IRDLOperation):
    """An op that needs no group sizes: every operand and result is one value, or all but one group are.

    IRDL's own constructor sorts arguments into groups and flattens them again, which takes twice as long as all else
    about making an op. Regions and successors are for ops with that constructor.
    """

    def __init__(
        self,
        *,
        operands: Sequence[SSAValue] = (),
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute | None] | None = None,
    ) -> None:
        """``operands`` and ``result_types`` in order; a property that is None is an absent one."""
        given = {name: value for name, value in (properties or {}).items() if value is not None}
        Operation.__init__(self, operands=operands, result_types=result_types, properties=given)


def flat_op_definition(cls: type[FlatOpT]) -> type[FlatOpT]:
    """``irdl_op_definition`` whose check of an op without groups takes half the time; what is wrong IRDL's own says."""
    defined = irdl_op_definition(cls)
    definition = defined.get_irdl_definition()
    arguments = (*definition.operands, *definition.results)
    others = definition.attributes or definition.regions or definition.successors or definition.options
    if not others and not any(isinstance(kind, VariadicDef) for _, kind in arguments):
        vars(definition)["verify"] = partial(_verify, definition)
    return defined


def _verify(definition: OpDef, op: Operation) -> None:
    """Accept an op that fits its definition; raises VerifyException as IRDL does for one that does not."""
    if not _fits(definition, op):
        OpDef.verify(definition, op)
        return
    for trait in definition.traits:
        trait.verify(op)


def _fits(definition: OpDef, op: Operation) -> bool:
    """Whether values and properties are as many as defined, and of the types they are defined with."""
    operands, results, properties = op.operand_types, op.result_types, op.properties
    if len(operands) != len(definition.operands) or len(results) != len(definition.results):
        return False
    if op.regions or op.successors or not properties.keys() <= definition.properties.keys():
        return False
    context = VerificationContext()
    try:
        for type, (_, operand) in zip(operands, definition.operands, strict=True):
            operand.constr.verify((type,), context)
        for type, (_, result) in zip(results, definition.results, strict=True):
            result.constr.verify((type,), context)
        for name, kind in definition.properties.items():
            if name in properties:
                kind.constr.verify(properties[name], context)
            elif not isinstance(kind, OptPropertyDef):
                return False
    except VerifyException:
        return False
    return True
