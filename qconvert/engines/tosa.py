"""Arm's own TOSA tools: the validator and serializer ``tosa-opt`` and the reference model, from tosa-tools.

The validation level is ``strict-op-spec-alignment``, the only one that checks ops against the target's profiles and
extensions. The reference model is bit-exact by definition for integers; its floats are its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from qconvert.engines import tosa_opt
from qconvert.engines.base import EngineName, require
from qconvert.engines.limits import Limits
from qconvert.engines.modules import Program, Results, only, run_programs
from qconvert.engines.wire import Array
from qconvert.ir import Target
from qconvert.support.errors import EngineError, EngineMissingError

EVERYTHING = Target()
"""The target that a module is validated against by default: all profiles and extensions."""


def run_samples(
    text: str,
    samples: Sequence[Sequence[Array]],
    *,
    target: Target = EVERYTHING,
    limits: Limits | None = None,
) -> Results:
    """Validate a module and evaluate @main on each sample; return the results in order.

    Raises EngineError with tosa-opt's errors, or if the reference model's status is not TOSA_VALID.
    """
    return only(run_many([Program(text, samples)], target=target, limits=limits))


def run_many(
    programs: Iterable[Program], *, target: Target = EVERYTHING, limits: Limits | None = None
) -> list[Results | EngineError]:
    """Run many programs in one child; a program that is refused or aborts it has its error as the result."""
    return run_programs(EngineName.TOSA, programs, {"target": str(target)}, limits)


def verify(text: str, *, target: Target = EVERYTHING) -> str:
    """Validate a module strictly; return the generic form that tosa-opt prints. Raises EngineError with its errors."""
    with _named_errors():
        return tosa_opt.verify(text.encode(), str(target)).decode()


def version() -> str:
    """Return the version of tosa-tools; raises EngineMissingError if they are not installed."""
    found = require(EngineName.TOSA).version
    assert found is not None
    return found


def validate(text: bytes, *, target: Target = EVERYTHING, limits: Limits | None = None) -> None:
    """Validate a module strictly; raises EngineError with tosa-opt's errors."""
    with _named_errors():
        tosa_opt.validate(text, str(target), limits)


def serialize(text: str | bytes, *, target: Target = EVERYTHING, limits: Limits | None = None) -> bytes:
    """Validate a module strictly and return it as a TOSA flatbuffer; names of ``tosa.tensor_name`` are kept.

    Raises EngineError with tosa-opt's errors.
    """
    with _named_errors():
        return tosa_opt.serialize(text.encode() if isinstance(text, str) else text, str(target), limits)


def deserialize(flatbuffer: bytes) -> str:
    """Return the text of a TOSA flatbuffer in generic form; raises EngineError if tosa-opt cannot read it."""
    with _named_errors():
        return tosa_opt.deserialize(flatbuffer).decode()


@contextmanager
def _named_errors() -> Iterator[None]:
    """Put the engine's name before errors, as the workers' errors have it."""
    try:
        yield
    except EngineMissingError:
        raise
    except EngineError as error:
        raise EngineError(f"{EngineName.TOSA} engine: {error}") from error
