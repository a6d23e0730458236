"""The three forms of a quantized reduction in StableHLO."""

from __future__ import annotations

from enum import StrEnum

from qconvert.passes.reductions.expand_reduction_conversions import ExpandReductionConversions
from qconvert.passes.reductions.inline_reduction_conversions import InlineReductionConversions
from qconvert.passes.reductions.widen_reductions import WidenReductions
from qconvert.rewriting.base import Pass


class ReductionForm(StrEnum):
    """The form of reductions that accumulate in wider integers."""

    WIDEN = "widen"
    """Operands and results are converted outside the reduction: the official tools evaluate and compile this form."""
    SPEC = "spec"
    """The body has the wider type, as the specification allows; the official tools verify this form."""
    RFC = "rfc"
    """Conversions are regions of the op, as the RFC on quantized reductions proposes; only qconvert reads this form."""


def passes_for(form: ReductionForm) -> tuple[Pass, ...]:
    """Return the passes that bring every reduction into a form."""
    if form is ReductionForm.WIDEN:
        return (WidenReductions(),)
    if form is ReductionForm.SPEC:
        return (ExpandReductionConversions(), InlineReductionConversions())
    return (ExpandReductionConversions(),)
