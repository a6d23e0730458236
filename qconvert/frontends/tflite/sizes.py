"""The sizes of the unknown dimensions of a model's inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from qconvert.frontends.dimensions import Dimensions


@dataclass
class InputSizes:
    """The sizes of unknown dimensions of the model's inputs: the caller's, else the file's or 1."""

    dims: Dimensions
    is_main: bool = True
    inputs: dict[int, str] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)

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
            fixed = self.dims.find((name, axis), key, name)
            made[axis] = max(sizes[axis], 1) if fixed is None else fixed
            if fixed is None:
                self.dims.assumed.add(key)
        if made != list(sizes):
            self.changed.append(name)
        return tuple(made)
