"""Comparison of a conversion with its source: outputs end to end, layers in isolation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.engines.modules import Results
from qconvert.interpreter.core import main_function
from qconvert.ir import numpy_dtype, quantized, tensor
from qconvert.validation.layers import Layer
from qconvert.validation.metrics import (
    difference,
    exact_share,
    finite,
    is_class_vector,
    max_abs,
    max_rel,
    same_top1,
    sqnr_db,
)
from qconvert.validation.report import FloatError, InputReport, LayerReport, OutputReport
from qconvert.validation.runs import ReferenceRun, returned
from qconvert.validation.samples import Sample
from qconvert.validation.ties import evaluate_with_ties

Array: TypeAlias = NDArray[Any]


def output_lsbs(fused: ModuleOp) -> list[float | None]:
    """Return the size of 1 LSB of each output: the scale of its quantized tensor, 1 for integers, else None."""
    return [_lsb(value) for value in returned(fused)]


def _lsb(value: SSAValue) -> float | None:
    element = quantized(value)
    if element is not None or numpy_dtype(tensor(value).element_type).kind in "iub":
        return 1.0
    owner = value.owner
    source = quantized(owner.operand) if isinstance(owner, stablehlo.UniformDequantizeOp) else None
    return source.scale if source is not None and source.is_per_tensor else None


def compare_output(
    name: str, reference: Sequence[Array], found: Sequence[Array], optimised: Sequence[Array], lsb: float | None
) -> tuple[OutputReport, int]:
    """Compare one output over all samples; also return the number of samples with a clearly different best class."""
    a, b, c = (np.stack([np.asarray(array) for array in arrays]) for arrays in (reference, found, optimised))
    largest, relative = max_abs(a, b), max_rel(a, b)
    votes = None
    if reference and is_class_vector(reference[0]):
        votes = [same_top1(x, y, lsb or 0.0) for x, y in zip(reference, found, strict=True)]
    report = OutputReport(
        name=name,
        dtype=str(reference[0].dtype),
        exact=exact_share(a, b),
        max_lsb=None if lsb is None or not np.isfinite(largest) else round(largest / lsb),
        max_abs=finite(largest),
        sqnr_db=sqnr_db(a, b),
        top1=None if votes is None else float(np.mean([agree for agree, _ in votes])),
        exact_reference_optimised=exact_share(a, c),
        max_rel=None if relative is None else finite(relative),
        distinct=int(np.unique(a).size),
    )
    return report, sum(counts for _, counts in votes or ())


def rewriting_notes(names: Sequence[str], results: Results, rewritten: Results, what: str) -> tuple[str, ...]:
    """Return a note for each output that an engine's own rewriting changes; ``what`` names the rewriting."""
    shares = [
        float(np.mean([exact_share(a[i], b[i]) for a, b in zip(results, rewritten, strict=True)]))
        for i in range(len(names))
    ]
    return tuple(
        f"with {what}, {share:.4f} of output '{name}' is the same"
        for name, share in zip(names, shares, strict=True)
        if share < 1
    )


def layer_inputs(layer: Layer, samples: Sequence[Sample], reference: ReferenceRun) -> list[list[Array]]:
    """Return a layer's inputs, one list for each sample: the reference's integers, or the model's inputs."""
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
    """Compare one layer over all samples and count its ties."""
    differences = layer_differences(layer, found, reference)
    evaluated = [
        evaluate_with_ties(layer.module, arrays, divides_scales=op_type in _DIVIDE_SCALES) for arrays in inputs
    ]
    ties = np.concatenate([each.ties.reshape(-1) for each in evaluated])
    errors = [each.float_error.reshape(-1) for each in evaluated if each.float_error is not None]
    plain = differences[~ties]
    return LayerReport(
        node=layer.node,
        nodes=layer.nodes,
        op=op_type,
        family=layer.family,
        tensor=layer.tensor,
        exact=float((differences == 0).mean()) if differences.size else 1.0,
        exact_non_ties=float((plain == 0).mean()) if plain.size else 1.0,
        max_lsb=int(differences.max(initial=0)),
        elements=int(differences.size),
        ties=int(ties.sum()),
        inputs=layer.inputs,
        float_error=_summary(np.concatenate(errors)) if errors else None,
    )


def layer_differences(layer: Layer, found: list[list[Array]], reference: ReferenceRun) -> Array:
    """Return the magnitude of the difference of each element over all samples, in LSB."""
    parts = []
    for results, run in zip(found, reference.tensors, strict=True):
        expected = run[layer.tensor].astype(np.int64)
        parts.append(difference(expected, results[0].astype(np.int64).reshape(expected.shape)).reshape(-1))
    return np.concatenate(parts)


_DIVIDE_SCALES = ("QLinearAdd", "QLinearMul")
"""ONNX operators whose onnxruntime kernels multiply by quotients of scales."""


def _summary(errors: Array) -> FloatError | None:
    return FloatError(float(errors.mean()), float(errors.max())) if errors.size else None


_MOVING_OR_QUANTIZING = (
    *("QuantizeLinear", "Flatten", "Reshape", "Squeeze", "Transpose", "Unsqueeze"),
    *("QUANTIZE", "EXPAND_DIMS", "RESHAPE", "SQUEEZE", "TRANSPOSE"),
)


def input_reports(
    layers: Sequence[LayerReport], input_names: Sequence[str], bits: Mapping[str, int]
) -> tuple[InputReport, ...]:
    """Return a report for each layer that only quantizes an input of the model, possibly after moving its elements.

    ``bits`` is the width of each quantized tensor.
    """
    firsts = [layer for layer in layers if layer.op in _MOVING_OR_QUANTIZING and layer.inputs[0] in input_names]
    return tuple(InputReport(layer.inputs[0], layer.exact, layer.elements, bits[layer.tensor]) for layer in firsts)
