"""The options for writing StableHLO."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from qconvert.backends.base import QUANTIZED_IO, WriteOptions, option


class ReductionForm(StrEnum):
    """The form of reductions that accumulate in wider integers."""

    WIDEN = "widen"
    """Operands and results are converted outside the reduction: the official tools evaluate and compile this form."""
    SPEC = "spec"
    """The body has the wider type, as the specification allows; the official tools verify this form."""
    RFC = "rfc"
    """Conversions are regions of the op, as the RFC on quantized reductions proposes; only qconvert reads this form."""


class QuantizedAs(StrEnum):
    """The form of computations on quantized values."""

    TYPES = "types"
    """Ops on values of ``!quant.uniform`` types."""
    INTEGERS = "integers"
    """Plain arithmetic on storage integers, which defines every rounding exactly; no quantized type is left."""
    RESCALES = "rescales"
    """Plain integers between ``tosa.rescale`` ops, which round halves up; no quantized type is left."""


RESCALES = ("tosa.rescale", "tosa.const")
"""The ops of TOSA in a module whose quantized computations are plain integers between rescales."""


@dataclass(frozen=True)
class StableHloOptions(WriteOptions):
    """The options for writing StableHLO.

    ``exact_rounding`` writes ONNX's order of rounding with two quantizes. ``quantized_io`` gives the function's
    arguments and results quantized types. If ``quantized_as`` leaves no quantized types, plain arithmetic defines the
    order of rounding and there are no quantized reductions: ``exact_rounding`` and ``reduction_form`` have no effect
    then. ``keep_composites`` writes ops that StableHLO lacks as ``stablehlo.composite`` with their decompositions as
    functions.
    """

    reduction_form: ReductionForm = field(
        default=ReductionForm.WIDEN, metadata=option("how quantized sums are written")
    )
    exact_rounding: bool = field(
        default=False, metadata=option("write ONNX's order of rounding with a second uniform_quantize")
    )
    quantized_io: bool = field(default=False, metadata=option(QUANTIZED_IO))
    quantized_as: QuantizedAs = QuantizedAs.TYPES
    keep_composites: bool = field(
        default=False,
        metadata=option("write softmax, gelu, ... as stablehlo.composite ops instead of decomposing them"),
    )

    @property
    def quantizes_edges(self) -> bool:
        """Return the option ``quantized_io``."""
        return self.quantized_io
