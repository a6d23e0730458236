"""The sizes of the unknown dimensions of a model's inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from qconvert.support.errors import ConversionError


@dataclass
class InputSizes:
    """The sizes of unknown dimensions of the model's inputs: the caller's by input name, else 1."""

    dims: Mapping[str, int]
    is_main: bool = True
    inputs: dict[int, str] = field(default_factory=dict)
    assumed: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)

    def refuse_unknown(self) -> None:
        """Raise ConversionError for a given size that fits no unknown dimension."""
        for name in self.dims:
            if name not in self.known:
                listed = f"The unknown dimensions are {', '.join(self.known)}" if self.known else "All sizes are fixed"
                raise ConversionError(f"no input has an unknown dimension '{name}'", hint=listed)

    @property
    def is_resized(self) -> bool:
        """Return True if an input has another shape than in the file."""
        return bool(self.changed)

    def of(self, index: int, sizes: Sequence[int], signature: Sequence[int]) -> tuple[int, ...]:
        """Return a tensor's sizes; ``signature`` has -1 for an unknown dimension."""
        unknown = [i for i, size in enumerate(signature) if size == -1] if len(signature) == len(sizes) else []
        if not unknown or index not in self.inputs or not self.is_main:
            return tuple(sizes)
        name, made = self.inputs[index], list(sizes)
        for axis in unknown:
            key = f"{name}.{axis}"
            self.known += [name, key]
            made[axis] = self.dims.get(key, self.dims.get(name, max(sizes[axis], 1)))
            if key not in self.dims and name not in self.dims:
                self.assumed.append(key)
        if made != list(sizes):
            self.changed.append(name)
        return tuple(made)
