"""Errors for the user. Each names the file, the node, what was found and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from qconvert.support.printable import printable


class QConvertError(Exception):
    """Base of every error that qconvert raises on purpose.

    The command line prints ``str(error)``, which is one printable line, and exits with status 2.
    """

    def __str__(self) -> str:
        return _one_paragraph(super().__str__())


class UsageError(QConvertError):
    """The call is wrong, for example an unknown option value or a missing file."""


class ClosedOutputError(UsageError):
    """The program that reads an output has closed it. The command line ends without a message, as other programs do."""


class ConversionError(QConvertError):
    """A model cannot be read, converted or evaluated.

    ``found`` is the problem, ``hint`` the advice; ``node``, ``op`` and ``file`` are the location. The location may be
    unknown when the error is raised; callers fill it in with :meth:`located`.
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
        """Fill in the unknown parts of the location; parts that are known stay."""
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


class FloatsRemainError(ConversionError):
    """Nodes of the source have no form in integers in the format ``to``.

    ``reasons`` gives the reason for each node, ``passes`` the name of the pass that refused it, where they are known.
    """

    def __init__(
        self,
        to: str,
        nodes: Sequence[str],
        reasons: Mapping[str, str] | None = None,
        passes: Mapping[str, str] | None = None,
    ) -> None:
        self.nodes = tuple(nodes)
        self.reasons, self.passes = reasons or {}, passes or {}
        shown = [f"'{node}'{_clause(self.reasons.get(node))}" for node in self.nodes[:_SHOWN_NODES]]
        more = [f"{len(self.nodes) - _SHOWN_NODES} more"] if len(self.nodes) > _SHOWN_NODES else []
        found = "; ".join([*shown, *more]) or "the model"
        how = f"qconvert inspect MODEL --why --to {to} --profile int lists all of them"
        super().__init__(f"floats remain in {found}", hint=f"Use --profile mixed; {how}")


_SHOWN_NODES = 3


def _clause(reason: str | None) -> str:
    return f" ({reason})" if reason else ""


class CheckFailedError(ConversionError):
    """A check in a program failed: a value differs from the expected one. The command line exits with status 1."""


@contextmanager
def in_file(file: str) -> Iterator[None]:
    """Name a model's file in each ConversionError; raise MemoryError as ConversionError."""
    try:
        yield
    except ConversionError as error:
        error.located(file=file)
        raise
    except MemoryError as error:
        found = f"there is not enough memory: {error}" if str(error) else "there is not enough memory"
        raise ConversionError(found, hint="Check the shapes in the model", file=file) from error


_LONGEST = 1500


def _one_paragraph(text: str) -> str:
    """Return printable text on one line, shortened in the middle, because names in models are arbitrary and long."""
    shown = printable(text)
    if len(shown) <= _LONGEST:
        return shown
    return f"{shown[: _LONGEST // 2]} ... {shown[-_LONGEST // 2 :]}"


def internal_error(error: BaseException) -> str:
    """Return the text of an error that qconvert does not raise on purpose: what it is, where, and how to report it."""
    import traceback  # needed here alone

    places = [frame for frame in traceback.extract_tb(error.__traceback__) if _PACKAGE in frame.filename]
    where = f" at {_PACKAGE}{places[-1].filename.rpartition(_PACKAGE)[2]}:{places[-1].lineno}" if places else ""
    found = printable(str(error))[:_LONGEST_CAUSE]
    return (
        f"internal error{where}: {type(error).__name__}{found and f': {found}'}. This is a fault of qconvert; "
        "please open an issue in its repository with this line, the command and the model"
    )


_PACKAGE, _LONGEST_CAUSE = "qconvert/", 100


class EngineError(QConvertError):
    """A real runtime refused a model or died; the error carries the runtime's message."""


class EngineMissingError(EngineError):
    """A real runtime is not installed; the message names the extra that installs it."""


class EngineDiedError(EngineError):
    """The process of a real runtime ended before it answered; the message names the signal or the exit status."""
