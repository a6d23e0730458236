"""Random cases whose source is StableHLO text: quantized programs, and networks of all operators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert import Format, convert, load
from qconvert.frontends.port_names import input_names
from qconvert.interpreter.core import main_function
from qconvert.ir import module_text, quantized
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.rewriting import run_passes
from qconvert.support.errors import ConversionError
from qconvert.validation.limits.bisect import return_values
from tests.graphs.case import Case
from tests.graphs.onnx_cases import random_graph
from tests.graphs.source import Source
from tests.support.random_programs import random_inputs, random_program

SAMPLES = 2


@dataclass(frozen=True)
class StablehloSource(Source):
    """A module of StableHLO."""

    label: str
    module: ModuleOp
    seed: int
    suffix: str = ".mlir"

    def case(self) -> Case:
        """Return the text and its samples."""
        text = module_text(self.module)
        names = input_names(self.module)
        arrays = [random_inputs(self.module, self.seed + number) for number in range(SAMPLES)]
        samples = tuple(dict(zip(names, each, strict=True)) for each in arrays)
        ops = tuple(op.name.removeprefix("stablehlo.") for op in _ops(self.module))
        storages = {str(q.storage) for op in _ops(self.module) for value in op.results if (q := quantized(value))}
        return Case(
            self.label, text.encode(), samples, "stablehlo", ops, (), {"activations": "+".join(sorted(storages))}
        )

    def smaller(self) -> Iterator[StablehloSource]:
        """Yield modules that return one value alone."""
        for i, op in enumerate(_ops(self.module)):
            copies: dict[SSAValue, SSAValue] = {}
            copy = self.module.clone(copies)
            return_values(copy, {str(i): copies[op.results[0]]})
            run_passes(copy, [DeadCodeElimination()])
            if len(_ops(copy)) < len(_ops(self.module)):
                yield StablehloSource(self.label, copy, self.seed)


def _ops(module: ModuleOp) -> list[Operation]:
    return [op for op in main_function(module).body.block.ops if op.results and op.name != "stablehlo.constant"]


def stablehlo_source(seed: int) -> StablehloSource | None:
    """Return the program of a seed: quantized ops, or a random network of all operators, which ONNX had before."""
    if seed // 4 % 4:
        return written_source(seed)
    return StablehloSource(f"stablehlo seed {seed}", random_program(seed), seed)


def written_source(seed: int) -> StablehloSource | None:
    """Return a random ONNX graph as StableHLO's text; None where StableHLO has no form of it."""
    graph = random_graph(seed)
    if graph is None or graph.form == "float, quantized":
        return None
    case = graph.case()
    try:
        text = convert(load(case.content, dims=case.dims), Format.STABLEHLO).text
    except ConversionError:
        return None
    return StablehloSource(f"stablehlo of {graph.label}", load(text.encode()).module, seed)
