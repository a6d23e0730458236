"""Export for targets that generate code: StableHLO on integers, with rescales only where integers end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from qconvert.dialects import stablehlo
from qconvert.dialects.traits import Rearranges
from qconvert.ir import element_type, is_float
from qconvert.passes.cleanup.cse import CommonSubexpressionElimination
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.passes.cleanup.fold import Fold
from qconvert.passes.cleanup.strip_attributes import StripAttributes
from qconvert.passes.composites.decompose_composites import DecomposeComposites
from qconvert.passes.fusion.hybridize import Hybridize
from qconvert.passes.fusion.legalize_qdq_to_quantized_op import LegalizeQdqToQuantizedOp
from qconvert.passes.layout.sink_transposes import SinkTransposes
from qconvert.passes.reductions.widen_reductions import WidenReductions
from qconvert.passes.rescaling.legalize_quant_to_math import LegalizeQuantToMath
from qconvert.passes.rescaling.push_rescales import PushRescales
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale import QuantLegalizeToTosaRescale
from qconvert.passes.storage.quantized_io import QuantizedIO
from qconvert.passes.storage.signed_storage import SignedStorage
from qconvert.quantization.export_fixed import export_fixed
from qconvert.rewriting import Pass, Refusal, refuse, run_passes
from qconvert.support.printable import printable_lines

_EDGES = (stablehlo.UniformQuantizeOp.name, stablehlo.UniformDequantizeOp.name)


@dataclass(frozen=True)
class CodegenReport:
    """The rescales of a module: their number with fixed kernels, the number that is left, and the reasons."""

    before: int
    after: int
    kept: tuple[Refusal, ...]
    """Reasons for rescales that are not at an output: several scales meet, sums are too wide, an op needs integers."""
    floats: tuple[Refusal, ...]
    """Ops that stay float, with reasons."""

    def to_json(self) -> dict[str, object]:
        """Return the report as plain values."""
        listed = {"kept": self.kept, "floats": self.floats}
        entries = {
            name: [{"node": each.node, "op": each.op, "reason": each.reason} for each in refusals]
            for name, refusals in listed.items()
        }
        return {"before": self.before, "after": self.after, **entries}

    def lines(self) -> Iterator[str]:
        """Yield the report as text: a summary line, then one line for each reason."""
        yield f"{self.before} rescales, of which {self.after} are left where integers leave or must meet"
        yield from (f"rescale kept: {refusal}" for refusal in self.kept)
        yield from (f"in float: {refusal}" for refusal in self.floats)

    def __str__(self) -> str:
        return printable_lines(self.lines())


def export_codegen(module: ModuleOp, *, widest: int = 64, quantized_io: bool = False) -> CodegenReport:
    """Convert regions, quantizes and dequantizes of a module to StableHLO and ``tosa.rescale`` on integers, in place.

    Rescales are pushed forward to the outputs (``push-rescales``). ``widest`` is the number of bits that sums may have.
    With ``quantized_io`` arguments and results are storage integers. Raises ConversionError as
    :func:`~qconvert.quantization.export_fixed.export_fixed` does.
    """
    export_fixed(module)
    made = run_passes(module, [Fold(), LegalizeQdqToQuantizedOp(), Hybridize()])
    *_, lowered = run_passes(module, _integers(quantized_io))
    before = _rescales(module)
    [pushed] = run_passes(module, [PushRescales(widest)])
    floats = _floats(module)
    run_passes(module, [LegalizeQuantToMath(), CommonSubexpressionElimination(), DeadCodeElimination()])
    after = _rescales(module)
    run_passes(module, [StripAttributes()])
    refusals = [refusal for result in (*made, lowered) for refusal in result.refusals if refusal.op not in _EDGES]
    return CodegenReport(before, after, pushed.refusals, (*refusals, *floats))


def _integers(quantized_io: bool) -> tuple[Pass, ...]:
    return (
        DecomposeComposites(),
        *((QuantizedIO(),) if quantized_io else ()),
        WidenReductions(),
        SignedStorage(),
        SinkTransposes(),
        QuantLegalizeToTosaRescale(integer_rescales=True),
    )


def _floats(module: ModuleOp) -> list[Refusal]:
    """Return refusals for the ops whose float results are quantized again inside the module."""
    found = []
    for op in module.walk():
        if not isinstance(op, stablehlo.UniformQuantizeOp) or not is_float(element_type(op.operand)):
            continue
        maker = op.operand.owner
        while isinstance(maker, Operation) and maker.has_trait(Rearranges):
            maker = maker.operands[0].owner
        if isinstance(maker, Operation):
            found.append(refuse(maker, "it computes in floats"))
    return found


def _rescales(module: ModuleOp) -> int:
    return sum(op.name == "tosa.rescale" for op in module.walk())
