"""Inside the child: validate and serialize with tosa-opt, run with the reference model."""

from __future__ import annotations

import re

import numpy as np
import tosa_reference_model

from qconvert.engines import tosa_opt
from qconvert.engines.wire import Array, Message, positional
from qconvert.engines.workers.tensors import TensorType, arguments, tensor_type
from qconvert.support.errors import EngineError

_INPUTS = re.compile(r'function_type = \((.*?)\) -> [^>]*?>?.*?sym_name = "main"')


def _flatbuffer(message: Message) -> tuple[bytes, list[TensorType]]:
    """Return the serialized module and the types of @main's parameters."""
    flatbuffer, text = tosa_opt.serialize(message.blob, message.options["target"])
    found = _INPUTS.search(text.decode())
    if found is None:
        raise EngineError("the module has no function @main")
    kinds = re.findall(r"tensor<[^>]*>", found[1])
    return flatbuffer, [tensor_type(kind, f"parameter {i}") for i, kind in enumerate(kinds)]


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
