"""LiteRT, the reference runtime of TFLite models: CPU, one thread, by default its reference kernels.

Tensor names in a .tflite file may repeat or be empty. Here the names are those of
``qconvert.support.names.unique_names`` over the main subgraph's tensors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from qconvert.engines import child, wire
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits
from qconvert.engines.wire import Array


class Resolver(StrEnum):
    """The kernels that run: the reference kernels (BUILTIN_REF), or LiteRT's choice, mostly XNNPACK (BUILTIN).

    They round differently.
    """

    REFERENCE = "reference"
    DEFAULT = "default"


def run(
    source: bytes,
    inputs: Mapping[str, Array],
    *,
    resolver: Resolver = Resolver.REFERENCE,
    tensors: Sequence[str] = (),
    limits: Limits | None = None,
) -> dict[str, Array]:
    """Run one sample; return the outputs by name, then ``tensors`` of the main subgraph, quantized ones as integers.

    4-bit tensors are returned as int8. An input of another shape than in the file resizes an open dimension. Variables
    are zero at the start of each sample, or have the value of the input with their name. A variable with such an input
    is also an output, with its value after the run, named by :func:`~qconvert.support.names.name_after`. Raises
    EngineError with LiteRT's message, or if the model crashes LiteRT.
    """
    return run_samples(source, [inputs], resolver=resolver, tensors=tensors, limits=limits)[0]


def run_samples(
    source: bytes,
    samples: Sequence[Mapping[str, Array]],
    *,
    resolver: Resolver = Resolver.REFERENCE,
    tensors: Sequence[str] = (),
    limits: Limits | None = None,
) -> list[dict[str, Array]]:
    """Run several samples as :func:`run` does, in one interpreter; ``limits.seconds`` covers all of them."""
    return run_noted(source, samples, resolver=resolver, tensors=tensors, limits=limits).samples


def run_noted(
    source: bytes,
    samples: Sequence[Mapping[str, Array]],
    *,
    resolver: Resolver = Resolver.REFERENCE,
    tensors: Sequence[str] = (),
    limits: Limits | None = None,
) -> wire.Ran:
    """Run several samples as :func:`run_samples` does; the note tells what the default kernels ran instead.

    The default kernels run what the reference kernels lack, or compute wrongly.
    """
    task = wire.Message({"resolver": str(resolver)}, tuple(tensors), source, tuple(samples))
    return wire.Ran.of(child.run_task(EngineName.LITERT, task, limits))
