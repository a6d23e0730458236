"""Whether LiteRT loads and computes models, many in one process: each in a fork, because some end the process."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Model(NamedTuple):
    """A .tflite file, its inputs in order, and the resolvers that have its operators."""

    content: bytes
    inputs: tuple[NDArray[Any], ...]
    resolvers: tuple[str, ...]


def verdicts(models: Sequence[Model]) -> list[bool]:
    """Return True for each model that all its resolvers load and compute."""
    command = [sys.executable, "-m", __name__]
    ended = subprocess.run(
        command, input=pickle.dumps([tuple(model) for model in models]), capture_output=True, check=True
    )
    found: list[bool] = pickle.loads(ended.stdout)
    return found


def _runs(content: bytes, inputs: Sequence[NDArray[Any]], resolvers: Sequence[str]) -> bool:
    """Return True if a fork of this process ends well."""
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os._exit(0 if all(_computes(content, inputs, resolver) for resolver in resolvers) else 1)
    return os.waitpid(child, 0)[1] == 0


def _computes(content: bytes, inputs: Sequence[NDArray[Any]], resolver: str) -> bool:
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    kinds = {"reference": OpResolverType.BUILTIN_REF, "default": OpResolverType.BUILTIN}
    try:
        interpreter = Interpreter(model_content=content, num_threads=1, experimental_op_resolver_type=kinds[resolver])
        interpreter.allocate_tensors()
        for port, array in zip(interpreter.get_input_details(), inputs, strict=True):
            interpreter.set_tensor(port["index"], np.asarray(array))
        interpreter.invoke()
    except (RuntimeError, ValueError):
        return False
    return True


if __name__ == "__main__":
    import ai_edge_litert.interpreter  # noqa: F401 - before the forks

    given = pickle.loads(sys.stdin.buffer.read())
    sys.stdout.buffer.write(pickle.dumps([_runs(*model) for model in given]))
