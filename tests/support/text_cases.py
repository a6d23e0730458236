"""Modules as text in one file: cases are separated by ``// -----``, a case's parts by ``// becomes``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter.core import main_function
from qconvert.ir.printing import module_text
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import numpy_dtype, tensor

FOLDER = Path(__file__).parents[1] / "passes"
CASES = "// -----\n"
BECOMES = "// becomes\n"


@dataclass(frozen=True)
class Case:
    """One case of a file: comment lines in front, the module before and, for a rewrite, after."""

    file: str
    comment: str
    before: str
    after: str

    def __str__(self) -> str:
        first = self.comment.splitlines()[0] if self.comment else self.file
        return f"{self.file}: {first.removeprefix('// ')}"


def split(text: str, file: str) -> list[Case]:
    cases = []
    for part in text.split(CASES):
        lines = f"{part.strip()}\n".splitlines(keepends=True)
        count = next((i for i, line in enumerate(lines) if not line.startswith("// ")), len(lines))
        before, _, after = "".join(lines[count:]).partition(BECOMES)
        cases.append(Case(file, "".join(lines[:count]), before.strip() + "\n", after.strip() + "\n"))
    return cases


@cache
def read(name: str) -> list[Case]:
    """The cases of ``tests/passes/<name>``."""
    return split((FOLDER / name).read_text(), name)


def update(case: Case, after: str) -> None:
    """Write what a case becomes into its file."""
    path = FOLDER / case.file
    cases = [
        f"{c.comment}{c.before}{BECOMES}{after if c.comment == case.comment else c.after}"
        for c in split(path.read_text(), case.file)
    ]
    path.write_text(CASES.join(cases))


def parsed(text: str) -> ModuleOp:
    """Return a module of its own for a text that is parsed once a test run."""
    return shared(text).clone()


@cache
def normalised(text: str) -> str:
    """Return a module's text as our printer writes it."""
    return module_text(shared(text), locations=True)


@cache
def shared(text: str) -> ModuleOp:
    """Return the module of a text, which no test may change."""
    return parse_module(text)


def inputs_for(module: ModuleOp, seed: int, scale: float = 4.0) -> list[NDArray[np.generic]]:
    """Random inputs of @main; floats in eighths, so that ties are among them."""
    rng = np.random.default_rng(seed)
    arrays = []
    for argument in main_function(module).body.block.args:
        type = tensor(argument)
        dtype, shape = numpy_dtype(type.element_type), type.get_shape()
        if isinstance(type.element_type, UniformQuantizedType):
            storage = type.element_type.storage
            bound = 1 << 20
            low, high = max(storage.minimum, -bound), min(storage.maximum, bound)
            arrays.append(rng.integers(low, high, shape, endpoint=True).astype(dtype))
        elif dtype.kind in "iub":
            arrays.append(rng.integers(0, 2 if dtype == np.bool_ else 100, shape).astype(dtype))
        else:
            arrays.append((np.round(rng.normal(size=shape) * scale * 8) / 8).astype(dtype))
    return arrays
