"""Inside the child: validate and serialize with tosa-opt, run with the reference model."""

from __future__ import annotations

import re
import signal
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import tosa_reference_model

from qconvert.engines import tosa_opt
from qconvert.engines.wire import Array, Message, positional
from qconvert.engines.workers.tensors import TensorType, arguments, tensor_type
from qconvert.support.errors import EngineError

_INPUTS = re.compile(r'function_type = \((.*?)\) -> [^>]*?>?.*?sym_name = "main"')


def _flatbuffer(message: Message) -> tuple[bytes, list[TensorType]]:
    """Return the serialized module and the types of @main's parameters."""
    flatbuffer, text = _serialized(message.blob, message.options["target"])
    found = _INPUTS.search(text.decode())
    if found is None:
        raise EngineError("the module has no function @main")
    kinds = re.findall(r"tensor<[^>]*>", found[1])
    return flatbuffer, [tensor_type(kind, f"parameter {i}") for i, kind in enumerate(kinds)]


def _serialized(text: bytes, target: str) -> tuple[bytes, bytes]:
    """Return a module's flatbuffer and its text without large constants; tosa-opt has this process's limits."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "module.tosa"
        command = [str(tosa_opt.program()), *tosa_opt.serializing(path, target)]
        done = subprocess.run(command, input=text, capture_output=True, check=False)
        if done.returncode:
            ending = signal.Signals(-done.returncode).name if done.returncode < 0 else f"exit status {done.returncode}"
            raise EngineError(tosa_opt.reason(done.stderr.decode(errors="replace"), ending, path.parent))
        return path.read_bytes(), done.stdout


def _evaluate(flatbuffer: bytes, given: list[Array]) -> list[Array]:
    plain = [np.asarray(array, order="C") for array in given]
    results, status = tosa_reference_model.run(flatbuffer, plain, tosa_level="EIGHTK")
    if status != tosa_reference_model.GraphStatus.TOSA_VALID:
        raise EngineError(f"the reference model ends with {status.name}")
    return list(results)


def serve(message: Message) -> Message:
    """Evaluate @main on the task's samples; raises EngineError with tosa-opt's errors or the model's status."""
    flatbuffer, parameters = _flatbuffer(message)
    samples = (arguments(list(sample.values()), parameters) for sample in message.samples)
    return Message(samples=tuple(positional(_evaluate(flatbuffer, given)) for given in samples))
