"""Arm's own TOSA tools: the validator and serializer ``tosa-opt`` and the reference model, from tosa-tools.

Validation is ``strict-op-spec-alignment``, the only level that checks each op against the target's profiles and
extensions. The reference model is bit-exact by definition for integers; its floats are its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from qconvert.dialects.tosa.target import Target
from qconvert.engines import tosa_opt
from qconvert.engines.base import DEFAULT_LIMITS, EngineName, Limits
from qconvert.engines.modules import Program, Results, only, run_programs
from qconvert.engines.wire import Array
from qconvert.support.errors import EngineError, EngineMissingError

EVERYTHING = Target()
"""What a module is validated against where nobody says what it needs."""


def run(text: str, inputs: Sequence[Array], *, limits: Limits = DEFAULT_LIMITS) -> list[Array]:
    """Validate a module and evaluate @main on one sample: its results in order.

    Raises EngineError with tosa-opt's errors, or where the reference model's status is not TOSA_VALID.
    """
    return run_samples(text, [inputs], limits=limits)[0]


def run_samples(
    text: str,
    samples: Sequence[Sequence[Array]],
    *,
    target: Target = EVERYTHING,
    limits: Limits = DEFAULT_LIMITS,
) -> Results:
    """:func:`run` for several samples; the module is serialized once."""
    return only(run_many([Program(text, samples)], target=target, limits=limits))


def run_many(
    programs: Iterable[Program], *, target: Target = EVERYTHING, limits: Limits = DEFAULT_LIMITS
) -> list[Results | EngineError]:
    """Many programs in one child; one that is refused or aborts the reference model has its error in its place."""
    return run_programs(EngineName.TOSA, programs, {"target": str(target)}, limits)


def verify(text: str, *, target: Target = EVERYTHING) -> str:
    """Validate a module strictly; its text in generic form as tosa-opt prints it. Raises EngineError."""
    with _named_errors():
        return tosa_opt.verify(text.encode(), str(target)).decode()


def serialize(text: str | bytes, *, target: Target = EVERYTHING, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """A module, validated strictly, as TOSA flatbuffer; names of ``tosa.tensor_name`` are kept.

    Raises EngineError with tosa-opt's errors.
    """
    with _named_errors():
        return tosa_opt.serialize(text.encode() if isinstance(text, str) else text, str(target), limits)[0]


def deserialize(flatbuffer: bytes) -> str:
    """The text, in generic form, of a TOSA flatbuffer. Raises EngineError where tosa-opt cannot read it."""
    with _named_errors():
        return tosa_opt.deserialize(flatbuffer).decode()


@contextmanager
def _named_errors() -> Iterator[None]:
    """Errors name the engine, as those of workers do."""
    try:
        yield
    except EngineMissingError:
        raise
    except EngineError as error:
        raise EngineError(f"{EngineName.TOSA} engine: {error}") from error
