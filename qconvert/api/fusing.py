"""A model's module in the form that a backend takes: static, without calls, its quantized ops fused."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType
from xdsl.dialects.func import CallOp
from xdsl.ir import Operation

from qconvert.api.models import Model
from qconvert.dialects.stablehlo import CompositeOp, GetDimensionSizeOp, SizedOp
from qconvert.formats import DEFAULT, FORMATS, ModelFormat
from qconvert.formats.floats import edge_sources, float_sources
from qconvert.ir import describe, place
from qconvert.passes import make_pass
from qconvert.passes.cleanup.inline_calls import InlineCalls
from qconvert.passes.composites.raise_composites import RaiseComposites
from qconvert.rewriting import AfterPass, Pass, PassResult, Refusal, run_passes, verify
from qconvert.support.errors import ConversionError
from qconvert.support.limits import check_shape


class Fusion(NamedTuple):
    """A module in the form that a backend takes, and the rewrites that the passes refused."""

    module: ModuleOp
    refusals: tuple[Refusal, ...] = ()


class FusedForms:
    """The forms of one model's module, for several conversions of it: passes with which two formats begin run once.

    The model must not change.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._has_calls = bool(_calls_passes({type(op) for op in model.module.walk()}))
        self._made: dict[tuple[bool, tuple[str, ...]], Fusion] = {}

    @property
    def is_lowered(self) -> bool:
        """True if the model's quantization is lowered to integers, so that no op is fused."""
        return FORMATS[self._model.format].lowered_ways is not None

    @cached_property
    def float_sources(self) -> frozenset[str]:
        """The source nodes that take or return floats after fusion, but do not only quantize or dequantize."""
        return frozenset(float_sources(self.form(FORMATS[DEFAULT]).module))

    @cached_property
    def edge_sources(self) -> frozenset[str]:
        """The source nodes that only quantize or dequantize after fusion, none of a lowered model."""
        if self.is_lowered:
            return frozenset()
        return frozenset(edge_sources(self.form(FORMATS[DEFAULT]).module))

    def of(self, target: ModelFormat) -> Fusion:
        """Return a copy of the form that a format's backend takes; raises errors as :func:`fuse` does."""
        found = self.form(target)
        return Fusion(found.module.clone(), found.refusals)

    def form(self, target: ModelFormat) -> Fusion:
        """Return the form that a format's backend takes, which must not change; raises errors as :func:`fuse` does."""
        return self._form(target.passes, keeps_calls=target.keeps_calls and self._has_calls)

    def _form(self, passes: tuple[str, ...], *, keeps_calls: bool) -> Fusion:
        key = (keeps_calls, passes)
        if key not in self._made:
            start = _start(passes)
            if start:
                before = self._form(start, keeps_calls=keeps_calls)
                before = Fusion(before.module.clone(), before.refusals)
            else:
                before = _prepared(self._model, keeps_calls=keeps_calls)
            self._made[key] = _fused(before, passes[len(start) :])
        return self._made[key]


def _start(passes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the most of the first passes that are all passes of another format."""
    shorter = (form.passes for form in FORMATS.values() if len(form.passes) < len(passes))
    return max((found for found in shorter if passes[: len(found)] == found), default=(), key=len)


def fuse(model: Model, target: ModelFormat, *, after: AfterPass | None = None) -> Fusion:
    """Return a copy of a model's module in the form that a format's backend takes; ``after`` is called after each pass.

    Raises ConversionError naming the node where a value is too large or a pass fails.
    """
    return _fused(_prepared(model, keeps_calls=target.keeps_calls, after=after), target.passes, after)


def _prepared(model: Model, *, keeps_calls: bool, after: AfterPass | None = None) -> Fusion:
    """Return a copy of a model's module before the passes of a format."""
    module = model.module.clone()
    verify(module, "reading")
    check_sizes(module)
    kinds = {type(op) for op in module.walk()}
    calls = [] if keeps_calls else _calls_passes(kinds)
    results = run_passes(module, [*calls, *_static_passes(kinds), *simulation_passes(module)], after=after)
    results += run_passes(module, _quant_passes(module), after=after)
    return Fusion(module, _refusals(results))


def _fused(before: Fusion, passes: Iterable[str], after: AfterPass | None = None) -> Fusion:
    """Run passes over a form, in place."""
    results = run_passes(before.module, map(make_pass, passes), after=after)
    return Fusion(before.module, (*before.refusals, *_refusals(results)))


def _refusals(results: Iterable[PassResult]) -> tuple[Refusal, ...]:
    return tuple(refusal for result in results for refusal in result.refusals)


def check_sizes(module: ModuleOp) -> None:
    """Raise ConversionError for a value with too many elements or dimensions for any tool."""
    checked: set[int] = set()
    for op in module.walk():
        arguments = [argument.type for region in op.regions for block in region.blocks for argument in block.args]
        for type in (*op.operand_types, *op.result_types, *arguments):
            if id(type) not in checked and isinstance(type, TensorType):
                checked.add(id(type))
                _check_size(op, type)


def _check_size(op: Operation, type: TensorType) -> None:
    try:
        check_shape([size for size in type.get_shape() if size != DYNAMIC_INDEX])
    except ConversionError as error:
        raise error.located(node=describe(op), op=op.name, file=place(op)) from error


_SIMULATED: dict[str, tuple[str, ...]] = {
    "quant.const_fake_quant": ("convert-fake-quant", "quant-casts-to-stablehlo"),
    "quant.const_fake_quant_per_axis": ("convert-fake-quant", "quant-casts-to-stablehlo"),
    "stablehlo.round_nearest_even": ("raise-fake-quant",),
}
"""The passes that replace simulated quantization, by the ops that every simulation contains."""


def simulation_passes(module: ModuleOp) -> list[Pass]:
    """Return the passes that replace a module's simulated quantization by quantized types; most modules need none."""
    found = dict.fromkeys(name for op in module.walk() for name in _SIMULATED.get(op.name, ()))
    return [make_pass(name) for name in found]


def _calls_passes(kinds: set[type[Operation]]) -> list[Pass]:
    """Return the passes that inline calls and replace known composites; most modules need none."""
    if any(issubclass(kind, CallOp | CompositeOp) for kind in kinds):
        return [RaiseComposites(()), InlineCalls(composites=True)]
    return []


def _static_passes(kinds: set[type[Operation]]) -> list[Pass]:
    """Return the passes that write chlo's ops in StableHLO, and make ops with sizes as values static."""
    is_needed = {
        "canonicalize-dynamism": any(issubclass(kind, SizedOp | GetDimensionSizeOp) for kind in kinds),
        "chlo-legalize-to-stablehlo": any(kind.name.startswith("chlo.") for kind in kinds),
    }
    return [make_pass(name) for name, needed in is_needed.items() if needed]


def _quant_passes(module: ModuleOp) -> list[Pass]:
    """Return the passes that write a module's ops of the ``quant`` dialect in StableHLO; most modules need none."""
    names = {op.name for op in module.walk() if op.dialect_name() == "quant"}
    regions = [make_pass("export-fixed")] if "quant.region" in names else []
    return [*regions, make_pass("quant-casts-to-stablehlo")] if names else []
