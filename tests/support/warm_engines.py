"""Engines' processes that serve the next test: starting Python and importing a runtime takes longer than most tasks.

A process serves many tasks in qconvert, too. It is used again with the same limits, environment and search path only.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType

from qconvert.engines import child, guard
from qconvert.engines.base import Tool
from qconvert.engines.limits import Limits
from qconvert.engines.process import Process

_MOST_TASKS = 200
"""Tasks after which a process ends, so that what it keeps stays small."""
_OF_ONE_TEST = "PYTEST_CURRENT_TEST"

_waiting: dict[object, list[tuple[Process, guard.Folder, int]]] = {}


class WarmChild(child.Child):
    """A child whose process waits for the next child of its kind, unless it died or an error ended its use."""

    def __init__(self, engine: Tool, limits: Limits | None = None, *, handler: str | None = None) -> None:
        super().__init__(engine, limits, handler=handler)
        environment = {name: value for name, value in os.environ.items() if name != _OF_ONE_TEST}
        self._kind = (self._handler, self.limits, tuple(sys.path), tuple(sorted(environment.items())))

    def _started(self) -> Process:
        if self._running is None and _waiting.get(self._kind):
            self._folder.cleanup()
            self._running, self._folder, self._task = _waiting[self._kind].pop()
        return super()._started()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._running is not None and self._task < _MOST_TASKS:
            _waiting.setdefault(self._kind, []).append((self._running, self._folder, self._task))
        else:
            super().__exit__(kind, value, trace)


def end_all() -> None:
    """End the processes that wait."""
    for running, folder, _ in (waiting for kind in _waiting.values() for waiting in kind):
        running.stdin.close()
        running.kill()
        folder.cleanup()
    _waiting.clear()
