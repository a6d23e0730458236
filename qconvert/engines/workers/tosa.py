"""Inside the child: validate and serialize with tosa-opt, run with the reference model."""

from __future__ import annotations

import re
import subprocess
import tempfile
from importlib import metadata
from pathlib import Path

import numpy as np
import tosa_reference_model

from qconvert.engines.wire import Array, Message, positional
from qconvert.engines.workers.tensors import TensorType, arguments, tensor_type
from qconvert.errors import EngineError

_VALIDATE = "--tosa-validate=strict-op-spec-alignment"
_ELIDE = "--mlir-elide-elementsattrs-if-larger=16"
_GENERIC = "--mlir-print-op-generic"
_ERRORS = re.compile(r"^<stdin>:(\d+:\d+): error: (.*)$", re.MULTILINE)
_INPUTS = re.compile(r'function_type = \((.*?)\) -> [^>]*?>?.*?sym_name = "main"')
_MESSAGES = 4
_MESSAGE_CHARACTERS = 300


def _tosa_opt() -> Path:
    """The program itself: the script of the same name takes 50 ms to find it."""
    return Path(str(metadata.distribution("tosa-tools").locate_file("bin/tosa-opt")))


def _optimise(text: bytes, *options: str) -> str:
    """What tosa-opt prints; raises EngineError with its error lines."""
    done = subprocess.run([_tosa_opt(), *options], input=text, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace")
        found = dict.fromkeys(f"line {place}: {what[:_MESSAGE_CHARACTERS]}" for place, what in _ERRORS.findall(said))
        raise EngineError("; ".join(list(found)[:_MESSAGES]) or said[-_MESSAGE_CHARACTERS:])
    return done.stdout.decode()


def _target(message: Message) -> list[str]:
    attach = message.options["target"]
    return [f"--tosa-attach-target={attach}"] if attach else []


def _verify(message: Message) -> Message:
    return Message(blob=_optimise(message.blob, *_target(message), _VALIDATE, _GENERIC).encode())


def _flatbuffer(message: Message) -> tuple[bytes, list[TensorType]]:
    """The serialized module, and the types that @main takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "module.tosa"
        serialize = f"--tosa-serialize=retain-graph-input-output-names tosa-flatbuffer-filename={path}"
        text = _optimise(message.blob, *_target(message), _VALIDATE, serialize, _GENERIC, _ELIDE)
        found = _INPUTS.search(text)
        if found is None:
            raise EngineError("the module has no function @main")
        kinds = re.findall(r"tensor<[^>]*>", found[1])
        return path.read_bytes(), [tensor_type(kind, f"parameter {i}") for i, kind in enumerate(kinds)]


def _evaluate(flatbuffer: bytes, given: list[Array]) -> list[Array]:
    plain = [np.asarray(array, order="C") for array in given]
    results, status = tosa_reference_model.run(flatbuffer, plain, tosa_level="EIGHTK")
    if status != tosa_reference_model.GraphStatus.TOSA_VALID:
        raise EngineError(f"the reference model ends with {status.name}")
    return list(results)


def _run(message: Message) -> Message:
    flatbuffer, parameters = _flatbuffer(message)
    samples = (arguments(list(sample.values()), parameters) for sample in message.samples)
    return Message(samples=tuple(positional(_evaluate(flatbuffer, given)) for given in samples))


def _serialize(message: Message) -> Message:
    return Message(blob=_flatbuffer(message)[0])


def _deserialize(message: Message) -> Message:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "module.tosa"
        path.write_bytes(message.blob)
        text = path.with_suffix(".mlir")  # standard output has warnings, too
        _optimise(b"module {}", f"--tosa-deserialize=tosa-flatbuffer-filename={path}", _GENERIC, "-o", str(text))
        return Message(blob=text.read_bytes())


_ACTIONS = {"deserialize": _deserialize, "run": _run, "serialize": _serialize, "verify": _verify}


def serve(message: Message) -> Message:
    """Serve one task: ``action`` run, serialize, deserialize or verify; raises EngineError with tosa-opt's errors."""
    return _ACTIONS[message.options["action"]](message)
