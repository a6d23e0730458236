"""The number of threads of the BLAS library below numpy while a module is evaluated: one.

OpenBLAS's threads wait for each other without sleeping. On a machine with other work each wait lasts until the system
gives the other thread a processor again: the small products of a network took 25 times as long. On one thread the time
grows with the share of the processor only, and results do not depend on the number of processors.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

_CHOSEN = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController  # a tenth of a command's start, for commands that evaluate

    return ThreadpoolController()


def one_thread() -> AbstractContextManager[object]:
    """Return a context in which BLAS runs on one thread, unless the environment chooses a number of threads."""
    if any(name in os.environ for name in _CHOSEN):
        return nullcontext()
    context: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return context
