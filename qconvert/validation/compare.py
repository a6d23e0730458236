"""Comparing a conversion with its source: outputs end to end, layers in isolation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.interpreter.core import main_function
from qconvert.ir.types import numpy_dtype, quantized, tensor
from qconvert.validation.layers import Layer
from qconvert.validation.metrics import (
    difference,
    exact_share,
    is_class_vector,
    max_abs,
    max_rel,
    same_top1,
    sqnr_db,
)
from qconvert.validation.report import InputReport, LayerReport, OutputReport
from qconvert.validation.runs import ReferenceRun
from qconvert.validation.samples import Sample
from qconvert.validation.ties import evaluate_with_ties

Array: TypeAlias = NDArray[Any]


def output_steps(fused: ModuleOp) -> list[float | None]:
    """For each output the scale of the quantized tensor behind it, 1 for an integer one, None where there is none."""
    terminator = main_function(fused).body.block.last_op
    assert terminator is not None
    return [_step(value) for value in terminator.operands]


def _step(value: SSAValue) -> float | None:
    element = quantized(value)
    if element is not None or numpy_dtype(tensor(value).element_type).kind in "iub":
        return 1.0
    owner = value.owner
    source = quantized(owner.operand) if isinstance(owner, stablehlo.UniformDequantizeOp) else None
    return source.scale if source is not None and source.is_per_tensor else None


def compare_output(
    name: str, reference: Sequence[Array], found: Sequence[Array], optimised: Sequence[Array], step: float | None
) -> tuple[OutputReport, int]:
    """One output over all samples, and how many of the samples disagree on the best class although both are sure."""
    a, b, c = (np.stack([np.asarray(array) for array in arrays]) for arrays in (reference, found, optimised))
    largest, relative = max_abs(a, b), max_rel(a, b)
    votes = None
    if reference and is_class_vector(reference[0]):
        votes = [same_top1(x, y, step or 0.0) for x, y in zip(reference, found, strict=True)]
    report = OutputReport(
        name=name,
        dtype=str(reference[0].dtype),
        exact=exact_share(a, b),
        max_lsb=None if step is None or not np.isfinite(largest) else round(largest / step),
        max_abs=_finite(largest),
        sqnr_db=sqnr_db(a, b),
        top1=None if votes is None else float(np.mean([agree for agree, _ in votes])),
        exact_reference_optimised=exact_share(a, c),
        max_rel=None if relative is None else _finite(relative),
        distinct=int(np.unique(a).size),
    )
    return report, sum(counts for _, counts in votes or ())


def _finite(value: float) -> float:
    """What JSON can hold: the largest double for what is infinite or NaN."""
    return value if np.isfinite(value) else float(np.finfo(np.float64).max)


def layer_inputs(layer: Layer, samples: Sequence[Sample], reference: ReferenceRun) -> list[list[Array]]:
    """What a layer is fed, one list a sample: the reference's own integers, or the model's inputs."""
    arguments = main_function(layer.module).body.block.args
    dtypes = [numpy_dtype(tensor(argument).element_type) for argument in arguments]
    return [
        [
            (run[name] if name in run else sample[name]).astype(dtype)
            for name, dtype in zip(layer.inputs, dtypes, strict=True)
        ]
        for sample, run in zip(samples, reference.tensors, strict=True)
    ]


def compare_layer(
    layer: Layer, op_type: str, inputs: list[list[Array]], found: list[list[Array]], reference: ReferenceRun
) -> LayerReport:
    """One layer over all samples, with its ties."""
    differences, masks = [], []
    for arrays, results, run in zip(inputs, found, reference.tensors, strict=True):
        expected = run[layer.tensor].astype(np.int64)
        differences.append(difference(expected, results[0].astype(np.int64).reshape(expected.shape)).reshape(-1))
        masks.append(evaluate_with_ties(layer.module, arrays)[1].reshape(-1))
    steps, ties = np.concatenate(differences), np.concatenate(masks)
    plain = steps[~ties]
    return LayerReport(
        node=layer.node,
        nodes=layer.nodes,
        op=op_type,
        family=layer.family,
        tensor=layer.tensor,
        exact=float((steps == 0).mean()) if steps.size else 1.0,
        exact_non_ties=float((plain == 0).mean()) if plain.size else 1.0,
        max_lsb=int(steps.max(initial=0)),
        elements=int(steps.size),
        ties=int(ties.sum()),
        inputs=layer.inputs,
    )


_MOVING_OR_QUANTIZING = (
    *("QuantizeLinear", "Flatten", "Reshape", "Squeeze", "Transpose", "Unsqueeze"),
    *("QUANTIZE", "EXPAND_DIMS", "RESHAPE", "SQUEEZE", "TRANSPOSE"),
)


def input_reports(layers: Sequence[LayerReport], input_names: Sequence[str]) -> tuple[InputReport, ...]:
    """The layers that quantize an input of the model, moved or not, and do nothing else."""
    firsts = [layer for layer in layers if layer.op in _MOVING_OR_QUANTIZING and layer.inputs[0] in input_names]
    return tuple(InputReport(layer.inputs[0], layer.exact, layer.elements) for layer in firsts)
