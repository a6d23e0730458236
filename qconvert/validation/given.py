"""A given file: whether it is a new conversion, or else which of the source's layers it computes otherwise first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qconvert.api import Converted, Model
from qconvert.api.weights import is_pair_of
from qconvert.support.errors import EngineError
from qconvert.validation.case import Case
from qconvert.validation.compare import layer_report
from qconvert.validation.layers import Layer, is_merged
from qconvert.validation.limits import failure_of, float_tolerance, layer_of_given
from qconvert.validation.measures import Differences, LayerMeasure


def is_what_converts(given: Model, converted: Converted) -> bool:
    """Return True if a given file is what a new conversion gives."""
    if given.weights is not None:
        return is_pair_of(given, converted)
    is_same = given.program == program_of(converted)
    return is_same or (given.binary is not None and given.binary.write(converted.module, None) == given.content)


def program_of(converted: Converted) -> str | bytes:
    """Return a new conversion as engines take it."""
    return converted.text if converted.content is None else converted.content


def departing(
    case: Case, layers: Sequence[Layer], measured: Mapping[str, LayerMeasure | Differences | EngineError]
) -> list[str]:
    """Return a sentence on the first layer of a given file that is beyond its limit, from the reference's tensors.

    A layer that the file merges with others counts only if no other one is. The list is empty if none is: then the
    tensors between layers were not found in the file, or their composition differs.
    """
    beyond = [layer for layer in layers if _is_beyond(case, layer, measured.get(layer.tensor))]
    alone = [layer for layer in beyond if not is_merged(layer)] or beyond
    found = [(layer, measured[layer.tensor]) for layer in alone[:1]]
    return [
        layer_of_given(layer, case.model.op_types.get(layer.node, ""), _exact(measure))
        for layer, measure in found
        if not isinstance(measure, EngineError)
    ]


def _exact(measure: LayerMeasure | Differences) -> float:
    return measure.exact if isinstance(measure, Differences) else measure.all.exact


def _is_beyond(case: Case, layer: Layer, measure: LayerMeasure | Differences | EngineError | None) -> bool:
    if measure is None or isinstance(measure, EngineError):
        return False
    if isinstance(measure, Differences):
        return case.computes_alike(layer.module) and not measure.relative <= float_tolerance("")
    report = layer_report(layer, "", measure)
    return failure_of(report, case.limit_of(layer, report.float_error)) is not None
