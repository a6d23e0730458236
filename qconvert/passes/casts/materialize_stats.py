"""References to statistics (``stats_ref``) replaced by the statistics of trial runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert.dialects.quant_ops import CoupledRefOp, StatisticsOp, StatisticsRefOp, slice_count
from qconvert.interpreter.observation import ObservedRange
from qconvert.ir import ElementsAttr, element_type, expressed, numpy_dtype, shape
from qconvert.rewriting import Pass, PassResult, Refusal, builder_before, refuse, replace
from qconvert.support.errors import ConversionError

_Point: TypeAlias = SSAValue | str
"""A value, or a ``coupledKey``."""


@dataclass(frozen=True)
class MaterializeStats(Pass):
    """Replace ``stats_ref`` by ``stats`` with the range that was observed under its key.

    ::

        x ── stats_ref {statsKey = "a"} ── y        x ── stats {layerStats = [minimum, maximum]} ── y

    ``ranges`` holds the result of :func:`~qconvert.interpreter.observation.observe_ranges`, by key. References with the
    same key share a range. Values with the same ``coupledKey`` share the union of their ranges.
    """

    name = "materialize-stats"
    ranges: Mapping[str, ObservedRange] = field(default_factory=dict)

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite in place every reference that has a range, by its own key or by a coupled value's key."""
        refusals: list[Refusal] = []
        keys_of = _coupled_keys(module)
        for op, keys in keys_of.items():
            reason = self._materialize(op, [self.ranges[key] for key in keys if key in self.ranges])
            if reason is not None:
                refusals.append(refuse(op, f"key '{op.key.data}': {reason}"))
        return PassResult(len(refusals) < len(keys_of), tuple(refusals))

    @staticmethod
    def _materialize(op: StatisticsRefOp, ranges: list[ObservedRange]) -> str | None:
        """Replace one reference; return the reason if that is not possible."""
        if not ranges:
            return "no range was observed"
        try:
            observed = reduce(ObservedRange.union, ranges)
        except ConversionError as error:
            return error.found
        axis, dimensions = observed.axis, shape(op.arg)
        fits = axis is None or (axis < len(dimensions) and slice_count(dimensions, axis) == len(observed.slices))
        if not fits:
            return f"{len(observed.slices)} slices at axis {axis} are not those of {op.arg.type}"
        replace(op, builder_before(op).add(_statistics(op.arg, observed)))
        return None


def _statistics(value: SSAValue, observed: ObservedRange) -> StatisticsOp:
    element = expressed(element_type(value))

    def elements(ranges: ArrayLike) -> ElementsAttr:
        return ElementsAttr.of(np.asarray(ranges).astype(numpy_dtype(element)), element)

    layer = elements([observed.minimum, observed.maximum])
    return StatisticsOp(value, layer, None if observed.axis is None else elements(observed.slices), observed.axis)


def _coupled_keys(module: ModuleOp) -> dict[StatisticsRefOp, list[str]]:
    """Return the keys of each ``stats_ref``: its own key first, then the keys of coupled values."""
    groups = _Groups()
    annotations = [op for op in module.walk() if isinstance(op, StatisticsRefOp | CoupledRefOp)]
    for op in annotations:
        groups.join(op.arg, op.result)
        if isinstance(op, CoupledRefOp):
            groups.join(op.arg, op.key.data)
    coupled = {groups.root(op.arg) for op in annotations if isinstance(op, CoupledRefOp)}
    members: dict[_Point, dict[str, None]] = {}
    for op in annotations:
        root = groups.root(op.arg)
        if isinstance(op, StatisticsRefOp) and root in coupled:
            members.setdefault(root, {})[op.key.data] = None
    refs = [op for op in annotations if isinstance(op, StatisticsRefOp)]
    return {op: list({op.key.data: None} | members.get(groups.root(op.arg), {})) for op in refs}


class _Groups:
    """Groups of coupled values and keys (a union-find)."""

    def __init__(self) -> None:
        self._parents: dict[_Point, _Point] = {}

    def root(self, point: _Point) -> _Point:
        """Return the representative of a point's group."""
        while (parent := self._parents.get(point)) is not None:
            above = self._parents.get(parent)
            if above is not None:
                self._parents[point] = above  # shortens the chain for later look-ups
            point = parent
        return point

    def join(self, a: _Point, b: _Point) -> None:
        """Merge the groups of two points."""
        a, b = self.root(a), self.root(b)
        if a != b:
            self._parents[a] = b
