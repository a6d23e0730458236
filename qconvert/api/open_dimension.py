"""The conversion of a model with one dimension of its inputs left open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from qconvert.api.conversion import convert
from qconvert.api.models import Converted, Model
from qconvert.backends.base import WriteOptions
from qconvert.formats import DEFAULT, FORMATS, Format
from qconvert.frontends.dimensions import UnknownDimensionError
from qconvert.passes.dynamism.open_size import OpenDimension
from qconvert.support.errors import ConversionError


def convert_open(
    load_at: Callable[[int], Model], name: str, to: Format = DEFAULT, options: WriteOptions | None = None
) -> Converted:
    """Convert a model that keeps a dimension open: ``tensor<?x4xf32>`` in StableHLO, a symbol in ONNX.

    ``load_at(size)`` reads the model with a size for the dimension. The model is converted at three sizes. The
    conversions must be the same ops, whose sizes grow in proportion to the dimension's. Raises ConversionError naming
    what depends on the size in another way, or the input where the format needs a size.
    """
    target, dimension = FORMATS[to], OpenDimension(name)
    first = _loaded(load_at, name, dimension.sizes[0])
    if not target.keeps_open_dims:
        listed = ", ".join(f"'{place}'" for place, _ in first.open_dims.get(name, ()))
        raise dimension.refusal(f"{target.title} needs a size for it, of input {listed}").located(file=first.file)
    others = (_loaded(load_at, name, size) for size in dimension.sizes[1:])
    converted = [convert(model, to, options) for model in (first, *others)]
    try:
        module, content = target.opened(
            [(each.module, each.held) for each in converted], dimension, target.checked_options(options)
        )
    except ConversionError as error:
        raise error.located(file=first.file) from error
    return replace(converted[0], module=module, held=content)


def _loaded(load_at: Callable[[int], Model], name: str, size: int) -> Model:
    """Read a model at a size; an error that the size causes names it as a trial size."""
    try:
        return load_at(size)
    except UnknownDimensionError:
        raise
    except ConversionError as error:
        error.found = f"dimension '{name}' cannot stay open, as a size of {size} fails: {error.found}"
        error.hint = error.hint or f"Give it a size: --dim {name}=SIZE"
        raise
