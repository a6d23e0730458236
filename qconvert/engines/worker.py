"""The program in an engine's child process: ``python -m qconvert.engines.worker HANDLER FOLDER CPU_SECONDS``.

confine.py starts it.

HANDLER is a module with ``serve(message) -> message``. A line on standard input names a folder with a task. A line on
standard output has the task's number, and the error or '' if the answer was written to that folder. Only EngineError
and MemoryError are answers. Any other exception ends the process, and the parent reports its standard error.
"""

from __future__ import annotations

import errno
import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from qconvert.engines import confine, wire
from qconvert.engines.limits import advice
from qconvert.support.errors import EngineError

Serve = Callable[[wire.Message], wire.Message]

_ERROR_CHARACTERS = 4000


def private_stdout() -> TextIO:
    """Keep standard output for answers; the engine's own output goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return answers


def answer(serve: Serve, folder: Path) -> str:
    """Serve the task in ``folder``; return the error's text, or '' if the answer was written there."""
    try:
        reply = serve(wire.read(folder, "task"))
    except EngineError as error:
        return " ".join(str(error.args[0]).split())[:_ERROR_CHARACTERS]
    except MemoryError:
        return f"the engine ran out of memory, {advice('memory_bytes')}"
    try:
        wire.write(folder, "reply", reply)
    except EngineError as error:
        return str(error)
    except OSError as error:
        limit = f", {advice('file_bytes')}" if error.errno == errno.EFBIG else ""
        return f"the answer cannot be written into {folder}: {error.strerror}{limit}"
    return ""


def main(handler: str, folder: str, cpu_seconds: str) -> None:
    """Serve tasks until standard input ends."""
    answers = private_stdout()
    serve: Serve = importlib.import_module(handler).serve
    confine.write_only_below(folder)
    print(json.dumps({"task": 0, "error": ""}), file=answers)
    for task, line in enumerate(sys.stdin, 1):
        confine.allow_processor_time(int(cpu_seconds))
        os.write(2, wire.FENCE.encode())
        print(json.dumps({"task": task, "error": answer(serve, Path(json.loads(line)))}), file=answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
