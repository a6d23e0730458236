"""IREE, a compiler a user would deploy with: StableHLO or TOSA text, compiled for the CPU and run.

Quantized element-wise ops are lowered by IREE's own integer route, which rounds each operand before it adds: they may
differ from the specification, and so from the ``stablehlo`` engine, by a step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from qconvert.engines import modules
from qconvert.engines.base import DEFAULT_LIMITS, EngineName, Limits
from qconvert.engines.modules import Program, Results
from qconvert.engines.wire import Array
from qconvert.support.errors import EngineError


class InputType(StrEnum):
    """What the text is: IREE's ``--iree-input-type``; ``auto`` takes StableHLO and TOSA in one module, too."""

    STABLEHLO = "stablehlo"
    TOSA = "tosa"
    AUTO = "auto"


def run(
    text: str,
    inputs: Sequence[Array],
    *,
    input_type: InputType = InputType.STABLEHLO,
    limits: Limits = DEFAULT_LIMITS,
) -> list[Array]:
    """Compile a module and call @main on one sample: its results in order, storage integers where quantized.

    Arguments must have the parameter's shape and element type; 4-bit ones are refused. Raises EngineError with the
    compiler's or the runtime's message.
    """
    return run_samples(text, [inputs], input_type=input_type, limits=limits)[0]


def run_samples(
    text: str,
    samples: Sequence[Sequence[Array]],
    *,
    input_type: InputType = InputType.STABLEHLO,
    limits: Limits = DEFAULT_LIMITS,
) -> Results:
    """:func:`run` for several samples; the module is compiled once."""
    return modules.only(run_many([Program(text, samples)], input_type=input_type, limits=limits))


def run_many(
    programs: Iterable[Program],
    *,
    input_type: InputType = InputType.STABLEHLO,
    limits: Limits = DEFAULT_LIMITS,
) -> list[Results | EngineError]:
    """Many programs in one child; one that is refused or kills it has its error in its place."""
    return modules.run_programs(EngineName.IREE, programs, {"input_type": str(input_type)}, limits)
