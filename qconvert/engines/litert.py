"""LiteRT, the yardstick of TFLite models: CPU, one thread, its reference kernels unless asked for the default ones.

Names of tensors may repeat in a .tflite file, or be empty: here they are those of
``qconvert.support.names.unique_names`` over the main subgraph's tensors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from qconvert.engines import child, wire
from qconvert.engines.base import DEFAULT_LIMITS, EngineName, Limits
from qconvert.engines.wire import Array


class Resolver(StrEnum):
    """Whose kernels run: the plain reference ones (BUILTIN_REF), or LiteRT's choice, mostly XNNPACK's (BUILTIN).

    The two round differently, op by op.
    """

    REFERENCE = "reference"
    DEFAULT = "default"


def run(
    source: bytes,
    inputs: Mapping[str, Array],
    *,
    resolver: Resolver = Resolver.REFERENCE,
    tensors: Sequence[str] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> dict[str, Array]:
    """Run one sample; the outputs by name, then ``tensors``: any of the main subgraph, quantized ones as integers.

    4-bit tensors come as int8. An input of another shape than the file's resizes it where the file leaves that
    dimension open. Variables begin at zero, whatever the sample before has left, or at the input of their name, where
    one is given: then their values after the run, by :func:`~qconvert.support.names.name_after`, are outputs too.
    Raises EngineError with LiteRT's message, or where LiteRT dies of the model.
    """
    return run_samples(source, [inputs], resolver=resolver, tensors=tensors, limits=limits)[0]


def run_samples(
    source: bytes,
    samples: Sequence[Mapping[str, Array]],
    *,
    resolver: Resolver = Resolver.REFERENCE,
    tensors: Sequence[str] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> list[dict[str, Array]]:
    """:func:`run` for several samples in one interpreter; ``limits.seconds`` covers them all."""
    task = wire.Message({"resolver": str(resolver)}, tuple(tensors), source, tuple(samples))
    return [dict(sample) for sample in child.run_task(EngineName.LITERT, task, limits).samples]


def run_traced(
    source: bytes,
    samples: Sequence[Mapping[str, Array]],
    *,
    resolver: Resolver = Resolver.REFERENCE,
    limits: Limits = DEFAULT_LIMITS,
) -> list[dict[int, Array]]:
    """Every tensor of the main subgraph by its index in the file, one dict a sample.

    Those without data, and those of strings, are left out.
    """
    task = wire.Message({"resolver": str(resolver), "trace": "all"}, (), source, tuple(samples))
    reply = child.run_task(EngineName.LITERT, task, limits)
    return [{int(index): array for index, array in sample.items()} for sample in reply.samples]
