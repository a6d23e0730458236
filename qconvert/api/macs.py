"""Multiply-accumulates of a model, and the time that slow engines need for them."""

from __future__ import annotations

import math

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from qconvert.backends.tosa.macs import macs as tosa_macs
from qconvert.dialects import stablehlo
from qconvert.dialects.composite.dynamic_range import IntegerContractionOp
from qconvert.dialects.composite.recurrent import LstmOp, thirds
from qconvert.dialects.composite.sequence import SequenceOp
from qconvert.dialects.composite.wide import WideConvolutionOp
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits, default_limits
from qconvert.expansion.registry import is_hybrid_of_litert
from qconvert.ir import element_type, is_float, shape
from qconvert.support.counting import counted, duration
from qconvert.support.errors import UsageError

_PER_SECOND = {EngineName.STABLEHLO: 1e6, EngineName.TOSA: 1e8}
"""Approximate number of multiply-accumulates that a slow engine computes in a second."""

_WORTH_A_WORD, _TOO_MUCH = 30.0, 2.0
"""Estimated seconds above which a note is printed, and multiple of the time limit above which a run is refused."""


def run_limits(timeout: float | None) -> Limits:
    """Return the limits of an engine with a time limit in seconds, by default the usual one."""
    limits = default_limits()
    return limits if timeout is None else limits._replace(seconds=timeout)


def seconds_of(engine: EngineName, count: int) -> float:
    """Return the seconds that an engine takes for a number of multiply-accumulates, about; 0 for a fast engine."""
    return count / _PER_SECOND[engine] if engine in _PER_SECOND else 0.0


def estimate(engine: EngineName, module: ModuleOp, samples: int, timeout: float | None) -> str | None:
    """Return a note on the time that an engine needs for a module, None for less than half a minute.

    Raises UsageError if the engine would exceed the default time limit by far.
    """
    if engine not in _PER_SECOND:
        return None
    count, _ = macs_of(module)
    seconds = seconds_of(engine, count * samples)
    limit = run_limits(timeout).seconds
    speed = f"{_PER_SECOND[engine]:,.0f} multiply-accumulates a second"
    found = f"the {engine} engine computes about {speed}: {counted(samples, 'sample')} of {count:,}, about"
    if timeout is None and seconds > _TOO_MUCH * limit:
        how = "Give fewer samples, another engine or --timeout SECONDS"
        raise UsageError(f"{found} {duration(seconds)}, the limit is {duration(limit)}. {how}")
    return None if seconds < _WORTH_A_WORD else f"{found} {duration(seconds)}. It is stopped after {duration(limit)}."


def macs_of(module: ModuleOp) -> tuple[int, int]:
    """Return the number of all multiply-accumulates, and of those in integers. The body of a loop counts once."""
    counts = [(op, macs(op)) for op in module.walk()]
    found = [(count, in_integers(op)) for op, count in counts if count]
    return sum(count for count, _ in found), sum(count for count, in_integers in found if in_integers)


def in_integers(op: Operation) -> bool:
    """Return True if an op's products are of integers; a hybrid op of LiteRT's quantizes floats for them."""
    return is_hybrid_of_litert(op) or not is_float(element_type(op.operands[0]))


def macs(op: Operation) -> int:
    """Return the result's elements times the length of the sum behind each; 0 for other ops.

    A recurrent layer multiplies its input and its state once a step. TFLite's LSTM has no state before the first step.
    """
    if isinstance(op, IntegerContractionOp):
        return macs(op.contraction(op.lhs, op.rhs))
    if isinstance(op, LstmOp):
        (batch, steps, _), (weights, states, _) = shape(op.operand), thirds(op.parameters)
        sizes = [sum(math.prod(shape(value)) for value in values) for values in (weights, states)]
        return batch * (steps * sizes[0] + (steps - 1) * sizes[1])
    if isinstance(op, SequenceOp):
        steps, batch, _ = shape(op.operand)
        return steps * batch * (math.prod(shape(op.weights)) + math.prod(shape(op.state_weights)))
    if isinstance(op, stablehlo.ConvolutionOp | WideConvolutionOp):
        kernel = shape(op.rhs)
        elements = math.prod(shape(op.results[0]))
        return elements * math.prod(kernel) // max(1, kernel[op.numbers.kernel_output_feature])
    if isinstance(op, stablehlo.DotGeneralOp | stablehlo.DotOp):
        depth = math.prod(shape(op.lhs)[i] for i in op.numbers.lhs_contracting_dimensions)
        return math.prod(shape(op.results[0])) * depth
    return tosa_macs(op)
