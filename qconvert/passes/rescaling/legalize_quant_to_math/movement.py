"""Ops that move elements or only pass them on, reductions among them: the same on storage integers."""

from __future__ import annotations

_STABLEHLO = (
    "all_gather",
    "all_reduce",
    "all_to_all",
    "broadcast_in_dim",
    "case",
    "collective_broadcast",
    "collective_permute",
    "composite",
    "concatenate",
    "dynamic_broadcast_in_dim",
    "dynamic_pad",
    "dynamic_reshape",
    "dynamic_slice",
    "dynamic_update_slice",
    "gather",
    "get_dimension_size",
    "if",
    "map",
    "optimization_barrier",
    "pad",
    "reduce",
    "reduce_scatter",
    "reduce_window",
    "reshape",
    "reverse",
    "scatter",
    "select_and_scatter",
    "slice",
    "sort",
    "transpose",
    "while",
)

PASSED_ON = frozenset(("func.call", *(f"stablehlo.{name}" for name in _STABLEHLO)))
"""Integers keep their meaning in these, and ops in their regions are rewritten by their own rules.

By name, as some of them are imported only when a text needs them.
"""
