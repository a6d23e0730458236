"""What is known of a model's values before propagation: the model constraints of the MLIR RFC."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from xdsl.ir import SSAValue

from qconvert.dialects.quant_region import PortSpec


@dataclass(frozen=True)
class Constraints:
    """A spec for values that have one, and a key for values that are coupled: those of one key share parameters."""

    specs: Mapping[SSAValue, PortSpec] = field(default_factory=lambda: MappingProxyType({}))
    groups: Mapping[SSAValue, Hashable] = field(default_factory=lambda: MappingProxyType({}))

    def of(self, value: SSAValue) -> PortSpec | None:
        """Its parameters, its storage, its range, ``none`` where it is to stay float; None where nothing is known."""
        return self.specs.get(value)

    def group(self, value: SSAValue) -> Hashable | None:
        """The key of the values it is coupled to, None where it is alone."""
        return self.groups.get(value)
