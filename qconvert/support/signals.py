"""Ending the command line by a signal: clean up, print one line, exit with the conventional status."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ExtensionFileLoader
from threading import Timer, main_thread
from types import FrameType

_STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

_LOADING = {ExtensionFileLoader.create_module.__code__, ExtensionFileLoader.exec_module.__code__}
_LATER_SECONDS = 0.01


class _StoppedError(BaseException):
    """A signal asks the process to end. It is not an Exception, so that no handler of errors catches it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Raise signals inside the context as exceptions; then print a line and exit with 128 plus the signal's number.

    A signal that the process was started to ignore stays ignored. After the context, signals end the process at once.
    """
    heard = [number for number in _STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
    try:
        try:
            _answer(heard, _stop)
            yield
        finally:
            _answer(heard, signal.SIG_DFL)
    except _StoppedError as stopped:
        _answer(heard, signal.SIG_IGN)  # what clears up at the exit takes a moment
        _say(f"stopped by {signal.Signals(stopped.number).name}")
        sys.exit(128 + stopped.number)


@contextmanager
def out_of_reach_of_the_keyboard() -> Iterator[None]:
    """Let the processes and threads that start inside the context get no SIGINT; this thread gets it afterwards.

    A terminal sends SIGINT to all processes of a command. One of them ends the others.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _stop(number: int, frame: FrameType | None) -> None:
    """Raise, but later where the exception would not arrive.

    In an extension that is being loaded it may end the process by SIGABRT. In a method ``__set_name__``, which Python
    calls as it creates a class, Python 3.11 makes it a RuntimeError.
    """
    if not _is_in_the_way(frame):
        raise _StoppedError(number)
    later = Timer(_LATER_SECONDS, _send, [number])
    later.daemon = True
    later.start()


def _send(number: int) -> None:
    """Send a signal to the main thread; one to another thread would not end a call in which the main thread waits."""
    if hasattr(signal, "pthread_kill"):
        main = main_thread().ident
        assert main is not None, "the main thread runs"
        signal.pthread_kill(main, number)
    else:
        signal.raise_signal(number)


def _is_in_the_way(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code not in _LOADING and frame.f_code.co_name != "__set_name__":
        frame = frame.f_back
    return frame is not None


def _answer(numbers: Sequence[int], answer: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    for number in numbers:
        signal.signal(number, answer)


def _say(text: str) -> None:
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            sys.stderr.write(f"{text}\n")
