"""Conversion of the IR to a module that StableHLO's own tools read."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from xdsl.dialects.builtin import ModuleOp

from qconvert.backends.base import QUANTIZED_IO, Backend, Emission, option
from qconvert.backends.stablehlo.forms import ReductionForm, passes_for
from qconvert.dialects.verify import verify_stablehlo
from qconvert.passes.cleanup.cse import CommonSubexpressionElimination
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.passes.cleanup.strip_attributes import StripAttributes
from qconvert.passes.composites.decompose_composites import DecomposeComposites
from qconvert.passes.composites.outline_composites import OutlineComposites
from qconvert.passes.layout.sink_transposes import SinkTransposes
from qconvert.passes.rescaling.exact_rounding import ExactRounding, rounds_differently
from qconvert.passes.rescaling.legalize_quant_to_math import LegalizeQuantToMath
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale import QuantLegalizeToTosaRescale
from qconvert.passes.storage.equalize_storage import EqualizeStorage
from qconvert.passes.storage.quantized_io import QuantizedIO
from qconvert.passes.storage.signed_storage import SignedStorage
from qconvert.rewriting.base import Pass, run_passes

_DIALECTS = ("builtin.", "func.", "stablehlo.")
_RESCALES = ("tosa.rescale", "tosa.const")


class QuantizedAs(StrEnum):
    """The form of computations on quantized values."""

    TYPES = "types"
    """Ops on values of ``!quant.uniform`` types."""
    INTEGERS = "integers"
    """Plain arithmetic on storage integers, which defines every rounding exactly; no quantized type is left."""
    RESCALES = "rescales"
    """Plain integers between ``tosa.rescale`` ops, which round halves up; no quantized type is left."""


def _foreign(options: StableHloOptions) -> tuple[str, ...]:
    """Return the ops of other dialects that may be left."""
    return _RESCALES if options.quantized_as is QuantizedAs.RESCALES else ()


def _only_stablehlo(module: ModuleOp, options: StableHloOptions) -> bool:
    return all(op.name.startswith((*_DIALECTS, *_foreign(options))) for op in module.walk())


@dataclass(frozen=True)
class StableHloOptions(Backend):
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

    def lower(self, module: ModuleOp) -> ModuleOp:
        """Return a lowered copy of ``module`` (see :func:`lower`)."""
        return lower(module, self)

    def emit(self, module: ModuleOp, *, in_place: bool = False) -> Emission:
        """Write the module (see :func:`emit`)."""
        return emit(module, self, in_place=in_place)


def passes(options: StableHloOptions) -> tuple[Pass, ...]:
    """Return the passes that convert the IR to StableHLO, in order, before qconvert's attributes are removed."""
    return (
        _composites(options),
        *((QuantizedIO(),) if options.quantized_io else ()),
        *_quantized(options),
        CommonSubexpressionElimination(),
        DeadCodeElimination(),
    )


def _composites(options: StableHloOptions) -> Pass:
    return OutlineComposites() if options.keep_composites else DecomposeComposites()


def _quantized(options: StableHloOptions) -> tuple[Pass, ...]:
    if options.quantized_as is QuantizedAs.TYPES:
        return _as_types(options)
    rescales = QuantLegalizeToTosaRescale(integer_rescales=True)
    return (
        *passes_for(ReductionForm.WIDEN),
        SignedStorage(),  # IREE takes the unsigned operands of an integer product for signed ones
        SinkTransposes(),
        *((rescales,) if options.quantized_as is QuantizedAs.RESCALES else ()),
        LegalizeQuantToMath(),
    )


def _as_types(options: StableHloOptions) -> tuple[Pass, ...]:
    return (
        *passes_for(options.reduction_form),
        EqualizeStorage(),
        *((ExactRounding(),) if options.exact_rounding else ()),
        SinkTransposes(),
    )


def lower(module: ModuleOp, options: StableHloOptions | None = None) -> ModuleOp:
    """Return a copy of ``module`` in StableHLO's ops and types that keeps the arithmetic attribute of each op.

    Raises ConversionError naming the node and the constraint if an op has no form in StableHLO.
    """
    return _lower(module.clone(), options or StableHloOptions())


def _lower(module: ModuleOp, options: StableHloOptions) -> ModuleOp:
    """Lower ``module`` in place."""
    run_passes(module, passes(options))
    if options.quantized_as is not QuantizedAs.TYPES or options.reduction_form is not ReductionForm.RFC:
        verify_stablehlo(module, _foreign(options))
    return module


def emit(module: ModuleOp, options: StableHloOptions | None = None, *, in_place: bool = False) -> Emission:
    """Convert a copy of ``module``, or ``module`` itself, to StableHLO and count the ops that lost their rounding.

    Raises ConversionError naming the node and the constraint if an op has no form in StableHLO.
    """
    options = options or StableHloOptions()
    made = _lower(module if in_place else module.clone(), options)
    lost = sum(rounds_differently(op) for op in made.walk())
    run_passes(made, [StripAttributes()])
    assert _only_stablehlo(made, options)
    return Emission(made, lost)


def emit_stablehlo(module: ModuleOp, options: StableHloOptions | None = None) -> ModuleOp:
    """Return the module of :func:`emit`."""
    return emit(module, options).module
