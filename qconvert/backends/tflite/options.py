"""The options for writing TFLite."""

from __future__ import annotations

from dataclasses import dataclass, field

from qconvert.backends.base import PROFILE, QUANTIZED_IO, Profile, WriteOptions, option


@dataclass(frozen=True)
class TfliteOptions(WriteOptions):
    """The options for writing TFLite.

    ``quantized_io`` gives the model's inputs and outputs quantized types; the ``int`` profile always does, and a tensor
    of floats is then an error that names its node.
    """

    profile: Profile = field(default=Profile.MIXED, metadata=option(PROFILE))
    quantized_io: bool = field(default=False, metadata=option(QUANTIZED_IO))

    @property
    def quantizes_edges(self) -> bool:
        """Return True if the option ``quantized_io`` is set or the profile is ``int``."""
        return self.quantized_io or self.profile is Profile.INT
