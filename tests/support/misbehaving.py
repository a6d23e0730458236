"""A handler for the child that does what real runtimes do at their worst; the option ``do`` names a function here."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from qconvert.engines.wire import Message
from qconvert.support.errors import EngineError


def serve(message: Message) -> Message:
    function = globals()[message.options["do"].replace(" ", "_")]
    return function(message) or message


def echo(_: Message) -> None:
    print("chatter on standard output")


def pid(_: Message) -> Message:
    return Message(names=(str(os.getpid()),))


def refuse(_: Message) -> None:
    raise EngineError("cannot\nrun this")


def abort(_: Message) -> None:
    print("LLVM ERROR: types differ\n #0 0x7f00 frame (lib.so+0x1)", file=sys.stderr, flush=True)
    os.abort()


def segfault(_: Message) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def killed(_: Message) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail(_: Message) -> None:
    raise LookupError("a bug of the handler")


def leave(_: Message) -> None:
    os._exit(3)


def sleep(_: Message) -> None:
    subprocess.run(["sleep", "60"], check=False)


def spin(message: Message) -> None:
    end = time.process_time() + float(message.options.get("seconds", "60"))
    while time.process_time() < end:
        pass


def allocate(_: Message) -> Message:
    return Message(samples=({"big": np.ones(1 << 32, np.uint8)},))


def answer_much(_: Message) -> Message:
    return Message(samples=({"big": np.zeros(1 << 22, np.uint8)},))


def write_much(_: Message) -> None:
    with own_file().open("wb") as stream:
        stream.truncate(1 << 40)


def open_many(_: Message) -> None:
    kept = [os.open("/dev/null", os.O_RDONLY) for _ in range(1000)]
    raise AssertionError(len(kept))


def flood(_: Message) -> None:
    write_10_gigabytes(2)


def flood_the_answers(_: Message) -> None:
    write_10_gigabytes(answers())


def garbage(message: Message) -> None:
    """Write to the pipe of the answers."""
    os.write(answers(), message.blob)
    time.sleep(60)


def forge(message: Message) -> None:
    """Write an answer of one's own and say that it is there."""
    [folder] = [path.parent for path in Path(os.environ["TMPDIR"]).glob("*/task.json")]
    (folder / "reply.json").write_text('{"options": {}, "names": [], "blob": 8, "samples": []}')
    reply = folder / "reply.bin"
    match message.options["how"]:
        case "link":
            reply.symlink_to("/etc/passwd")
        case "pipe":
            os.mkfifo(reply)
        case "short":
            reply.write_bytes(b"1234567")
    os.write(answers(), b'{"task": 1, "error": ""}\n')
    time.sleep(60)


def connect(message: Message) -> None:
    socket.create_connection(("127.0.0.1", int(message.options["port"])), timeout=5)


def write_outside(message: Message) -> None:
    """Try to change what is not the engine's, and name the attempts that succeed."""
    path = Path(message.options["path"])
    own_file().write_text("an engine may write here")
    path.read_bytes()
    attempts = {
        "overwrite": lambda: path.write_bytes(b""),
        "truncate": lambda: os.truncate(path, 0),
        "remove": path.unlink,
        "create": path.with_name("new").touch,
        "link": lambda: path.with_name("link").symlink_to(path),
        "move": lambda: own_file().rename(path.with_name("moved")),
    }
    done = []
    for name, attempt in attempts.items():
        try:
            attempt()
        except OSError:
            continue
        done.append(name)
    raise EngineError(f"done: {done}")


def own_file() -> Path:
    return Path(os.environ["TMPDIR"], "own")


def write_10_gigabytes(descriptor: int) -> None:
    block = b"x" * (1 << 20)
    for _ in range(10 << 10):
        os.write(descriptor, block)


def answers() -> int:
    """The pipe of the answers, which native code finds as easily."""
    return max(fd for fd in range(3, 100) if is_pipe(fd))


def is_pipe(descriptor: int) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(descriptor).st_mode)
    except OSError:
        return False
