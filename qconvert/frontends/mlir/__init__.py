"""The importer of MLIR text: xDSL's parser with our dialects, then verification."""

from __future__ import annotations

import re

from xdsl.dialects.builtin import ModuleOp

from qconvert.dialects.ir_mark import is_ir
from qconvert.dialects.verify import verify_contraction, verify_module
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.frontends.mlir.sizes import give_sizes
from qconvert.support.errors import ConversionError

_SEPARATOR = re.compile(r"^// -----.*$", re.MULTILINE)


def sections(text: str) -> list[str]:
    """Split a file into the modules between ``// -----`` lines; each keeps its line numbers."""
    starts = [0, *(match.end() for match in _SEPARATOR.finditer(text))]
    ends = [*(match.start() for match in _SEPARATOR.finditer(text)), len(text)]
    return ["\n" * text.count("\n", 0, start) + text[start:end] for start, end in zip(starts, ends, strict=True)]


def load_text(text: str, file: str, dims: Dimensions | None = None) -> ModuleOp:
    """Parse a module, give open dimensions (``tensor<?x4xf32>``) their sizes, and verify it.

    Weights are quantized as StableHLO's constraints ask, but for a module with ops or attributes of qconvert: that is
    the IR, which keeps all weights of ONNX and TFLite. Raises ConversionError with ``file:line:column`` for text that
    cannot be parsed, and with the file's name for a module that violates a rule or lacks a size.
    """
    module = parse_module(text, file, open_sizes=True)
    sizes = dims or Dimensions()
    more = () if is_ir(module) else (verify_contraction,)
    try:
        if "?" in text:
            give_sizes(module, sizes)
        sizes.refuse_unknown()
        verify_module(module, *more)
    except ConversionError as error:
        raise error.located(file=file) from None
    return module
