"""Programs for NPUs, which two commands write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qconvert.api import Model
from qconvert.backends.tosa import TosaOptions

if TYPE_CHECKING:
    from qconvert.api.npu import NpuProgram


def npu_program(model: Model, options: TosaOptions) -> NpuProgram:
    """Compile a model in integers; raises the errors of :func:`qconvert.api.npu.compile_npu`."""
    from qconvert.api.npu import compile_npu  # brings the engine and TOSA's backend

    return compile_npu(model, options)
