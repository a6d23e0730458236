"""Random float networks: fusing changes no number, comes back, and exports to what legalization takes."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from qconvert import load
from qconvert.dialects.quant_region import RegionOp
from qconvert.dialects.verify import verify_stablehlo
from qconvert.interpreter import evaluate
from qconvert.interpreter.core import main_function
from qconvert.ir.printing import module_text
from qconvert.passes import make_pass
from qconvert.passes.cleanup.fold import Fold
from qconvert.passes.fusion.legalize_qdq_to_quantized_op import LegalizeQdqToQuantizedOp
from qconvert.quantization.export_codegen import export_codegen
from qconvert.quantization.export_fixed import export_fixed
from qconvert.quantization.fusion import Chain, FuseKernels, UnwrapRegions
from qconvert.rewriting.base import run_passes
from qconvert.support.errors import ConversionError
from tests.support.parameters import few
from tests.support.random_graphs import random_float_graph
from tests.support.regions import observe, set_specs
from tests.support.text_cases import inputs_for

SEEDS = range(0, 40, 10)
DIVIDED_BY_COUNTS = "an operand is a 32-bit accumulator that the model does not quantize before this op"
"""The one kernel without a quantized op: an average whose windows reach over the edge."""


def network(seed: int) -> ModuleOp:
    module = load(random_float_graph(seed).SerializeToString()).module
    run_passes(module, [Fold()])
    return module


def fused(module: ModuleOp, *steps: FuseKernels | UnwrapRegions) -> ModuleOp:
    copy = module.clone()
    run_passes(copy, steps or [FuseKernels()])
    return copy


def kernels(module: ModuleOp) -> list[str]:
    return [op.logical_kernel.data for op in module.walk() if isinstance(op, RegionOp)]


def random_chains(module: ModuleOp, seed: int) -> tuple[Chain, ...]:
    """Pairs of kernels that may follow each other."""
    rng, names = np.random.default_rng(seed), sorted(set(kernels(module)))
    pairs = {(str(rng.choice(names)), str(rng.choice(names))) for _ in range(60)}
    return tuple(Chain(f"{a}_{b}", (a, b)) for a, b in sorted(pairs))


@pytest.mark.slow
@pytest.mark.parametrize("first", SEEDS)
def test_fusing_changes_no_number_and_comes_back(first: int) -> None:
    joined = 0
    for seed in range(first, first + 10):
        module = network(seed)
        once = fused(module)
        left = {op.name for op in main_function(once).body.block.ops if not isinstance(op, RegionOp)}
        assert left <= {"stablehlo.constant", "func.return"}, seed
        coarse = fused(once, FuseKernels(chains=random_chains(once, seed)))
        joined += len(kernels(once)) - len(kernels(coarse))
        assert module_text(fused(once, FuseKernels())) == module_text(once), seed
        assert module_text(fused(once, UnwrapRegions(), FuseKernels())) == module_text(once), seed
        assert kernels(fused(coarse, UnwrapRegions(), FuseKernels())) == kernels(once), seed
        inputs = inputs_for(module, seed, scale=0.5)
        expected = evaluate(module, inputs)
        for form in (once, coarse, fused(once, UnwrapRegions())):
            for found, right in zip(evaluate(form, inputs), expected, strict=True):
                np.testing.assert_array_equal(found, right, str(seed))
    assert joined > 0


@pytest.mark.slow
@pytest.mark.parametrize("first", few(SEEDS, 2))
def test_what_is_exported_is_quantized_throughout(first: int) -> None:
    for seed in range(first, first + 10):
        module = fused(network(seed))
        inputs = [inputs_for(module, each, scale=0.5) for each in range(3)]
        ranges = observe(module, inputs)
        set_specs(module, ranges)
        export_fixed(module)
        quantized = module.clone()
        *_, result = run_passes(quantized, [Fold(), LegalizeQdqToQuantizedOp()])
        assert {refusal.reason for refusal in result.refusals} <= {DIVIDED_BY_COUNTS}, seed
        for found, exact in zip(evaluate(quantized, inputs[0]), evaluate(module, inputs[0]), strict=True):
            step = np.ptp(exact) / 255 if exact.size > 1 else np.abs(exact).max(initial=0.0) / 127
            assert np.quantile(np.abs(found - exact), 0.9) <= 1.01 * step, seed


@pytest.mark.quick(1)
@pytest.mark.parametrize("first", few(SEEDS, 2))
@pytest.mark.slow
def test_coarse_kernels_are_refined_or_refused(first: int) -> None:
    """What is in between follows, or the error says which node gives it."""
    refined = 0
    for seed in range(first, first + 10):
        once = fused(network(seed))
        module = fused(once, FuseKernels(chains=random_chains(once, seed)))
        set_specs(module, observe(module, [inputs_for(module, 0, scale=0.5)]))
        count = len([kernel for kernel in kernels(module) if kernel not in kernels(once)])
        if (error := refusal(module)) is None:
            module.verify()
            refined += count
        else:
            assert "has no scale and zero point" in error.found
            assert error.node is not None
    assert refined > 0


def refusal(module: ModuleOp) -> ConversionError | None:
    try:
        export_fixed(module)
    except ConversionError as error:
        return error
    assert not kernels(module)
    return None


@pytest.mark.slow
@pytest.mark.parametrize("first", SEEDS)
def test_code_of_a_network_is_valid_and_spelled_out_alike(first: int) -> None:
    before, after = 0, 0
    for seed in range(first, first + 10):
        module = network(seed)
        regions = fused(module)
        set_specs(regions, observe(regions, [inputs_for(module, seed, 1.0)]))
        primitive = regions.clone()
        report = export_codegen(regions)
        before, after = before + report.before, after + report.after
        assert report.after <= report.before
        export_codegen(primitive)
        run_passes(primitive, [make_pass("tosa-rescale-legalize-to-stablehlo")])
        verify_stablehlo(primitive)
        inputs = inputs_for(module, seed + 1, 1.0)
        for a, b in zip(evaluate(regions, inputs), evaluate(primitive, inputs), strict=True):
            np.testing.assert_array_equal(a, b)
    assert after < before
