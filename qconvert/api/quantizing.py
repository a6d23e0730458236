"""Quantization of a float model: calibration, constraints, kernels, parameters, and the quantized model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from qconvert.api.fusing import simulation_passes
from qconvert.api.models import Model
from qconvert.dialects.quant_region import RegionOp
from qconvert.formats import DEFAULT, Format
from qconvert.ir import HINT, CalibratedQuantizedType, UniformQuantizedType, describe
from qconvert.passes import make_pass
from qconvert.passes.cleanup.inline_calls import InlineCalls
from qconvert.passes.composites.raise_composites import RaiseComposites
from qconvert.passes.fusion.legalize_quantized_op_to_qdq import computes_on_quantized
from qconvert.quantization.annotations import Annotations, from_statistics
from qconvert.quantization.calibration.method import Method
from qconvert.quantization.calibration.run import calibrate
from qconvert.quantization.calibration.statistics import Statistics
from qconvert.quantization.constraints import Constraints, collect
from qconvert.quantization.export_codegen import CodegenReport, export_codegen
from qconvert.quantization.export_fixed import export_fixed
from qconvert.quantization.lifting import lift, noted_ranges
from qconvert.quantization.names import check_nodes, name_nodes, values_by_name
from qconvert.quantization.propagation import propagate
from qconvert.quantization.region_ports import port_specs
from qconvert.quantization.report import Report
from qconvert.quantization.target import Export, Fallback, Target
from qconvert.quantization.targets import find
from qconvert.rewriting import run_passes
from qconvert.support.errors import ConversionError, UsageError, in_file
from qconvert.support.suggestions import nearest

Samples: TypeAlias = str | Path | Mapping[str, NDArray[Any]] | Iterable[Mapping[str, NDArray[Any]]]

_RAISED = frozenset({"gelu", "hard_swish", "softmax"})
"""Functions to raise to single ops: every shipped target has them, so that its statistics serve all targets."""

Progress: TypeAlias = Callable[[int, int | None], None]


@dataclass(frozen=True)
class Quantized:
    """A quantized model, the report of the quantization, and its statistics, if it was made with any.

    ``rescales`` counts the rescales, with reasons, for targets that generate code.
    """

    model: Model
    report: Report
    statistics: Statistics | None
    rescales: CodegenReport | None = None


def quantize(  # noqa: PLR0913 - what can be said of a quantization, most of it by name
    model: Model,
    target: Target | str | Path,
    calibration: Samples | Statistics | None = None,
    *,
    annotations: Annotations | None = None,
    method: Method | str = "minmax",
    exclude: Collection[str] = (),
    fallback: Fallback | None = None,
    quantized_io: bool = False,
    progress: Progress = lambda _done, _total: None,
) -> Quantized:
    """Quantize a float model for a target; the model itself is not changed.

    ``target`` is a target, the name of a shipped one, or a TOML file. Ranges come from running the model in onnxruntime
    over samples (:func:`~qconvert.quantization.calibration.samples.read_samples`), or from an earlier run's statistics;
    statistics that name a file must name this one. The model's own quantization (QDQ pairs, fake quantization,
    ``quant.stats``) and ``annotations`` take precedence. ``exclude`` names source nodes that stay float. ``fallback``
    decides whether kernels that the target lacks stay float or are refused.

    The result is a model of float ops between dequantize and quantize, for :func:`qconvert.convert` to any format; for
    targets that generate code one of integers and rescales, for ``tosa-rescale`` and ``stablehlo-int``, whose arguments
    and results are integers, too, with ``quantized_io`` (for other targets it is an option of the conversion). Raises
    UsageError for samples, statistics, names or targets that do not match the model, ConversionError naming the node
    where something has no kernel or parameters contradict each other, EngineError where onnxruntime refuses the model.
    """
    found = find(target) if isinstance(target, str | Path) else target
    module = model.module.clone()
    with in_file(model.file):
        _prepare(module, found)
        _check_floats(module)
        check_nodes(module, exclude)
        lifted, noted = lift(module), noted_ranges(module, model.file)
        statistics = _statistics(model, module, calibration, method, progress)
        run_passes(module, [found.fusion])
        constraints = _constraints(module, annotations, [lifted, noted], statistics)
        _check_ranges(module, constraints, model.file)
        report = propagate(module, found, constraints, fallback=fallback, excluded=exclude)
        rescales = _exported(module, found, quantized_io)
    quantized = replace(model, module=module, format=export_format(found), opened=None)
    return Quantized(quantized, report, statistics, rescales)


def _prepare(module: ModuleOp, target: Target) -> None:
    """Name the values of a model, then rewrite its ops as the patterns of kernels expect them."""
    name_nodes(module)
    simulated = simulation_passes(module)
    raised = RaiseComposites(_RAISED.intersection(target.kernel_names))
    plain = [make_pass(name) for name in ("dehybridize", "fold")]
    run_passes(module, [*simulated, raised, InlineCalls(composites=True), *plain, raised, make_pass("fold-scales")])


def export_format(target: Target) -> Format:
    """Return the format of the models that are quantized for a target."""
    return Format.TOSA_RESCALE if target.export is Export.CODEGEN else DEFAULT


def _exported(module: ModuleOp, target: Target, quantized_io: bool) -> CodegenReport | None:
    """Write the quantization of ports in the target's form; return the report of a target that generates code."""
    if target.export is Export.CODEGEN:
        return export_codegen(module, quantized_io=quantized_io)
    export_fixed(module, target.own_ops)
    return None


def _check_floats(module: ModuleOp) -> None:
    """Raise ConversionError for an op that computes in integers: it cannot be quantized again."""
    for op in module.walk():
        if op.name.startswith("tosa.") or computes_on_quantized(op):
            raise ConversionError(
                "it computes in integers already",
                hint="Quantize the float model that this one was made of, or its QDQ form",
                node=describe(op),
                op=op.name,
            )


def _check_ranges(module: ModuleOp, constraints: Constraints, file: str) -> None:
    """Raise UsageError if there are kernels to quantize, and no value has a known range or type."""
    regions = [op for op in module.walk() if isinstance(op, RegionOp)]
    if regions and not constraints.specs and not any(map(_is_annotated, regions)):
        raise UsageError(
            f"{file}: the ranges of its values are unknown: give samples (--calibration), "
            "statistics (--stats-in) or annotations (--annotations)"
        )


def _is_annotated(region: RegionOp) -> bool:
    """Return whether a region states parameters or a range of one of its ports."""
    return any(isinstance(spec, UniformQuantizedType | CalibratedQuantizedType) for spec in port_specs(region).values())


def _statistics(
    model: Model,
    module: ModuleOp,
    calibration: Samples | Statistics | None,
    method: Method | str,
    progress: Progress,
) -> Statistics | None:
    """Return the given statistics, checked to be this model's, or statistics from samples, or None."""
    if calibration is None:
        return None
    if not isinstance(calibration, Statistics):
        return calibrate(module, calibration, method=method, model=model.sha256, progress=progress)
    if calibration.model not in (None, model.sha256):
        raise UsageError(
            f"the statistics are of another file, with SHA-256 {calibration.model}; {model.file} has {model.sha256}. "
            "Calibrate again, or take 'model' out of the statistics if the values are the same"
        )
    # The preparation for another target may keep values that this target's preparation removes.
    values = values_by_name(module) | values_by_name(model.module)
    for name in calibration.values:
        if name not in values:
            raise UsageError(
                f"the statistics have a value '{name}', but the model does not; it has {nearest(name, values)}"
            )
    return calibration


def _constraints(
    module: ModuleOp, annotations: Annotations | None, own: Sequence[Annotations], statistics: Statistics | None
) -> Constraints:
    """Collect the constraints of all sources, the strongest first; values inside kernels get hints."""
    observed = [] if statistics is None else [replace(from_statistics(statistics), is_strict=False)]
    given = [] if annotations is None else [annotations]
    lifted, noted = own
    constraints = collect(module, [*given, lifted, *observed, noted])
    for value, spec in constraints.specs.items():
        owner = value.owner
        if isinstance(owner, Operation) and isinstance(owner.parent_op(), RegionOp):
            owner.attributes[HINT] = spec
    return constraints
