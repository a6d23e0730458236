"""The options for writing TFLite."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from qconvert.backends.base import QUANTIZED_IO, WriteOptions, option


class TfliteProfile(StrEnum):
    """The numbers that the operators may compute with."""

    MIXED = "mixed"
    """Integers where the model is quantized, floats elsewhere."""
    INT = "int"
    """Integers only, for microcontrollers and NPUs."""


@dataclass(frozen=True)
class TfliteOptions(WriteOptions):
    """The options for writing TFLite.

    ``quantized_io`` gives the model's inputs and outputs quantized types: they are storage integers. With ``profile``
    ``int`` they are, too, and a tensor of floats is an error that names its node.
    """

    quantized_io: bool = field(default=False, metadata=option(QUANTIZED_IO))
    profile: TfliteProfile = field(
        default=TfliteProfile.MIXED, metadata=option("the numbers that operators may compute with")
    )

    @property
    def quantizes_edges(self) -> bool:
        """Return True for the option ``quantized_io`` and the profile of integers."""
        return self.quantized_io or self.profile is TfliteProfile.INT
