"""TFLite: read, written, and compared with LiteRT."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from qconvert.backends.base import Backend
from qconvert.backends.tflite import TfliteOptions
from qconvert.dialects.stablehlo import UniformDequantizeOp
from qconvert.dialects.traits import MovesElements
from qconvert.engines import litert
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits
from qconvert.engines.modules import run_files
from qconvert.engines.wire import Ran
from qconvert.formats.base import Array, Format, ModelFormat, Reference, Signature, Traced
from qconvert.formats.floats import floats_of
from qconvert.frontends.base import Imported, Outline
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.main_function import Boundary
from qconvert.rewriting import Refusal
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError, EngineError


class TfliteFormat(ModelFormat):
    """TFLite, flatbuffers that LiteRT runs."""

    def read(self, content: Content, file: str, dims: Dimensions, boundary: Boundary) -> Imported:
        """Import a model's main subgraph."""
        del file
        found: Imported = _frontend().import_model(content, dims, boundary)
        return found

    def outline(self, content: Content, dims: Dimensions) -> Outline:
        """Return the main subgraph's operators and tensors by name, of any operators."""
        found: Outline = _frontend().outline(content, dims)
        return found

    def unsupported(self, content: Content) -> list[ConversionError]:
        """Return an error for each operator that cannot be read."""
        found: list[ConversionError] = _frontend().unsupported_nodes(content)
        return found

    def file_errors(self, content: Content, dims: Dimensions) -> Iterator[ConversionError]:
        """Yield an error for each operator that LiteRT's kernels do not take."""
        from qconvert.formats.tflite_file import file_errors

        return file_errors(content, dims)

    def float_candidates(self, fused: ModuleOp) -> Iterator[Refusal]:
        """Yield the named ops that take or return floats, and the quantized ops that LiteRT may compute in floats."""
        return floats_of(fused, self.title)

    def _computes(self, op: Operation) -> bool:
        """Return True for an op on floats that does more than move them, as in front of QUANTIZE."""
        return super()._computes(op) and not op.has_trait(MovesElements) and not isinstance(op, UniformDequantizeOp)

    def backend(self) -> Backend:
        """Return the module that writes the format."""
        from qconvert.backends.tflite import emit

        return emit


def _frontend() -> ModuleType:
    """Return the package that reads TFLite, which imports the schema's bindings."""
    from qconvert.frontends import tflite

    return tflite


def _run(source: Path | bytes, feeds: Mapping[str, Array], limits: Limits | None) -> Ran:
    return _plain(source, [feeds], (), limits)


def _plain(
    source: Path | bytes, samples: Sequence[Mapping[str, Array]], tensors: Sequence[str], limits: Limits | None
) -> Ran:
    """Run with the reference kernels, or with those that take the place of what they lack or compute wrongly."""
    return litert.run_noted(_whole(source), samples, tensors=tensors, limits=limits)


def _trace(
    source: Path | bytes,
    samples: Sequence[Mapping[str, Array]],
    tensors: Sequence[str],
    outputs: Sequence[str],
    limits: Limits | None,
) -> Traced:
    """Run with the reference kernels and with the default ones, which always return all outputs."""
    del outputs
    content = _whole(source)
    plain = _plain(content, samples, tensors, limits)
    notes = (plain.note,) if plain.note else ()
    try:
        optimised = litert.run_samples(content, samples, resolver=litert.Resolver.DEFAULT, limits=limits)
    except EngineError:
        return Traced(plain.samples, [], notes, (_REFUSED,))
    return Traced(plain.samples, optimised, notes)


_REFUSED = "LiteRT's default kernels do not run the model: their column has no figures"


def _misread(content: Content, dims: Dimensions) -> Iterator[ConversionError]:
    from qconvert.formats.tflite_file import misread

    return misread(content, dims)


def _lacks(error: EngineError) -> str | None:
    """Return the operator, with its version, that LiteRT's kernels lack."""
    found = re.search(r"Didn't find op for builtin opcode '(\w+)' version '(\d+)'", str(error))
    if found is not None:
        return f"{found[1]} (version {found[2]})"
    custom = re.search(r"unresolved custom op: (\S+)", str(error))
    return None if custom is None else custom[1]


def _whole(source: Path | bytes) -> bytes:
    return source if isinstance(source, bytes) else source.read_bytes()


TFLITE = TfliteFormat(
    name=Format.TFLITE,
    title="TFLite",
    suffix=".tflite",
    suffixes=(".tflite",),
    signature=Signature(4, b"TFL3"),
    options=TfliteOptions,
    runs={EngineName.LITERT: partial(run_files, EngineName.LITERT, resolver=litert.Resolver.REFERENCE)},
    rewriting_runs={EngineName.LITERT: partial(run_files, EngineName.LITERT, resolver=litert.Resolver.DEFAULT)},
    rewriting="default kernels",
    compares_rewritten_layers=True,
    own_engine=EngineName.LITERT,
    reference=Reference(EngineName.LITERT, "BUILTIN_REF", _run, _plain, _trace, _lacks, _misread),
    follows_litert=True,
    expresses_litert=True,
    expresses_hybrid=True,
)
