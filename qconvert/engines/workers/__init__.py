"""Workers: one module for each engine with ``serve(message) -> message``, imported only inside the child process.

Importing this package switches off onnxruntime's telemetry. The telemetry starts when onnxruntime is imported, so that
its API comes too late. It writes a device number and a database into the home folder, and ``.ses`` into the temporary
folder, and follows symbolic links.
"""

from __future__ import annotations

import os

NO_TELEMETRY = {"ORT_DISABLE_TELEMETRY": "1"}
"""The environment variables that switch off onnxruntime's telemetry if they are set before the import."""

os.environ.update(NO_TELEMETRY)
