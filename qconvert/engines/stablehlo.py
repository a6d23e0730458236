"""The StableHLO project's own parser, verifier and reference interpreter, from the jaxlib package.

A quantized program is evaluated as the specification defines it: every quantized op becomes dequantize, float op,
quantize before the interpreter sees it. The interpreter's own integer route is not used: it accumulates int8
convolutions in 8 bits. About one million multiply-accumulates a second: for single layers and tiny networks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from qconvert.engines import child, modules, wire
from qconvert.engines.base import DEFAULT_LIMITS, EngineName, Limits
from qconvert.engines.modules import Program, Results
from qconvert.engines.wire import Array
from qconvert.support.errors import EngineError

_RUN = {"action": "run"}


def run(text: str, inputs: Sequence[Array], *, limits: Limits = DEFAULT_LIMITS) -> list[Array]:
    """Evaluate @main on one sample: its results in order, storage integers where quantized.

    Arguments must have the parameter's shape and element type (storage type where quantized; 4-bit values as ml_dtypes
    arrays or in range in 8-bit ones). Raises EngineError with the diagnostics.
    """
    return run_samples(text, [inputs], limits=limits)[0]


def run_samples(text: str, samples: Sequence[Sequence[Array]], *, limits: Limits = DEFAULT_LIMITS) -> Results:
    """:func:`run` for several samples; the text is parsed once."""
    return modules.only(run_many([Program(text, samples)], limits=limits))


def run_many(programs: Iterable[Program], *, limits: Limits = DEFAULT_LIMITS) -> list[Results | EngineError]:
    """Many programs in one child; one that is refused or aborts the interpreter has its error in its place."""
    return modules.run_programs(EngineName.STABLEHLO, programs, _RUN, limits)


def verify(text: str, *, locations: bool = False, generic: bool = False) -> str:
    """Parse and verify a module; its text as StableHLO prints it, with locations or in generic form on request.

    Raises EngineError with the diagnostics, one paragraph.
    """
    return modules.only(verify_many([text], locations=locations, generic=generic))


def verify_many(
    texts: Iterable[str],
    *,
    locations: bool = False,
    generic: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> list[str | EngineError]:
    """:func:`verify` for many modules in one child; a refused module has its error in its place."""
    options = {"action": "verify", "locations": str(locations), "generic": str(generic)}
    return _texts(options, texts, limits)


def rewrite(text: str, pipeline: str, *, limits: Limits = DEFAULT_LIMITS) -> str:
    """Run MLIR passes, for example ``builtin.module(func.func(stablehlo-legalize-quantized-op-to-qdq))``."""
    return modules.only(rewrite_many([text], pipeline, limits=limits))


def rewrite_many(texts: Iterable[str], pipeline: str, *, limits: Limits = DEFAULT_LIMITS) -> list[str | EngineError]:
    """:func:`rewrite` for many modules in one child; a refused module has its error in its place."""
    return _texts({"action": "rewrite", "pipeline": pipeline}, texts, limits)


def read_artifact(artifact: bytes, *, limits: Limits = DEFAULT_LIMITS) -> str:
    """The text of a portable artifact's module, with locations; raises EngineError where the bytes are none."""
    return _blob({"action": "read-artifact"}, artifact, limits).decode()


def write_artifact(text: str, version: str | None = None, *, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """A module as a portable artifact, MLIR bytecode that later versions of StableHLO read.

    ``version`` (as ``1.13.0``) is the oldest that shall read it, by default the one that StableHLO had twelve weeks
    before the installed one. Raises EngineError for a version that is none or cannot say the module.
    """
    return _blob({"action": "write-artifact", "version": version or ""}, text.encode(), limits)


def _blob(options: dict[str, str], blob: bytes, limits: Limits) -> bytes:
    return child.run_task(EngineName.STABLEHLO, wire.Message(options, blob=blob), limits).blob


def _texts(options: dict[str, str], texts: Iterable[str], limits: Limits) -> list[str | EngineError]:
    tasks = (wire.Message(options, blob=text.encode()) for text in texts)
    answers = child.run_tasks(EngineName.STABLEHLO, tasks, limits)
    return [answer if isinstance(answer, EngineError) else answer.blob.decode() for answer in answers]
