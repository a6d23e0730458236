"""``python -m qconvert``, and the command ``qconvert``."""

from __future__ import annotations

import atexit
import gc

from qconvert.startup import keep_compiled_methods

_COLLECT_AFTER = 1_000_000


def main() -> None:
    """Run the command line, as :func:`qconvert.cli.main` says."""
    # Most of a short process's collections would walk what imports make, and find nothing to free: from here on, as the
    # command line's own imports are a part of that.
    gc.set_threshold(_COLLECT_AFTER)
    atexit.register(gc.freeze)  # nor would the last one, at the exit
    keep_compiled_methods()
    from qconvert.cli import main as run

    run()


if __name__ == "__main__":
    main()
