"""The conversion of a model to another format, and the run of passes over a model."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import ModuleOp

from qconvert.api.fusing import FusedForms, Fusion, check_sizes, fuse
from qconvert.api.models import Converted, Model, Transformed
from qconvert.backends.base import Emission, WriteOptions
from qconvert.dialects.ir_mark import mark_ir
from qconvert.formats import DEFAULT, FORMATS, Format, ModelFormat
from qconvert.ir import source_nodes
from qconvert.passes import make_pass
from qconvert.rewriting import AfterPass, Pass, Refusal, run_passes, verify
from qconvert.support.errors import ConversionError, FloatsRemainError, UsageError, in_file


def convert(
    model: Model,
    to: Format = DEFAULT,
    options: WriteOptions | None = None,
    *,
    forms: FusedForms | None = None,
    after: AfterPass | None = None,
) -> Converted:
    """Convert a model; the model itself is not changed.

    ``options`` are the target's (``StableHloOptions``, ``TosaOptions``, ``OnnxOptions``). ``forms`` are the model's,
    if it is converted several times. ``after`` is called after each pass, but for the passes that made ``forms``.
    Raises ConversionError naming the node where something has no form in the target, UsageError for options of another
    target.
    """
    target = FORMATS[to]
    written_with = target.checked_options(options).following(model.opset)
    if FORMATS[model.format].lowered_ways is not None:
        return _convert_lowered(model, target, options, after)

    def make(after: AfterPass | None = None) -> Fusion:
        return fuse(model, target, after=after) if forms is None else forms.of(target)

    with in_file(model.file):
        fused, refusals = make(after)
        lost = sum(map(target.loses_litert, fused.walk()))
        others = _float_candidates(model, target, fused, refusals)
        emission = _emission(model, target, fused, written_with, (*refusals, *others), after)
    return Converted(
        emission.module,
        lambda: make().module,
        to,
        (*refusals, *emission.refusals),
        emission.lost_arithmetic,
        emission.content,
        emission.litert_ops,
        lost - emission.litert_ops,
        emission.proofs,
        others,
        emission.operators,
    )


def unwritten(model: Model, to: Format) -> Converted:
    """Return what fusion makes of a model for a format, without writing it; raises ConversionError as fusion does."""
    with in_file(model.file):
        fused, refusals = fuse(model, FORMATS[to])
    return Converted(fused, lambda: fused, to, refusals, 0)


QUANTIZING = ("QuantizeLinear", "DequantizeLinear", "QUANTIZE", "DEQUANTIZE")
"""The operators of ONNX and TFLite that only quantize and dequantize."""


def _float_candidates(
    model: Model, target: ModelFormat, fused: ModuleOp, refusals: tuple[Refusal, ...]
) -> tuple[Refusal, ...]:
    """Return an entry for each node that may compute in floats in the file and that fusion did not refuse."""
    skipped = {refusal.node for refusal in refusals}
    skipped |= {node for node, op_type in model.op_types.items() if op_type in QUANTIZING}
    found: dict[str | None, Refusal] = {}
    for candidate in target.float_candidates(fused):
        if candidate.node not in skipped:
            found.setdefault(candidate.node, candidate)
    return tuple(found.values())


def _emission(
    model: Model,
    target: ModelFormat,
    fused: ModuleOp,
    options: WriteOptions,
    refusals: tuple[Refusal, ...],
    after: AfterPass | None,
) -> Emission:
    """Write a fused module; raises FloatsRemainError with the reasons that are known, ConversionError for others."""
    try:
        return target.emit(fused, options, in_place=True, after=after)
    except FloatsRemainError as error:
        computing = [node for node in error.nodes if model.op_types.get(node) not in QUANTIZING]
        reasons = dict.fromkeys(error.nodes, f"{target.title} has no integer form of this operator")
        known = {node: refusal for refusal in refusals if (node := refusal.node) in reasons}
        reasons |= {node: refusal.reason for node, refusal in known.items()}
        reasons |= error.reasons
        passes = {node: refusal.refused_by for node, refusal in known.items()} | dict(error.passes)
        raise FloatsRemainError(target.name, computing or error.nodes, reasons, passes) from error


def floats_refused(model: Model, error: FloatsRemainError) -> tuple[Refusal, ...]:
    """Return the ops that an error lists, with its reasons; an argument that no op uses may be a float, too."""
    if not error.nodes:
        return (Refusal("model", None, "an argument or a result is a float"),)
    kinds = model.op_types or {node: op.name for op in model.module.walk() for node in source_nodes(op)}
    return tuple(
        Refusal(kinds.get(node, "op"), node, error.reasons[node], error.passes.get(node, "")) for node in error.nodes
    )


def _convert_lowered(
    model: Model, target: ModelFormat, options: WriteOptions | None, after: AfterPass | None
) -> Converted:
    """Convert a model whose quantization is lowered to integers.

    Raises UsageError for a format or options that lowered integers cannot have, ConversionError naming a node that has
    no form.
    """
    source = FORMATS[model.format]
    ways = {source.name: (), **(source.lowered_ways or {})}
    if target.name not in ways:
        *others, last = ways
        raise UsageError(
            f"{model.file} is {source.name}, whose scales are multipliers and shifts: it becomes "
            f"{', '.join(others)} or {last}, not {target.name}; give the model it was made from"
        )
    given = target.checked_options(options)
    if given.of_quantization() != target.checked_options():
        raise UsageError(f"{model.file} is {source.name} already; give options with the model it was made of")
    module = model.module.clone()
    with in_file(model.file):
        check_sizes(module)
        results = run_passes(module, [make_pass(name) for name in ways[target.name]], after=after)
        for refusal in (refusal for result in results for refusal in result.refusals):
            raise ConversionError(refusal.reason, node=refusal.node, op=refusal.op)
        for error in target.errors(module):
            raise error
        content = None if target.is_mlir else target.emit(module, given, in_place=True, after=after).content
    return Converted(module, lambda: module, target.name, (), 0, content)


def transform(model: Model, passes: Iterable[str | Pass], *, after: AfterPass | None = None) -> Transformed:
    """Run passes, given by name or made by the caller, over a copy of a model's module.

    ``after`` is called after each pass. Raises UsageError for an unknown name, ConversionError if a pass fails or its
    conditions do not hold.
    """
    steps = [make_pass(step) if isinstance(step, str) else step for step in passes]
    module = model.module.clone()
    with in_file(model.file):
        verify(module, "reading")
        results = run_passes(module, steps, verify_each=True, after=after)
    mark_ir(module)
    return Transformed(module, tuple(refusal for result in results for refusal in result.refusals))


def transform_for(
    model: Model, to: Format, options: WriteOptions | None = None, *, after: AfterPass | None = None
) -> Transformed:
    """Run the passes that :func:`convert` runs, by running it; return the module that is written.

    The module of a format that is not MLIR has the ops that the format's operators stand for. Raises errors as
    :func:`convert` does.
    """
    converted = convert(model, to, options, after=after)
    if not FORMATS[to].is_mlir:
        mark_ir(converted.module)
    return Transformed(converted.module, converted.refusals)
