"""Kernels that are one op: named as the op is, without its dialect."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation
from xdsl.traits import OpTrait

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.families import defined
from qconvert.dialects.stablehlo import dynamic, dynamic_selection

_DYNAMIC = frozenset((*defined(Operation, dynamic), *defined(Operation, dynamic_selection)))
"""Ops whose sizes or positions are tensors: no importer makes them."""


def kernel_of(kind: type[Operation]) -> str:
    """Return the name of the kernel that is one op of a class."""
    return kind.name.rpartition(".")[2]


def ops_with(trait: type[OpTrait]) -> Iterator[type[Operation]]:
    """Yield the StableHLO ops and composites with a trait, but for dynamic ops."""
    for kind in (*stablehlo.StableHLO.operations, *composite.COMPOSITES):
        if kind.has_trait(trait) and kind not in _DYNAMIC:
            yield kind


def kernels_with(trait: type[OpTrait]) -> frozenset[str]:
    """Return the names of the kernels that are one op with a trait."""
    return frozenset(map(kernel_of, ops_with(trait)))
