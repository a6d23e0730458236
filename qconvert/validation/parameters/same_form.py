"""Two models in the same form: as their files have them, or one converted to the format of the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.ir import Operation

from qconvert.api import Model, convert, load
from qconvert.api.conversion import transform
from qconvert.backends.base import WriteOptions
from qconvert.backends.onnx import OnnxOptions, Style
from qconvert.backends.tflite import HeldAs, TfliteOptions
from qconvert.dialects.stablehlo import CompositeOp, ConstantOp, UniformDequantizeOp, UniformQuantizeOp
from qconvert.formats import DEFAULT, FORMATS, Format
from qconvert.ir import quantized
from qconvert.passes.cleanup.inline_calls import InlineCalls
from qconvert.passes.composites.raise_composites import RaiseComposites
from qconvert.support.errors import ConversionError, UsageError

Options: TypeAlias = Callable[[Format], WriteOptions]

_QOPERATOR = re.compile("(.*[.:])?Q[A-Z]")
"""The names of operators on quantized tensors: QLinearConv, QGemm."""


class Form(NamedTuple):
    """Two modules in one format; ``converted`` tells for each whether the model was converted to it."""

    first: ModuleOp
    second: ModuleOp
    format: Format
    converted: tuple[bool, bool] = (False, False)


def forms(first: Model, second: Model, options: Options | None = None) -> Iterator[Form]:
    """Yield two models in the same form, the nearest one to the files first.

    Without ``options`` a model is converted with those that the other file shows. Raises ConversionError or UsageError
    if neither model can be brought into the other's format.
    """
    is_one_format = _family(first) is _family(second)
    if is_one_format:
        yield Form(_inlined(first), _inlined(second), _family(first))
    errors: list[ConversionError | UsageError] = []
    formed = 0
    for make in _conversions(first, second, options):
        try:
            form = make()
        except (ConversionError, UsageError) as error:
            errors.append(error)
        else:
            formed += 1
            yield form
    if not formed and not is_one_format:
        raise errors[0]


def _conversions(first: Model, second: Model, options: Options | None) -> Iterator[Callable[[], Form]]:
    """Yield functions that convert a model to the other's format, and at last both to StableHLO."""
    for target, chosen in _ways(second, options):
        yield lambda to=target, by=chosen: Form(_converted(first, to, by), _inlined(second), to, (True, False))
    for target, chosen in _ways(first, options):
        yield lambda to=target, by=chosen: Form(_inlined(first), _converted(second, to, by), to, (False, True))
    last = FORMATS[DEFAULT].checked_options()
    yield lambda: Form(_converted(first, DEFAULT, last), _converted(second, DEFAULT, last), DEFAULT, (True, True))


def _ways(model: Model, options: Options | None) -> Iterator[tuple[Format, WriteOptions]]:
    """Yield the formats and options with which a model seems to be written, the most likely ones first."""
    for target in _targets(model):
        if options is not None:
            yield target, options(target)
        else:
            for shown in _shown(model, target):
                yield target, shown


def _family(model: Model) -> Format:
    """Return the format of a model, StableHLO in plain integers apart."""
    return _targets(model)[0] if Format.STABLEHLO_INT in _targets(model) else model.format


def _targets(model: Model) -> tuple[Format, ...]:
    """Return the formats whose writers make programs such as a model's, by the quantized types that StableHLO has."""
    if model.format is not Format.STABLEHLO:
        return (model.format,)
    quantized_ops = [op for op in model.module.walk() if any(map(quantized, (*op.operands, *op.results)))]
    if not quantized_ops:
        return (Format.STABLEHLO_INT,)
    is_qdq = all(isinstance(op, ConstantOp | UniformQuantizeOp | UniformDequantizeOp) for op in quantized_ops)
    both = (Format.STABLEHLO, Format.STABLEHLO_QDQ)
    return both[::-1] if is_qdq else both


def _shown(model: Model, target: Format) -> Sequence[WriteOptions]:
    """Return the options of a format with which a model of the format seems to be written, the likeliest first."""
    options = FORMATS[target].checked_options()
    if isinstance(options, OnnxOptions):
        styles = [Style.QDQ, Style.QOPERATOR]
        is_qoperator = any(map(_QOPERATOR.match, model.op_types.values()))
        return [replace(options, style=style) for style in (styles[::-1] if is_qoperator else styles)]
    if isinstance(options, TfliteOptions) and any(_is_unsigned(op) for op in model.module.walk()):
        return [replace(options, storage=HeldAs.SOURCE)]
    return [options]


def _is_unsigned(op: Operation) -> bool:
    elements = (quantized(value) for value in op.results)
    return any(element is not None and not element.storage.signed for element in elements)


def _inlined(model: Model) -> ModuleOp:
    """Return a model's module without calls."""
    if any(isinstance(op, CallOp | CompositeOp) for op in model.module.walk()):
        return transform(model, [RaiseComposites(()), InlineCalls(composites=True)]).module
    return model.module


def _converted(model: Model, target: Format, options: WriteOptions) -> ModuleOp:
    """Return what a model becomes in a format, as it is read again from the file."""
    written = convert(model, target, options)
    if FORMATS[target].is_mlir:
        return written.module
    assert written.content is not None
    return load(written.content).module
