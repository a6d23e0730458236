"""Layers in the other kernels of an engine, which users run by default."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from xdsl.ir import Operation

from qconvert.dialects import stablehlo
from qconvert.dialects.traits import Contraction
from qconvert.ir import UniformQuantizedType, quantized
from qconvert.support.errors import EngineError
from qconvert.validation.figures.measures import Differences
from qconvert.validation.figures.report import LayerReport, RewrittenLayer
from qconvert.validation.layers import Family, Layer
from qconvert.validation.limits.limits import FamilyLimit, rewritten_failure
from qconvert.validation.limits.litert_limits import kernel_limit


def with_rewritten(
    reports: Sequence[LayerReport],
    layers: Sequence[Layer],
    measured: Mapping[str, Differences | EngineError],
    what: str,
    excused: Collection[str],
) -> tuple[list[LayerReport], list[str]]:
    """Return the reports with what the other kernels, named by ``what``, gave for the layers, and the failures.

    ``excused`` has the tensors of layers that read other numbers than the source's, which do not fail.
    """
    by_tensor = {layer.tensor: layer for layer in layers}
    made, failures = list[LayerReport](), list[str]()
    for report in reports:
        layer, found = by_tensor[report.tensor], measured[report.tensor]
        if isinstance(found, EngineError):
            failures.append(f"layer '{report.node}' ({report.op}), with {what}: {found}")
            made.append(report)
            continue
        limit = default_limit(layer)
        both = replace(report, rewritten=RewrittenLayer(found.exact, int(found.largest), limit.exact))
        failure = None if report.tensor in excused else rewritten_failure(both, limit, what)
        made.append(replace(both, passed=report.passed and failure is None))
        failures += [] if failure is None else [failure]
    return made, failures


_WIDTH_OF_SUMS = 32
_DEFAULT_SHARE = 0.999
"""Contractions in XNNPACK, which rescales sums in float32."""


def default_limit(layer: Layer) -> FamilyLimit:
    """Return the limit of an ONNX layer in LiteRT's default kernels."""
    if layer.family is not Family.CONTRACTION or not all(map(_is_in_xnnpack, layer.module.walk())):
        return kernel_limit(layer)
    needed = max(0.0, _DEFAULT_SHARE - max(map(_moved_by_bias, layer.module.walk())))
    return FamilyLimit(needed, needed)


def _moved_by_bias(op: Operation) -> float:
    """Return the share of results that a bias moves to the next integer because the file holds it at the sums' scale.

    The IR adds a bias that is no multiple of that scale at a finer one. It is rounded by half a sum at most.
    """
    if not isinstance(op, stablehlo.AddOp):
        return 0.0
    finer = op.lhs.owner
    sums = quantized(finer.operand) if isinstance(finer, stablehlo.UniformQuantizeOp) else None
    results = [quantized(use.operation.results[0]) for use in op.result.uses if use.operation.results]
    if sums is None or sums.storage.width != _WIDTH_OF_SUMS:
        return 0.0
    return max((float(np.max(sums.scales) / np.min(result.scales)) / 2 for result in results if result), default=0.0)


def _is_in_xnnpack(op: Operation) -> bool:
    """Return False for a contraction in LiteRT's own kernels: XNNPACK takes constant int8 weights without zero point.

    They multiply operands of 8 bits.
    """
    if not op.has_trait(Contraction):
        return True
    lhs, rhs = (quantized(operand) for operand in op.operands[:2])
    is_constant = isinstance(op.operands[1].owner, stablehlo.ConstantOp)
    return is_constant and lhs is not None and rhs is not None and _is_plain(lhs, rhs)


def _is_plain(lhs: UniformQuantizedType, rhs: UniformQuantizedType) -> bool:
    return lhs.storage.width == rhs.storage.width == 8 and not np.any(rhs.zero_points)
