"""``inspect`` says beforehand what ``convert`` refuses: the same node, for the same reason, in a short paragraph."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

import pytest

from qconvert import Format, convert, load
from qconvert.api.fitness import fitness
from qconvert.api.models import Model
from qconvert.support.errors import ConversionError, FloatsRemainError
from tests.graphs.float_table import float_rows
from tests.graphs.table import rows

FORMATS = (Format.TOSA, Format.TFLITE, Format.ONNX, Format.STABLEHLO)
MOST_CHARACTERS = 300


@cache
def models() -> dict[str, Model]:
    """Some rows of both tables, spread evenly, that can be read."""
    found = {}
    for source in (*rows()[::160], *float_rows()[::12]):
        with suppress(ConversionError):
            found[source.label] = load(source.case().content)
    return found


def refusal(model: Model, to: Format) -> ConversionError | None:
    try:
        convert(model, to)
    except ConversionError as error:
        return error
    return None


@pytest.mark.quick(1)
@pytest.mark.parametrize("to", FORMATS)
def test_inspect_refuses_what_convert_refuses(to: Format) -> None:
    refused = 0
    for label, model in models().items():
        error, fit = refusal(model, to), fitness(model, to)
        assert bool(fit.refused) == (error is not None), label
        if error is None or isinstance(error, FloatsRemainError):
            continue
        refused += 1
        assert (fit.error, fit.refused[0].node) == (str(error), error.node or error.file), label
        assert error.node or (error.file and error.file.count(":") == 2), f"{label}: no place in {error}"
        assert len(str(error)) <= MOST_CHARACTERS, label
    assert refused
