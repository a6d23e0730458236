"""ONNX: read with all its opsets, written as QDQ or with quantized operators, compared with onnxruntime."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from qconvert.backends.base import Backend, WriteOptions
from qconvert.backends.onnx import OnnxOptions
from qconvert.engines import onnxruntime
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits
from qconvert.engines.modules import run_files
from qconvert.engines.wire import Ran
from qconvert.formats.base import Array, Format, ModelFormat, Reference, Traced, is_text
from qconvert.frontends.base import Imported, Outline
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.main_function import Boundary
from qconvert.passes.dynamism.open_size import OpenDimension
from qconvert.rewriting import Refusal
from qconvert.support.content import Content
from qconvert.support.counting import counted
from qconvert.support.errors import ConversionError, EngineError
from qconvert.support.file_parts import FileParts


class OnnxFormat(ModelFormat):
    """ONNX, a protobuf without a signature."""

    keeps_open_dims: ClassVar[bool] = True

    def opened(
        self,
        written: Sequence[tuple[ModuleOp, bytes | FileParts | None]],
        dimension: OpenDimension,
        options: WriteOptions,
    ) -> tuple[ModuleOp, FileParts | None]:
        """Return a model with the dimension's name for open sizes; nodes compute inner sizes from the input's size."""
        from qconvert.backends.onnx import model_file, opening

        assert isinstance(options, OnnxOptions)
        files = [file for _, file in written if isinstance(file, model_file.ModelFile)]
        return written[0][0], opening.open_model(files, dimension, external_data=options.external_data)

    def resembles(self, head: bytes) -> bool:
        """Return True if a file is not text, because the number of a protobuf's field is a control character."""
        return not is_text(head)

    def read(self, content: Content, file: str, dims: Dimensions, boundary: Boundary) -> Imported:
        """Import a model; external data is found beside its file."""
        del file
        found: Imported = _frontend().import_model(content, dims, boundary)
        return found

    def outline(self, content: Content, dims: Dimensions) -> Outline:
        """Return a model's nodes and tensors by name, of any operators."""
        found: Outline = _file_parts()[0].outline(content, dims)
        return found

    def files(self, content: Content) -> list[Content]:
        """Return the files with external data."""
        found: list[Content] = _frontend().external_files(content)
        return found

    def program(self, content: Content) -> bytes:
        """Return a model's bytes with external data inside."""
        found: bytes = _frontend().self_contained(content)
        return found

    def file_errors(self, content: Content, dims: Dimensions) -> Iterator[ConversionError]:
        """Yield an error for each node that ONNX's schemas or onnxruntime's kernels do not take."""
        from qconvert.formats.onnx_file import file_errors

        return file_errors(content, dims)

    def unsupported(self, content: Content) -> list[ConversionError]:
        """Return an error for each node whose operator cannot be read."""
        found: list[ConversionError] = _frontend().unsupported_nodes(content)
        return found

    def litert_note(self, count: int, litert_ops: int) -> str:
        """Return the note, with the option that writes LiteRT's arithmetic in integers unless it was given."""
        note = super().litert_note(count, litert_ops)
        return note if litert_ops else f"{note}. --exact-rounding avoids most of this."

    def staying(self, refusals: Sequence[Refusal], written: ModuleOp) -> list[Refusal]:
        """Return the refused ops: in ONNX all of them compute in float."""
        del written
        return list(refusals)

    def refusal_notes(self, refusals: Sequence[Refusal], file: str, written: ModuleOp) -> Iterator[str]:
        """Yield the number of ops that stay in float, between DequantizeLinear and QuantizeLinear, and the reasons."""
        del file, written
        stay = "1 op stays" if len(refusals) == 1 else f"{len(refusals)} ops stay"
        yield f"note: {stay} between DequantizeLinear and QuantizeLinear:"
        kinds = Counter((refusal.op, refusal.reason) for refusal in refusals)
        yield from (f"  {count} {op}: {reason}" for (op, reason), count in kinds.most_common())

    def backend(self) -> Backend:
        """Return the module that writes the format."""
        from qconvert.backends.onnx import emit

        return emit


def _frontend() -> ModuleType:
    """Return the package that reads ONNX, which imports onnx."""
    from qconvert.frontends import onnx

    return onnx


def _file_parts() -> tuple[ModuleType, ModuleType]:
    """Return the modules that outline and cut files, which conversions do not need."""
    from qconvert.frontends.onnx import outline, pieces

    return outline, pieces


def _run(source: Path | bytes, feeds: Mapping[str, Array], limits: Limits | None) -> Ran:
    return Ran([onnxruntime.run(source, feeds, limits=limits)])


def _plain(
    source: Path | bytes, samples: Sequence[Mapping[str, Array]], tensors: Sequence[str], limits: Limits | None
) -> Ran:
    """Run without graph optimisation.

    Kernels that quantize floats at run time because the model allows it compute in floats: so does the conversion.
    """
    ((plain,), notes) = _levels(source, samples, {onnxruntime.Optimisation.DISABLED: tensors}, limits)
    if isinstance(plain, EngineError):
        raise plain
    return Ran(plain.samples, ". ".join(filter(None, (*notes, plain.note))))


def _trace(
    source: Path | bytes,
    samples: Sequence[Mapping[str, Array]],
    tensors: Sequence[str],
    outputs: Sequence[str],
    limits: Limits | None,
) -> Traced:
    """Run without graph optimisation as :func:`_plain` does, and with it, which breaks some models."""
    levels = {onnxruntime.Optimisation.DISABLED: tensors, onnxruntime.Optimisation.ALL: outputs}
    ((plain, optimised), notes) = _levels(source, samples, levels, limits)
    if isinstance(plain, EngineError):
        raise plain
    notes = (*notes, *filter(None, [plain.note]))
    if isinstance(optimised, EngineError):
        return Traced(plain.samples, [], notes, (_BROKEN,))
    return Traced(plain.samples, optimised.samples, notes)


_BROKEN = "onnxruntime's graph optimisation breaks the model: the column of optimised onnxruntime has no figures"


def _levels(
    source: Path | bytes,
    samples: Sequence[Mapping[str, Array]],
    levels: Mapping[onnxruntime.Optimisation, Sequence[str]],
    limits: Limits | None,
) -> tuple[list[Ran | EngineError], tuple[str, ...]]:
    """Run at some levels of optimisation, in floats of full width; return notes on the model, too."""
    full = _in_full_accuracy(Content.of(source) if isinstance(source, bytes) else Content.at(source))
    model, notes = (source, ()) if full is None else (full[0], (_accuracy_note(full[1]),))
    return onnxruntime.run_levels(model, samples, levels, limits=limits), notes


def _in_full_accuracy(content: Content) -> tuple[bytes, int] | None:
    """Return a model whose nodes compute in floats of full width, and how many did not; None if all do."""
    from qconvert.frontends.onnx.accuracy import in_full_accuracy

    return in_full_accuracy(content)


def _accuracy_note(count: int) -> str:
    """Return the note on nodes whose accuracy level was not taken."""
    what = f"{counted(count, 'node')} of MatMulNBits with an accuracy_level above 1"
    return f"{what}: onnxruntime's kernels may quantize their activations at run time. The reference keeps floats"


def _lacks(error: EngineError) -> str | None:
    """Return the operator that onnxruntime lacks, for example one of a plugin, or has no kernel of these types for."""
    found = re.search(r"No Op registered for (\S+)|\((\S+)\): onnxruntime lacks this operator", str(error))
    return None if found is None else found[1] or found[2]


_RUN_FILES = partial(run_files, EngineName.ONNXRUNTIME)

ONNX = OnnxFormat(
    name=Format.ONNX,
    title="ONNX",
    suffix=".onnx",
    suffixes=(".onnx",),
    usual_start=b"\x08",  # the field of the IR version, which all exporters write first
    options=OnnxOptions,
    passes=("fold",),
    in_qdq=True,
    runs={EngineName.ONNXRUNTIME: partial(_RUN_FILES, optimisation=onnxruntime.Optimisation.DISABLED)},
    rewriting_runs={EngineName.ONNXRUNTIME: partial(_RUN_FILES, optimisation=onnxruntime.Optimisation.ALL)},
    reference=Reference(EngineName.ONNXRUNTIME, "disabled", _run, _plain, _trace, _lacks),
    own_engine=EngineName.ONNXRUNTIME,
    tie_note="may differ from StableHLO by 1 LSB on exact ties (ONNX rounds before adding the zero point).",
)
