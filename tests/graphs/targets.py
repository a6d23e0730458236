"""Converts cases to every format and runs the written files in the formats' own tools, many in one process."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

from xdsl.dialects.builtin import ModuleOp

from qconvert import EngineName, Format, convert, load
from qconvert.api import Converted, Model
from qconvert.backends.base import WriteOptions
from qconvert.backends.onnx import OnnxOptions
from qconvert.backends.tosa import TosaOptions
from qconvert.backends.tosa.accelerator import ANY_HARDWARE, Accelerator, every_accelerator
from qconvert.backends.tosa.ports import with_own_tensors
from qconvert.engines.modules import Program
from qconvert.formats import FORMATS as OBJECTS
from qconvert.support.errors import EngineError, QConvertError
from tests.graphs import tosa_files
from tests.graphs.case import Case, Kind, Outcome
from tests.graphs.network import Array

Results = list[list[Array]]
_LACKS = "Didn't find op for builtin opcode"


@dataclass
class Attempt:
    """A case on its way to one format: the conversion, then the results of the file in the format's own tool."""

    case: Case
    to: Format
    model: Model
    expected: Results
    converted: Converted | None = None
    module: ModuleOp | None = None
    results: Results | None = None
    outcome: Outcome | None = None

    @property
    def inputs(self) -> Results:
        """The inputs of each sample in the model's order."""
        return [[sample[name] for name in self.model.input_names] for sample in self.case.samples]

    @property
    def is_exact(self) -> bool:
        """True if the format expresses the source's rounding, so that every integer must be equal."""
        return self.case.source == "tflite" and self.to is not Format.STABLEHLO

    @property
    def arithmetic(self) -> Format:
        """The format whose limits hold: TFLite's kernels and StableHLO differ alike, whichever is the source."""
        return Format.TFLITE if self.case.source == "tflite" else self.to

    @property
    def options(self) -> WriteOptions | None:
        """The options of the conversion: LiteRT's rounding in ONNX, in TOSA the forms of an accelerator or of none."""
        if self.to is Format.TOSA:
            return TosaOptions(npu=_drawn_accelerator(self.case.label))
        return OnnxOptions(exact_rounding=True) if self.is_exact and self.to is Format.ONNX else None

    def convert(self) -> None:
        """Convert the model; a refusal or a traceback is the outcome."""
        try:
            converted = convert(self.model, self.to, self.options)
            self.module = with_own_tensors(converted.module) if self.to is Format.TOSA else converted.module
            self.converted = converted
        except QConvertError as error:
            self.outcome = Outcome(Kind.REFUSED, str(error))
        except Exception:  # noqa: BLE001 - a traceback is a finding
            self.outcome = Outcome(Kind.TRACEBACK, traceback.format_exc())

    def take(self, answer: Results | EngineError) -> None:
        """Take the tool's results, or its error as the outcome."""
        if isinstance(answer, EngineError):
            self.outcome = Outcome(Kind.TOOL_REFUSES, str(answer))
        else:
            self.results = [
                self._restored(arrays, theirs) for arrays, theirs in zip(answer, self.expected, strict=True)
            ]

    def _restored(self, arrays: list[Array], expected: list[Array]) -> list[Array]:
        if len(arrays) != len(expected):
            return arrays
        return [OBJECTS[self.to].result(a, b.dtype) for a, b in zip(arrays, expected, strict=True)]


def _drawn_accelerator(label: str) -> Accelerator:
    """Return the accelerator that a case's TOSA is for: none for every second case."""
    drawn, accelerators = crc32(label.encode()), every_accelerator()
    return ANY_HARDWARE if drawn % 2 else accelerators[drawn // 2 % len(accelerators)]


def opened(case: Case) -> Model | Outcome:
    """Read a case's model; a refusal or a traceback is the outcome in every format."""
    try:
        return case.made or load(case.content, dims=case.dims)
    except QConvertError as error:
        return Outcome(Kind.REFUSED, str(error))
    except Exception:  # noqa: BLE001 - a traceback is a finding
        return Outcome(Kind.TRACEBACK, traceback.format_exc())


def run_all(attempts: Sequence[Attempt]) -> None:
    """Convert each attempt and run its file; all attempts of a format share the processes of its tool."""
    for attempt in attempts:
        attempt.convert()
    for to in dict.fromkeys(attempt.to for attempt in attempts):
        written = [(each, each.converted) for each in attempts if each.to is to and each.converted is not None]
        inputs = [[[OBJECTS[to].argument(array) for array in arrays] for arrays in each.inputs] for each, _ in written]
        if to is Format.TOSA:
            answers = tosa_files.run([each.module for each, _ in written if each.module is not None], inputs)
        else:
            answers = _answers(to, [one for _, one in written], inputs)
        for (attempt, _), answer in zip(written, answers, strict=True):
            attempt.take(answer)


def _answers(to: Format, written: Sequence[Converted], inputs: Sequence[Results]) -> list[Results | EngineError]:
    target = OBJECTS[to]
    programs = [
        Program(each.text if each.content is None else each.content, arrays)
        for each, arrays in zip(written, inputs, strict=True)
    ]
    engine = EngineName.STABLEHLO if target.own_engine is EngineName.REFERENCE else target.own_engine
    return _with_default_kernels(to, programs, target.run_programs(engine, programs))


def _with_default_kernels(
    to: Format, programs: Sequence[Program], answers: list[Results | EngineError]
) -> list[Results | EngineError]:
    """Run the files again in LiteRT's default kernels where the reference kernels lack an operator."""
    lacking = [i for i, answer in enumerate(answers) if isinstance(answer, EngineError) and _LACKS in str(answer)]
    if to is Format.TFLITE and lacking:
        again = OBJECTS[to].run_programs(EngineName.LITERT, [programs[i] for i in lacking], rewriting=True)
        for i, answer in zip(lacking, again, strict=True):
            answers[i] = answer
    return answers
