"""Layers in the other kernels of an engine, which users run by default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from qconvert.support.errors import EngineError
from qconvert.validation.layers import Layer
from qconvert.validation.limits import kernel_limit, rewritten_failure
from qconvert.validation.measures import Differences
from qconvert.validation.report import LayerReport, RewrittenLayer


def with_rewritten(
    reports: Sequence[LayerReport],
    layers: Sequence[Layer],
    measured: Mapping[str, Differences | EngineError],
    what: str,
) -> tuple[list[LayerReport], list[str]]:
    """Return the reports with what the other kernels, named by ``what``, gave for the layers, and the failures."""
    by_tensor = {layer.tensor: layer for layer in layers}
    made, failures = list[LayerReport](), list[str]()
    for report in reports:
        layer, found = by_tensor[report.tensor], measured[report.tensor]
        if isinstance(found, EngineError):
            failures.append(f"layer '{report.node}' ({report.op}), with {what}: {found}")
            made.append(report)
            continue
        limit = kernel_limit(layer, default=True)
        made.append(replace(report, rewritten=RewrittenLayer(found.exact, int(found.largest), limit.exact)))
        failures += filter(None, [rewritten_failure(made[-1], limit, what)])
    return made, failures
