"""Two models in the same form: as their files have them, or one converted to the format of the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp

from qconvert.api import Converted, Model, convert, load
from qconvert.api.conversion import transform
from qconvert.backends.base import WriteOptions
from qconvert.dialects.stablehlo import CompositeOp
from qconvert.formats import FORMATS, Format
from qconvert.ir import UniformQuantizedType, element_type
from qconvert.support.errors import ConversionError, UsageError
from xdsl.dialects.builtin import TensorType

from qconvert.passes.cleanup.inline_calls import InlineCalls
from qconvert.passes.composites.raise_composites import RaiseComposites

Options = Callable[[Format], WriteOptions]


class Form(NamedTuple):
    """Two modules in one format; ``converted`` is the place of the model that was converted to it, None for neither."""

    first: ModuleOp
    second: ModuleOp
    format: Format
    converted: int | None


def forms(first: Model, second: Model, options: Options) -> Iterator[Form]:
    """Yield two models in the same form, the nearest one to the files first.

    Raises ConversionError or UsageError if neither model can be brought into the other's format.
    """
    mine, theirs = form_of(first), form_of(second)
    if mine is theirs:
        yield Form(_inlined(first), _inlined(second), mine, None)
    errors = []
    for place, (model, target) in enumerate(((first, theirs), (second, mine))):
        try:
            module = _converted(model, target, options)
        except (ConversionError, UsageError) as error:
            errors.append(error)
            continue
        given = _inlined(second if place == 0 else first)
        yield Form(module, given, target, 0) if place == 0 else Form(given, module, target, 1)
    if len(errors) == 2 and mine is not theirs:
        raise errors[0]


def form_of(model: Model) -> Format:
    """Return the format whose writer makes programs such as a model's: StableHLO without scales is ``stablehlo-int``."""
    if model.format is not Format.STABLEHLO or any(_is_quantized(module_op) for module_op in model.module.walk()):
        return model.format
    return Format.STABLEHLO_INT


def _is_quantized(op: object) -> bool:
    return any(
        isinstance(value.type, TensorType) and isinstance(element_type(value), UniformQuantizedType)
        for value in op.results  # type: ignore[attr-defined]
    )


def _inlined(model: Model) -> ModuleOp:
    """Return a model's module without calls."""
    if any(isinstance(op, CallOp | CompositeOp) for op in model.module.walk()):
        return transform(model, [RaiseComposites(()), InlineCalls(composites=True)]).module
    return model.module


def _converted(model: Model, target: Format, options: Options) -> ModuleOp:
    """Return what a model becomes in a format, as it is read again from the file."""
    written = convert(model, target, options(target))
    if FORMATS[target].is_mlir:
        return written.module
    assert written.content is not None
    return load(written.content).module
