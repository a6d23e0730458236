"""Errors a user can act on: each names the file, the node, what was found and what to do about it."""

from __future__ import annotations


class QConvertError(Exception):
    """Base of every error that qconvert raises on purpose.

    The command line prints ``str(error)`` as one paragraph and exits with status 2.
    """


class UsageError(QConvertError):
    """The call itself cannot be carried out: an unknown option value, a file that is not there."""


class ConversionError(QConvertError):
    """A model cannot be read, converted or evaluated.

    ``found`` says what was seen, ``hint`` what to do; ``node``, ``op`` and ``file`` say where. The location may be
    unknown where the error arises and is filled in on the way out by :meth:`located`.
    """

    def __init__(
        self, found: str, *, hint: str = "", node: str | None = None, op: str | None = None, file: str | None = None
    ) -> None:
        super().__init__(found)
        self.found = found
        self.hint = hint
        self.node = node
        self.op = op
        self.file = file

    def located(self, *, node: str | None = None, op: str | None = None, file: str | None = None) -> ConversionError:
        """Fill in the parts of the location that are not known yet; the innermost knowledge wins."""
        self.node = self.node or node
        self.op = self.op or op
        self.file = self.file or file
        return self

    def __str__(self) -> str:
        where = f"node '{self.node}'" if self.node else ""
        if self.op:
            where = f"{where} ({self.op})" if where else self.op
        prefix = ": ".join(part for part in (self.file, where) if part)
        text = f"{prefix}: {self.found}" if prefix else self.found
        return _one_paragraph(f"{text}. {self.hint}" if self.hint else text)


class CheckFailedError(ConversionError):
    """A check in a program failed: a value is not what it must be; the command line exits with status 1."""


_LONGEST = 1500


def _one_paragraph(text: str) -> str:
    """Printable characters on one line, cut in the middle: names in models may hold anything at any length."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in text)
    if len(shown) <= _LONGEST:
        return shown
    return f"{shown[: _LONGEST // 2]} ... {shown[-_LONGEST // 2 :]}"


class EngineError(QConvertError):
    """A real runtime refused a model or died on it; carries the runtime's own message."""


class EngineMissingError(EngineError):
    """A real runtime is not installed; the message names the extra that brings it."""
