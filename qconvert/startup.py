"""Methods of dataclasses, compiled once for all processes rather than at every start.

``@dataclass`` writes a class's methods as source text and compiles that whenever the class is made: 1,500 times on the
way to a conversion, mostly for xDSL's classes, a fifth of the time a small model takes. What was compiled is kept as
Python keeps modules' bytecode: in ``__pycache__``, for one version of Python, and not where bytecode is not written.
"""

from __future__ import annotations

import atexit
import dataclasses
import marshal
import os
import sys
import zlib
from contextlib import suppress
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from types import CodeType

_MOST = 20_000
_HEAD_BYTES = 8


class CompiledMethods:
    """Source texts and their code, from a file and for it; a text is its own key, so that nothing goes stale."""

    def __init__(self, path: Path) -> None:
        """What the file has; nothing where there is none, or one of another Python, or a damaged one."""
        self.path = path
        self._known = _read(path)
        self._used: dict[str, CodeType] = {}
        self._is_complete = True

    def execute(
        self, source: str, global_names: dict[str, object] | None = None, names: dict[str, object] | None = None, /
    ) -> None:
        """What ``exec`` does with a text."""
        code = self._known.get(source)
        if code is None:
            code = compile(source, "<string>", "exec", dont_inherit=True)  # the caller has no annotations' import
            self._is_complete = False
        self._used[source] = code
        exec(code, global_names, names)

    def save(self) -> None:
        """Write the file where this process compiled something; beyond a size, only what this process used."""
        if self._is_complete:
            return
        known = self._known | self._used
        _write(self.path, self._used if len(known) > _MOST else known)


def keep_compiled_methods() -> None:
    """From now on take dataclasses' methods from the file beside this module's bytecode, and add to it at the exit."""
    if not sys.implementation.cache_tag:
        return  # no bytecode is kept
    path = Path(cache_from_source(str(Path(__file__).with_name("dataclass_methods.py")))).with_suffix(".marshal")
    methods = CompiledMethods(path)
    vars(dataclasses)["exec"] = methods.execute  # found before the builtin of that name
    if not sys.dont_write_bytecode:
        atexit.register(methods.save)


def _read(path: Path) -> dict[str, CodeType]:
    """What a file holds; nothing where it is not whole, so that all is compiled again and written anew."""
    with suppress(OSError):
        content = path.read_bytes()
        body = content[_HEAD_BYTES:]
        if content[:_HEAD_BYTES] == _head(body):
            known: dict[str, CodeType] = marshal.loads(body)
            return known
    return {}


def _head(body: bytes) -> bytes:
    """The version of Python's bytecode, and a checksum: marshal reads damaged bytes as anything, or fails."""
    return MAGIC_NUMBER + zlib.crc32(body).to_bytes(4, "little")


def _write(path: Path, known: dict[str, CodeType]) -> None:
    """Write whole or not at all; a folder that cannot be written costs the next start's time, and no more."""
    part = path.with_suffix(f".{os.getpid()}.part")
    body = marshal.dumps(known)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.write_bytes(_head(body) + body)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
