"""Making an op again with other operands or types, and constants again in other quantized types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, Operation, SSAValue


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
