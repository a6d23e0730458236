"""Making an op again with other operands or types, and the small questions that rewrites ask of a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from qconvert.dialects import stablehlo


def remade(
    op: Operation,
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute] | None = None,
    properties: Mapping[str, Attribute] | None = None,
) -> Operation:
    """A detached copy of ``op`` on other operands; its attributes, location and regions are copied.

    ``properties`` are laid over the op's own.
    """
    return type(op).create(
        operands=operands,
        result_types=op.result_types if result_types is None else result_types,
        properties={**op.properties, **(properties or {})},
        attributes=dict(op.attributes),
        location=op.location,
        regions=[region.clone() for region in op.regions],
    )


def constant_of(value: SSAValue) -> stablehlo.ConstantOp | None:
    """The constant that a value is, or None."""
    return value.owner if isinstance(value.owner, stablehlo.ConstantOp) else None


def insert_after(value: SSAValue, op: Operation) -> None:
    """Put ``op`` right behind the definition of ``value``: at the front of the block for an argument."""
    if isinstance(value, OpResult):
        block = value.op.parent
        assert block is not None
        block.insert_op_after(op, value.op)
        return
    block = value.owner  # type: ignore[assignment]
    assert block is not None
    first = block.first_op
    assert first is not None
    block.insert_op_before(op, first)
