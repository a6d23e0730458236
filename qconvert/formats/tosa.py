"""TOSA: text, and the flatbuffers of TOSA's own tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from qconvert.backends.base import Backend
from qconvert.backends.tosa import TosaOptions
from qconvert.engines import iree, tosa
from qconvert.engines.base import EngineName
from qconvert.formats.base import Array, BinaryForm, Format, Signature
from qconvert.formats.floats import floats_of
from qconvert.formats.mlir import MlirFormat
from qconvert.frontends.base import Imported
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.main_function import Boundary
from qconvert.ir import Target, module_bytes
from qconvert.rewriting import Refusal
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError
from qconvert.support.file_parts import FileParts


class TosaFormat(MlirFormat):
    """TOSA, whose integers are signless and whose indices have 32 bits."""

    def read(self, content: Content, file: str, dims: Dimensions, boundary: Boundary) -> Imported:
        """Read a module; a module from a flatbuffer, which holds no target, gets its target again."""
        imported = super().read(content, file, dims, boundary)
        from qconvert.backends.tosa.target import attach_target

        attach_target(imported.module)
        return imported

    def errors(self, module: ModuleOp) -> Iterable[ConversionError]:
        """Return the violations of TOSA's specification by ops, of level 8k and of the named target."""
        from qconvert.backends.tosa.validity import tosa_errors

        return tosa_errors(module)

    def float_candidates(self, fused: ModuleOp) -> Iterator[Refusal]:
        """Yield the named ops that take or return floats, and the quantized ops that TOSA may compute in floats."""
        return floats_of(fused, self.title)

    def program_options(self, module: ModuleOp) -> Mapping[str, str]:
        """Return the target that a module is validated against, with exactly the extensions that it uses."""
        return {"target": str(_target(module))}

    def argument(self, array: Array) -> Array:
        """Return an argument as signless integers, indices in 32 bits."""
        signed = array.view(np.dtype(f"i{array.itemsize}")) if array.dtype.kind == "u" else array
        return signed.astype(np.int32) if signed.dtype == np.int64 else signed

    def result(self, array: Array, dtype: np.dtype[Any]) -> Array:
        """Return a result in the source's integer type; indices are widened."""
        return array.view(dtype) if array.itemsize == dtype.itemsize else array.astype(dtype)

    def backend(self) -> Backend:
        """Return the module that writes the format."""
        from qconvert.backends.tosa import emit

        return emit


def _target(module: ModuleOp) -> Target:
    from qconvert.backends.tosa.target import target_of

    return target_of(module)


def _check_source(module: ModuleOp) -> None:
    tosa.version()
    from qconvert.backends.tosa.weights import check_source

    check_source(module)


def _flatbuffer(module: ModuleOp, version: str | None) -> FileParts:
    """Return the file of a module, which tosa-opt validates without its weights.

    Raises EngineMissingError if tosa-tools are not installed: they have the schema's bindings and tosa-opt.
    """
    del version  # the flatbuffer has one version
    software = tosa.version()
    from qconvert.backends.tosa import flatbuffer, ports, weights

    weights.check_size(module)
    named = ports.with_own_tensors(module)
    tosa.validate(module_bytes(weights.without_weights(named)), target=_target(module))
    return flatbuffer.module_parts(named, software)


_IN_STABLEHLO = ("tosa-legalize-to-stablehlo",)
_IDENTIFIER = Signature(4, b"TOSA")
_FLATBUFFER = BinaryForm(
    "TOSA flatbuffer", ".tosa", _IDENTIFIER, tosa.deserialize, _flatbuffer, check_source=_check_source
)

TOSA = TosaFormat(
    name=Format.TOSA,
    title="TOSA",
    suffix=".tosa.mlir",
    suffixes=(".tosa.mlir", _FLATBUFFER.suffix),
    signature=_IDENTIFIER,
    binary=_FLATBUFFER,
    options=TosaOptions,
    lowered_ways={
        Format.STABLEHLO_INT: (*_IN_STABLEHLO, "tosa-rescale-legalize-to-stablehlo", "cse", "dce"),
        Format.ONNX: (),
        Format.TOSA_RESCALE: (*_IN_STABLEHLO, "cse", "dce"),
    },
    runs={
        EngineName.TOSA: tosa.run_many,
        EngineName.IREE: partial(iree.run_many, input_type=iree.InputType.TOSA),
    },
    own_engine=EngineName.TOSA,
    expresses_litert=True,
    expresses_hybrid=True,
    exact_inputs=True,
)
