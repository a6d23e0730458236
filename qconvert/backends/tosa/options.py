"""The options that TOSA is written with."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from qconvert.backends.base import QUANTIZED_IO, WriteOptions, option


class HalfRounding(StrEnum):
    """What becomes of exact halves: ``half-up`` is RESCALE's own rounding, ``half-even`` ONNX's, with four ops more."""

    UP = "half-up"
    EVEN = "half-even"


class Profile(StrEnum):
    """``mixed`` runs what is not quantized in floats; ``int`` has integers alone."""

    MIXED = "mixed"
    INT = "int"


@dataclass(frozen=True)
class TosaOptions(WriteOptions):
    """How TOSA is written.

    ``quantized_io`` gives the function's arguments and results quantized types; the ``int`` profile always does.
    ``rounding`` says what becomes of exact halves, ``nhwc_io`` that images come and go with their channels last.
    """

    profile: Profile = field(
        default=Profile.MIXED, metadata=option("compute in floats where needed (mixed), or in integers alone (int)")
    )
    quantized_io: bool = field(default=False, metadata=option(QUANTIZED_IO))
    rounding: HalfRounding = field(default=HalfRounding.UP, metadata=option("how exact ties are rounded"))
    nhwc_io: bool = field(default=False, metadata=option("images have their channels last in arguments and results"))

    @property
    def quantizes_edges(self) -> bool:
        """As asked for, and in the ``int`` profile."""
        return self.quantized_io or self.profile is Profile.INT

    @property
    def nhwc_edges(self) -> bool:
        """As asked for."""
        return self.nhwc_io
