"""The base of the MLIR formats: reads text or a binary form, and distinguishes StableHLO from TOSA."""

from __future__ import annotations

from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from qconvert.formats.base import Format, ModelFormat
from qconvert.frontends.base import Imported
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.main_function import Boundary
from qconvert.support.errors import ConversionError


class MlirFormat(ModelFormat):
    """A format whose files are MLIR text, or a binary form of it."""

    is_mlir = True

    def read(self, source: Path | bytes, file: str, dims: Dimensions, boundary: Boundary) -> Imported:
        """Read a module, with sizes for its open dimensions; raises ConversionError for a cut."""
        from qconvert.frontends.mlir import load_text

        if boundary != Boundary():
            raise ConversionError("cuts can be given for ONNX and TFLite models only")
        content = source if isinstance(source, bytes) else source.read_bytes()
        return Imported(load_text(self.text(content), file, dims))

    def text(self, content: bytes) -> str:
        """Return a file's text, from its binary form if need be; raises ConversionError where there is none."""
        if self.binary is not None and self.binary.signature.matches(content):
            return self.binary.read(content)
        return decoded(content)

    def read_format(self, module: ModuleOp) -> Format:
        """Return the format of a module by its ops: TOSA, StableHLO, or StableHLO with TOSA's rescales."""
        dialects = {op.dialect_name() for op in module.walk()}
        if "tosa" not in dialects:
            return Format.STABLEHLO
        return Format.TOSA_RESCALE if "stablehlo" in dialects else Format.TOSA


def decoded(content: bytes) -> str:
    """Return a text's characters; raises ConversionError where it is not UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ConversionError(f"byte {error.start} is no UTF-8") from error
