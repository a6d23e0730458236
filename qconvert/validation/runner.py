"""The choice of the engine that runs the judged file: the format's own runtime, or else the interpreter."""

from __future__ import annotations

import math
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp

from qconvert.api.macs import macs_of, seconds_of
from qconvert.engines.base import EngineName, engine_info
from qconvert.formats import ModelFormat
from qconvert.support.counting import counted, duration

_SECONDS = {EngineName.STABLEHLO: 0.7, EngineName.TOSA: 15.0}
"""The estimated time of all samples up to which the format's own runtime is chosen by default. jaxlib takes several
times its estimate for small networks."""

USUAL_SAMPLES = 16
"""The number of random samples unless another one is asked for."""


class Runner(NamedTuple):
    """The engine that runs the file, the number of random samples, and why the format's own runtime does not run it.

    ``why`` is empty where it does, or where the engine was asked for.
    """

    engine: EngineName
    samples: int
    why: str = ""


def runner_of(
    to: ModelFormat, asked: EngineName | None, module: ModuleOp, samples: int | None, given: int | None
) -> Runner:
    """Return what runs a file of a format.

    ``module`` tells the work of one sample. ``samples`` is the number of random samples that was asked for, None for
    the usual one; ``given`` is the number of those in a file. A slow runtime gets as many of the usual samples as take
    some seconds; what takes longer even so is left to the interpreter.
    """
    count = given or samples or USUAL_SAMPLES
    if asked is not None:
        return Runner(asked, count)
    own = to.own_engine
    if own is EngineName.REFERENCE:
        return Runner(own, count, f"no runtime is {to.title}'s own")
    info = engine_info(own)
    if info.version is None:
        return Runner(EngineName.REFERENCE, count, f"{own} is not installed ({info.hint})")
    each = seconds_of(own, macs_of(module)[0])
    most = _SECONDS.get(own, math.inf)
    fitting = count if each * count <= most else int(most / each)
    if fitting >= count:
        return Runner(own, count)
    if fitting and given is None and samples is None:
        return Runner(own, fitting)
    takes = f"{own} takes about {duration(each * count)} for {counted(count, 'sample')}"
    return Runner(EngineName.REFERENCE, count, f"{takes}: --engine {own} runs it there")
