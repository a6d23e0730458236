"""What a module asks of a TOSA implementation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """What a module without a ``tosa.target_env`` of its own is validated against: TOSA 1.0 at level 8k."""

    profiles: tuple[str, ...] = ("pro_int", "pro_fp")
    extensions: tuple[str, ...] = ("int16", "int4", "doubleround", "inexactround")

    def __str__(self) -> str:
        parts = ["specification_version=1.0", f"profiles={','.join(self.profiles)}", "level=8k"]
        if self.extensions:
            parts.append(f"extensions={','.join(self.extensions)}")
        return " ".join(parts)
