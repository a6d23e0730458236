"""``python -m fuzz.minimise TARGET FILE``: make a finding's file smaller while its finding stays the same.

Writes ``FILE.min``, and prints it if it is text. Every variant is converted with the options of the original file.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from fuzz.guard import guarded, limit_process
from fuzz.session import way_of
from fuzz.targets import TARGETS, Target

_SECONDS = 120.0

Smaller = Callable[[bytes], Iterator[bytes]]
"""A function that yields variants of a file without a part, the largest parts first."""


def minimised(target: Target, data: bytes, way: int, seconds: float = _SECONDS) -> bytes:
    """Return a smaller file with the same key as ``data``; gives up after some seconds."""
    key, end = guarded(target.run, data, way).key, time.monotonic() + seconds
    if not key:
        raise SystemExit("nothing goes wrong with this file any more")
    found: bytes | None = data
    while found is not None and time.monotonic() < end:
        data = found
        smaller = (each for each in target.smaller(data) if len(each) < len(data))
        found = next((each for each in smaller if guarded(target.run, each, way).key == key), None)
    return data


def main() -> None:
    """Minimise one file."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.minimise", description=__doc__)
    parser.add_argument("target", choices=list(TARGETS))
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=_SECONDS)
    arguments = parser.parse_args()
    limit_process()
    target, data = TARGETS[arguments.target], arguments.file.read_bytes()
    way = way_of(data)
    data = minimised(target, data, way, arguments.seconds)
    arguments.file.with_name(f"{arguments.file.name}.min").write_bytes(data)
    outcome = guarded(target.run, data, way)
    print(f"{len(data)} bytes, way {way}: {outcome.key}\n{outcome.text}")
    if b"\0" not in data:
        print(data.decode(errors="backslashreplace"))


if __name__ == "__main__":
    main()
