"""The three ways to write a quantized reduction in StableHLO."""

from __future__ import annotations

from enum import StrEnum

from qconvert.passes.reductions.expand_reduction_conversions import ExpandReductionConversions
from qconvert.passes.reductions.inline_reduction_conversions import InlineReductionConversions
from qconvert.passes.reductions.widen_reductions import WidenReductions
from qconvert.rewriting.base import Pass


class ReductionForm(StrEnum):
    """How reductions that accumulate in wider integers are written."""

    WIDEN = "widen"
    """Converted before and after: the form that the real tools evaluate and compile."""
    SPEC = "spec"
    """A body on the wider type, as the specification allows; the real tools verify it."""
    RFC = "rfc"
    """Conversions in regions of their own, as the RFC on quantized reductions proposes; read by qconvert."""


def passes_for(form: ReductionForm) -> tuple[Pass, ...]:
    """The passes that bring every reduction into a form, whichever it has."""
    if form is ReductionForm.WIDEN:
        return (WidenReductions(),)
    if form is ReductionForm.SPEC:
        return (ExpandReductionConversions(), InlineReductionConversions())
    return (ExpandReductionConversions(),)
