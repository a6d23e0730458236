"""The reading of written files as programs that can be cut."""

from __future__ import annotations

from qconvert.formats import FORMATS, Format
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.main_function import Boundary
from qconvert.support.content import Content
from qconvert.validation.segments.programs import WrittenProgram


def read_program(written: str | bytes, to: Format, file: str) -> WrittenProgram:
    """Read what was written, a module's text or a file's bytes; raises ConversionError as reading does."""
    own = FORMATS[to]
    content = written.encode() if isinstance(written, str) else written
    if own.is_mlir:
        from qconvert.validation.segments.mlir_program import MlirProgram

        module = own.read(Content.of(memoryview(content)), file, Dimensions(), Boundary()).module
        return MlirProgram(module, own.program_options)
    if to is Format.TFLITE:
        from qconvert.validation.segments.tflite_program import TfliteProgram

        return TfliteProgram(content)
    from qconvert.validation.segments.onnx_program import OnnxProgram

    return OnnxProgram(content)
