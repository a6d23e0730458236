"""The program that ends an engine's processes and removes its folders after qconvert has ended.

It is run by its path, without the package. Each line of standard input is a list in JSON: "add" or "drop", "group" or
"folder", and the process group or the path. Standard input ends when qconvert ends, also by SIGKILL. Then the watcher
ends or removes everything that was added and not dropped.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time

_TRIES, _SECONDS = 20, 0.1


def watch() -> None:
    """Read standard input to its end, then end the processes and remove the folders that are left."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # a service manager sends them to every process
        signal.signal(number, signal.SIG_IGN)
    kept: dict[str, list[object]] = {"group": [], "folder": []}
    for line in sys.stdin:
        try:
            action, kind, value = json.loads(line)
        except ValueError:  # the process ended while it wrote the line
            break
        if action == "add":
            kept[kind].append(value)
        elif value in kept[kind]:
            kept[kind].remove(value)
    for group in kept["group"]:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(int(str(group)), signal.SIGKILL)
    for folder in kept["folder"]:
        _remove(str(folder))


def _remove(folder: str) -> None:
    """Remove a folder, in several tries: a process that was just killed may still write."""
    import shutil  # takes longer to import than all else

    for _ in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return
        time.sleep(_SECONDS)


if __name__ == "__main__":
    watch()
