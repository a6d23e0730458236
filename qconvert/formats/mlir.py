"""The base of the MLIR formats: reads text or a binary form, and distinguishes StableHLO from TOSA."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from qconvert.formats.base import Format, ModelFormat
from qconvert.frontends.base import Imported
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.main_function import Boundary
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError


class MlirFormat(ModelFormat):
    """A format whose files are MLIR text, or a binary form of it."""

    is_mlir = True

    def read(self, content: Content, file: str, dims: Dimensions, boundary: Boundary) -> Imported:
        """Read a module, with sizes for its open dimensions; raises ConversionError for a cut."""
        from qconvert.frontends.mlir import load_text

        if boundary != Boundary():
            raise ConversionError("cuts can be given for ONNX and TFLite models only")
        return Imported(load_text(self.text(content.read()), file, dims))

    def text(self, content: bytes | memoryview) -> str:
        """Return a file's text, from its binary form if need be; raises ConversionError where there is none."""
        if self.binary is not None and self.binary.signature.matches(content):
            return self.binary.read(bytes(content))
        return decoded(content)

    def read_format(self, module: ModuleOp) -> Format:
        """Return the format of a module by its ops: TOSA, StableHLO, or StableHLO with TOSA's rescales."""
        dialects = {op.dialect_name() for op in module.walk()}
        if "tosa" not in dialects:
            return Format.STABLEHLO
        return Format.TOSA_RESCALE if "stablehlo" in dialects else Format.TOSA


def decoded(content: bytes | memoryview) -> str:
    """Return a text's characters; raises ConversionError where it is not UTF-8."""
    try:
        return str(content, "utf-8")
    except UnicodeDecodeError as error:
        raise ConversionError(f"byte {error.start} is not valid UTF-8") from error
