"""The options for writing TFLite."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from qconvert.backends.base import PROFILE, QUANTIZED_IO, Profile, WriteOptions, option


class HeldAs(StrEnum):
    """The integers that hold 8-bit values inside a model."""

    SIGNED = "signed"
    SOURCE = "source"


@dataclass(frozen=True)
class TfliteOptions(WriteOptions):
    """The options for writing TFLite.

    ``quantized_io`` gives the model's inputs and outputs quantized types; the ``int`` profile always does, and a tensor
    of floats is then an error that names its node. ``storage`` is ``source`` to keep uint8 where the source has it.
    """

    profile: Profile = field(default=Profile.MIXED, metadata=option(PROFILE))
    quantized_io: bool = field(default=False, metadata=option(QUANTIZED_IO))

    storage: HeldAs = field(
        default=HeldAs.SIGNED,
        metadata=option("hold values in signed integers, or in the source's: uint8 where the source has it"),
    )

    @property
    def written_profile(self) -> Profile:
        """Return the option ``profile``."""
        return self.profile

    @property
    def quantizes_edges(self) -> bool:
        """Return True if the option ``quantized_io`` is set or the profile is ``int``."""
        return self.quantized_io or self.profile is Profile.INT

    def in_integers(self, _accelerator: str | None = None, /) -> TfliteOptions:
        """Return these options with the profile ``int``."""
        return replace(self, profile=Profile.INT)
