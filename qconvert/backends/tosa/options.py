"""The options for writing TOSA."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from qconvert.backends.base import PROFILE, QUANTIZED_IO, Profile, WriteOptions, option
from qconvert.backends.tosa.accelerator import ANY_HARDWARE, Accelerator, find_accelerator


class HalfRounding(StrEnum):
    """The rounding of exact halves: RESCALE's own (``half-up``), or ONNX's with four more ops (``half-even``)."""

    UP = "half-up"
    EVEN = "half-even"


@dataclass(frozen=True)
class TosaOptions(WriteOptions):
    """The options for writing TOSA.

    ``quantized_io`` gives the function's arguments and results quantized types; the ``int`` profile always does.
    ``rounding`` selects the rounding of exact halves. ``nhwc_io`` gives images in arguments and results their channels
    last. ``npu`` adds the forms of an accelerator, which compute the same integers. Without it ops become what they
    say.
    """

    profile: Profile = field(default=Profile.MIXED, metadata=option(PROFILE))
    quantized_io: bool = field(default=False, metadata=option(QUANTIZED_IO))
    rounding: HalfRounding = field(default=HalfRounding.UP, metadata=option("how exact ties are rounded"))
    nhwc_io: bool = field(default=False, metadata=option("images have their channels last in arguments and results"))
    npu: Accelerator = field(
        default=ANY_HARDWARE,
        metadata=option("the NPU whose forms to write: ethos-u, ethos-u55, -u65 or -u85", "NPU", find_accelerator),
    )

    @property
    def written_profile(self) -> Profile:
        """Return the option ``profile``."""
        return self.profile

    @property
    def quantizes_edges(self) -> bool:
        """Return True if the option ``quantized_io`` is set or the profile is ``int``."""
        return self.quantized_io or self.profile is Profile.INT

    @property
    def nhwc_edges(self) -> bool:
        """Return the option ``nhwc_io``."""
        return self.nhwc_io

    def in_integers(self, accelerator: str | None = None, /) -> TosaOptions:
        """Return these options with the profile ``int``, and with an accelerator's forms if they name no other one."""
        integers = replace(self, profile=Profile.INT)
        if accelerator is None or self.npu != ANY_HARDWARE:
            return integers
        return replace(integers, npu=find_accelerator(accelerator))
