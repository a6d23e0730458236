"""Conversion of the IR to a module that StableHLO's own tools read."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from qconvert.backends.base import Emission
from qconvert.backends.stablehlo.options import RESCALES, QuantizedAs, ReductionForm, StableHloOptions
from qconvert.dialects.stablehlo import ReductionOp
from qconvert.dialects.verify import STORAGE_WIDTHS, verify_stablehlo
from qconvert.ir import storages
from qconvert.passes.cleanup.cse import CommonSubexpressionElimination
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.passes.cleanup.strip_attributes import StripAttributes
from qconvert.passes.composites.decompose_composites import DecomposeComposites
from qconvert.passes.composites.outline_composites import OutlineComposites
from qconvert.passes.layout.sink_transposes import SinkTransposes
from qconvert.passes.reductions.expand_reduction_conversions import ExpandReductionConversions
from qconvert.passes.reductions.inline_reduction_conversions import InlineReductionConversions
from qconvert.passes.reductions.split_reductions import SplitReductions
from qconvert.passes.reductions.widen_reductions import WidenReductions
from qconvert.passes.rescaling.exact_rounding import ExactRounding, rounds_differently
from qconvert.passes.storage.equalize_storage import EqualizeStorage
from qconvert.passes.storage.expand_blocks import ExpandBlocks
from qconvert.passes.storage.quantized_io import QuantizedIO
from qconvert.passes.storage.widen_storage import WidenStorage
from qconvert.rewriting import AfterPass, OpProof, Pass, is_promoted, run_passes

_DIALECTS = ("builtin.", "func.", "stablehlo.")


def _foreign(options: StableHloOptions) -> tuple[str, ...]:
    """Return the ops of other dialects that may be left."""
    return RESCALES if options.quantized_as is QuantizedAs.RESCALES else ()


def _beyond_stablehlo(module: ModuleOp, options: StableHloOptions) -> set[str]:
    """Return the reductions that may have the RFC's form, which StableHLO's specification does not have."""
    if options.quantized_as is not QuantizedAs.TYPES or options.reduction_form is not ReductionForm.RFC:
        return set()
    return {op.name for op in module.walk() if isinstance(op, ReductionOp)}


def _only_stablehlo(module: ModuleOp, options: StableHloOptions) -> bool:
    return all(op.name.startswith((*_DIALECTS, *_foreign(options))) for op in module.walk())


def passes(options: StableHloOptions) -> tuple[Pass, ...]:
    """Return the passes that convert the IR to StableHLO, in order, before qconvert's attributes are removed."""
    composites = OutlineComposites() if options.keep_composites else DecomposeComposites()
    edges: tuple[Pass, ...] = (QuantizedIO(),) if options.quantized_io else ()
    if options.quantized_as is QuantizedAs.TYPES:
        made = (composites, *edges, *_as_types(options))
    else:
        from qconvert.backends.stablehlo.integers import in_integers

        made = (*edges, *in_integers(composites, keeps_rescales=options.quantized_as is QuantizedAs.RESCALES))
    return (ExpandBlocks(), *made, CommonSubexpressionElimination(), DeadCodeElimination())


def _reduction_passes(form: ReductionForm) -> tuple[Pass, ...]:
    """Return the passes that bring every reduction into a form, whichever form it has."""
    if form is ReductionForm.WIDEN:
        return (SplitReductions(), WidenReductions())
    if form is ReductionForm.SPEC:
        widen = WidenReductions(keeps=is_promoted)
        return (SplitReductions(), ExpandReductionConversions(), InlineReductionConversions(), widen)
    return (ExpandReductionConversions(),)


def _as_types(options: StableHloOptions) -> tuple[Pass, ...]:
    return (
        *_reduction_passes(options.reduction_form),
        EqualizeStorage(),
        *((ExactRounding(),) if options.exact_rounding else ()),
        SinkTransposes(),
    )


def _storage_passes(module: ModuleOp) -> tuple[Pass, ...]:
    """Return the pass that widens storages which StableHLO's quantized types lack, if the module has some."""
    found = storages(module)
    if all(storage.width in STORAGE_WIDTHS and (storage.signed or storage.width < 32) for storage in found):
        return ()
    return (WidenStorage(STORAGE_WIDTHS),)


def lower(module: ModuleOp, options: StableHloOptions | None = None) -> ModuleOp:
    """Return a copy of ``module`` in StableHLO's ops and types that keeps the arithmetic attribute of each op.

    Raises ConversionError naming the node and the constraint if an op has no form in StableHLO.
    """
    lowered = module.clone()
    _lower(lowered, options or StableHloOptions())
    return lowered


def _lower(module: ModuleOp, options: StableHloOptions, after: AfterPass | None = None) -> tuple[OpProof, ...]:
    """Lower ``module`` in place; return the proofs of the ops."""
    results = run_passes(module, (*_storage_passes(module), *passes(options)), after=after)
    verify_stablehlo(module, (*_foreign(options), *_beyond_stablehlo(module, options)))
    return tuple(proof for result in results for proof in result.proofs)


def emit(
    module: ModuleOp,
    options: StableHloOptions | None = None,
    *,
    in_place: bool = False,
    after: AfterPass | None = None,
) -> Emission:
    """Convert a copy of ``module``, or ``module`` itself, to StableHLO and count the ops that lost their rounding.

    Raises ConversionError naming the node and the constraint if an op has no form in StableHLO.
    """
    options = options or StableHloOptions()
    made = module if in_place else module.clone()
    proofs = _lower(made, options, after)
    lost = sum(rounds_differently(op) for op in made.walk())
    run_passes(made, (StripAttributes(),), verifies=False, after=after)  # removes attributes that nothing verifies
    assert _only_stablehlo(made, options)
    return Emission(made, lost, proofs=proofs)
