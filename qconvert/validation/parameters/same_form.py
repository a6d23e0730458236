"""Two models in the same form: as their files have them, or one converted to the format of the other."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack
from itertools import chain
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp

from qconvert.api import Model, convert, load
from qconvert.api.conversion import transform
from qconvert.api.saving import save
from qconvert.backends.base import WriteOptions
from qconvert.dialects.stablehlo import CompositeOp, ConstantOp, UniformDequantizeOp, UniformQuantizeOp
from qconvert.formats import DEFAULT, FORMATS, Format
from qconvert.ir import quantized
from qconvert.passes.cleanup.inline_calls import InlineCalls
from qconvert.passes.composites.raise_composites import RaiseComposites
from qconvert.support.errors import ConversionError, UsageError
from qconvert.support.file_parts import FilePair
from qconvert.support.leftovers import Folder
from qconvert.validation.parameters.shown_options import rare_options, shown_options

Options: TypeAlias = Callable[[Format], WriteOptions]
_Find: TypeAlias = Callable[[Model, Format, Model], Iterable[WriteOptions]]
"""Returns the options with which a file of a format may be written from a source."""

LARGE_BYTES = 1 << 26
"""The size of a file from which on its conversion is not held in memory."""

_RANK = (Format.ONNX, Format.TFLITE, *(each for each in Format if each not in (Format.ONNX, Format.TFLITE)))
"""The formats, those first that are more likely sources."""


def rank(model: Model) -> int:
    """Return a number that is lower for a model that is more likely the source of another."""
    return _RANK.index(model.format)


class Form(NamedTuple):
    """Two modules in one format; ``converted`` tells for each whether the model was converted to it.

    ``options`` are those of the conversion, None if neither was converted.
    """

    first: ModuleOp
    second: ModuleOp
    format: Format
    converted: tuple[bool, bool] = (False, False)
    options: WriteOptions | None = None

    @property
    def is_of_files(self) -> bool:
        """True if neither model was converted."""
        return self.converted == (False, False)


def forms(first: Model, second: Model, options: Options | None = None) -> Generator[Form]:
    """Yield two models in the same form, the nearest one to the files first; a form is valid until the next one.

    Without ``options`` a model is converted with those that the other file shows. Raises ConversionError or UsageError
    if neither model can be brought into the other's format.
    """
    is_one_format = _family(first) is _family(second)
    if is_one_format:
        yield Form(_inlined(first), _inlined(second), _family(first))
    errors: list[ConversionError | UsageError] = []
    formed = False
    for form in _formed(_conversions(first, second, _given(options) if options else shown_options), errors):
        formed = True
        yield form
    if not formed and not is_one_format:
        raise errors[0]


def rare_forms(first: Model, second: Model) -> Generator[Form]:
    """Yield forms of one model by options that write other operators, as :func:`forms` does; those refused are none."""
    yield from _formed(_single(first, second, rare_options), [])


def _formed(conversions: Iterable[_Conversion], errors: list[ConversionError | UsageError]) -> Generator[Form]:
    """Yield the forms of conversions; the errors of those that are refused are added."""
    for ways in conversions:
        with ExitStack() as files:
            try:
                modules = [_inlined(model) if way is None else _converted(model, way, files) for model, way in ways]
            except (ConversionError, UsageError) as error:
                errors.append(error)
                continue
            target = next(way for _, way in ways if way is not None)
            converted = (ways[0][1] is not None, ways[1][1] is not None)
            yield Form(modules[0], modules[1], target.format, converted, target.options)


def _given(options: Options) -> _Find:
    return lambda _file, to, _source: [options(to)]


class _Way(NamedTuple):
    """A format that a model is converted to, with its options."""

    format: Format
    options: WriteOptions


_Conversion: TypeAlias = tuple[tuple[Model, _Way | None], tuple[Model, _Way | None]]
"""Two models, each with the way in which it is converted, None for one that is compared as it is."""


def _conversions(first: Model, second: Model, find: _Find) -> Iterator[_Conversion]:
    """Yield the conversions of one model to the other's format, and of both to StableHLO.

    The latter come first for two models of one format, which differ in form then, and last for models of two formats.
    """
    last = _Way(DEFAULT, FORMATS[DEFAULT].checked_options())
    both: list[_Conversion] = [((first, last), (second, last))]
    single = _single(first, second, find)
    yield from chain(both, single) if _family(first) is _family(second) else chain(single, both)


def _single(first: Model, second: Model, find: _Find) -> Iterator[_Conversion]:
    """Yield the conversions of one model to the other's format, those of the likelier source first."""
    forth: Iterator[_Conversion] = (((first, way), (second, None)) for way in _ways(second, first, find))
    back: Iterator[_Conversion] = (((first, None), (second, way)) for way in _ways(first, second, find))
    yield from chain(forth, back) if rank(first) <= rank(second) else chain(back, forth)


def _ways(file: Model, source: Model, find: _Find) -> Iterator[_Way]:
    """Yield the formats and options with which a file seems to be written, the most likely ones first."""
    for target in _targets(file):
        yield from (_Way(target, options) for options in find(file, target, source))


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


def _inlined(model: Model) -> ModuleOp:
    """Return a model's module without calls."""
    if any(isinstance(op, CallOp | CompositeOp) for op in model.module.walk()):
        return transform(model, [RaiseComposites(()), InlineCalls(composites=True)]).module
    return model.module


def _converted(model: Model, way: _Way, files: ExitStack) -> ModuleOp:
    """Return what a model becomes in a format, as it is read again from the file; that of a large model is a file.

    ``files`` removes the file.
    """
    written = convert(model, way.format, way.options)
    if FORMATS[way.format].is_mlir:
        return written.module
    if model.opened is None or model.opened.size < LARGE_BYTES:
        assert written.content is not None
        return load(written.content).module
    folder = Folder()
    files.callback(folder.cleanup)
    path = folder.path / f"converted{FORMATS[way.format].suffix}"
    if isinstance(written.held, FilePair) and written.held.is_apart:
        save(written, path)
    else:
        with path.open("wb") as stream:  # nothing waits for the disk, as `save` does
            written.write_content(stream)
    return load(path).module
