"""The nodes that a conversion of a model to a format refuses, and the ops that stay in float in the file."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass, replace

from qconvert.api.conversion import convert, floats_refused
from qconvert.api.file_operators import file_floats
from qconvert.api.fusing import FusedForms
from qconvert.api.models import Model
from qconvert.backends.base import Profile, WriteOptions
from qconvert.formats import FORMATS, Format
from qconvert.rewriting import Refusal
from qconvert.support.counting import counted
from qconvert.support.errors import ConversionError, FloatsRemainError

TARGETS = (Format.STABLEHLO, Format.TOSA, Format.TFLITE, Format.ONNX)
"""The formats that ``inspect`` tries."""


@dataclass(frozen=True)
class Fitness:
    """The outcome of a conversion: its format, its profile if the format has profiles, and the refused nodes.

    ``refused`` lists the nodes, with the reasons, all of them if ``is_complete``; a conversion ends at the first node
    that its format cannot express, whose error is ``error``. ``floats`` is the number of operators in the
    file that take or return floats, of a conversion without refusals, but for ``quantizing``: those that only quantize
    or dequantize.
    """

    to: Format
    profile: Profile | None = None
    refused: tuple[Refusal, ...] = ()
    error: str | None = None
    floats: int = 0
    quantizing: int = 0

    @property
    def is_complete(self) -> bool:
        """True if no other node can be in the way."""
        return self.error is None

    @property
    def count(self) -> str:
        """The number of refused nodes: ``3 nodes``, ``at least 1 node``."""
        return f"{'' if self.is_complete else 'at least '}{counted(len(self.refused), 'node')}"

    @property
    def title(self) -> str:
        """The format as options of ``convert``: ``tosa --profile int``."""
        return f"{self.to} --profile {self.profile}" if self.profile else str(self.to)

    @property
    def outcome(self) -> str:
        """The answer in a few words."""
        if self.refused:
            return f"refused: {self.count}"
        more = f", and {self.quantizing:,} to quantize or dequantize" if self.quantizing else ""
        return f"converts; {counted(self.floats, 'op')} in float in the file{more}"

    def lines(self) -> Iterator[str]:
        """Yield the lines for ``inspect``: the answer, and the first refused nodes with their reasons."""
        yield f"  --to    {self.title}: {self.outcome}"
        yield from (f"            {refusal}" for refusal in self.refused[:_SHOWN])
        if len(self.refused) > _SHOWN:
            listing = f"qconvert inspect MODEL --target {self.title}"
            yield f"            and {len(self.refused) - _SHOWN:,} more; {listing} lists all"


_SHOWN = 3
"""Largest number of refused nodes that ``inspect`` prints for a format."""


def fitness(
    model: Model, to: Format, options: WriteOptions | None = None, *, forms: FusedForms | None = None
) -> Fitness:
    """Try a conversion, and return what it refuses; raises UsageError for options of another format.

    ``forms`` are the model's, if several formats are tried.
    """
    forms = forms or FusedForms(model)
    start = Fitness(to, FORMATS[to].checked_options(options).written_profile)
    try:
        found = file_floats(convert(model, to, options, forms=forms), forms)
        return replace(start, floats=len(found.computing), quantizing=len(found.quantizing))
    except FloatsRemainError as error:
        return replace(start, refused=floats_refused(model, error))
    except ConversionError as error:
        place = None if error.file == model.file else error.file
        refusal = Refusal(error.op or "model", error.node or place, error.found)
        return replace(start, refused=(refusal,), error=str(error))


def try_targets(model: Model, forms: FusedForms) -> Iterator[Fitness]:
    """Yield what each of the usual formats refuses, also in integers alone where a format can be written so.

    A format that the source never becomes is left out: TOSA, for example, holds multipliers and shifts, not scales.
    """
    ways = FORMATS[model.format].lowered_ways
    for to in TARGETS:
        tried: dict[WriteOptions | None, None] = {}
        if ways is None:
            options = FORMATS[to].checked_options()
            tried = dict.fromkeys((options, options.in_integers()))
        elif to in {model.format, *ways}:
            tried = {None: None}
        for each in tried:
            yield fitness(model, to, each, forms=forms)
            gc.collect(0)  # a module refers to itself, and the command line collects such objects rarely
