"""Ops made without IRDL's sorting of arguments into groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation


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
