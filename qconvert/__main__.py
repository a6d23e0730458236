"""``python -m qconvert``, and the command ``qconvert``."""

from __future__ import annotations

import atexit
import gc
import os
import sys

from qconvert.startup import keep_compiled_methods

_COLLECT_AFTER = 1_000_000


def main() -> None:
    """Run the command line, as :func:`qconvert.cli.main` says."""
    # Most of a short process's collections would walk what imports make, and find nothing to free: from here on, as the
    # command line's own imports are a part of that.
    gc.set_threshold(_COLLECT_AFTER)
    keep_compiled_methods()
    from qconvert.cli import main as run

    try:
        run()
    except SystemExit as end:
        _end_at_once(end)
        raise


def _end_at_once(end: SystemExit) -> None:
    """End with a status, but let Python not take every object apart that the system frees anyway: 10 ms.

    What is registered for the exit runs. Returns where there is no plain status, where a profiler, a debugger or an
    interactive session goes on behind the command, or where output cannot be written.
    """
    if not isinstance(end.code, int) or sys.getprofile() or sys.gettrace() or sys.flags.interactive:
        return
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):  # a full disk, a closed stream
        return
    os._exit(end.code)


if __name__ == "__main__":
    main()
