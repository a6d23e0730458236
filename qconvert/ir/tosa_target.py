"""A TOSA implementation as a module asks for it: the version, the level, profiles and extensions."""

from __future__ import annotations

from typing import NamedTuple

SPECIFICATION, LEVEL = "1.0", "8k"


class Target(NamedTuple):
    """The target of modules without their own ``tosa.target_env``: TOSA 1.0 at level 8k."""

    profiles: tuple[str, ...] = ("pro_int", "pro_fp")
    extensions: tuple[str, ...] = ("int16", "int4", "bf16", "fp8e4m3", "fp8e5m2", "doubleround", "inexactround")

    def __str__(self) -> str:
        parts = [f"specification_version={SPECIFICATION}", f"profiles={','.join(self.profiles)}", f"level={LEVEL}"]
        if self.extensions:
            parts.append(f"extensions={','.join(self.extensions)}")
        return " ".join(parts)
