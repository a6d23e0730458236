"""The stages of quantization behind ``fuse-kernels`` as passes, so that each can be run and looked at alone."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from qconvert.dialects.quant_region import RegionOp
from qconvert.quantization.constraints import collect
from qconvert.quantization.export_codegen import export_codegen
from qconvert.quantization.export_fixed import export_fixed
from qconvert.quantization.lifting import lift
from qconvert.quantization.propagation import propagate
from qconvert.quantization.target import Target
from qconvert.quantization.targets import find
from qconvert.rewriting import Pass, PassResult, Refusal


@dataclass(frozen=True)
class Propagate(Pass):
    """Give the ports of regions parameters, by the rules of a target's kernels.

    ::

        quant.region (%x) {..} {kernel = "k", input_specs = [!quant.calibrated<f32<-1.0:1.0>>], output_specs = [f32]}

        quant.region (%x) {..} {kernel = "k", input_specs = [!quant.uniform<i8:f32, ..>], output_specs = [..]}

    What is known comes from the regions' specs, from ``quant.stats`` and from the model's own quantization.
    """

    name = "propagate"
    target: Target | None = None

    def apply(self, module: ModuleOp) -> PassResult:
        """Write the specs of every region; ``tosa-int8`` is the target if none is given."""
        before = _specs(module)
        constraints = collect(module, [lift(module)])
        report = propagate(module, self.target or find("tosa-int8"), constraints)
        refusals = tuple(Refusal(each.kernel, each.node, each.reason) for each in report.unquantized)
        return PassResult(_specs(module) != before, refusals)


@dataclass(frozen=True)
class ExportFixed(Pass):
    """Write regions for a target with fixed kernels: float ops between dequantize and quantize, or the target's op."""

    name = "export-fixed"
    target: Target | None = None

    def apply(self, module: ModuleOp) -> PassResult:
        """Take every region apart; without a target no kernel is an op of its own."""
        has_regions = bool(_specs(module))
        export_fixed(module, self.target.own_ops if self.target else None)
        return PassResult(has_regions)


class ExportCodegen(Pass):
    """Write regions, quantizes and dequantizes for code generation: integers with rescales where they must meet."""

    name = "export-codegen"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite the module; the rescales that are left inside have reasons."""
        report = export_codegen(module)
        return PassResult(True, (*report.kept, *report.floats))


def _specs(module: ModuleOp) -> list[object]:
    return [op.specs for op in module.walk() if isinstance(op, RegionOp)]
