"""StableHLO in its four forms: quantized types, QDQ, plain integers, and plain integers between TOSA's rescales."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from qconvert.backends.base import Backend, WriteOptions
from qconvert.backends.stablehlo import RESCALES, QuantizedAs, StableHloOptions
from qconvert.dialects.stablehlo import ConstantOp
from qconvert.dialects.verify import module_errors, stablehlo_check
from qconvert.engines import iree, stablehlo
from qconvert.engines.base import EngineName
from qconvert.engines.limits import advice, default_limits
from qconvert.formats.base import BinaryForm, Format, Signature, is_text
from qconvert.formats.mlir import MlirFormat
from qconvert.ir import module_bytes, repeats
from qconvert.passes.dynamism.open_size import OpenDimension
from qconvert.support.errors import ConversionError, UsageError
from qconvert.support.file_parts import FileParts


@dataclass(frozen=True, kw_only=True, eq=False)
class StableHloFormat(MlirFormat):
    """A form of StableHLO; ``quantized_as`` chooses the form of ops on quantized values."""

    title: str = "StableHLO"
    quantized_as: QuantizedAs = QuantizedAs.TYPES
    options: type[WriteOptions] = StableHloOptions
    tie_note: str = (
        "may differ from onnxruntime by 1 LSB on exact ties (StableHLO rounds after adding the zero point). "
        "--exact-rounding avoids this."
    )

    keeps_open_dims: ClassVar[bool] = True
    keeps_calls: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True

    own_engine: EngineName = EngineName.STABLEHLO

    def opened(
        self,
        written: Sequence[tuple[ModuleOp, bytes | FileParts | None]],
        dimension: OpenDimension,
        options: WriteOptions,
    ) -> tuple[ModuleOp, FileParts | None]:
        """Return a module with ``?`` for open sizes, and with ops whose sizes are values."""
        from qconvert.passes.dynamism.opening import open_module

        del options
        return open_module([module for module, _ in written], dimension), None

    def resembles(self, head: bytes) -> bool:
        """Return whether a file is text that mentions a module or a function; its ops decide the dialect."""
        return is_text(head) and (b"func.func" in head or b"module" in head)

    def errors(self, module: ModuleOp) -> Iterable[ConversionError]:
        """Return the violations of StableHLO's specification; chlo, ops of tests and TOSA's rescales are allowed."""
        rescales = RESCALES if self.quantized_as is QuantizedAs.RESCALES else ()
        others = tuple({op.name for op in module.walk() if op.dialect_name() in ("check", "chlo")})
        return module_errors(module, stablehlo_check((*rescales, *others)))

    def checked_options(self, given: WriteOptions | None = None) -> WriteOptions:
        """Return the options to write with, in this form."""
        options = super().checked_options(given)
        assert isinstance(options, StableHloOptions)
        return replace(options, quantized_as=self.quantized_as)

    def backend(self) -> Backend:
        """Return the module that writes the format."""
        from qconvert.backends.stablehlo import emit

        return emit


_LARGE_BYTES = 1 << 26
"""The bytes of constants from which on they are given to the engine as arrays, which takes half of the memory."""


def constant_bytes(module: ModuleOp) -> int:
    """Return the bytes of the constants of a module; those whose elements are repeated do not count."""
    found = (op.value.held for op in module.walk() if isinstance(op, ConstantOp))
    return sum(held.nbytes for held in found if not repeats(held))


def _write_artifact(module: ModuleOp, version: str | None) -> FileParts:
    return FileParts([_artifact(module, version)])


def _artifact(module: ModuleOp, version: str | None) -> bytes:
    if constant_bytes(module) < _LARGE_BYTES:
        return stablehlo.write_artifact(module_bytes(module), version)
    if _artifact_memory(module) > default_limits().memory_bytes:
        needed = f"a portable artifact of this model needs about {_artifact_memory(module) / 1e9:.0f} GB of memory"
        raise UsageError(f"{needed}, beyond {advice('memory_bytes')}: put the weights beside the program (--weights)")
    from qconvert.backends.stablehlo.weights import LateSample, weights_to_arguments

    apart = module.clone()
    weights = LateSample(weights_to_arguments(apart, names_inputs=False))
    return stablehlo.write_artifact(module_bytes(apart), version, weights=weights)


def _artifact_memory(module: ModuleOp) -> int:
    """Return the bytes that the engine and this process take together: measured with 0.2 and 1 GB of weights."""
    return 250_000_000 + 17 * constant_bytes(module) // 4


_BYTECODE = Signature(0, b"ML\xefR")
_ARTIFACT = BinaryForm(
    "portable artifact",
    ".mlirbc",
    _BYTECODE,
    stablehlo.read_artifact,
    _write_artifact,
    versioned=True,
    memory=_artifact_memory,
)
_ZERO_POINT_MARGIN = 2.0**-16
"""StableHLO adds the zero point before it rounds: a float32 of up to 256 is exact to 2^-17."""

_ENGINES = {EngineName.STABLEHLO: stablehlo.run_many, EngineName.IREE: iree.run_many}

STABLEHLO = StableHloFormat(
    name=Format.STABLEHLO,
    suffix=".stablehlo.mlir",
    suffixes=(".mlir", _ARTIFACT.suffix),
    signature=_BYTECODE,
    binary=_ARTIFACT,
    runs=_ENGINES,
    tie_margin=_ZERO_POINT_MARGIN,
)

STABLEHLO_QDQ = StableHloFormat(
    name=Format.STABLEHLO_QDQ,
    suffix=".stablehlo-qdq.mlir",
    binary=_ARTIFACT,
    passes=("fold", "split-reductions", "legalize-quantized-op-to-qdq"),
    in_qdq=True,
    runs=_ENGINES,
    tie_margin=_ZERO_POINT_MARGIN,
)

STABLEHLO_INT = StableHloFormat(
    name=Format.STABLEHLO_INT,
    suffix=".stablehlo-int.mlir",
    binary=_ARTIFACT,
    quantized_as=QuantizedAs.INTEGERS,
    expresses_litert=True,
    runs=_ENGINES,
)

TOSA_RESCALE = StableHloFormat(
    name=Format.TOSA_RESCALE,
    suffix=".tosa-rescale.mlir",
    quantized_as=QuantizedAs.RESCALES,
    expresses_litert=True,
    own_engine=EngineName.REFERENCE,
    lowered_ways={
        Format.STABLEHLO_INT: ("tosa-rescale-legalize-to-stablehlo", "legalize-quant-to-math", "cse", "dce"),
    },
    runs={EngineName.IREE: partial(iree.run_many, input_type=iree.InputType.AUTO)},
)
