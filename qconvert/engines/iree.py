"""IREE, a compiler for deployment: it compiles StableHLO or TOSA text for the CPU and runs it.

IREE lowers quantized elementwise ops to integers and rounds each operand before it adds. Its results may
differ by 1 LSB from the specification and from the ``stablehlo`` engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from qconvert.engines import modules
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits
from qconvert.engines.modules import Program, Results
from qconvert.engines.wire import Array
from qconvert.support.errors import EngineError


class InputType(StrEnum):
    """The dialect of the text, as for ``--iree-input-type``; ``auto`` also takes StableHLO and TOSA in one module."""

    STABLEHLO = "stablehlo"
    TOSA = "tosa"
    AUTO = "auto"


def run_samples(
    text: str,
    samples: Sequence[Sequence[Array]],
    *,
    input_type: InputType = InputType.STABLEHLO,
    limits: Limits | None = None,
) -> Results:
    """Compile a module and call @main on each sample; return the results in order, quantized ones as storage integers.

    Arguments must have the parameter's shape and element type; 4-bit types are refused. Raises EngineError with the
    compiler's or the runtime's message.
    """
    return modules.only(run_many([Program(text, samples)], input_type=input_type, limits=limits))


def run_many(
    programs: Iterable[Program],
    *,
    input_type: InputType = InputType.STABLEHLO,
    limits: Limits | None = None,
) -> list[Results | EngineError]:
    """Run many programs in one child; a program that is refused or kills the child has its error as the result."""
    return modules.run_programs(EngineName.IREE, programs, {"input_type": str(input_type)}, limits)
