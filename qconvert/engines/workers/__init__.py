"""Workers: one module for each engine with ``serve(message) -> message``, imported only inside the child process.

Importing this package switches off onnxruntime's telemetry, which begins when onnxruntime is imported: it writes a
device number and a database into the home folder, and ``.ses`` into the temporary folder, through symbolic links. A
call of its API comes too late for that.
"""

from __future__ import annotations

import os

NO_TELEMETRY = {"ORT_DISABLE_TELEMETRY": "1"}
"""The environment that switches onnxruntime's telemetry off, if it is set before the import."""

os.environ.update(NO_TELEMETRY)
