"""Converts and validates a network in this process, with a fault or without; prints the outcome as JSON."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from typing import Any, TypeAlias

from numpy.typing import NDArray

from networks import Style, float_model, quantized, samples
from tests.faults.edits import install
from tests.faults.table import FAULTS, Fault


def main(name: str, *flags: str) -> None:
    """Convert with the fault of a name, or with ``--plain`` without it; validate for each ``--seed=N``."""
    [fault] = [fault for fault in FAULTS if fault.name == name]
    if "--plain" not in flags:
        install(fault.edit)
    floats = float_model(fault.network)
    model = quantized(floats, Style.S8S8, samples(floats, 6))
    inputs = [list(sample.values()) for sample in samples(floats, 1 if fault.to.startswith("stablehlo") else 4, seed=1)]
    seeds = [int(flag.removeprefix("--seed=")) for flag in flags if flag.startswith("--seed=")]
    print(json.dumps(_outcome(model, fault, inputs, seeds)))


Samples: TypeAlias = Sequence[Sequence[NDArray[Any]]]


def _outcome(model: bytes, fault: Fault, inputs: Samples, seeds: Sequence[int]) -> dict[str, object]:
    """Return a digest of what the format's own tool computes, and the failures of the validation."""
    from qconvert import Format, QConvertError, Settings, load, validate

    try:
        digest = _digest(model, fault, inputs)
        reports = [validate(load(model), settings=Settings(Format(fault.to), seed=seed)) for seed in seeds]
    except QConvertError as error:
        return {"digest": "", "failures": [str(error)]}
    return {"digest": digest, "failures": [failure for report in reports for failure in report.failures]}


def _digest(model: bytes, fault: Fault, inputs: Samples) -> str:
    from qconvert import EngineName, Format, convert, load
    from qconvert.engines.modules import Program
    from qconvert.formats import FORMATS

    to = FORMATS[Format(fault.to)]
    converted, runs, own = convert(load(model), to.name), to.runs, to.own_engine
    content = converted.text if converted.content is None else converted.content
    [results] = runs[own if own in runs else EngineName.STABLEHLO]([Program(content, inputs)])
    if isinstance(results, Exception):
        raise results
    return hashlib.sha256(b"".join(array.tobytes() for result in results for array in result)).hexdigest()


if __name__ == "__main__":
    main(*sys.argv[1:])
