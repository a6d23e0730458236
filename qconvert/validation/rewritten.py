"""Layers in the other kernels of an engine, which users run by default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from qconvert.engines.modules import Results
from qconvert.support.errors import EngineError
from qconvert.validation.compare import layer_differences
from qconvert.validation.layers import Layer
from qconvert.validation.limits import kernel_limit, rewritten_failure
from qconvert.validation.report import LayerReport, RewrittenLayer
from qconvert.validation.runs import ReferenceRun


def with_rewritten(
    reports: Sequence[LayerReport],
    layers: Sequence[Layer],
    answers: Sequence[Results | EngineError],
    reference: ReferenceRun,
    what: str,
) -> tuple[list[LayerReport], list[str]]:
    """Return the reports with what the other kernels, named by ``what``, answered for the layers, and the failures."""
    by_tensor = {layer.tensor: (layer, answer) for layer, answer in zip(layers, answers, strict=True)}
    made, failures = list[LayerReport](), list[str]()
    for report in reports:
        layer, answer = by_tensor[report.tensor]
        if isinstance(answer, EngineError):
            failures.append(f"layer '{report.node}' ({report.op}), with {what}: {answer}")
            made.append(report)
            continue
        limit, differences = kernel_limit(layer, default=True), layer_differences(layer, answer, reference)
        exact = float((differences == 0).mean()) if differences.size else 1.0
        found = RewrittenLayer(exact, int(differences.max(initial=0)), limit.exact)
        made.append(replace(report, rewritten=found))
        failures += filter(None, [rewritten_failure(made[-1], limit, what)])
    return made, failures
