"""A handler for the child that does what real runtimes do at their worst; the option ``do`` says what."""

import os
import signal
import subprocess
import sys

import numpy as np

from qconvert.engines.wire import Message
from qconvert.support.errors import EngineError


def serve(message: Message) -> Message:
    match message.options["do"]:
        case "echo":
            print("chatter on standard output")
            return message
        case "pid":
            return Message(names=(str(os.getpid()),))
        case "refuse":
            raise EngineError("cannot\nrun this")
        case "abort":
            print("LLVM ERROR: types differ\n #0 0x7f00 frame (lib.so+0x1)", file=sys.stderr, flush=True)
            os.abort()
        case "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "raise":
            raise LookupError("a bug of the handler")
        case "exit":
            os._exit(3)
        case "sleep":
            subprocess.run(["sleep", "60"], check=False)
        case "allocate":
            return Message(samples=({"big": np.ones(1 << 32, np.uint8)},))
    raise AssertionError(message.options)
