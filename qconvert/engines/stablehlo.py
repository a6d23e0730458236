"""The StableHLO project's own parser, verifier and reference interpreter, from the jaxlib package.

A quantized program is evaluated as the specification defines it: every quantized op becomes dequantize, float op and
quantize first. The interpreter's own integer arithmetic is not used, because it accumulates int8
convolutions in 8 bits. At about one million multiply-accumulates a second it suits single layers and tiny networks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from qconvert.engines import child, modules, wire
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits
from qconvert.engines.modules import Program, Results
from qconvert.engines.wire import Array
from qconvert.ir import WEIGHTS_TENSOR
from qconvert.support.errors import EngineError

_RUN = {"action": "run"}


def run_samples(text: str, samples: Sequence[Sequence[Array]], *, limits: Limits | None = None) -> Results:
    """Evaluate @main on each sample; return the results in order, quantized ones as storage integers.

    Arguments must have the parameter's shape and element type (storage type if quantized; 4-bit values as ml_dtypes
    arrays or in range in 8-bit ones). Raises EngineError with the diagnostics.
    """
    return modules.only(run_many([Program(text, samples)], limits=limits))


def run_many(programs: Iterable[Program], *, limits: Limits | None = None) -> list[Results | EngineError]:
    """Run many programs in one child; a program that is refused or aborts it has its error as the result."""
    return modules.run_programs(EngineName.STABLEHLO, programs, _RUN, limits)


def verify(text: str, *, locations: bool = False, generic: bool = False) -> str:
    """Parse and verify a module; return the text that StableHLO prints, optionally with locations or in generic form.

    Raises EngineError with the diagnostics, one paragraph.
    """
    return modules.only(verify_many([text], locations=locations, generic=generic))


def verify_many(
    texts: Iterable[str],
    *,
    locations: bool = False,
    generic: bool = False,
    limits: Limits | None = None,
) -> list[str | EngineError]:
    """Verify many modules in one child; a refused module has its error as the result."""
    options = {"action": "verify", "locations": str(locations), "generic": str(generic)}
    return _texts(options, texts, limits)


def rewrite_many(texts: Iterable[str], pipeline: str, *, limits: Limits | None = None) -> list[str | EngineError]:
    """Run MLIR passes on many modules in one child; a refused module has its error as the result.

    A pipeline is for example ``builtin.module(func.func(stablehlo-legalize-quantized-op-to-qdq))``.
    """
    return _texts({"action": "rewrite", "pipeline": pipeline}, texts, limits)


def read_artifact(artifact: bytes, *, limits: Limits | None = None) -> str:
    """Return the text of a portable artifact's module, with locations; raises EngineError for other bytes."""
    return _blob({"action": "read-artifact"}, artifact, limits).decode()


def write_artifact(
    text: bytes,
    version: str | None = None,
    *,
    weights: Mapping[str, Array] | None = None,
    limits: Limits | None = None,
) -> bytes:
    """Return a module as a portable artifact: MLIR bytecode that later versions of StableHLO read.

    ``weights`` are arrays that become constants in place of the arguments of @main that name them.
    ``version`` (as ``1.13.0``) is the oldest version that must read it, by default StableHLO's version twelve weeks
    before the installed one. Raises EngineError for an invalid version or one that cannot express the module.
    """
    options = {"action": "write-artifact", "version": version or "", "named_by": WEIGHTS_TENSOR}
    return _blob(options, text, limits, () if weights is None else (weights,))


def _blob(options: dict[str, str], blob: bytes, limits: Limits | None, samples: tuple[wire.Sample, ...] = ()) -> bytes:
    return child.run_task(EngineName.STABLEHLO, wire.Message(options, blob=blob, samples=samples), limits).blob


def _texts(options: dict[str, str], texts: Iterable[str], limits: Limits | None) -> list[str | EngineError]:
    tasks = (wire.Message(options, blob=text.encode()) for text in texts)
    answers = child.run_tasks(EngineName.STABLEHLO, tasks, limits)
    return [answer if isinstance(answer, EngineError) else answer.blob.decode() for answer in answers]
