"""Ops rebuilt with other operands, types or properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.ir import ARITHMETIC, TENSOR, tensor, with_element


def rebuilt(
    op: Operation,
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute] | None = None,
    properties: Mapping[str, Attribute] | None = None,
) -> Operation:
    """Return a detached copy of ``op`` on other operands, with its attributes, location and copies of its regions.

    ``properties`` replace the op's own properties of the same name.
    """
    return type(op).create(
        operands=operands,
        result_types=op.result_types if result_types is None else result_types,
        properties={**op.properties, **(properties or {})},
        attributes=dict(op.attributes),
        location=op.location,
        regions=[region.clone() for region in op.regions],
    )


def computed(build: OpBuilder, op: Operation, operands: Sequence[SSAValue], element: Attribute) -> SSAValue:
    """Add the same op on other operands, with a result of element type ``element``; return the result.

    The new op has no arithmetic attribute and no name of a source's tensor.
    """
    made = rebuilt(op, operands, [with_element(tensor(op.results[0]), element)])
    for name in (ARITHMETIC, TENSOR):
        made.attributes.pop(name, None)
    return build.add(made)
