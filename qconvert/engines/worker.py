"""The child's side: ``python -m qconvert.engines.worker HANDLER MEMORY_BYTES``.

HANDLER is a module with ``serve(message) -> message``. A line on standard input names a folder with the task; a
line on standard output reports that the answer was written there, or the error. Only EngineError and MemoryError are
answers. Any other exception ends the process, and the parent reports its standard error.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from qconvert.engines import wire
from qconvert.support.errors import EngineError

if sys.platform != "win32":
    import resource

Serve = Callable[[wire.Message], wire.Message]


def limit_memory(limit: int) -> None:
    """Limit the process's address space and file size to ``limit`` bytes, if the platform can."""
    if sys.platform == "win32":
        return
    for kind, requested in ((resource.RLIMIT_AS, limit), (resource.RLIMIT_FSIZE, limit), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(kind)[1]
        bound = requested if hard == resource.RLIM_INFINITY else min(requested, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (bound, bound))


def private_stdout() -> TextIO:
    """Keep standard output for answers; the engine's own output goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return answers


def answer(serve: Serve, folder: Path) -> str:
    """Serve the task in ``folder``; return the error's text, or '' if the answer was written there."""
    try:
        wire.write(folder, "reply", serve(wire.read(folder, "task")))
    except EngineError as error:
        return str(error)
    except MemoryError:
        return "the engine ran out of its memory limit"
    return ""


def main(handler: str, memory_bytes: str) -> None:
    """Serve tasks until standard input ends."""
    limit_memory(int(memory_bytes))
    answers = private_stdout()
    serve: Serve = importlib.import_module(handler).serve
    print(json.dumps({"ready": True}), file=answers)
    for line in sys.stdin:
        print(json.dumps({"error": answer(serve, Path(json.loads(line)))}), file=answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
