"""``python -m qconvert``, and the command ``qconvert``."""

from __future__ import annotations

import gc
import os

from qconvert.support.signals import ended_by_signals

_COLLECT_AFTER = 1_000_000


def main() -> None:
    """Run the command line with few garbage collections, as its objects live until the end.

    Collecting them, at the exit as well, takes a quarter of the time that a small model needs. BLAS gets one thread,
    unless the environment chooses a number: others wait without sleeping (``qconvert.interpreter.threads``).
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(_COLLECT_AFTER)
    try:
        with ended_by_signals():
            from qconvert.cli import main as run  # takes a moment, in which signals come, too

            run()
    finally:
        gc.freeze()


if __name__ == "__main__":
    main()
