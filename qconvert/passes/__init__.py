"""Rewrites of the IR, one pass to a file, and the table of all passes."""

from __future__ import annotations

import inspect
from itertools import groupby
from pkgutil import resolve_name
from typing import TYPE_CHECKING, NamedTuple, cast

from qconvert.support.errors import UsageError

if TYPE_CHECKING:
    from qconvert.rewriting import Pass

PASSES: dict[str, str] = {
    "accumulate-normalizations": "qconvert.backends.tosa.accumulate:AccumulateNormalizations",
    "accumulate-reductions": "reductions.accumulate_reductions:AccumulateReductions",
    "borders-to-slices": "qconvert.backends.ethos_u.forms.borders_to_slices:BordersToSlices",
    "canonicalize-dynamism": "dynamism.canonicalize_dynamism:CanonicalizeDynamism",
    "casts-of-rows": "qconvert.backends.ethos_u.forms.casts_of_rows:CastsOfRows",
    "casts-to-rescales": "qconvert.backends.ethos_u.forms.casts_to_rescales:CastsToRescales",
    "chlo-legalize-to-stablehlo": "legalization.chlo_legalize_to_stablehlo:ChloLegalizeToStableHlo",
    "clamps-to-extremes": "qconvert.backends.ethos_u.forms.clamps_to_extremes:ClampsToExtremes",
    "columns-to-features": "qconvert.backends.ethos_u.forms.columns_to_features:ColumnsToFeatures",
    "combine-rescales": "rescaling.combine_rescales:CombineRescales",
    "compute-halves-in-floats": "qconvert.backends.tflite.halves:ComputeHalvesInFloats",
    "compute-in-floats": "qconvert.backends.tflite.decompose:ComputeInFloats",
    "convert-fake-quant": "casts.convert_fake_quant:ConvertFakeQuant",
    "copies-to-maxima": "qconvert.backends.ethos_u.forms.copies_to_maxima:CopiesToMaxima",
    "copy-images": "qconvert.backends.ethos_u.forms.copy_images:CopyImages",
    "copy-tables": "qconvert.backends.ethos_u.forms.copy_tables:CopyTables",
    "cse": "cleanup.cse:CommonSubexpressionElimination",
    "dce": "cleanup.dce:DeadCodeElimination",
    "decompose-composites": "composites.decompose_composites:DecomposeComposites",
    "decompose-for-onnx": "qconvert.backends.onnx.activation:DecomposeForOnnx",
    "decompose-for-tflite": "qconvert.backends.tflite.decompose:DecomposeForTflite",
    "decompose-to-floats": "qconvert.backends.tosa.decompose:DecomposeToFloats",
    "dehybridize": "fusion.dehybridize:Dehybridize",
    "equalize-storage": "storage.equalize_storage:EqualizeStorage",
    "exact-rounding": "rescaling.exact_rounding:ExactRounding",
    "expand-blocks": "storage.expand_blocks:ExpandBlocks",
    "expand-hybrids": "fusion.expand_hybrids:ExpandHybrids",
    "expand-litert": "rescaling.expand_litert:ExpandLitert",
    "expand-reduction-conversions": "reductions.expand_reduction_conversions:ExpandReductionConversions",
    "export-codegen": "qconvert.quantization.stages:ExportCodegen",
    "export-fixed": "qconvert.quantization.stages:ExportFixed",
    "fold": "cleanup.fold:Fold",
    "fold-pads": "qconvert.backends.ethos_u.forms.fold_pads:FoldPads",
    "fold-scales": "cleanup.fold_scales:FoldScales",
    "functions-to-tables": "qconvert.backends.ethos_u.forms.functions_to_tables:FunctionsToTables",
    "fuse-additions": "qconvert.backends.ethos_u.forms.fuse_additions:FuseAdditions",
    "fuse-kernels": "qconvert.quantization.fusion:FuseKernels",
    "fuse-wide-additions": "qconvert.backends.ethos_u.forms.fuse_wide_additions:FuseWideAdditions",
    "gather-to-tables": "qconvert.backends.ethos_u.forms.gather_to_tables:GatherToTables",
    "hybridize": "fusion.hybridize:Hybridize",
    "inline-calls": "cleanup.inline_calls:InlineCalls",
    "inline-reduction-conversions": "reductions.inline_reduction_conversions:InlineReductionConversions",
    "keep-bounds": "qconvert.backends.tflite.bounds:KeepBounds",
    "legalize-qdq-to-quantized-op": "fusion.legalize_qdq_to_quantized_op:LegalizeQdqToQuantizedOp",
    "legalize-quant-to-math": "rescaling.legalize_quant_to_math:LegalizeQuantToMath",
    "legalize-quantized-op-to-qdq": "fusion.legalize_quantized_op_to_qdq:LegalizeQuantizedOpToQdq",
    "limit-rescales": "rescaling.limit_rescales:LimitRescales",
    "maxima-of-halves": "qconvert.backends.ethos_u.forms.maxima_of_halves:MaximaOfHalves",
    "materialize-stats": "casts.materialize_stats:MaterializeStats",
    "nhwc-io": "qconvert.backends.tosa.layout:NhwcIO",
    "order-broadcasts": "layout.order_broadcasts:OrderBroadcasts",
    "outline-composites": "composites.outline_composites:OutlineComposites",
    "propagate": "qconvert.quantization.stages:Propagate",
    "push-rescales": "rescaling.push_rescales:PushRescales",
    "quant-casts-to-stablehlo": "casts.quant_casts_to_stablehlo:QuantCastsToStableHlo",
    "quant-legalize-to-tosa-rescale": "rescaling.quant_legalize_to_tosa_rescale:QuantLegalizeToTosaRescale",
    "quantized-io": "storage.quantized_io:QuantizedIO",
    "raise-composites": "composites.raise_composites:RaiseComposites",
    "raise-fake-quant": "casts.raise_fake_quant:RaiseFakeQuant",
    "raise-requantizations": "layout.raise_requantizations:RaiseRequantizations",
    "repeat-before-tables": "qconvert.backends.ethos_u.forms.repeat_before_tables:RepeatBeforeTables",
    "repeat-widenings": "qconvert.backends.ethos_u.forms.repeat_widenings:RepeatWidenings",
    "rescales-to-products": "qconvert.backends.ethos_u.forms.rescales_to_products:RescalesToProducts",
    "resizes-to-convolutions": "qconvert.backends.ethos_u.forms.resizes_to_convolutions:ResizesToConvolutions",
    "select-to-extreme": "qconvert.backends.ethos_u.forms.select_to_extreme:SelectToExtreme",
    "select-to-sum": "qconvert.backends.ethos_u.forms.select_to_sum:SelectToSum",
    "separate-sums": "qconvert.backends.tflite.decompose:SeparateSums",
    "signed-storage": "storage.signed_storage:SignedStorage",
    "sink-transposes": "layout.sink_transposes:SinkTransposes",
    "split-reductions": "reductions.split_reductions:SplitReductions",
    "stablehlo-to-quant-casts": "casts.stablehlo_to_quant_casts:StableHloToQuantCasts",
    "stablehlo-to-tosa": "qconvert.backends.tosa.emit:StableHloToTosa",
    "strip-qconvert-attributes": "cleanup.strip_attributes:StripAttributes",
    "sums-to-additions": "qconvert.backends.ethos_u.forms.sums_to_additions:SumsToAdditions",
    "sums-to-convolutions": "qconvert.backends.ethos_u.forms.sums_to_convolutions:SumsToConvolutions",
    "swaps-before-products": "qconvert.backends.ethos_u.forms.swaps_before_products:SwapsBeforeProducts",
    "tables-of-parts": "qconvert.backends.ethos_u.forms.tables_of_parts:TablesOfParts",
    "tabulate": "rescaling.tabulate:Tabulate",
    "tosa-legalize-to-stablehlo": "rescaling.tosa_legalize_to_stablehlo:TosaLegalizeToStablehlo",
    "tosa-rescale-legalize-to-stablehlo": "rescaling.tosa_rescale_legalize_to_stablehlo:TosaRescaleLegalizeToStablehlo",
    "tables-to-slopes": "qconvert.backends.ethos_u.forms.tables_to_slopes:TablesToSlopes",
    "transposed-to-convolutions": "qconvert.backends.ethos_u.forms.transposed_to_convolutions:TransposedToConvolutions",
    "transposes-to-convolutions": "qconvert.backends.ethos_u.forms.transposes_to_convolutions:TransposesToConvolutions",
    "unwrap-regions": "qconvert.quantization.fusion:UnwrapRegions",
    "widen-products": "casts.widen_products:WidenProducts",
    "widen-reductions": "reductions.widen_reductions:WidenReductions",
    "widen-storage": "storage.widen_storage:WidenStorage",
}
"""Every pass by its name, as ``module:class``: a module below ``qconvert.passes`` unless it starts with ``qconvert.``.

A pass is imported when it is asked for.
"""

_STABLEHLO_PREFIX = "stablehlo-"


def make_pass(name: str) -> Pass:
    """Return a pass by its name, or by the name that StableHLO's tools give it; raises UsageError for other names."""
    known = name if name in PASSES else name.removeprefix(_STABLEHLO_PREFIX)
    if known not in PASSES:
        raise UsageError(f"there is no pass '{name}'; there are {', '.join(PASSES)}")
    return cast("Pass", resolve_name(_place(known))())


def _place(name: str) -> str:
    """Return the module and the class of a pass, ``module:class``."""
    place = PASSES[name]
    return place if place.startswith("qconvert.") else f"{__name__}.{place}"


class Described(NamedTuple):
    """A pass as it is listed: its folder, its name and the first sentence of its documentation."""

    folder: str
    name: str
    sentence: str


def described() -> list[Described]:
    """Return all passes by folder and name; imports all of them."""
    found: list[Described] = []
    for name in PASSES:
        place = _place(name)
        first = (inspect.getdoc(resolve_name(place)) or "").split("\n\n")[0]
        folder = place.partition(":")[0].rpartition(".")[0].replace(".", "/")
        found.append(Described(folder, name, " ".join(first.replace("``", "").split())))
    return sorted(found)


def listing() -> str:
    """Return all passes as lines of text: each folder, and its passes with a sentence for each."""
    width = max(map(len, PASSES))
    lines: list[str] = []
    for folder, passes in groupby(described(), key=lambda each: each.folder):
        lines += [f"{folder}/", *(f"  {each.name:{width}}  {each.sentence}" for each in passes)]
    return "\n".join(lines)
